"""The reading part of the contract, for a ledger itself and for one that is only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.ledger.samples import (
    HOME,
    OPERATOR,
    READERS,
    START,
    begin,
    claim,
    decision,
    id_of,
    proposal,
    quarantined,
    read_only,
    sqlite_ledger,
)

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.sqlite import SqliteTransaction
from reviewdeck.model import Draft, Finding, Marks, Severity, Span, State, Verb
from reviewdeck.model.ledger import Filter, Staging

OTHER = "/homes/otto"


@pytest.fixture(params=list(READERS))
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Ledger, Ledger]]:
    """A ledger to write to, and what reads it."""
    open_ledger, open_reader = READERS[request.param]
    ledger = open_ledger(tmp_path)
    reader: Ledger = ledger if open_reader is None else open_reader(tmp_path)
    yield ledger, reader
    reader.close()
    ledger.close()


def test_an_empty_ledger_counts_nothing(both: tuple[Ledger, Ledger]) -> None:
    counts = both[1].counts()
    assert counts.by_state == dict.fromkeys(State, 0)
    assert (counts.drafts, counts.oldest_open) == (0, None)
    assert both[1].page(Filter()) == ()
    assert both[1].stamp(HOME) is None


def test_counts_follow_every_change(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.add([*(proposal(n) for n in range(6)), quarantined(1)], {})
    begin(ledger, claim(0, 1, batch="b1"))
    ledger.decide(decision(2, verb=Verb.REJECT), State.REJECTED, [State.READY])
    ledger.put_draft(Draft(id_of(3), Verb.APPROVE, "d", START))
    counts = reader.counts()
    assert counts.drafts == 1
    assert {state: n for state, n in counts.by_state.items() if n} == {
        State.APPLYING: 2,
        State.REJECTED: 1,
        State.READY: 3,
        State.QUARANTINED: 1,
    }


def test_counts_can_be_had_for_some_homes_only(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.add([proposal(1), proposal(2, home=OTHER), proposal(3, home=OTHER)], {})
    assert reader.counts([HOME]).by_state[State.READY] == 1
    assert reader.counts([OTHER]).by_state[State.READY] == 2
    assert reader.counts([HOME, OTHER]).by_state[State.READY] == 3
    assert reader.counts([OTHER]).oldest_open == START - timedelta(hours=3)


def test_the_oldest_open_one_is_the_oldest_that_still_waits(
    both: tuple[Ledger, Ledger],
) -> None:
    ledger, reader = both
    ledger.add([proposal(1), proposal(5), proposal(9)], {})
    ledger.decide(decision(9, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert reader.counts().oldest_open == START - timedelta(hours=5)


def test_a_record_that_claims_to_be_from_the_future_is_as_old_as_we_saw_it(
    both: tuple[Ledger, Ledger],
) -> None:
    ledger, reader = both
    ledger.add([proposal(-40)], {})
    assert reader.counts().oldest_open == START


def test_pages_go_back_from_the_newest_and_miss_nothing(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.add([proposal(n) for n in range(25)], {})
    seen: list[str] = []
    after: int | None = None
    while page := reader.page(Filter(), after=after, limit=10):
        seen += [item.id for item in page]
        after = page[-1].position
    assert seen == [id_of(n) for n in reversed(range(25))]


def test_a_page_stays_where_it_is_when_something_new_comes_in(
    both: tuple[Ledger, Ledger],
) -> None:
    ledger, reader = both
    ledger.add([proposal(n) for n in range(10)], {})
    first = reader.page(Filter(), limit=5)
    ledger.add([proposal(n) for n in range(10, 14)], {})
    second = reader.page(Filter(), after=first[-1].position, limit=5)
    assert [item.id for item in second] == [id_of(n) for n in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("homes", [(), (HOME,), (HOME, OTHER), (OTHER, *map(str, range(20)))])
@pytest.mark.parametrize(
    "states", [(), (State.READY,), (State.REJECTED, State.READY), (State.DEAD,), tuple(State)]
)
def test_a_filter_shows_just_what_it_names(
    both: tuple[Ledger, Ledger], homes: tuple[str, ...], states: tuple[State, ...]
) -> None:
    ledger, reader = both
    for n in range(12):
        ledger.add([proposal(n, home=OTHER if n % 3 == 0 else HOME)], {})
    for n in (1, 4, 5):
        ledger.decide(decision(n, verb=Verb.REJECT), State.REJECTED, [State.READY])
    everything = reader.page(Filter())
    expected = [
        item
        for item in everything
        if (not homes or item.home in homes) and (not states or item.state in states)
    ]
    wanted = Filter(homes, states)
    got = list(reader.page(wanted, limit=3))
    while more := reader.page(wanted, after=got[-1].position, limit=3) if got else ():
        got += more
    assert got == expected


def test_a_line_of_the_queue_carries_what_staging_came_to(
    both: tuple[Ledger, Ledger],
) -> None:
    ledger, reader = both
    ledger.add([proposal(1)], {})
    finding = Finding("secret", Severity.HIGH, "It looks like a key.", Span(3, 9), "quoted ✓")
    ledger.stage(
        [Staging(id_of(1), State.CONFLICT, "review", "d1", (finding,), "why", paths=(HOME,))]
    )
    (item,) = reader.page(Filter())
    assert item == ledger.item(id_of(1))
    assert (item.state, item.verdict, item.digest) == (State.CONFLICT, "review", "d1")
    assert (item.findings, item.reason) == ((finding,), "why")
    assert item.created_at == START - timedelta(hours=1)
    assert item.ingested_at.utcoffset() == timedelta(0)
    assert (item.source, item.source_id) == ("pending/memory/1.json", "00000001")


def test_a_quarantined_record_is_a_line_with_its_reason(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.add([quarantined(1)], {})
    (item,) = reader.page(Filter(states=(State.QUARANTINED,)))
    assert item.reason.startswith("not-json: ")
    assert (item.digest, item.verdict, item.target) == (None, None, "bad1.json")


def test_the_stamp_is_what_was_last_set(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.end_refresh(ledger.begin_refresh(HOME), {}, stamp="one")
    ledger.put_marks(HOME, Marks(START), OPERATOR, START)
    ledger.end_refresh(ledger.begin_refresh(HOME), {}, stamp="two")
    ledger.end_refresh(ledger.begin_refresh(OTHER), {}, stamp="three")
    assert reader.stamp(HOME) == "two"


def test_of_two_passes_the_one_that_ends_last_stores_no_key(both: tuple[Ledger, Ledger]) -> None:
    ledger, reader = both
    ledger.add([proposal(1), proposal(2)], {})
    first, second = ledger.begin_refresh(HOME), ledger.begin_refresh(HOME)
    assert ledger.end_refresh(first, {id_of(1): "first"}, inputs="first")
    assert not ledger.end_refresh(second, {id_of(1): "second", id_of(2): "2"}, inputs="second")
    keys = {id: last.key for id, last in reader.last_evaluations(HOME).items()}
    assert (keys, reader.inputs(HOME)) == ({id_of(1): "first", id_of(2): None}, "first")
    ledger.add([proposal(3)], {})
    with ledger.together(HOME):
        begun = ledger.begin_refresh(HOME)
        assert begun.arrived == {id_of(3)}
        assert ledger.end_refresh(begun, {id_of(3): "third"})
    assert not reader.begin_refresh(HOME).has_moved
    assert list(reader.last_evaluations(HOME, 2)) == [id_of(1), id_of(2)]


@pytest.mark.parametrize("odd", ["\udcff.json", "a\x00b", "\ufdd0", "é ✓ 🜚", "'; DROP TABLE x"])
def test_odd_text_comes_back_as_it_went_in(both: tuple[Ledger, Ledger], odd: str) -> None:
    ledger, reader = both
    home = f"/homes/{odd}"
    ledger.add([proposal(1, home=home, source=f"pending/{odd}")], {})
    ledger.end_refresh(ledger.begin_refresh(home), {}, stamp=odd)
    (item,) = reader.page(Filter(homes=(home,), states=(State.READY,)))
    assert (item.home, item.source) == (home, f"pending/{odd}")
    assert reader.counts([home]).by_state[State.READY] == 1
    assert reader.stamp(home) == odd
    assert ledger.mark_vanished(home, [f"pending/{odd}"]) == (item.id,)


def test_a_page_and_the_counts_cost_the_same_however_many_rows_there_are(tmp_path: Path) -> None:
    """In steps of SQLite's machine, which do not depend on how busy the computer is."""
    ledger, reader = sqlite_ledger(tmp_path), read_only(tmp_path)
    costs = []
    for start, end in ((0, 400), (400, 4_000)):
        ledger.add([proposal(n) for n in range(start, end)], {})
        costs.append(_steps(reader))
    reader.close()
    ledger.close()
    assert costs[1] < costs[0] * 1.5


def _steps(reader: Ledger) -> int:
    with reader._database.reading() as tx:
        assert isinstance(tx, SqliteTransaction)
        connection = tx.connection  # The only one, so it is used again.
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 20)
    reader.counts()
    for wanted in (Filter(), Filter((HOME,)), Filter(states=(State.READY, State.DEAD))):
        reader.page(wanted, limit=50)
        reader.page(wanted, after=100, limit=50)
    connection.set_progress_handler(None, 0)
    return taken


def test_outlines_say_of_every_proposal_what_its_line_says(
    both: tuple[Ledger, Ledger],
) -> None:
    ledger, reader = both
    hostile = replace(proposal(1), session="s\udcff\x00", summary="odd \udcff", source_id=None)
    ledger.add([proposal(0), hostile, replace(proposal(2), session="41c2")], {})
    said = 'a text with "severity":"critical" in it'
    found = (Finding("shrinks", Severity.MEDIUM, said, None, said),)
    ledger.stage([Staging(id_of(2), State.READY, "review", "d", found, "why")])
    items = reader.page(Filter())
    outlines = reader.outlines(Filter((), tuple(State)), limit=2)
    outlines += reader.outlines(Filter(), after=outlines[-1].position)
    assert [one.id for one in outlines] == [item.id for item in items]
    assert [one.gist for one in outlines] == [item.gist for item in items]
    assert [one.state for one in outlines] == [item.state for item in items]
    assert [one.gravity for one in outlines] == [Severity.MEDIUM.rank, 0, 0]
    assert outlines[0].session == "41c2"
    assert reader.items([id_of(2), "none", id_of(0)]) == (items[0], items[2])
