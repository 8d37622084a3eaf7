"""Where a ledger is kept: its address for all others, and the SQLite file for this package."""

from __future__ import annotations

import os
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.ledger.postgres_url import PostgresAddress

NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "afpfs", "ceph"}
    | {"glusterfs", "lustre", "ncpfs", "webdav", "davfs", "fuse.sshfs", "fuse.rclone"}
    | {"fuse.davfs2", "fuse.s3fs", "fuse.glusterfs", "beegfs", "gpfs", "ocfs2"}
)
"""File systems whose locks and shared memory SQLite's WAL cannot rely on."""

PART = ".unfinished"
"""Suffix of a backup that is being made, or was interrupted."""

_MOUNTS = Path("/proc/mounts")


_FILE: Final = "ledger.db"


@dataclass(frozen=True, slots=True)
class LedgerAddress:
    """Where a ledger is kept, and this host's own folder for what belongs to it."""

    url: str
    """What opens it, wherever a program is started. It may hold a password: it is never shown."""
    label: str
    """What people are shown of it."""
    state: Path
    """This host's own folder: turns on their way, what it is writing, work in progress, its id."""
    name: str
    """Tells several ledgers in one such folder apart."""
    is_shared: bool = False
    """Whether several hosts have homes in it. A file is of one host: every home in it is here, and
    nobody gives a home a new past by writing another id for the host."""

    @property
    def spool(self) -> Path:
        """The folder in which recorded turns wait to be stored."""
        return self.state / f"{self.name}.spool"

    @property
    def journal(self) -> Path:
        """The folder of what this host is writing."""
        return self.state / f"{self.name}.journal"

    @property
    def notes(self) -> Path:
        """The file of what this host remembers of the ledger."""
        return self.state / f"{self.name}.seen"

    @property
    def working(self) -> Path:
        """The file of the work in progress, unless another place is named."""
        return self.state / "working.db"


def address_of(url: str) -> LedgerAddress:
    """The address of the ledger at this URL. Raises BadInput."""
    if is_postgres(url):
        from platformdirs import user_data_path

        server = _server_of(url)
        folder = user_data_path("reviewdeck") / "shared" / server.folder
        return LedgerAddress(url, server.label, folder, "ledger", is_shared=True)
    path = path_of(url)
    return LedgerAddress(str(path.absolute()), str(path), path.parent, path.name)


def is_postgres(url: str) -> bool:
    """Whether a URL names a database on PostgreSQL."""
    return url.startswith(("postgresql://", "postgres://"))


def _server_of(url: str) -> PostgresAddress:
    from reviewdeck.ledger.postgres_url import read_address

    return read_address(url)


def shown(url: str) -> str:
    """A ledger's URL as people are shown it: one on a server may hold a password."""
    return _server_of(url).label if is_postgres(url) else url


def refuse_password(url: str, where: str) -> None:
    """Raises BadInput for a URL that would put a password there, where others may read it."""
    if is_postgres(url) and _server_of(url).password is not None:
        raise BadInput(
            f"The password in the ledger's URL would stand in {where}.",
            hint="Leave it out there and put it into ~/.pgpass: HOST:PORT:DATABASE:USER:PASSWORD",
        )


def ledger_in(folder: Path) -> str:
    """The URL of the ledger that a folder has where nothing else is named."""
    return str(folder / _FILE)


def exists(url: str) -> bool:
    """Whether there is a ledger at this URL. A shared one is there, or nothing works."""
    return is_postgres(url) or path_of(url).exists()


def identity_of(url: str) -> object:
    """What is another value once another ledger is at this URL."""
    if is_postgres(url):
        return _server_of(url).label
    try:
        status = path_of(url).stat()
    except OSError as error:
        return type(error).__name__
    return status.st_dev, status.st_ino


def discard(url: str) -> None:
    """Removes a ledger that was made to be looked at."""
    path = path_of(url)
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).unlink()


def path_of(url: str) -> Path:
    """The file that a ledger URL names: `sqlite:///path`, `sqlite:////absolute` or a bare path.

    A leading `~` is the user's home: not every program that names a ledger is a shell.
    """
    if is_postgres(url):
        raise BadInput(
            f"The ledger {_server_of(url).label} is not a file: this is for a ledger in a file.",
            hint="Whoever runs its server has the tools of PostgreSQL for this.",
        )
    scheme, separator, location = url.partition("://")
    if not separator:
        path = url
    elif scheme == "sqlite" and location.startswith("/"):
        path = location[1:]
    else:
        raise BadInput(
            # What follows may hold a password.
            f"A ledger cannot be kept at {scheme}://.",
            hint="Use sqlite:///path/to/ledger.db, a path, or postgresql://user@host/database.",
        )
    if not path or path == ":memory:":
        raise BadInput("The ledger needs a file.", hint="Use sqlite:///path/to/ledger.db.")
    return Path(os.path.expanduser(path))  # noqa: PTH111 - a `~name` of nobody stays a name


def is_lost(path: Path) -> bool:
    """Whether a ledger was lost: a new one in its place would hide that.

    Lost is a ledger that is empty, or gone, while its backup is not. A file made for a new ledger
    is empty too, and has no backup beside it.
    """
    if path.exists() and (not path.is_file() or path.stat().st_size):
        return False
    return any(copy.stat().st_size for copy in backups_of(path))


def backups_of(path: Path) -> tuple[Path, ...]:
    """The whole copies beside a ledger, the newest last."""
    copies = (copy for copy in copies_of(path) if PART not in copy.name.removeprefix(path.name))
    return tuple(sorted(copies, key=lambda copy: (copy.stat().st_mtime_ns, copy.name)))


def copies_of(path: Path) -> tuple[Path, ...]:
    """The backups of a ledger, and what is left of those that were interrupted."""
    return tuple(sorted(path.parent.glob(f"{escape(path.name)}.backup-*")))


def make_directory(path: Path) -> None:
    """Makes the directory of a ledger, for its owner alone, and refuses a network file system."""
    folder = path.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_network(folder.resolve())
    except OSError as error:
        raise LedgerUnavailable(f"The directory {folder} cannot be used: {error.strerror}.") from (
            error
        )
    is_there(path)


def is_there(path: Path) -> bool:
    """Whether a ledger's file exists. Raises LedgerUnavailable where its folder is closed to us."""
    try:
        return path.exists()
    except OSError as error:
        raise LedgerUnavailable(
            f"The directory {path.parent} cannot be used: {error.strerror}."
        ) from error


def refuse_network(folder: Path) -> None:
    """Raises LedgerUnavailable for a folder on a network file system, where that can be told."""
    try:
        mounts = _MOUNTS.read_text("utf-8", errors="surrogateescape")
    except OSError:
        return  # this system has no such table
    kind = file_system_of(folder, mounts)
    if kind in NETWORK:
        raise LedgerUnavailable(
            f"The ledger's directory {folder} is on a network file system ({kind}).",
            hint="Keep the ledger on a local disk: --ledger sqlite:////local/path/ledger.db.",
        )


def file_system_of(folder: Path, mounts: str) -> str | None:
    """The type of the file system that holds a folder, from the text of a table of mounts."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        mount = Path(_unescaped(fields[1]))
        # Of two mounts on one point the later one is on top.
        if folder.is_relative_to(mount) and (best is None or len(mount.parts) >= best[0]):
            best = (len(mount.parts), fields[2])
    return None if best is None else best[1]


def create_file(path: Path) -> bool:
    """Makes an empty ledger file that only its owner can read; says whether it was missing."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise LedgerUnavailable(f"The ledger {path} cannot be made: {error.strerror}.") from error
    return True


def _unescaped(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
