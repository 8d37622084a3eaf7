"""The deck as lines of text."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.engine.kit import entries, set_entries
from tests.tui.kit_deck import Cockpit, Hermes

from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.plain import PlainDeck


@pytest.fixture
def busy(cockpit: Cockpit) -> Cockpit:
    cockpit.agent.replace("staging host", "The staging host is stg-4.")
    return cockpit


def talk(cockpit: Cockpit, *answers: str) -> tuple[int, str]:
    """Says these lines to the deck; gives the number of drafts at the end and what it said."""
    said: list[str] = []
    left: Iterator[str] = iter(answers)

    def ask(question: str) -> str:
        said.append(question)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    engine = EngineWorker(cockpit.settings, cockpit.clock)
    try:
        drafts = PlainDeck(engine, now=cockpit.clock, ask=ask, say=said.append).run()
    finally:
        engine.close()
    return drafts, "\n".join(said)


def test_it_lists_what_waits(busy: Cockpit) -> None:
    _, said = talk(busy)
    assert "1 waiting, 0 drafts." in said
    assert "1. + ready, replace memory: stg-2. → stg-4. · The staging host is" in said


def test_a_diff_is_told_in_words(busy: Cockpit) -> None:
    _, said = talk(busy, "show 1")
    assert "before: The staging host is stg-2." in said
    assert "after: The staging host is stg-4." in said
    assert "Why:" in said


def test_nothing_is_approved_before_it_was_shown(busy: Cockpit) -> None:
    assert talk(busy, "approve 1")[0] == 0
    assert talk(busy, "show 1", "approve 1")[0] == 1


def test_only_yes_after_the_summary_writes(busy: Cockpit) -> None:
    talk(busy, "show 1", "approve 1", "write", "y")
    assert entries(busy.home)[1] == "The staging host is stg-2."
    drafts, said = talk(busy, "write", "yes")
    assert entries(busy.home)[1] == "The staging host is stg-4."
    assert drafts == 0
    assert "operation" in said


def test_drafts_are_made_and_dropped(busy: Cockpit) -> None:
    drafts, said = talk(busy, "reject 1 out of date", "clear 1", "defer 1", "list")
    assert drafts == 1
    assert "draft D" in said


def test_a_proposal_goes_back_to_the_agent_with_a_note(busy: Cockpit) -> None:
    drafts, said = talk(busy, "send-back 1 which host exactly?", "summary")
    assert drafts == 1
    assert "sent back: which host exactly?" in said


def test_what_it_does_not_know_brings_the_help(busy: Cockpit) -> None:
    _, said = talk(busy, "dance", "", "show 7")
    assert "list: what is waiting." in said
    assert "There is no number 7" in said


def test_hostile_text_is_inert_here_too(cockpit: Cockpit) -> None:
    cockpit.agent.add("\x1b]52;c;aGk=\x07 \u202egnp \x9b31m")
    _, said = talk(cockpit, "show 1", "defer 1", "summary")
    assert not any(char in said for char in "\x1b\x07\x9b\u202e")


def test_the_command_line_opens_it_over_every_profile(busy: Cockpit) -> None:
    work = busy.home / "profiles" / "work"
    for folder in ("memories", "pending/memory"):
        (work / folder).mkdir(parents=True)
    set_entries(work, "Works from Oslo.")
    Hermes(work, busy.clock).replace("Oslo", "Works from Bergen.")
    said = in_terminal(busy, "reviewdeck --plain", b"list\rquit\r")
    assert "2 waiting, 0 drafts." in said
    assert "stg-4." in said and ", home default," in said and ", home work," in said
    assert "\x1b" not in said


def in_terminal(cockpit: Cockpit, command: str, typed: bytes) -> str:
    """What a command says in a terminal of its own, with lines typed ahead."""
    controller, terminal = pty.openpty()
    words = [sys.executable, "-m", "reviewdeck.cli.main", *command.split()[1:]]
    surroundings = {
        **os.environ,
        "HERMES_HOME": str(cockpit.home),
        "REVIEWDECK_LEDGER": str(cockpit.ledger),
        "TERM": "dumb",
    }
    with subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal, env=surroundings
    ) as process:
        os.close(terminal)
        os.write(controller, typed)
        said = b""
        with suppress(OSError):  # The other end was closed: that is how a terminal ends.
            while chunk := os.read(controller, 65_536):
                said += chunk
        os.close(controller)
    assert process.returncode == 0, said
    return said.decode("utf-8")
