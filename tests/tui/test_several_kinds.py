"""The deck over homes of different kinds: whose each is, its limits, and what a change weighs."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.pictures import THEMES, different_pictures, opened

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.stage import stage

MEMORY = "projects/-w-app/memory"


@pytest.fixture
def both(cockpit: Cockpit, tmp_path: Path) -> Cockpit:
    """A Hermes home with an addition, and Claude Code's folder with a fact and its line."""
    config = tmp_path / ".claude"
    (config / MEMORY).mkdir(parents=True)
    (config / MEMORY / "MEMORY.md").write_text("- [Port](port.md) — the port\n")
    cockpit.homes = (cockpit.home, config)
    cockpit.take_in()
    cockpit.agent.add("The user drinks oolong.")
    root = Root("config", str(config))
    for name, text in (
        ("team.md", "---\nname: team\ndescription: who is on it\n---\n\nThe team is five.\n"),
        ("MEMORY.md", "- [Port](port.md) — the port\n- [Team](team.md) — who is on it\n"),
    ):
        event = {"tool_use_id": f"toolu_{name}", "session_id": "s1", "prompt_id": "p1"}
        stage(root, event, f"{MEMORY}/{name}", root.read(f"{MEMORY}/{name}"), text)
    (record,) = (config / ".reviewdeck/claude/pending").iterdir()
    value = json.loads(record.read_text())
    value["at"] = cockpit.clock.moment.isoformat()
    record.write_text(json.dumps(value))
    moment = cockpit.clock.moment + timedelta(minutes=5)
    cockpit.now = lambda: moment
    return cockpit


async def claude(driver: Driver) -> None:
    """The fact, in the home of its own."""
    found = {item.target: id for id, item in driver.screen.items.items()}
    driver.screen.queue.move_to(found["team"], by_key=True)
    await driver.settle()
    await driver.press("H")
    while "home claude" not in driver.line("head"):
        await driver.press("H")


async def test_homes_of_two_kinds_stand_side_by_side(both: Cockpit) -> None:
    async with both.open(size=(120, 36)) as driver:
        shown = driver.shown()
        assert "all 2 homes (H)" in shown
        assert "team: team.md: who is on it" in shown
        assert "The user drinks oolong." in shown
        await claude(driver)
        shown = driver.shown()
        assert "MEMORY 1/200 lines" in shown
        assert "oolong" not in shown
        assert "in every prompt" in shown


async def test_the_deck_over_two_kinds_looks_as_it_did(
    both: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    app = opened(both)
    assert not await different_pictures(
        app, claude, snapshot, tmp_path, sizes=[(120, 32)], themes=THEMES[:1]
    )
