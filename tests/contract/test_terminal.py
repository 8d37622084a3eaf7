"""What becomes of a fact that a person types in the terminal of the real Hermes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.contract.kit import add, decided, make_home, model, needs_hermes, records
from tests.contract.terminal import Terminal, say

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

FACT = "The user drinks tea."
TYPED = "I drink tea."
ALLOW = re.compile("Allow once|approval_once")
"""A choice in the box in which Hermes asks; the wheel of 0.22.2 has no words, only their keys."""


@pytest.mark.parametrize("is_interactive", [True, False], ids=["typed", "query"])
def test_a_fact_in_the_terminal_is_staged_without_a_question(
    tmp_path: Path, is_interactive: bool
) -> None:
    home = make_home(tmp_path / ".hermes", nudge=0)
    words = () if is_interactive else ("-Q", "-q", TYPED)
    with model(add(FACT, "user"), {"say": "Noted."}) as running:
        terminal = Terminal(home, running, *words)
        try:
            if is_interactive:
                say(terminal, running, TYPED)
            terminal.wait_for(lambda: records(home), "nothing was staged")
            terminal.wait_for(lambda: "Noted." in terminal.printed, "no answer")
        finally:
            terminal.end()
    (record,) = records(home)
    assert record["payload"]["content"] == FACT
    assert not ALLOW.search(terminal.printed)
    assert not (home / "memories" / "USER.md").exists()


def test_what_came_of_a_single_question_is_told_at_the_next_one(tmp_path: Path) -> None:
    home, printed = make_home(tmp_path / ".hermes", nudge=0), ""
    with model({"say": "Hello."}, add(FACT, "user"), {"say": "Noted."}) as running:
        for text in ("Hello.", TYPED, "Thanks."):
            terminal = Terminal(home, running, "-Q", "-q", text)
            try:
                terminal.wait_for(lambda: terminal.is_over, "it goes on")  # noqa: B023 - called here
            finally:
                terminal.end()
            printed = terminal.printed
            decided(home, "auto")
            for record in home.glob("pending/memory/*.json"):
                os.utime(record, (1, 1))  # One of this moment may be applied before it is told.
    # Hermes 0.22 calls such a session `oneshot`: a script may have asked.
    waits = bool(records(home))
    assert waits or FACT in (home / "memories" / "USER.md").read_text("utf-8")
    assert ("1 new proposal is waiting" if waits else "1 entry learned") in printed


@pytest.mark.parametrize("plugin", [True, False], ids=["told to ask", "no plugin"])
def test_what_a_person_allowed_in_the_box_is_approved_in_hermes(
    tmp_path: Path, plugin: bool
) -> None:
    home = make_home(tmp_path / ".hermes", plugin=plugin, nudge=0)
    if plugin:
        settings = home / ".reviewdeck" / "plugin.json"
        settings.write_text(
            json.dumps(json.loads(settings.read_text("utf-8")) | {"terminal": "ask"}), "utf-8"
        )
    assert decided(home, "auto").returncode == 0
    with model(add(FACT, "user"), {"say": "Noted."}) as running:
        terminal = Terminal(home, running)
        try:
            say(terminal, running, TYPED)
            terminal.wait_for(lambda: ALLOW.search(terminal.printed), "no question")
            memory = home / "memories" / "USER.md"
            terminal.enter_until(memory.exists, "nothing was written")
            terminal.wait_for(lambda: "Noted." in terminal.printed, "no answer")
        finally:
            terminal.end()
    assert FACT in memory.read_text("utf-8")
    decided(home, "auto")
    assert "approved in Hermes, session" in decided(home, "since").stdout
    assert "approved in Hermes (session" in decided(home, "log", "--verify").stdout
