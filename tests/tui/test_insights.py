"""The pictures of the queue over time: what each says, and that every point can be opened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.tui.conftest import cockpit as small_home
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.past import live_through
from tests.tui.pictures import different_pictures, opened
from textual.content import Content
from textual.widgets import Static

from reviewdeck.engine.insights import MemoryUsage
from reviewdeck.model.decisions import Ending, Life
from reviewdeck_tui.insights.charts import ChartColumn, bar, column_chart
from reviewdeck_tui.insights.pictures import GroupBy, Material, PictureSubject, picture
from reviewdeck_tui.queue.view import Lane
from reviewdeck_tui.screens.insights import InsightsScreen

PICTURED = [
    PictureSubject.INFLOW,
    PictureSubject.WAITING,
    PictureSubject.ACCEPTED,
    PictureSubject.ROOM,
]
NOON = datetime(2026, 12, 3, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Cockpit:
    """A home on which an agent and an operator worked for six days."""
    made: Callable[..., Cockpit] = getattr(small_home, "__wrapped__", small_home)
    cockpit = made(tmp_path_factory.mktemp("lived"))
    live_through(cockpit, 6)
    now = cockpit.clock.moment + timedelta(hours=2)
    cockpit.now = lambda: now
    return cockpit


@pytest.fixture(autouse=True)
def _in_one_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Days are those of one zone."""
    monkeypatch.setenv("TZ", "UTC")


@asynccontextmanager
async def insights(
    lived: Cockpit, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[Driver, InsightsScreen]]:
    """The deck with its insights open."""
    async with lived.open(size=size) as deck:
        await deck.pilot.press("I")
        await deck.until(lambda: isinstance(deck.app.screen, InsightsScreen))
        screen = deck.app.screen
        assert isinstance(screen, InsightsScreen)
        await deck.until(lambda: screen._picture is not None)
        yield deck, screen


def words(screen: InsightsScreen, id: str = "words") -> str:
    """One of its lines."""
    return str(screen.query_one(f"#{id}", Static).content)


async def test_the_first_picture_answers_whether_more_comes_than_goes(lived: Cockpit) -> None:
    async with insights(lived) as (deck, screen):
        assert "Is the backlog growing?" in words(screen, "question")
        assert "0 arrived, 0 decided" in words(screen), "the cursor is on today"
        await deck.pilot.press("h")
        assert "arrived" in words(screen)
        assert "0 arrived, 0 decided" not in words(screen)


async def test_each_picture_has_a_question_and_a_point_in_words(lived: Cockpit) -> None:
    async with insights(lived) as (deck, screen):
        said = set()
        for _ in PictureSubject:
            said.add(words(screen, "question"))
            assert words(screen).strip()
            await deck.pilot.press("tab")
        assert len(said) == len(PictureSubject)
        assert screen.subject is PictureSubject.INFLOW


async def test_a_point_is_opened_as_the_proposals_in_it(lived: Cockpit) -> None:
    async with insights(lived) as (deck, screen):
        await deck.pilot.press("3")
        listed = [row.id for row in screen.query_one("QueueList").rows]  # type: ignore[attr-defined]
        assert listed
        await deck.pilot.press("enter", "j", "enter")
        await deck.settle()
        assert deck.app.screen is deck.screen
        assert deck.screen.view.lane is Lane.ALL
        assert deck.cursor == listed[1]


async def test_back_leaves_the_list_first_and_then_the_screen(lived: Cockpit) -> None:
    async with insights(lived) as (deck, _):
        await deck.pilot.press("3", "enter", "escape")
        assert len(deck.app.screen_stack) == 2
        await deck.pilot.press("escape")
        await deck.settle()
        assert len(deck.app.screen_stack) == 1


async def test_what_is_accepted_is_told_apart_by_origin_kind_and_rule(lived: Cockpit) -> None:
    async with insights(lived) as (deck, screen):
        await deck.pilot.press("3")
        asked = [words(screen, "question")]
        for _ in range(2):
            await deck.pilot.press("b")
            asked.append(words(screen, "question"))
        assert len(set(asked)) == 3
        assert screen.by is GroupBy.RULE
        assert "memory-addition" in words(screen)


async def test_more_days_are_shown_as_far_as_there_is_room(lived: Cockpit) -> None:
    async with insights(lived, (80, 24)) as (deck, screen):
        assert "last 14 days" in words(screen, "head")
        await deck.pilot.press("]")
        assert "last 30 days" in words(screen, "head")
        await deck.pilot.press("]")
        assert "last 35 days" in words(screen, "head")
        await deck.pilot.press("[", "[", "[")
        assert "last 14 days" in words(screen, "head")


async def test_the_key_bar_names_only_keys_that_change_this_chart(lived: Cockpit) -> None:
    async with insights(lived) as (deck, screen):
        bars = []
        for digit in "135":
            await deck.pilot.press(digit)
            bars.append(words(screen, "keys"))
        assert ["[ ] days" in bar for bar in bars] == [True, False, False]
        assert ["b group by" in bar for bar in bars] == [False, True, False]


async def test_an_empty_past_says_that_there_is_nothing_to_see(cockpit: Cockpit) -> None:
    async with insights(cockpit) as (deck, screen):
        await deck.pilot.press("5")
        assert "No data yet." in words(screen, "picture")


@pytest.mark.slow
@pytest.mark.parametrize("subject", list(PictureSubject))
async def test_a_picture_looks_as_it_did(
    subject: PictureSubject, lived: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    async def steps(driver: Driver) -> None:
        await driver.pilot.press("I")
        await driver.until(lambda: getattr(driver.app.screen, "_picture", None) is not None)
        await driver.pilot.press(str(list(PictureSubject).index(subject) + 1), "h", "h")

    assert await different_pictures(opened(lived), steps, snapshot, tmp_path) == []


numbers = st.floats(0, 1e6)


@given(
    st.lists(st.builds(ChartColumn, numbers, numbers, st.sampled_from(["", "12"])), max_size=40),
    st.integers(20, 200),
    st.integers(4, 40),
    st.booleans(),
)
def test_a_chart_has_the_size_that_was_asked_for(
    columns: list[ChartColumn], width: int, height: int, inside: bool
) -> None:
    lines = column_chart(
        columns, width, height, at=0, meanings=("ready", "draft"), inside=inside, limit=10.0
    )
    assert len(lines) == height
    fits = 7 + len(columns) <= width
    assert not fits or all(line.cell_length <= width for line in lines)


@example([3, 111, 1], 100)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=7), st.integers(8, 120))
def test_a_bar_fills_its_cells_and_shows_every_part_that_is_not_nothing(
    amounts: list[int], cells: int
) -> None:
    signs = "█▓▚▒╳░·"
    parts = [(amount, signs[at], "ready") for at, amount in enumerate(amounts)]
    drawn = bar(parts, cells, max(1, sum(amounts)))
    assert drawn.cell_length == cells
    if cells >= 100:
        assert all(signs[at] in drawn.plain for at, amount in enumerate(amounts) if amount)


def test_hostile_names_of_groups_are_inert() -> None:
    life = Life("x", "home", "\x1b[31mevil[/]\u202e", "memory", NOON, None, Ending.WAITS, "")
    material = Material([life], (), NOON.date(), 14, UTC)
    drawn = picture(PictureSubject.ACCEPTED, material, 14, GroupBy.ORIGIN)
    text = Content("\n").join(drawn.draw(80, 10, 0)).plain
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_of_many_memories_the_fullest_are_drawn_and_the_others_counted() -> None:
    sizes = [MemoryUsage(f"home{n} MEMORY.md", 100, (n,) * 14) for n in range(20)]
    drawn = picture(
        PictureSubject.ROOM, Material([], sizes, NOON.date(), 14, UTC), 14, GroupBy.KIND
    )
    lines = [line.plain for line in drawn.draw(80, 16, 0)]
    assert next(line for line in lines if "MEMORY" in line) == " home19 MEMORY.md"
    assert lines[-1] == " 17 memories more, less full" and len(lines) <= 16


def test_what_a_rule_rejected_is_counted_as_a_shorter_queue() -> None:
    lives = [
        Life(str(n), "home", "", "memory", NOON, NOON, Ending.BY_RULE, "names-ticket")
        for n in range(3)
    ]
    material = Material(lives, (), NOON.date(), 14, UTC)
    drawn = picture(PictureSubject.AUTOMATIC, material, 14, GroupBy.ORIGIN)
    assert drawn.question.endswith("Your rules made the queue 3 shorter.")
    assert drawn.points[0].words == "names-ticket: 3 proposals that you did not have to decide"
    assert drawn.points[0].ids() == ("0", "1", "2")
    assert "3 rejected by rule" in Content("\n").join(drawn.draw(80, 10, 0)).plain
