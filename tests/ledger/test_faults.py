"""What the database complains about, in the engine's words."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.ledger.samples import clock, proposal

from reviewdeck.errors import Busy, LedgerDamaged, LedgerUnavailable, ReviewdeckError
from reviewdeck.ledger.faults import fault_of
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import State


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (sqlite3.SQLITE_BUSY, Busy, "in use"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Busy, "in use"),
        (sqlite3.SQLITE_LOCKED, Busy, "in use"),
        (sqlite3.SQLITE_IOERR_FSYNC, LedgerUnavailable, "disk reports an error"),
        (sqlite3.SQLITE_FULL, LedgerUnavailable, "disk is full"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, LedgerUnavailable, "read-only"),
        (sqlite3.SQLITE_CANTOPEN, LedgerUnavailable, "cannot be opened"),
        (sqlite3.SQLITE_NOTADB, LedgerDamaged, "not a reviewdeck ledger"),
        (sqlite3.SQLITE_CORRUPT_INDEX, LedgerDamaged, "damaged"),
    ],
)
def test_each_complaint_becomes_something_to_act_on(
    code: int, kind: type[ReviewdeckError], words: str
) -> None:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    fault = fault_of(error, "/l.db")
    assert type(fault) is kind
    assert words in fault.message and "/l.db" in fault.message
    assert fault.hint


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    with open_ledger(str(tmp_path / "ledger.db"), now=clock) as ledger:
        ledger.add([proposal(1)], {})
        with ledger._database.writing() as tx:
            ((pages,),) = tx.rows("PRAGMA page_count")
            tx.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerUnavailable, match="full"):
            ledger.add([proposal(n) for n in range(2, 500)], {})
        assert ledger.counts().by_state[State.READY] == 1
        assert ledger.verify() is None
