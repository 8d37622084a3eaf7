"""Reading files beneath an open directory, without following symbolic links.

A read error is never "absent": it becomes the document's problem.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from reviewdeck.errors import BadInput, HomeUnavailable, ReviewdeckError
from reviewdeck.files import OURS
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.model.documents import Document
from reviewdeck.values import dataclass

LIMIT = 8 * 1024 * 1024
"""Bytes of the largest document that is read."""

LONGEST_PATH = 768
"""Bytes of a document's longest path: with the home it is a key, and a database bounds those."""

ATTEMPTS = 3
"""Readings of something that somebody writes meanwhile, before that is said."""
CHANGES = "changes while it is read"
"""The problem of what changed in every one of them."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileRead:
    """The result of reading a name: nothing, bytes, or the problem that prevented it."""

    data: bytes | None = None
    mode: int | None = None
    problem: str | None = None
    owner: tuple[int, int] | None = None
    links: int = 1

    @property
    def absent(self) -> bool:
        """Whether there is no file; an unreadable one is not absent."""
        return self.data is None and self.problem is None


@dataclass(frozen=True, slots=True)
class Location:
    """Where a document lies: its directory's path below `root`, and its name there."""

    root: Path
    parents: tuple[str, ...]
    name: str
    link: str | None = None
    """The real path, when the document is reached through a symbolic link."""


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a document's path. Raises BadInput when it is not a plain relative path."""
    parts = tuple(path.split("/"))
    if parts[0] == OURS or any(part in {"", ".", ".."} or "\0" in part for part in parts):
        raise BadInput(f"{path!r} is not a path inside a home.")
    return parts


def locate(root: Path, path: str, *, follow: bool) -> Location:
    """Resolves a path once. Only with `follow` may it lead through a symbolic link."""
    parts = parts_of(path)
    if follow:
        real = Path(os.path.realpath(root / path))
        if real != root / path:
            return Location(Path("/"), real.parent.parts[1:], real.name, str(real))
    return Location(root, parts[:-1], parts[-1])


@contextmanager
def open_directory(root: Path) -> Iterator[int]:
    """Holds a directory open. Raises HomeUnavailable."""
    try:
        directory = os.open(root, _DIRECTORY)
    except OSError as error:
        raise HomeUnavailable(
            f"{root} cannot be opened: {error.strerror}.",
            hint="Check that it is there, mounted and readable, or name another with --home PATH.",
        ) from error
    try:
        yield directory
    finally:
        os.close(directory)


@contextmanager
def directory_beneath(kernel: Kernel, root: int, parts: tuple[str, ...]) -> Iterator[int]:
    """Holds the directory at these path parts open. Raises OSError."""
    directory = kernel.open_beneath(root, "/".join(parts) or ".", _DIRECTORY)
    try:
        yield directory
    finally:
        os.close(directory)


@contextmanager
def open_beneath(root: Path, parts: str | tuple[str, ...], kernel: Kernel) -> Iterator[int]:
    """Holds a directory below a root open. Raises HomeUnavailable, OSError."""
    below = tuple(parts.split("/")) if isinstance(parts, str) else parts
    with open_directory(root) as top, directory_beneath(kernel, top, below) as directory:
        yield directory


def names_in(directory: int) -> list[str]:
    """The names in an open directory, sorted."""
    return sorted(os.listdir(directory))


def read_place(place: NameIn, limit: int = LIMIT) -> FileRead:
    """Reads a regular file without following a link. Errors are the result's problem.

    A file that is written meanwhile is read again: its bytes are those of one moment.
    """
    try:
        file = os.open(place.name, _FILE, dir_fd=place.directory)
    except FileNotFoundError:
        return FileRead()
    except OSError as error:
        return FileRead(problem=explain(error))
    try:
        return _read(file, limit)
    except OSError as error:
        return FileRead(problem=explain(error))
    finally:
        os.close(file)


def _read(file: int, limit: int) -> FileRead:
    status = os.fstat(file)
    mode, owner = stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid)
    if not stat.S_ISREG(status.st_mode):
        return FileRead(mode=mode, problem="is not a plain file", owner=owner)
    for _ in range(ATTEMPTS):
        data = _bytes_of(file, limit)
        if data is None:
            problem = f"is larger than {limit:,} bytes"
            return FileRead(mode=mode, problem=problem, owner=owner)
        before, status = status, os.fstat(file)
        if (before.st_size, before.st_ctime_ns) == (status.st_size, status.st_ctime_ns):
            return FileRead(data, mode, None, owner, status.st_nlink)
        os.lseek(file, 0, os.SEEK_SET)
    return FileRead(mode=mode, problem=CHANGES, owner=owner)


def _bytes_of(file: int, limit: int) -> bytes | None:
    """The bytes from here on; None for more than the limit."""
    chunks: list[bytes] = []
    size = 0
    while chunk := os.read(file, 1 << 16):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            return None
    return b"".join(chunks)


def explain(error: OSError) -> str:
    """A system error as the problem of a document, in a few words."""
    match error.errno:
        case errno.ELOOP:
            return "is a symbolic link"
        case errno.EXDEV:
            return "leads out of the home"
        case errno.ENXIO:
            return "is not a plain file"
        case errno.ENOTDIR:
            return "a part of its path is a link or not a directory"
        case _:
            return f"cannot be read: {error.strerror}"


def read_document(
    root: Path, path: str, *, follow: bool, kernel: Kernel, limit: int = LIMIT
) -> Document:
    """The document as it is on disk now. Errors on disk become the document's problem.

    With `follow` a symbolic link is resolved once and the document says where it leads. Without,
    a link anywhere in the path is a problem, and so is a file with a second hard link.
    """
    if len(path.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        return Document(path, None, problem=f"its path has more than {LONGEST_PATH} bytes")
    location = locate(root, path, follow=follow)
    try:
        with open_beneath(location.root, location.parents, kernel) as directory:
            file = read_place(NameIn(directory, location.name), limit)
    except FileNotFoundError:
        file = FileRead()
    except OSError as error:
        file = FileRead(problem=explain(error))
    problem = file.problem if follow else problem_of(file)
    return Document(path, file.data, file.mode, problem or _encoding_problem(file), location.link)


def read_quietly(root: Path, path: str, *, kernel: Kernel, follow: bool = False) -> Document:
    """The document at a path below a directory. Never raises, whatever the path."""
    try:
        document = read_document(root, path, follow=follow, kernel=kernel)
    except (ReviewdeckError, ValueError):
        return Document(path, None, problem="is not a path within the home")
    if document.problem is None and b"\0" in (document.data or b""):
        return replace(document, problem="contains a NUL character")
    return document


def problem_of(file: FileRead) -> str | None:
    """Why a file must not be touched: it cannot be read, or it has a second hard link."""
    if file.problem is None and file.links > 1:
        return "has a second name (a hard link)"
    return file.problem


def _encoding_problem(file: FileRead) -> str | None:
    try:
        (file.data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8 (byte {error.start})"
    return None


def is_private(file: FileRead) -> bool:
    """Whether a file belongs to this user, has one name, and nobody else may access it."""
    is_ours = (file.owner or (-1,))[0] == os.geteuid()
    return is_ours and file.links == 1 and not (file.mode or 0) & 0o077
