"""A host and two operators of one hub, each with a role of its own; nothing is signed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.engine.kit import Ticking, quiet
from tests.engine.machines import DESK, HOST
from tests.ledger.hub import make_hub

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.ledger.postgres.administration import add_member
from reviewdeck.ports import Probe

TEMPLATE = "team"


def make_team(url: str) -> None:
    """An empty hub with the members of a team: what `TEMPLATE` is a template of."""
    make_hub(url)
    add_member(url, "host", "web-1", None)
    add_member(url, "operator", "iris", None)
    add_member(url, "operator", "otto", None)


@dataclass
class Team:
    """Opens the hub as each of them, and closes what it opened."""

    hub: str
    """The URL of the hub, for its owner."""
    folder: Path
    home: Path
    clock: Ticking = field(default_factory=Ticking)
    opened: ExitStack = field(default_factory=ExitStack)
    policy: Path | None = None

    @property
    def name(self) -> str:
        """The database."""
        return self.hub.partition("@/")[2].partition("?")[0]

    def url(self, role: str) -> str:
        """The hub under a role."""
        return self.hub.replace("postgres@", f"{role}@")

    def host(self, probe: Probe = quiet, role: str = "web-1") -> Engine:
        """The machine that has the home."""
        return self._open((self.home,), HOST, role, probe)

    def desk(self, role: str = "iris", probe: Probe = quiet) -> Engine:
        """A machine that has none."""
        return self._open((), DESK, role, probe)

    def _open(self, homes: tuple[Path, ...], host: str, role: str, probe: Probe) -> Engine:
        settings = Settings(
            homes=homes,
            ledger=self.url(role),
            user_home=self.folder,
            lock_wait=5.0,
            host=host,
            elsewhere=None if homes else (),
            policy=PolicyPlace(self.policy) if self.policy else None,
        )
        engine = open_engine(settings, now=self.clock, probe=probe)
        self.opened.callback(engine.close)
        return engine
