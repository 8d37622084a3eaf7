"""Two machines over one ledger: one has a home, the other one decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.engine.kit import OPERATOR, Ticking, quiet

from reviewdeck.bootstrap import open_engine
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
            elsewhere=True,
            operators=self.operators,
            policy=PolicyPlace(policy) if policy else None,
        )
        engine = open_engine(settings, now=self.clock, probe=probe)
        self.opened.callback(engine.close)
        return engine


def machines_at(folder: Path, clock: Ticking) -> Iterator[Machines]:
    """Both, for as long as a test needs them."""
    with ExitStack() as opened:
        yield Machines(str(folder / "ledger" / "ledger.db"), folder, clock, opened)
