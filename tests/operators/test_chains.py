"""Signed decisions in chains of their own: by home, and counted by key."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.engine.kit import Agent, digest_of, set_entries
from tests.operators.signed import WORDS, Office, operators_of

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.ledger import audit as log
from reviewdeck.model import Decision
from reviewdeck.operators import enrolment
from reviewdeck.operators.audit import Irregularity, audit

MILA = f"{WORDS} of mila"


def rejected(deck: Engine, office: Office, text: str) -> Decision:
    """A proposal that comes in and is turned down."""
    office.agent.replace("tox", text)
    deck.intake()
    (item,) = (one for one in deck.pending() if one.state.is_open)
    return deck.reject(item.id, "no")


def found(deck: Engine, *, alone: bool = False) -> tuple[Irregularity, ...]:
    """What does not hold together."""
    return audit(deck.ledger, operators_of(deck), deck.open_homes, alone=alone).irregularities


def counters(deck: Engine) -> list[tuple[str, int]]:
    """Who signed the decisions, and as which of theirs."""
    decided = deck.ledger.all_decisions()
    return [(one.actor.name, one.seal.counter) for one, _ in decided if one.seal is not None]


def test_each_key_counts_for_itself_and_none_of_either_can_vanish(office: Office) -> None:
    office.init()
    dana = office.open()
    rejected(dana, office, "Tests run with nox.")
    enrolment.add(operators_of(dana), "mila", MILA)
    mila = office.open(MILA)
    rejected(mila, office, "Tests run with make.")
    rejected(dana, office, "Tests run with hatch.")
    assert counters(dana) == [("dana", 1), ("mila", 1), ("dana", 2)]
    assert found(dana) == ()
    with office.sql() as database:
        database.execute("DELETE FROM decision WHERE actor LIKE '%mila%'")
    assert "missing" in {one.code for one in found(dana)}


def test_a_counter_is_never_used_again_where_an_older_ledger_is_in_place(office: Office) -> None:
    office.init()
    deck = office.open()
    rejected(deck, office, "Tests run with nox.")
    older = office.root / "older.db"
    with (
        closing(sqlite3.connect(office.ledger)) as source,
        closing(sqlite3.connect(older)) as copy,
    ):
        source.backup(copy)
    rejected(deck, office, "Tests run with make.")
    deck.close()
    shutil.rmtree(office.ledger.parent)
    office.ledger.parent.mkdir()
    shutil.copy(older, office.ledger)
    again = office.open()
    rejected(again, office, "Tests run with hatch.")
    assert counters(again) == [("dana", 1), ("dana", 3)]
    (one,) = found(again)
    assert (one.code, "decision 2" in one.message) == ("missing", True)


def beside(office: Office) -> tuple[Path, Engine]:
    """Another home on the same ledger, where one decision was made, and a deck on both."""
    home = office.root / "other"
    shutil.copytree(office.home, home)
    agent = Agent(home, office.clock)
    set_entries(home, "Tests run with tox.", "The port is 81.")
    agent.replace("port", "The port is 82.")
    deck = open_engine(replace(office.settings, homes=(office.home, home)), now=office.clock)
    office.decks.append(deck)
    deck.authority.unlock(WORDS)
    deck.intake()
    (item,) = (one for one in deck.pending() if "port" in one.gist)
    deck.approve(item.id, digest_of(deck, item.id))
    return home, deck


def test_a_home_is_verified_without_the_chain_of_another_one(office: Office) -> None:
    office.init()
    alone = office.open()
    rejected(alone, office, "Tests run with nox.")
    home, both = beside(office)
    assert found(both) == found(alone, alone=True) == ()
    with office.sql() as database:
        database.execute("UPDATE event SET subject = 'x' WHERE chain = ?", (str(home),))
    assert {one.code for one in found(both)} >= {"chain"}
    assert found(alone, alone=True) == ()
    with office.sql() as database:
        database.execute(
            "UPDATE event SET subject = 'x' WHERE chain = ? AND name = 'reject'",
            (str(office.home),),
        )
    assert "chain" in {one.code for one in found(alone, alone=True)}


def test_a_home_that_vanished_with_all_its_lines_is_missed(office: Office) -> None:
    office.init()
    alone = office.open()
    rejected(alone, office, "Tests run with nox.")
    home, _ = beside(office)
    id = str(home)
    of_it = "operation IN (SELECT id FROM operation WHERE home = :home)"
    of_batch = "batch IN (SELECT id FROM batch WHERE home = :home)"
    of_proposal = "proposal IN (SELECT id FROM proposal WHERE home = :home)"
    with office.sql() as database:
        for statement in (
            f"DELETE FROM operation_change WHERE {of_it}",  # noqa: S608 - our own names
            f"DELETE FROM batch_write WHERE {of_batch}",  # noqa: S608 - the same
            f"DELETE FROM decision WHERE {of_proposal}",  # noqa: S608 - the same
            f"DELETE FROM judgement WHERE {of_proposal}",  # noqa: S608 - the same
            *(
                f"DELETE FROM {table} WHERE home = :home"  # noqa: S608 - the same
                for table in ("operation", "batch", "proposal", "observation", "counter")
            ),
            "DELETE FROM event WHERE chain = :home",
        ):
            database.execute(statement, {"home": id})
    assert f"the end of the log of {id}" in {one.subject for one in found(alone)}


def test_no_key_works_while_a_transaction_is_open(office: Office) -> None:
    """With one open, everybody else would wait for it."""
    office.init()
    deck = office.open()
    database = deck.ledger._database
    signer = operators_of(deck).open_key.signer
    free: list[bool] = []

    def sign(data: bytes) -> str:
        with closing(sqlite3.connect(office.ledger, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        free.append(database._current() is None)  # type: ignore[attr-defined]  # SQLite's
        return type(signer).sign(signer, data)

    signer.sign = sign  # type: ignore[method-assign]  # to see when it is called
    rejected(deck, office, "Tests run with nox.")
    office.agent.replace("stg-2", "The staging host is stg-3.")
    deck.intake()
    (item,) = (one for one in deck.pending() if one.state.is_open)
    deck.undo(deck.approve(item.id, digest_of(deck, item.id)).id)
    deck.ledger.append(
        "paused",
        home=str(office.home),
        subject="x",
        actor=deck.operator(),
        at=office.clock(),
        attest=operators_of(deck).attest,
    )
    assert free == [True] * 4
    assert log.MOST_TRIES > 1
