"""A small home with somebody who may decide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.kit import Agent, Ticking, set_entries
from tests.operators.signed import Office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A home with one memory, and nobody who signs yet."""
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    set_entries(home, "Tests run with tox.", "The staging host is stg-2.")
    clock = Ticking()
    found = Office(tmp_path, home, clock, Agent(home, clock))
    yield found
    for deck in found.decks:
        deck.close()
