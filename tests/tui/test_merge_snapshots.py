"""The merge screen and a cluster as pictures, at three sizes and in two themes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.pictures import Steps, different_pictures, each_size, opened
from tests.tui.test_snapshots import IDENTITY, NOW, Creeping, on

from reviewdeck.demo import write_demo
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import State
from reviewdeck_tui.screens.cluster import ClusterScreen
from reviewdeck_tui.screens.merge import MergeScreen

pytestmark = pytest.mark.slow

WORDINGS = {
    "aaaaaaa1": "Releases leave on Tuesday, after the morning ferry, and never on a Friday.",
    "aaaaaaa2": "Releases leave on Wednesday.",
}


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Cockpit:
    """The sample home with three proposals about one entry, and one that lost its target."""
    root = tmp_path_factory.mktemp("merging")
    home = root / "home"
    write_demo(home, NOW)
    clock = Creeping()
    agent = Hermes(home, clock)
    for id, text in WORDINGS.items():
        agent.replace("Releases leave", text, id=id)
    old = "Releases leave every second Friday: tag vYYYY.MM.N, announce in #quayside."
    agent.replace(old, f"{old} Never two in a week.", id="aaaaaaa3")
    cockpit = Cockpit(home, root / "ledger.db", clock, agent)
    cockpit.now = clock
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(HermesHome, "id", IDENTITY)
        cockpit.take_in()
    return cockpit


@pytest.fixture
def merging(crowd: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cockpit:
    """The same with a ledger of its own, in which nothing was decided."""
    monkeypatch.setattr(HermesHome, "id", IDENTITY)
    ledger = tmp_path / "ledger.db"
    shutil.copy(crowd.ledger, ledger)
    return Cockpit(crowd.home, ledger, crowd.clock, crowd.agent, now=crowd.now)


async def _merge(driver: Driver, words: str, *keys: str) -> None:
    await on(driver, lambda item: item.state is State.CONFLICT and words in item.summary)
    await driver.press("m", *keys)
    screen = driver.app.screen
    assert isinstance(screen, MergeScreen)
    await driver.until(lambda: screen.is_painted)
    screen.clear_message()


async def memory_open(driver: Driver) -> None:
    """An entry that was changed on both sides, and two that merged by themselves."""
    await _merge(driver, "Staging")


async def memory_taken(driver: Driver) -> None:
    """The same with the proposed text taken."""
    await _merge(driver, "Staging", "3")


async def memory_words(driver: Driver) -> None:
    """The same with the words of both sides taken."""
    await _merge(driver, "Staging", "4")


async def skill_both(driver: Driver) -> None:
    """Steps of a skill, both versions taken."""
    await _merge(driver, "release-notes", "b", "tab")


async def whole_file(driver: Driver) -> None:
    """A file that is removed on one side and changed on the other."""
    await _merge(driver, "dashboards", "2")


async def new_place(driver: Driver) -> None:
    """A dead proposal at its likely new place."""
    await driver.press("o")
    await on(driver, lambda item: item.state is State.DEAD and "Friday: tag" in item.summary)
    await driver.press("m")
    screen = driver.app.screen
    assert isinstance(screen, MergeScreen)
    await driver.until(lambda: screen.is_painted)


async def cluster(driver: Driver) -> None:
    """Three wordings of one entry, one of which is to stay."""
    await on(driver, lambda item: "Wednesday" in item.summary and "second" in item.summary)
    await driver.press("b")
    screen = driver.app.screen
    assert isinstance(screen, ClusterScreen)
    await driver.press("k", "x", "k")
    await driver.until(lambda: screen._look is not None and screen.diff.fraction_seen > 0)
    id = screen.member.item.id
    await driver.until(lambda: screen._look is not None and screen._look.id == id)


@pytest.mark.parametrize(
    "steps",
    [memory_open, memory_taken, memory_words, whole_file, new_place, cluster],
    ids=lambda f: f.__name__,
)
async def test_a_screen_looks_as_it_did(
    merging: Cockpit,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    steps: Steps,
) -> None:
    assert not await different_pictures(opened(merging), steps, snapshot, tmp_path)


@each_size
async def test_a_scrolled_screen_looks_as_it_did(
    merging: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    assert not await different_pictures(
        opened(merging), skill_both, snapshot, tmp_path, sizes=[size]
    )
