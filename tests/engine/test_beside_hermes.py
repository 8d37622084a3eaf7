"""Hermes writes its memory while we apply to it. REVIEWDECK_SECONDS=30 tries for longer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, OPERATOR, Agent, entries, set_entries

from reviewdeck import open_deck
from reviewdeck.engine.engine import Engine
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import Cause, OperationState, State

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("REVIEWDECK_SECONDS", "5"))

LIMIT = "memory:\n  memory_char_limit: 1000000\n"

AUTO = """
import sys, time
from reviewdeck import open_deck
deck = open_deck(sys.argv[1], ledger=sys.argv[2], env={"HOME": sys.argv[3]})
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[4])
while time.monotonic() < end:
    deck.auto()
    time.sleep(0.05)
deck.close()
"""

OPERATOR_LOOP = """
import sys, time
from reviewdeck import open_deck
from reviewdeck.errors import ReviewdeckError
deck = open_deck(sys.argv[1], ledger=sys.argv[2], env={"HOME": sys.argv[3]})
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[4])
while time.monotonic() < end:
    deck.intake()
    for item in deck.pending(limit=10):
        if time.monotonic() > end:
            break
        try:
            digest = deck.get(item.id).digest
            if digest:
                deck.approve(item.id, digest)
        except ReviewdeckError:
            pass
    time.sleep(0.02)
deck.close()
"""


def started(*command: str) -> subprocess.Popen[str]:
    """A process that waits for a line on its input before it begins."""
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_beside(home: Path, agent: Agent, tmp_path: Path, how: str) -> tuple[list[str], Engine]:
    """Everybody at once; gives what Hermes says it wrote, and a deck over what came of it."""
    (home / "config.yaml").write_text(LIMIT, "utf-8")
    set_entries(home, "Tests run with tox.")
    ledger = str(tmp_path / "ledger.db")
    first = open_deck(home, ledger=ledger, env={"HOME": str(tmp_path)})
    first.intake()
    first.close()
    where = (str(home), ledger, str(tmp_path), str(SECONDS))
    ours = [started("-c", AUTO, *where), *(started("-c", OPERATOR_LOOP, *where) for _ in range(2))]
    hermes = started("-m", "tests.engine.beside_hermes", str(home), str(SECONDS), how)
    for process in (hermes, *ours):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    agent.add("The linter is ruff.")  # The first pass of each has something to do, however late.
    for process in (hermes, *ours):
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    deadline, number = time.monotonic() + SECONDS * 0.8, 0
    while time.monotonic() < deadline:
        number += 1
        agent.add(f"The office number {number} near the harbour has a printer.")
        time.sleep(0.1)
    wrote = hermes.communicate(timeout=SECONDS + 60)[0].splitlines()
    for process in ours:
        process.communicate(timeout=SECONDS + 60)
    assert [process.returncode for process in [hermes, *ours]] == [0, 0, 0, 0]
    deck = open_deck(home, ledger=ledger, env={"HOME": str(tmp_path)}, actor=OPERATOR)
    deck.recover()
    deck.intake()
    return wrote, deck


def applied_entries(deck: Engine) -> list[str]:
    """What the ledger says was applied."""
    done = [one for one in deck.operations() if one.state is OperationState.DONE]
    edits = [edit for one in done for edit in deck.ledger.proposal(one.proposal).edits]
    return [str(getattr(edit, "content", "")) for edit in edits]


def misattributed(deck: Engine, wrote: list[str]) -> list[str]:
    """The entries that are credited to another than who wrote them."""
    wrong = []
    for part in deck.blame(MEMORY):
        by = part.added_by
        if part.text in wrote:
            is_right = by.cause is Cause.OUTSIDE
        elif by.proposal is None:
            is_right = by.cause is Cause.SEEN and part.text == "Tests run with tox."
        else:
            edits = deck.ledger.proposal(by.proposal).edits
            is_right = part.text in [getattr(edit, "content", "") for edit in edits]
        if not is_right:
            wrong.append(f"{part.text} is credited to {by.cause} {by.proposal}")
    return wrong


@pytest.mark.slow
def test_with_its_lock_nothing_is_lost_and_nothing_is_doubled(
    home: Path, agent: Agent, tmp_path: Path
) -> None:
    wrote, deck = run_beside(home, agent, tmp_path, "locked")
    live, ours = entries(home), applied_entries(deck)
    assert wrote, "the other writer never came through"
    assert ours, "we never came through"
    assert len(live) == len(set(live))
    assert sorted(live) == sorted(["Tests run with tox.", *wrote, *ours])
    assert len(deck.pending((State.APPLIED,), limit=10_000)) == len(ours)
    assert deck.ledger.verify() is None
    assert deck.ledger.unfinished(str(home)) == ()
    assert misattributed(deck, wrote) == []
    deck.close()
    assert find_damage(str(tmp_path / "ledger.db")) == ()


@pytest.mark.slow
def test_without_its_lock_we_overwrite_nothing_and_notice_what_it_overwrote(
    home: Path, agent: Agent, tmp_path: Path
) -> None:
    wrote, deck = run_beside(home, agent, tmp_path, "unlocked")
    live, ours = entries(home), applied_entries(deck)
    assert wrote and ours
    assert set(wrote) <= set(live), "something of the other writer is gone"
    assert len(live) == len(set(live))
    lost = set(ours) - set(live)
    seen = deck.history(MEMORY)
    if lost:
        assert any(one.cause is Cause.OUTSIDE for one in seen)
    kept = b"\n".join(deck.ledger.content(one.revision) or b"" for one in seen)
    for entry in lost:
        assert entry.encode() in kept, "it cannot be brought back from the ledger"
    latest = deck.ledger.latest(str(home))[MEMORY]
    assert (deck.ledger.content(latest.revision) or b"").decode() == (home / MEMORY).read_text()
    assert deck.ledger.verify() is None
    deck.close()
