"""Every screen as a picture, on the sample home, at three sizes; at the first in two themes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.engine.kit import Ticking
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.pictures import SIZES, THEMES, Steps, different_pictures, each_size, opened
from textual.filter import LineFilter

from reviewdeck.demo import write_demo
from reviewdeck.engine.summary import Summary
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import State
from reviewdeck_tui.ansi16 import Ansi16Filter
from reviewdeck_tui.app import DeckApp
from reviewdeck_tui.screens.summary import SummaryScreen

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
IDENTITY = "/home/operator/.hermes"
"""What the home calls itself: ids are made from it, and a test's folder has any name."""


class Creeping(Ticking):
    """A clock that moves on, so that drafts have an order, and never so far that an age shows."""

    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> datetime:
        self.moment += timedelta(microseconds=1)
        return self.moment


@pytest.fixture(scope="session")
def taken_in(tmp_path_factory: pytest.TempPathFactory) -> Cockpit:
    """The sample home, and a ledger that knows it."""
    root = tmp_path_factory.mktemp("pictures")
    home = root / "home"
    write_demo(home, NOW)
    clock = Creeping()
    cockpit = Cockpit(home, root / "ledger.db", clock, Hermes(home, clock))
    cockpit.now = clock
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(HermesHome, "id", IDENTITY)
        cockpit.take_in()
    return cockpit


@pytest.fixture
def demo(taken_in: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cockpit:
    """The same with a ledger of its own."""
    monkeypatch.setattr(HermesHome, "id", IDENTITY)
    monkeypatch.setattr(Summary, "digest", "0" * 64)
    ledger = tmp_path / "ledger.db"
    shutil.copy(taken_in.ledger, ledger)
    return Cockpit(taken_in.home, ledger, taken_in.clock, taken_in.agent, now=taken_in.now)


async def queue(driver: Driver) -> None:
    """A replacement in the memory, with its diff."""
    await on(driver, lambda item: item.state is State.READY and "Releases" in item.summary)


async def conflict(driver: Driver) -> None:
    """A conflict in the memory."""
    await on(driver, lambda item: item.state is State.CONFLICT and "Staging" in item.summary)


async def summary(driver: Driver) -> None:
    """An approval, a rejection and a deferral, summed up."""
    await queue(driver)
    await driver.press("a")
    await on(driver, lambda item: "short answers" in item.summary)
    await driver.press("r", "2")
    await driver.press("d", "ctrl+s")
    await driver.until(lambda: isinstance(driver.app.screen, SummaryScreen))
    screen = driver.app.screen
    assert isinstance(screen, SummaryScreen)
    await driver.until(lambda: screen._is_painted)


async def help_screen(driver: Driver) -> None:
    """The list of keys."""
    await driver.press("question_mark")


async def reasons(driver: Driver) -> None:
    """The question after `r`."""
    await queue(driver)
    await driver.press("r")


async def note(driver: Driver) -> None:
    """What `c` asks for."""
    await queue(driver)
    await driver.press("c", *"ask Ana")


async def palette(driver: Driver) -> None:
    """The palette, narrowed to what has a word."""
    await queue(driver)
    await driver.press("ctrl+p", *"draft")


async def filtering(driver: Driver) -> None:
    """A filter as it is typed."""
    await queue(driver)
    await driver.press("slash", *"ferry")


async def dropped(driver: Driver) -> None:
    """One change of a batch left out."""
    await on(driver, lambda item: item.action == "batch" and item.target == "memory")
    await driver.press("enter", "x")
    await driver.until(lambda: bool(driver.drafts))


async def on(driver: Driver, is_wanted: Callable[[Any], bool]) -> None:
    """Puts the cursor on a proposal, as a click does."""
    id = next(id for id, item in driver.screen.items.items() if is_wanted(item))
    driver.screen.queue.move_to(id, by_key=True)
    await driver.settle()


@each_size
@pytest.mark.parametrize("steps", [queue, conflict, summary, help_screen], ids=lambda f: f.__name__)
async def test_a_screen_looks_as_it_did(
    demo: Cockpit,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    steps: Steps,
    size: tuple[int, int],
) -> None:
    assert not await different_pictures(opened(demo), steps, snapshot, tmp_path, sizes=[size])


@pytest.mark.parametrize("size", [(100, 30), (220, 60)], ids=["100x30", "220x60"])
async def test_the_queue_looks_as_it_did_between_and_beyond_these_sizes(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    assert not await different_pictures(
        opened(demo), conflict, snapshot, tmp_path, sizes=[size], themes=THEMES[:1]
    )


class SixteenColours(DeckApp):
    """The deck as in a terminal that has no more of them."""

    def get_line_filters(self) -> list[LineFilter]:
        """Those of the deck, and the one for such terminals."""
        return [Ansi16Filter(), *super().get_line_filters()]


async def test_the_queue_looks_as_it_did_with_sixteen_colours(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    app = opened(demo, kind=SixteenColours)
    assert not await different_pictures(
        app, conflict, snapshot, tmp_path, sizes=SIZES[1:2], themes=THEMES[:1]
    )


async def test_the_queue_looks_as_it_did_without_colours(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not await different_pictures(
        opened(demo), conflict, snapshot, tmp_path, sizes=SIZES[1:2], themes=THEMES[:1]
    )


async def test_the_reasons_look_as_they_did(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert not await different_pictures(
        opened(demo), reasons, snapshot, tmp_path, sizes=SIZES[:1], themes=THEMES[:1]
    )


@pytest.mark.parametrize("steps", [note, filtering, dropped], ids=lambda f: f.__name__)
async def test_what_comes_over_a_screen_looks_as_it_did(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, steps: Steps
) -> None:
    assert not await different_pictures(opened(demo), steps, snapshot, tmp_path, sizes=SIZES[:1])


@pytest.mark.parametrize("theme", THEMES)
async def test_the_palette_looks_as_it_did(
    demo: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, theme: str
) -> None:
    """What is dimmed below it keeps the theme that it was opened in."""
    app = opened(demo, theme=theme)
    assert not await different_pictures(
        app, palette, snapshot, tmp_path, sizes=SIZES[:1], themes=[theme]
    )
