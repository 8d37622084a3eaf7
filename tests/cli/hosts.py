"""Machines of one hub, each with a state folder of its own.

The hub is one SQLite file, or a database on a server where the machine has a role.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from tests.cli.test_watch import WAIT, Watching
from tests.engine.crashes import make_home
from tests.engine.kit import OPERATOR, Agent, Ticking, digest_of
from tests.engine.team import TEMPLATE, Team, make_team
from tests.postgres import Server

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.files.host_journal import HostJournal
from reviewdeck.files.host_notes import HostNotesFile
from reviewdeck.ports import Head, Probe, no_probe

KEPT = ("PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX")
PROGRAM = """
from dataclasses import replace
from pathlib import Path
from reviewdeck.ledger import place
address_of = place.address_of
def shared(url):
    return replace(address_of(url), state=Path({state!r}), is_shared=True)
place.address_of = shared
{more}
from reviewdeck.cli.main import main
raise SystemExit(main())
"""


def wait_until(is_so: Callable[[], object]) -> None:
    """Waits for something that no line of a worker tells."""
    deadline = time.monotonic() + WAIT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Machine:
    """One host: its state folder, and the home that it has."""

    def __init__(self, root: Path, name: str, home: Path) -> None:
        self.state, self.home, self.hub = root / name, home, root / "hub" / "ledger.db"
        self.state.mkdir(exist_ok=True)
        self.id = name.ljust(16, "0")
        (self.state / "host").write_text(self.id)

    def worker(self, *options: str, more: str = "") -> Watching:
        """Starts its worker; `more` is run in that process first."""
        program = PROGRAM.format(state=str(self.state), more=more)
        kind = type("Working", (Watching,), {"program": ("-c", program), "command": ("worker",)})
        working = kind(self.home, self.hub, "--json", "--poll", "1", *options)
        assert isinstance(working, Watching)
        return working

    def settings(self) -> Settings:
        """What an engine on this host is opened with."""
        return Settings(
            homes=(self.home,),
            ledger=str(self.hub),
            user_home=self.state,
            actor=OPERATOR,
            lock_wait=1.0,
            host=self.id,
        )

    def engine(self, probe: Probe = no_probe) -> Engine:
        """An engine on this host, as its commands open it; its journal is in its state folder."""
        engine = open_engine(self.settings(), now=Ticking(), probe=probe)
        (opened,) = engine.open_homes
        journal = HostJournal(
            self.state / "ledger.db.journal", opened.home.id, probe=probe, lock_wait=1.0
        )
        return replace(engine, open_homes=(replace(opened, journal=journal),))

    def dies_before(self, step: str, act: Callable[[Engine], object]) -> None:
        """Does something in a process that is killed just before a step of applying."""

        def probe(now: str) -> None:
            if now == step:
                os.kill(os.getpid(), signal.SIGKILL)

        child = os.fork()
        if child == 0:
            act(self.engine(probe))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"there is no step {step}"

    def decides(self, id: str) -> None:
        """Approves a proposal and leaves the writing to whoever has the home."""
        self.dies_before("claim", lambda deck: deck.approve(id, digest_of(deck, id)))

    def wait_for_notes(self, heads: Mapping[str, Head]) -> None:
        """Waits until its worker has noted these heads of the log."""
        deadline = time.monotonic() + WAIT
        while HostNotesFile(self.state / "ledger.db.seen").read().heads != heads:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def state_of(self, id: str) -> str:
        """The state of a proposal."""
        with closing(self.engine()) as engine:
            return engine.find(id).state.value


class Member:
    """A machine under its role on a real hub, and the people who decide there."""

    def __init__(self, server: Server, root: Path) -> None:
        self.server = server
        self.hub = server.create(TEMPLATE, make_team)
        self.team = Team(server.url(self.hub), root, make_home(root / "home"))
        self.home, self.agent = self.team.home, Agent(self.team.home, self.team.clock)
        self._env = {name: os.environ[name] for name in KEPT if name in os.environ}
        self._env |= {"HOME": str(root), "XDG_DATA_HOME": str(root / "data")}
        self._ending = ExitStack()

    def worker(self, *options: str, role: str = "web-1") -> Watching:
        """Starts its worker, which ends with the test at the latest."""
        parts = {"command": ("worker",), "env": self._env}
        kind = type("Working", (Watching,), parts)
        working = kind(self.home, self.team.url(role), "--json", "--poll", "1", *options)
        assert isinstance(working, Watching)
        self._ending.callback(ended, working)
        return working

    def end(self) -> None:
        """Ends all that runs, and drops the hub."""
        self._ending.close()
        self.team.opened.close()
        self.server.drop(self.hub)


def ended(working: Watching) -> None:
    """Ends a worker, however it is."""
    if working.process.poll() is None:
        working.process.send_signal(signal.SIGCONT)
        working.process.kill()
    working.close()
