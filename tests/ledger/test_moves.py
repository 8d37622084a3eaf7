"""A row of a proposal moves as the table in the model says, and no other way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path

from psycopg.errors import CheckViolation
from tests.ledger.hub import ledger_at, make_hub
from tests.ledger.samples import clock, proposal
from tests.postgres import Server

from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model.states import MOVES, State, may_move


def test_the_database_allows_the_moves_of_the_table_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(1)], {})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (guard,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'proposal_moves'"
        ).fetchone()
        for before, after in product(State, State):
            connection.execute("DROP TRIGGER proposal_moves")
            connection.execute("UPDATE proposal SET state = ?", (before,))
            connection.execute(guard)
            try:
                connection.execute("UPDATE proposal SET state = ?", (after,))
                is_allowed = True
            except sqlite3.IntegrityError:
                is_allowed = False
            assert is_allowed == (before is after or may_move(before, after)), (before, after)


def test_a_hub_allows_the_moves_of_the_table_and_no_other(postgres_server: Server) -> None:
    with postgres_server.database("empty_hub", make_hub) as name:
        with ledger_at(postgres_server.url(name), NOBODY) as ledger:
            ledger.add([proposal(1)], {})
        with closing(postgres_server.connect(name)) as connection:
            connection.execute("SET search_path = reviewdeck")
            for before, after in product(State, State):
                connection.execute("ALTER TABLE proposal DISABLE TRIGGER proposals_moved")
                connection.execute("UPDATE proposal SET state = %s", (before,))
                connection.execute("ALTER TABLE proposal ENABLE TRIGGER proposals_moved")
                try:
                    connection.execute("UPDATE proposal SET state = %s", (after,))
                    is_allowed = True
                except CheckViolation:
                    is_allowed = False
                assert is_allowed == (before is after or may_move(before, after)), (before, after)


def test_every_state_but_the_first_ones_can_be_reached_and_left() -> None:
    reached = frozenset[State]().union(*(move.targets for move in MOVES.values()))
    left = frozenset[State]().union(*(move.sources for move in MOVES.values()))
    assert reached == left == frozenset(State)


def test_only_what_is_approved_is_written() -> None:
    assert {before for before in State if may_move(before, State.APPLYING)} == {State.APPROVED}
