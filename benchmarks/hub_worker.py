"""One `reviewdeck worker` under its role, and an operator on a machine without homes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from tests.cli.hosts import Member
from tests.postgres import Server

from reviewdeck.engine.engine import Engine
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter

_READY = "SELECT count(*) FROM reviewdeck.proposal WHERE state = 'ready' AND digest IS NOT NULL"
_BATCH = """
    SELECT batch.epoch, batch.state FROM reviewdeck.batch
    JOIN reviewdeck.operation ON operation.batch = batch.id WHERE operation.proposal = %s
"""
_STEP = 0.001
_PATIENCE = 60.0
_REST = 1.5
"""Seconds between two decisions, in which a worker ends what it does after the last one."""


@dataclass
class Heard:
    """Seconds that each decision took, from when it was stored."""

    claimed: list[float] = field(default_factory=list)
    reported: list[float] = field(default_factory=list)
    """Until the file was written, and the hub was told."""


def hear(server: Server, folder: Path, amount: int) -> Heard:
    """Approves so many proposals, each once the one before is written."""
    heard = Heard()
    with _working(server, folder, amount) as (desk, hub):
        for _ in range(amount):
            item = desk.ledger.page(Filter(states=(State.READY,)), limit=1)[0]
            desk.approve(item.id, str(item.digest))
            stored = time.monotonic()
            while not _batch(hub, item.id)[0] and time.monotonic() < stored + _PATIENCE:
                time.sleep(_STEP)
            heard.claimed.append(time.monotonic() - stored)
            while _batch(hub, item.id)[1] == "intent" and time.monotonic() < stored + _PATIENCE:
                time.sleep(_STEP)
            heard.reported.append(time.monotonic() - stored)
            time.sleep(_REST)
    return heard


@contextmanager
def _working(
    server: Server, folder: Path, amount: int
) -> Iterator[tuple[Engine, psycopg.Connection]]:
    """The operator's engine, and a connection of the hub's owner."""
    folder.mkdir()
    member = Member(server, folder)
    try:
        with psycopg.connect(server.url(member.hub), autocommit=True) as hub:
            for number in range(amount):
                member.agent.add(f"The linter {number} is ruff{number}.")
            member.worker()
            until = time.monotonic() + _PATIENCE
            while (hub.execute(_READY).fetchone() or (0,))[0] < amount and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(_REST)
            yield member.team.desk(), hub
    finally:
        member.end()


def _batch(hub: psycopg.Connection, proposal: str) -> tuple[int, str]:
    """How often the batch of a proposal was claimed, and its state."""
    epoch, state = hub.execute(_BATCH, (proposal,)).fetchone() or (0, "")
    return int(epoch), str(state)
