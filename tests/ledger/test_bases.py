"""Which revision the author of a waiting proposal saw, however long the document's history is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.ledger.samples import HOME, MEMORY, START, proposal
from tests.planning.plain import PlainSnapshot

from reviewdeck.engine import bases
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Cause, Observation, revision_of

SEEN = [f"revision {number}".encode() for number in range(30)]


@pytest.fixture
def lived(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """A ledger with a document that changed every minute; few of its moments are read at once."""
    monkeypatch.setattr(bases, "RECENT", 5)
    monkeypatch.setattr(bases, "KEPT", 3)
    seen = [
        Observation(HOME, MEMORY, revision_of(data), START + timedelta(minutes=at), Cause.OUTSIDE)
        for at, data in enumerate(SEEN)
    ]
    ledger.observe(seen, SEEN)
    return ledger


def test_the_base_is_what_was_live_when_it_was_written_whether_that_is_long_ago_or_not(
    lived: Ledger,
) -> None:
    known = bases.BaseLookup(HOME, lived)
    for minute in (*range(len(SEEN)), *reversed(range(len(SEEN)))):
        made = START + timedelta(minutes=minute, seconds=30)
        asked = replace(proposal(1), bases={}, created_at=made, ingested_at=made)
        found = known.with_bases(asked, PlainSnapshot({})).bases
        assert found[MEMORY].data == SEEN[minute]


def test_what_was_written_before_anything_was_seen_has_no_base(lived: Ledger) -> None:
    known = bases.BaseLookup(HOME, lived)
    before = START - timedelta(days=1)
    for _ in range(4):
        asked = replace(proposal(1), bases={}, created_at=before, ingested_at=before)
        assert not known.with_bases(asked, PlainSnapshot({})).bases
