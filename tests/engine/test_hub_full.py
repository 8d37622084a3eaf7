"""A hub whose disk is full: what cannot be stored is refused with a hint, and nothing is lost.

Its server has a small file system of its own, which is full either for data, or for the
write-ahead log as well: then the server ends and starts again.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from tests import postgres
from tests.engine.crashes import make_home
from tests.engine.kit import Agent, digest_of, entries
from tests.engine.team import TEMPLATE, Team, make_team

from reviewdeck.engine.watch import WatchEvent
from reviewdeck.engine.worker import Worker
from reviewdeck.errors import LedgerReadOnly, LedgerUnavailable
from reviewdeck.files.host_notes import HostNotesFile
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.postgres import database
from reviewdeck.ledger.postgres.line import Line, Statement
from reviewdeck.model import State

PATIENCE = 60.0
SEGMENT = 1 << 20
"""The bytes of a file of the write-ahead log; see `INITDB`."""
QUIET = ("wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
"""What keeps the server from writing to its log by itself, into the room that a test left."""
WANTED = "The staging host is stg-4."
Full = Literal["data", "log"]
TeamAt = Callable[[], AbstractContextManager[Team]]

pytestmark = pytest.mark.slow


class SmallHub:
    """A server with 96 MB, of which a test may take all that is left."""

    def __init__(self, disk: Path) -> None:
        self._filler = disk / "filler"
        self._is_started_again = False
        self.server = postgres.server.__wrapped__("synchronous_commit=on", *QUIET, below=disk)
        self._hog: Any = None

    def fill(self, name: str, full: Full) -> None:
        """Takes all room: for data, or also for more of the write-ahead log."""
        with self.server.connect(name) as owner:
            owner.execute("SELECT pg_switch_wal()")
            owner.execute("SELECT txid_current()")
            self._take_disk()
            if full == "log":
                self._take_log(owner)
            else:
                self._hog = self._take_pages(name)

    def make_room(self) -> None:
        """Gives all of it back, and starts the server again if it is gone."""
        self._filler.unlink(missing_ok=True)
        if self._hog is not None:
            self._hog.close()
            self._hog = None
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(psycopg.OperationalError), self.server.connect():
                return
            assert time.monotonic() < deadline
            if not (self.server.data / "postmaster.pid").exists():
                self._start()
            time.sleep(0.05)

    def end(self) -> None:
        """Ends the server, whoever started it."""
        if self._is_started_again:
            self.server.run("pg_ctl", "-w", "-D", str(self.server.data), "stop")
        self.server.stop()

    def _start(self) -> None:
        self._is_started_again = True
        options = ("listen_addresses=", f"unix_socket_directories={self.server.folder}", *QUIET)
        words = " ".join(f"-c {option}" for option in options)
        data, log = str(self.server.data), str(self.server.folder / "again")
        done = self.server.run("pg_ctl", "-w", "-D", data, "-l", log, "-o", words, "start")
        assert done.returncode == 0, done.stderr

    def _take_disk(self) -> None:
        with self._filler.open("wb", buffering=0) as filler:
            for size in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while True:
                        filler.write(b"x" * size)

    def _take_log(self, owner: Any) -> None:
        """Leaves a few bytes of the file that is written to, and none that comes after it."""
        (here,) = owner.execute("SELECT pg_walfile_name(pg_current_wal_insert_lsn())").fetchone()
        for file in (self.server.data / "pg_wal").iterdir():
            if file.is_file() and len(file.name) == len(here) and file.name > here:
                file.unlink()
        self._take_disk()
        left = "SELECT (%s - (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) %% %s)::int"
        while (free := owner.execute(left, (SEGMENT, SEGMENT)).fetchone()[0]) > 1_000:
            size = (free - 500) // 2
            owner.execute("SELECT pg_logical_emit_message(false, '', repeat('x', %s))", (size,))

    def _take_pages(self, name: str) -> Any:
        """Fills what is left of the pages of the log, for as long as the connection is open."""
        hog = self.server.connect(name)
        hog.execute("SET session_replication_role = replica")
        hog.execute("BEGIN")
        number = 0
        for size in (1_000, 100, 1):
            with suppress(psycopg.errors.DiskFull):
                while True:
                    number += 1
                    with hog.transaction():
                        hog.execute(
                            "INSERT INTO reviewdeck.event"
                            " (chain, sequence, at, name, home, subject, actor, detail,"
                            " previous, sha)"
                            " VALUES ('hog', %s, 0, '', '', '', '{}', '{}', %s, '')",
                            (number, f"{number}".ljust(size, "x")),
                        )
        return hog


@pytest.fixture(scope="module")
def hub() -> Iterator[SmallHub]:
    # Below pytest's own folder no other user could reach it.
    disk = Path(tempfile.mkdtemp(prefix="reviewdeck-small-"))
    words = ["mount", "-t", "tmpfs", "-o", "size=96m,mode=755", "tmpfs", str(disk)]
    with ExitStack() as ending:
        ending.callback(disk.rmdir)
        if os.geteuid() or subprocess.run(words, check=False, capture_output=True).returncode:
            pytest.skip("no file system can be mounted here")
        ending.callback(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
        made = SmallHub(disk)
        ending.callback(made.end)
        yield made


class Filling:
    """Fills the disk of the hub just before one of the transactions that write."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._left = 0
        self._fill: Callable[[], None] = lambda: None
        begun = Line.begin

        def begin(line: Line, *statements: Statement) -> None:
            if statements[0] is database._WRITE:
                self._left -= 1
                if self._left == 0:
                    self._fill()
            begun(line, *statements)

        monkeypatch.setattr(Line, "begin", begin)

    def before(self, transaction: int, fill: Callable[[], None]) -> None:
        """Says before which one, counted from now."""
        self._left, self._fill = transaction, fill

    @property
    def has_come(self) -> bool:
        """Whether it came to that."""
        return self._left <= 0


def take_in(team: Team) -> None:
    """The host finds a proposal."""
    team.host().refresh()


def decide(team: Team) -> None:
    """An operator approves what waits."""
    desk = team.desk()
    for item in desk.pending():
        desk.approve(item.id, digest_of(desk, item.id))


def work(team: Team) -> None:
    """The host claims, writes, reports, and looks again."""
    host = team.host()
    host.recover()
    host.run_errands()
    host.refresh()


def beat(team: Team) -> None:
    """The host says that it is there."""
    team.host().ledger.note_host("web-1", "1.0")


STEPS = (take_in, decide, work, beat)


def told(team: Team) -> tuple[Any, ...]:
    """What hub and home say: states, decisions, the log, operations, the file, its journal."""
    engine = team.host(role=postgres.OWNER)
    return (
        Counter(item.state for item in engine.pending([*State])),
        Counter(decision.verb for decision, _ in engine.ledger.all_decisions()),
        Counter(event.name for event in engine.log()),
        Counter(operation.state for operation in engine.operations()),
        entries(team.home),
        engine.here[0].journal.entries(),
    )


@pytest.fixture
def team_at(hub: SmallHub, tmp_path: Path) -> TeamAt:
    """Opens a hub with a proposal that the host has not seen yet."""

    @contextmanager
    def opened() -> Iterator[Team]:
        with hub.server.database(TEMPLATE, make_team) as name:
            root = tmp_path / name
            team = Team(hub.server.url(name), root, make_home(root / "home"))
            with team.opened:
                Agent(team.home, team.clock).replace("staging host", WANTED)
                yield team

    return opened


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("full", ["data", "log"])
def test_what_a_full_hub_cannot_store_is_said_and_done_once_when_there_is_room(
    full: Full,
    step: Callable[[Team], None],
    hub: SmallHub,
    team_at: TeamAt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with team_at() as team:
        for each in STEPS:
            each(team)
        done = told(team)
    filling, refused, at = Filling(monkeypatch), 0, 0
    while True:
        at += 1
        with team_at() as team:
            for earlier in STEPS[: STEPS.index(step)]:
                earlier(team)
            filling.before(at, partial(hub.fill, team.name, full))
            try:
                step(team)
            except LedgerUnavailable as error:
                refused += 1
                assert error.hint
                assert full == "log" or isinstance(error, LedgerReadOnly)
            finally:
                hub.make_room()
            if not filling.has_come:
                break
            for later in STEPS[STEPS.index(step) :]:
                later(team)
            assert told(team) == done, at
            assert team.desk().ledger.verify() is None
            assert find_damage(team.hub) == ()
    # What fits into pages that are there is stored on a full disk too.
    assert refused == at - 1 if full == "log" else refused > 0


def test_a_worker_of_a_full_hub_says_so_once_and_goes_on_by_itself(
    hub: SmallHub, team_at: TeamAt
) -> None:
    with team_at() as team:
        take_in(team)
        decide(team)
        worker = Worker(
            team.host,
            lambda: "the same",
            team.clock,
            notes=HostNotesFile(team.folder / "seen"),
            version="1.0",
            pause=lambda: 10.0,
        )
        team.opened.callback(worker.close)
        hub.fill(team.name, "data")
        try:
            said = [one for moment in range(100) for one in turn(worker, moment)]
            assert [(one.name, one.detail.get("code")) for one in said] == [
                ("failed", "ledger-unavailable")
            ]
            assert "full" in str(said[0].detail)
        finally:
            hub.make_room()
        said = [one for moment in range(100, 200) for one in turn(worker, moment)]
        assert [one.name for one in said] == ["written", "reopened"]
        assert WANTED in entries(team.home)


def turn(worker: Worker, moment: float) -> list[WatchEvent]:
    """What happens at a moment."""
    return [*worker.turn(moment, lambda: False)]
