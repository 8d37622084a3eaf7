"""The tour of `reviewdeck demo`, on its own home: it can be finished with nothing but its bar."""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.tui.kit_deck import Cockpit, Driver, Hermes, Ticks, running
from tests.tui.pictures import THEMES, Steps, different_pictures, each_size, opened
from tests.tui.test_snapshots import NOW, Creeping
from tests.tui.test_snapshots_learnt import identify

from reviewdeck.demo import write_demo
from reviewdeck.model import State
from reviewdeck_tui.app import open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.tour import RESET, TourApp, TourBar, prepare
from reviewdeck_tui.tour_steps import TourStep

pytestmark = pytest.mark.slow  # The whole sample home is taken in, and applied to.

ADVICE = (
    (r" (\S+) shows what was applied automatically", None),
    (r", then (esc)$", None),
    (r" (\S+) rejects", None),
    (r"a digit says why", "4"),
    (r" (\S+) shows only the conflicts", None),
    (r" (\S+) to a replace or a patch", None),
    (r" (\S+) merges the conflict", None),
    (r"pick one: (4) both edits", None),
    (r"2 live (3) proposed", None),
    (r" (a) drafts the result", None),
    (r"not written. (\S+): the summary", None),
    (r" (\S+) shows all drafts together", None),
    (r", then (y)$", None),
    (r" (esc): back to the queue", None),
    (r" (\S+) drafts the undo", None),
    (r" (\S+) shows the undo", None),
)
KEYS = {"esc": "escape", "^s": "ctrl+s"}


@asynccontextmanager
async def touring(place: Path) -> AsyncIterator[Driver]:
    """The tour, open and settled."""
    app = open_app(prepare(place), Preferences(), tick=Ticks(), kind=TourApp)
    async with running(app, (80, 24)) as driver:
        await driver.settle()
        yield driver


def bar(driver: Driver) -> str:
    """What the bar of the screen in front says."""
    found = driver.app.screen.query(TourBar)
    return str(found.first().content) if found else ""


def documents(home: Path) -> dict[str, bytes]:
    """The texts of the memories and the skills."""
    return {
        str(file): file.read_bytes()
        for part in ("memories", "skills")
        for file in (home / part).rglob("*.md")
    }


def key_of(said: str) -> str:
    """The key that somebody presses who knows nothing but these words."""
    words = said.removesuffix("q leaves ").rstrip()
    for pattern, key in ADVICE:
        if found := re.search(pattern, words):
            return key or KEYS.get(found[1], found[1])
    raise AssertionError(f"nobody knows what to press: {said}")


async def test_it_is_finished_by_doing_what_the_bar_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with touring(tmp_path) as driver:
        before = documents(home)
        written = []
        for _ in range(30):
            await driver.until(lambda: bool(bar(driver)))
            said, here = bar(driver), driver.cursor
            if said.startswith(" TOUR done"):
                break
            await driver.press(key_of(said))
            await driver.until(lambda: (bar(driver), driver.cursor) != (said, here))  # noqa: B023 - called at once
            written.append(documents(home) != before)
        assert bar(driver).startswith(" TOUR done.")
        assert isinstance(driver.app, TourApp) and driver.app.done == set(TourStep)
        assert written.count(True) and not written[-1]  # Applied in between, and taken back.
        await driver.press("escape", "q")
    assert driver.app.return_value == 0


async def test_it_can_be_left_at_any_time(tmp_path: Path) -> None:
    async with touring(tmp_path) as driver:
        assert "q leaves" in bar(driver)
        await driver.press("2")
        await driver.until(lambda: "then esc" in bar(driver))
        await driver.press("q")
        await driver.until(lambda: "merges the conflict" in bar(driver))
        await driver.press("q")
    assert driver.app.return_value == 0


async def at_start(driver: Driver) -> None:
    """The queue, when the tour has led to where it begins."""
    await driver.until(lambda: "shows what" in bar(driver))
    await driver.until(lambda: driver.screen.items[driver.cursor].state is State.CONFLICT)


async def on_merge(driver: Driver) -> None:
    """A conflict, two steps done."""
    app = driver.app
    assert isinstance(app, TourApp)
    app.done |= {TourStep.SKIM, TourStep.REJECT}
    await driver.press("C")
    wanted = ("a replace or a patch", "merges the conflict")
    await driver.until(lambda: any(words in bar(driver) for words in wanted))
    while "merges the conflict" not in bar(driver):
        await driver.press("j")
        app.update_progress()
    await driver.press("m")
    await driver.until(lambda: "pick one" in bar(driver))


@pytest.fixture
def toured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cockpit:
    """The sample home of the tour, always the same."""
    identify(monkeypatch)
    numbers = itertools.count(1)
    monkeypatch.setattr("reviewdeck.bootstrap.new_id", lambda: f"{next(numbers):012x}")
    home, clock = tmp_path / "home", Creeping()
    write_demo(home, NOW)
    cockpit = Cockpit(home, tmp_path / "ledger.db", clock, Hermes(home, clock), now=clock)
    deck = cockpit.engine()
    deck.auto()
    deck.close()
    return cockpit


@each_size
@pytest.mark.parametrize("steps", [at_start, on_merge], ids=lambda f: f.__name__)
async def test_the_bar_looks_as_it_did(
    toured: Cockpit,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    steps: Steps,
    size: tuple[int, int],
) -> None:
    app = opened(toured, kind=TourApp)
    assert not await different_pictures(
        app, steps, snapshot, tmp_path, sizes=[size], themes=THEMES[:1]
    )


async def test_the_tour_begins_on_a_rewrite_from_an_old_snapshot(tmp_path: Path) -> None:
    async with touring(tmp_path) as driver:
        await driver.until(lambda: driver.screen.items[driver.cursor].state is State.CONFLICT)
        assert "home sample" in driver.line("head")


async def test_the_bar_follows_nothing_while_the_screens_open_and_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewdeck_tui.tour.PULSE", 0.0005)
    app = open_app(prepare(tmp_path), Preferences(), tick=Ticks(), kind=TourApp)
    async with running(app, (80, 24)):
        pass  # Leaving it closes the deck below a tour that still looks at it.


async def test_f5_ends_a_tour_that_is_to_begin_anew(tmp_path: Path) -> None:
    async with touring(tmp_path) as driver:
        await driver.pilot.press("f5")
        await driver.pilot.pause()
        assert driver.app.return_value == RESET
