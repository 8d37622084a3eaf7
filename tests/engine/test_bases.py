"""What was live when, as far as it was seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.plain import PlainSnapshot, proposal

from reviewdeck.engine.bases import BaseLookup
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Cause, MemoryAdd, Observation, revision_of

PATH = "memories/MEMORY.md"
HOMES = count()


def at(hour: int) -> datetime:
    """So many hours after the start."""
    return datetime(2026, 11, 21, tzinfo=UTC) + timedelta(hours=hour)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """One for all examples: each has a home of its own."""
    path: Path = tmp_path_factory.mktemp("timeline") / "ledger.db"
    with open_ledger(str(path), now=lambda: at(0)) as opened:
        yield opened


@settings(max_examples=60)
@given(seen=st.lists(st.integers(0, 9), max_size=12), asked=st.lists(st.integers(-1, 10)))
def test_a_base_is_the_newest_that_was_seen_by_then_even_when_a_clock_went_back(
    ledger: Ledger, seen: list[int], asked: list[int]
) -> None:
    home, texts = f"home {next(HOMES)}", [f"{number}".encode() for number in range(len(seen))]
    ledger.observe(
        [
            Observation(home, PATH, revision_of(text), at(hour), Cause.OUTSIDE, None, None, None)
            for text, hour in zip(texts, seen, strict=True)
        ],
        texts,
    )
    timeline, snapshot = BaseLookup(home, ledger), PlainSnapshot({PATH: "x"})
    for hour in asked:
        wanted = replace(proposal(MemoryAdd(PATH, "y")), home=home, created_at=at(hour))
        base = timeline.with_bases(wanted, snapshot).bases.get(PATH)
        before = [text for text, one in zip(texts, seen, strict=True) if one <= hour]
        assert (base.data if base else None) == (before[-1] if before else None)
