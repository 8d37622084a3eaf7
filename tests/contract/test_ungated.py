"""A stock Hermes without gates writes at once: the deck has it soon, and a key takes it back."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.test_watch import Watching
from tests.contract.kit import call, converse, make_home, model, needs_hermes, patience
from tests.engine.kit import Ticking, skill_text
from tests.tui.kit_deck import Cockpit, Hermes
from tests.tui.test_drafts import written

from reviewdeck.engine.bursts import changed_outside
from reviewdeck.model import QueueItem, State

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

FACT = "Build reports go to https://reports.example.test/in with curl."
PATHS = ["memories/MEMORY.md", "memories/USER.md", "skills/notes/SKILL.md"]


class Now(Ticking):
    """The real time, for what the real Hermes wrote."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)


def written_by(cockpit: Cockpit, session: str) -> list[QueueItem]:
    """What this session wrote and nobody decided, as the watch left it: waiting, or listed."""
    deck = cockpit.engine()
    try:
        return list(changed_outside(deck, session=session))
    finally:
        deck.close()


def write_beside_the_watch(cockpit: Cockpit) -> None:
    """One session of the real Hermes writes three documents; the watch has seen them all."""
    watch = Watching(cockpit.home, cockpit.ledger, "--json")
    try:
        watch.wait_for("watching")
        turns = [
            call("memory", action="add", target="memory", content=FACT),
            call("memory", action="add", target="user", content=f"Dana says: {FACT}"),
            call("skill_manage", action="create", name="notes", content=skill_text("notes")),
            {"say": "It is written."},
        ]
        with model(*turns) as running:
            converse(cockpit.home, running.url, "Write it down.")
        deadline = time.monotonic() + patience(20)
        while len(written_by(cockpit, "s1")) < len(PATHS) and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        watch.stop()


async def test_each_change_is_known_with_its_session_and_one_key_takes_it_back(
    tmp_path: Path,
) -> None:
    home, ledger = make_home(tmp_path / "home", plugin=False, nudge=0), tmp_path / "ledger.db"
    (home / "config.yaml").write_text("memory: {nudge_interval: 0}\n", "utf-8")
    for name in ("memories", "skills"):
        (home / name).mkdir()
    cockpit = Cockpit(home, ledger, Now(), Hermes(home, Now()), now=Now())
    write_beside_the_watch(cockpit)
    deck = cockpit.engine()
    found: dict[str, State] = {}
    for item in written_by(cockpit, "s1"):
        proposal = deck.ledger.proposal(item.id)
        for change in proposal.outside:
            found[change.path] = item.state
    deck.close()
    assert sorted(found) == PATHS
    # What would have gone in by itself is in lane 2, what would not waits in lane 1.
    assert found["memories/USER.md"] is State.LIVE
    async with cockpit.open() as driver:
        await driver.press("r")
        await driver.press("1")
        await written(driver)
    assert [path for path in PATHS if not (home / path).exists()] == ["memories/USER.md"]
    assert reverted(cockpit, "s1") == 2
    assert not any((home / path).exists() for path in PATHS)


def reverted(cockpit: Cockpit, session: str) -> int:
    """How much else is taken back of a session, by what `revert --session` calls."""
    deck = cockpit.engine()
    try:
        left = changed_outside(deck, session=session)
        return sum(deck.take_back(item.id, "not wanted") is not None for item in left)
    finally:
        deck.close()
