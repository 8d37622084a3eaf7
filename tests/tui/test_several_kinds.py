"""The deck over homes of different kinds: whose each is, its limits, and what a change weighs."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.contract.qwen_kit import fact
from tests.homes.gemini.kit import MEMORY as GEMINI_MEMORY
from tests.homes.gemini.kit import extracted, patch
from tests.homes.gemini.kit import make_config as make_gemini
from tests.homes.openclaw.kit import make_workspace
from tests.homes.qwen.kit import MEMORY as QWEN_MEMORY
from tests.homes.qwen.kit import make_config as make_qwen
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.pictures import THEMES, different_pictures, opened

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.stage import stage

MEMORY = "projects/-w-app/memory"


def propose(cockpit: Cockpit, root: Root, **texts: str) -> None:
    """What the gate of an agent stages in one prompt, by the paths of documents."""
    for path, text in texts.items():
        event = {"tool_use_id": f"toolu_{path}", "session_id": "s1", "prompt_id": "p1"}
        stage(root, event, path, root.read(path), text)
    (record,) = Path(root.own("pending")).iterdir()
    value = json.loads(record.read_text())
    value["at"] = cockpit.clock.moment.isoformat()
    record.write_text(json.dumps(value))


@pytest.fixture
def both(cockpit: Cockpit, tmp_path: Path) -> Cockpit:
    """A Hermes home with an addition, and Claude Code's folder with a fact and its line."""
    config = tmp_path / ".claude"
    (config / MEMORY).mkdir(parents=True)
    (config / MEMORY / "MEMORY.md").write_text("- [Port](port.md) — the port\n")
    cockpit.homes = (cockpit.home, config)
    cockpit.take_in()
    cockpit.agent.add("The user drinks oolong.")
    texts = {
        "team.md": "---\nname: team\ndescription: who is on it\n---\n\nThe team is five.\n",
        "MEMORY.md": "- [Port](port.md) — the port\n- [Team](team.md) — who is on it\n",
    }
    named = {f"{MEMORY}/{name}": text for name, text in texts.items()}
    propose(cockpit, Root("config", str(config)), **named)
    moment = cockpit.clock.moment + timedelta(minutes=5)
    cockpit.now = lambda: moment
    return cockpit


@pytest.fixture
def every(both: Cockpit, tmp_path: Path) -> Cockpit:
    """The same beside homes of Qwen Code, OpenClaw and Gemini CLI, each with a proposal."""
    qwen, gemini = make_qwen(tmp_path / ".qwen"), make_gemini(tmp_path / ".gemini")
    workspace = make_workspace(tmp_path)
    both.homes = (*both.homes, qwen, workspace, gemini)
    moment, both.now = both.now, None
    both.take_in()
    both.now = moment
    new = fact("coffee", "Likes coffee")
    propose(both, Root("qwen", str(qwen)), **{f"{QWEN_MEMORY}/user/coffee.md": new})
    user = "- Likes tox.\n- Is called Ada 🦊.\n"
    propose(both, Root("workspace", str(workspace)), **{"USER.md": user})
    index = gemini / GEMINI_MEMORY / "MEMORY.md"
    extracted(gemini, patch(index, "@@ -3,1 +3,2 @@\n - The port is 80.\n+- CI is Jenkins."))
    return both


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


LIMITS = {
    "claude": "MEMORY 1/200 lines, 28/25000 UTF-16 units",
    "qwen": "MEMORY 1/200 lines, 32/25000 UTF-16 units",
    "openclaw": "USER 9/4000 UTF-16 units",
}


async def test_homes_of_every_kind_stand_side_by_side_each_with_its_own_limits(
    every: Cockpit,
) -> None:
    async with every.open(size=(120, 36)) as driver:
        shown = driver.shown()
        assert "all 5 homes (H)" in shown
        for words in ("CI is Jenkins.", "coffee: Likes coffee", "# USER.md"):
            assert words in shown
        heads = []
        for _ in range(5):
            await driver.press("H")
            heads.append(driver.line("head"))
    assert "MEMORY 67/2200  USER 36/1375" in heads[0]
    assert [name for name, limits in LIMITS.items() if limits not in "".join(heads)] == []
    assert "/" not in heads[-1].partition("5/5")[2]


async def at_the_fact(driver: Driver) -> None:
    """The queue of all homes, at the fact with its line in an index."""
    found = {item.target: id for id, item in driver.screen.items.items()}
    driver.screen.queue.move_to(found["team"], by_key=True)


async def test_the_deck_over_every_kind_looks_as_it_did(
    every: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    app = opened(every)
    assert not await different_pictures(
        app, at_the_fact, snapshot, tmp_path, sizes=[(120, 36)], themes=THEMES[:1]
    )
