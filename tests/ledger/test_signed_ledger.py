"""A signed ledger of schema 0014 is opened with every row, log line and signature.

`tests/fixtures/make_ledger_0014.py` says what is in it.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import FIXTURES
from tests.engine.kit import remembered
from tests.ledger.samples import clock
from tests.ledger.test_upgrade import kept_in, rows_in

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import is_current, open_ledger
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter
from reviewdeck.operators.audit import audit
from reviewdeck.operators.authority import operators_in

HERMES, CLAUDE = "/srv/iris/hermes", "/srv/iris/claude"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both homes, the ledger and the operators' public keys."""
    with tarfile.open(FIXTURES / "ledger-0014.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
def ledger_file(folder: Path) -> Path:
    return folder / "ledger" / "ledger.db"


def test_every_row_of_it_is_there(ledger_file: Path) -> None:
    before = rows_in(ledger_file)
    open_ledger(str(ledger_file), now=clock).close()
    after = rows_in(ledger_file)
    for table, rows in kept_in(before).items():
        if table == "alembic_version":
            continue
        names = rows[0].keys() if rows else ()
        assert [{name: row[name] for name in names} for row in after[table]] == rows, table
    assert is_current(ledger_file)
    assert find_damage(str(ledger_file)) == ()


def test_its_log_and_its_signatures_are_verified(folder: Path, ledger_file: Path) -> None:
    settings = Settings(
        homes=(folder / "hermes", folder / "claude"),
        ledger=str(ledger_file),
        user_home=folder,
        operators=folder / "operators",
    )
    deck = open_engine(settings, now=lambda: datetime.now(UTC))
    try:
        assert [home.home.id for home in deck.open_homes] == [HERMES, CLAUDE]
        assert deck.ledger.verify() is None
        found = audit(deck.ledger, operators_in(deck.authority), deck.open_homes)
        assert (found.irregularities, found.decisions, found.signed) == ((), 26, 24)
    finally:
        deck.close()


def test_its_queue_is_what_it_was(ledger_file: Path) -> None:
    with open_ledger(str(ledger_file), now=clock) as ledger:
        counts = ledger.counts()
        items = ledger.page(Filter(), limit=500)
        assert len(items) == 39
        assert counts.by_state == {
            state: Counter(item.state for item in items)[state] for state in State
        }
        assert counts.drafts == len(ledger.drafts()) == 5
        for item in items:
            assert ledger.proposal(item.id).home == item.home
            ledger.judgement(item.id)
        assert len(remembered(ledger, HERMES)) + len(remembered(ledger, CLAUDE)) == 18
        assert len(ledger.all_decisions()) == 26
        assert ledger.transcripts("session-1")[0].turns == 1
        assert [run.id for run in ledger.reviews()] == ["r1"]
