"""Finding what is wrong with a ledger."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.samples import START, begin, claim, clock, id_of, proposal

from reviewdeck.errors import LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Draft, Verb


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger in use."""
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(n, base=b"base") for n in range(300)], {})
        begin(ledger, claim(1, batch="b1"), claim(2, batch="b2"))
        ledger.finish("b1", START, [])
        ledger.put_draft(Draft(id_of(3), Verb.APPROVE, None, START))
    return path


def test_a_ledger_in_use_is_whole(path: Path) -> None:
    before = path.read_bytes()
    assert find_damage(f"sqlite:///{path}") == ()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE counter SET amount = 7 WHERE state = 'ready'", "has 298 in state ready"),
        ("UPDATE blob SET data = x'00' WHERE rowid = 1", "are not those that were stored"),
        ("UPDATE blob SET data = 'a text' WHERE rowid = 1", "are not those that were stored"),
        ("DELETE FROM batch", "of operation refers to something in batch"),
    ],
)
def test_what_is_wrong_is_named(path: Path, statement: str, words: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    assert any(words in line for line in find_damage(str(path)))


def test_a_broken_page_is_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for offset in range(5 * 4096, len(data), 7 * 4096):
        data[offset : offset + 64] = b"\xff" * 64
    path.write_bytes(data)
    try:
        found = find_damage(str(path))
    except LedgerDamaged:
        return
    assert found


def test_a_ledger_that_is_not_there_cannot_be_looked_at(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable):
        find_damage(str(tmp_path / "none.db"))
