"""A small home with somebody who may decide."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.engine.kit import Agent, Ticking, set_entries
from tests.operators.signed import Office

from reviewdeck.demo import write_demo


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine keeps of a hub is the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


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


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the sample home."""
    write_demo(tmp_path / "demo", datetime.now(UTC))
    return Program(tmp_path / "demo", tmp_path / "ledger" / "ledger.db", capsys)
