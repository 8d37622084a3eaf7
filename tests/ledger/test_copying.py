"""A ledger is copied whole between a file and a hub, or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.ledger.hub import ledger_at, make_hub
from tests.ledger.samples import HOME, START, clock, decision, id_of, proposal
from tests.ledger.statements import CALLS, inconsistencies, vote
from tests.postgres import Server

from reviewdeck.errors import BadInput, LedgerDamaged
from reviewdeck.ledger.copying import Copied, copy_ledger
from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres.database import PostgresDatabase
from reviewdeck.ledger.postgres.numbering import renumber
from reviewdeck.model import AutoApply, Draft, Judgement, Likeness, Relation, State, Verb
from reviewdeck.model.ledger import Staging

Empty: TypeAlias = Callable[[str], Ledger]
KINDS = [("sqlite", "postgres"), ("postgres", "sqlite")]


@pytest.fixture
def empty(tmp_path: Path, postgres_server: Server) -> Iterator[Empty]:
    """Makes an empty ledger of a kind, which is in a file or in a hub."""
    with ExitStack() as stack:

        def opened(kind: str) -> Ledger:
            if kind == "sqlite":
                number = len(list(tmp_path.glob("*.db")))
                return stack.enter_context(open_ledger(str(tmp_path / f"{number}.db"), now=clock))
            name = stack.enter_context(postgres_server.database("empty_hub", make_hub))
            return stack.enter_context(ledger_at(postgres_server.url(name), NOBODY))

        yield opened


def filled(ledger: Ledger) -> Ledger:
    """Everything has been done in it, so that every table has a row."""
    for call in CALLS.values():
        call(ledger)
    ledger.add([proposal(50), proposal(51)], {"x": b"\x00\xff"})
    ledger.put_draft(Draft(id_of(50), Verb.REJECT, None, START, "odd \x00 \udcff \ufdd0 😀"))
    judged = Judgement(AutoApply("memory-addition"))
    ledger.stage([Staging(id_of(50), State.READY, "auto-apply", "d", (), "", judged)])
    ledger.vote(vote(51), (State.READY,))
    ledger.put_errand(decision(3), ["d"])
    ledger.remember(HOME, [Likeness(Relation.REJECTED, "odd \udcff", 0.1 + 0.2, "place")], START)
    return ledger


def copied(source: Ledger, target: Ledger) -> Copied:
    """What was copied."""
    is_hub = isinstance(target._database, PostgresDatabase)
    numbering = renumber if is_hub else lambda tx: None
    return copy_ledger(source._database, target._database, numbering)


@pytest.mark.parametrize(("source", "target"), KINDS)
def test_a_copy_has_every_row_and_number_and_the_same_log(
    empty: Empty, source: str, target: str
) -> None:
    first, second, back = filled(empty(source)), empty(target), empty(source)
    there = copied(first, second)
    assert copied(second, back) == there and there.amount > 100
    assert [table for table, rows in there.rows.items() if not rows] == []
    for home in ("", HOME):
        assert second.chain(home) == first.chain(home) != ()
    assert second.verify() is None
    assert inconsistencies(second) == inconsistencies(first)
    assert second.counts() == first.counts()
    assert second.drafts() == first.drafts() != ()


@pytest.mark.parametrize(("source", "target"), KINDS)
def test_a_copy_goes_on_where_the_other_ended(empty: Empty, source: str, target: str) -> None:
    first, second = filled(empty(source)), empty(target)
    copied(first, second)
    last = max(event.sequence for event in first.chain(HOME))
    for ledger in (first, second):
        ledger.add([proposal(60)], {})
    assert second.item(id_of(60)).position == first.item(id_of(60)).position
    assert second.chain(HOME)[-1].sequence > last
    assert second.events() == first.events() and second.verify() is None


@pytest.mark.parametrize(("source", "target"), KINDS)
def test_nothing_is_copied_into_a_ledger_that_has_something(
    empty: Empty, source: str, target: str
) -> None:
    first, second = filled(empty(source)), empty(target)
    second.append("note", home=HOME, subject="x", actor=first.events()[0].actor, at=START)
    with pytest.raises(BadInput, match="not empty"):
        copied(first, second)
    assert len(second.events()) == len(second.chain(HOME)) + 1 == 2


def test_a_ledger_whose_log_is_broken_is_not_copied(empty: Empty, tmp_path: Path) -> None:
    first, second = filled(empty("sqlite")), empty("postgres")
    with closing(sqlite3.connect(tmp_path / "0.db")) as connection:
        connection.execute("DROP TRIGGER event_no_update")
        connection.execute("UPDATE event SET subject = 'other' WHERE position = 3")
        connection.commit()
    with pytest.raises(LedgerDamaged, match="breaks at line 3"):
        copied(first, second)
    assert second.events() == ()


def test_a_cell_that_does_not_come_through_is_noticed(empty: Empty, tmp_path: Path) -> None:
    first, second = filled(empty("sqlite")), empty("postgres")
    with closing(sqlite3.connect(tmp_path / "0.db")) as connection:
        connection.execute("UPDATE proposal SET summary = ? WHERE position = 1", ("\ufdd0",))
        connection.commit()
    with pytest.raises(LedgerDamaged, match="proposal"):
        copied(first, second)
    assert second.events() == ()
