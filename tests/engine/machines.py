"""Two machines over one ledger: one has a home, the other one decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.engine.kit import OPERATOR, Ticking, quiet
from tests.ledger.databases import drop_databases, postgres_url

from reviewdeck.bootstrap import new_id, open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.model import Actor, ActorKind
from reviewdeck.ports import Probe

HOST = "a" * 16
DESK = "d" * 16
"""Ids of the two machines."""
OTTO = Actor(ActorKind.OPERATOR, "otto", host="desk", terminal="")
"""Decides on the machine without the home."""


@dataclass
class Machines:
    """Opens engines on both, over one ledger."""

    ledger: str
    folder: Path
    clock: Ticking
    opened: ExitStack
    operators: Path | None = None

    def host(self, home: Path, *, probe: Probe = quiet, policy: Path | None = None) -> Engine:
        """The machine that has this home."""
        return self._open((home,), HOST, OPERATOR, probe, policy)

    def desk(self, *, policy: Path | None = None, actor: Actor = OTTO) -> Engine:
        """The machine that has none."""
        return self._open((), DESK, actor, quiet, policy)

    def _open(
        self, homes: tuple[Path, ...], host: str, actor: Actor, probe: Probe, policy: Path | None
    ) -> Engine:
        settings = Settings(
            homes=homes,
            ledger=self.ledger,
            user_home=self.folder,
            actor=actor,
            lock_wait=5.0,
            host=host,
            elsewhere=(),
            operators=self.operators,
            policy=PolicyPlace(policy) if policy else None,
        )
        engine = open_engine(settings, now=self.clock, probe=probe)
        self.opened.callback(engine.close)
        return engine


def machines_at(folder: Path, clock: Ticking, database: str = "sqlite") -> Iterator[Machines]:
    """Both, for as long as a test needs them, over a file or a server."""
    file = str(folder / "ledger" / "ledger.db")
    with ExitStack() as opened:
        # The same folder may be another test's later.
        ledger = postgres_url(folder / new_id()) if database == "postgres" else file
        yield Machines(ledger, folder, clock, opened)
    if database == "postgres":
        drop_databases()
