"""An agent's session over a small real home, and the server as a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic

import pytest
from tests.engine.conftest import agent, clock, deck, home, open_at
from tests.mcp.kit import Caller

from reviewdeck.cli.session import refresh_home
from reviewdeck.engine.engine import Engine
from reviewdeck.ledger.reader import open_reader
from reviewdeck.mcp.proposals import ServedHome
from reviewdeck.mcp.session import AgentSession
from reviewdeck.mcp.work import AgentWork
from reviewdeck.working import create

__all__ = ["agent", "clock", "deck", "home", "open_at"]


@pytest.fixture
def session(deck: Engine, tmp_path: Path) -> Iterator[AgentSession]:
    reader, now = open_reader(str(tmp_path / "ledger" / "ledger.db")), deck.now
    served = [
        ServedHome(one.home, reader, now, deck.propose, partial(refresh_home, deck, one))
        for one in deck.open_homes
    ]
    yield AgentSession(served, AgentWork(create("memory:", now=now, tick=monotonic), now))
    reader.close()


@pytest.fixture
def call(session: AgentSession) -> Caller:
    return Caller(session)
