"""Pictures of the queue: what came, went and waited, what was accepted, how full memories are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.kit import MEMORY, Agent, Ticking, set_entries

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.insights import Day, days_of, memory_sizes, memory_usage, shares, waiting_at
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.presentation.report import facts_of

MONDAY = date(2026, 3, 2)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def life(
    id: str, came: datetime, went: datetime | None = None, ending: Ending | None = None
) -> Life:
    """One proposal from the agent's review."""
    how = ending or (Ending.WAITS if went is None else Ending.TAKEN)
    return Life(id, "home", "review", "memory", came, went, how, "")


def endings(deck: Engine) -> dict[str, tuple[Ending, str]]:
    """How each proposal ended, and the rule that let it in."""
    homes = deck.home_ids
    return {one.id: (one.ending, one.rule) for one in deck.ledger.lives(homes)}


def test_every_way_in_which_a_proposal_ends_is_told_apart(
    deck: Engine, agent: Agent, home: Path, clock: Ticking
) -> None:
    automatic = agent.add("Docs are written in British English.")
    deck.auto()
    taken = agent.replace("staging host", "The staging host is stg-9.")
    changed = agent.replace("mkdocs", "Docs use sphinx.")
    rejected = agent.memory("remove", old_text="Tests run")
    waits = agent.replace("short answers", "Prefers long answers.", target="user")
    gone = agent.add("This one Hermes decided.")
    undone = agent.replace("Tests run", "Tests run with nox.")
    deck.intake()
    ids = {own: deck.find(own).id for own in (taken, changed, rejected, waits, gone, undone)}
    deck.approve(ids[undone], deck.find(undone).digest or "")
    deck.undo(deck.operations()[0].id)
    deck.approve(ids[taken], deck.find(taken).digest or "")
    text = (home / "memories/MEMORY.md").read_text("utf-8") + "\n§\nMine."
    deck.merge(ids[changed], text, deck.find(changed).digest or "")
    deck.reject(ids[rejected], "no")
    (home / "pending/memory" / f"{gone}.json").unlink()
    deck.intake()
    found = endings(deck)
    assert found.pop(deck.find(automatic).id)[0] is Ending.AUTOMATIC
    assert {id: ending for id, (ending, _) in found.items()} == {
        ids[taken]: Ending.TAKEN,
        ids[changed]: Ending.CHANGED,
        ids[rejected]: Ending.REJECTED,
        ids[waits]: Ending.WAITS,
        ids[gone]: Ending.ELSEWHERE,
        ids[undone]: Ending.UNDONE,
    }


def test_what_was_automatic_names_the_rule_and_when_it_went(
    deck: Engine, agent: Agent, clock: Ticking
) -> None:
    agent.add("Docs are written in British English.")
    deck.auto()
    (one,) = deck.ledger.lives(deck.home_ids)
    assert one.rule
    assert one.ended_at is not None
    assert one.arrived_at <= one.ended_at <= clock.moment


def test_a_day_has_what_came_what_went_and_what_waited_at_its_end() -> None:
    lives = [
        life("old", NOON - 3 * DAY),
        life("before", NOON - 2 * DAY, NOON - DAY),
        life("a", NOON, NOON + DAY),
        life("b", NOON + DAY),
    ]
    first, second, third = days_of(lives, MONDAY, MONDAY + 2 * DAY, UTC)
    assert first == Day(MONDAY, ("a",), (), 2, timedelta(days=3, hours=12), timedelta(hours=12))
    assert (second.arrived, second.departed, second.waiting) == (("b",), ("a",), 2)
    assert (third.arrived, third.departed, third.waiting) == ((), (), 2)
    assert waiting_at(lives, third.day, UTC) == ("old", "b")
    assert third.oldest == timedelta(days=5, hours=12)


def test_days_are_those_of_who_looks() -> None:
    late = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    one = life("late", late)
    (day,) = days_of([one], MONDAY + DAY, MONDAY + DAY, timezone(timedelta(hours=1)))
    assert day.arrived == ("late",)


def test_an_empty_queue_makes_empty_days() -> None:
    (day,) = days_of([], MONDAY, MONDAY, UTC)
    assert day == Day(MONDAY, (), (), 0, timedelta(0), timedelta(0))


MOMENTS = st.integers(-5 * 24, 5 * 24).map(lambda hours: NOON + timedelta(hours=hours))


@st.composite
def lived(draw: st.DrawFn) -> Sequence[Life]:
    """Lives that begin before they end."""
    found = []
    for number in range(draw(st.integers(0, 8))):
        came, other = draw(MOMENTS), draw(st.none() | MOMENTS)
        went = None if other is None else max(came, other)
        found.append(life(str(number), min(came, went or came), went))
    return found


@given(lived())
def test_what_waits_is_what_waited_and_came_and_did_not_go(lives: Sequence[Life]) -> None:
    ordered = sorted(lives, key=lambda one: one.arrived_at)
    before: set[str] | None = None
    for day in days_of(ordered, MONDAY - 3 * DAY, MONDAY + 3 * DAY, UTC):
        waits = set(waiting_at(ordered, day.day, UTC))
        assert day.waiting == len(waits)
        if before is not None:
            assert waits == (before | set(day.arrived)) - set(day.departed)
        before = waits


def test_shares_say_what_operators_accepted_of_what_they_looked_at() -> None:
    lives = [
        life("1", NOON, NOON, Ending.TAKEN),
        life("2", NOON, NOON, Ending.CHANGED),
        life("3", NOON, NOON, Ending.REJECTED),
        life("4", NOON, NOON, Ending.AUTOMATIC),
        life("5", NOON),
    ]
    (share,) = shares(lives, lambda one: one.origin)
    assert share.group == "review"
    assert share.amount == 5
    assert share.accepted == 2 / 3
    assert share.by_ending[Ending.REJECTED] == ("3",)
    (waits,) = shares(lives[4:], lambda one: one.origin)
    assert waits.accepted is None
    assert shares(lives, lambda one: one.rule) == ()


def test_a_memory_is_as_full_as_it_was_last_seen_to_be() -> None:
    sizes = [(NOON - DAY, 10), (NOON + DAY, 20), (NOON + DAY + timedelta(hours=1), 15)]
    found = memory_usage("MEMORY.md", 100, sizes, MONDAY - 2 * DAY, MONDAY + 2 * DAY, UTC)
    assert found.sizes == (None, 10, 10, 15, 15)


def test_the_sizes_of_a_memory_come_from_its_recorded_revisions(
    deck: Engine, home: Path, clock: Ticking
) -> None:
    deck.intake()
    set_entries(home, "Only this.")
    deck.intake()
    sizes = [size for _, size in memory_sizes(deck.ledger, deck.home_ids[0], MEMORY)]
    assert sizes[-1] == len("Only this.")
    assert len(sizes) >= 2


def test_a_report_counts_a_day_by_the_clock_of_that_day(
    deck: Engine, agent: Agent, clock: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        clock.moment = datetime(2026, 10, 24, 22, 30, tzinfo=UTC)  # 0:30 on the 25th
        agent.add("Docs are written in British English.")
        deck.auto()
        clock.moment = datetime(2026, 10, 26, 12, tzinfo=UTC)  # an hour behind since
        report = facts_of(deck, clock.moment - timedelta(days=7), clock.moment)
        assert [(day.first.day, day.automatic) for day in report.days if day.automatic] == [(25, 1)]
    finally:
        monkeypatch.undo()
        time.tzset()
