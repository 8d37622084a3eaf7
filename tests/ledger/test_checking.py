"""Finding what is wrong with a ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger.samples import START, begin, claim, clock, id_of, proposal
from tests.ledger.tampering import tamper

from reviewdeck.errors import LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.place import path_of
from reviewdeck.model import Draft, Verb

FIRST = "WHERE sha = (SELECT min(sha) FROM blob)"


@pytest.fixture
def used(url: str) -> str:
    """The URL of a ledger in use."""
    with open_ledger(url, now=clock) as ledger:
        ledger.add([proposal(n, base=b"base") for n in range(300)], {})
        begin(ledger, claim(1, batch="b1"), claim(2, batch="b2"))
        ledger.finish("b1", START, [])
        ledger.put_draft(Draft(id_of(3), Verb.APPROVE, None, START))
    return url


def test_a_ledger_in_use_is_whole(used: str) -> None:
    assert find_damage(used) == ()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_looking_at_a_file_changes_nothing_in_it(used: str) -> None:
    path = path_of(used)
    before = path.read_bytes()
    assert find_damage(used) == ()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE counter SET amount = 7 WHERE state = 'ready'", "has 298 in state ready"),
        (f"UPDATE blob SET data = substr(data, 2) {FIRST}", "are not those that were stored"),  # noqa: S608 - ours
    ],
)
def test_what_is_wrong_is_named(used: str, statement: str, words: str) -> None:
    tamper(used, statement)
    assert any(words in line for line in find_damage(used))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (f"UPDATE blob SET data = 'a text' {FIRST}", "are not those that were stored"),  # noqa: S608 - ours
        ("DELETE FROM batch", "of operation refers to something in batch"),
    ],
)
def test_what_a_file_alone_would_keep_is_named(used: str, statement: str, words: str) -> None:
    tamper(used, statement)
    assert any(words in line for line in find_damage(used))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_broken_page_is_found(used: str) -> None:
    path = path_of(used)
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
