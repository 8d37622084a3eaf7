"""The gate's writes in a governed folder: atomic, and one writer at a time."""

from __future__ import annotations

import fcntl
import json
import os
import time

from .documents import LAYOUTS
from .roots import OURS, NotStaged, Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

TOP = OURS.partition("/")[0]
LOCK = f"{OURS}/lock"
IGNORED = f"{TOP}/.gitignore"
"""Makes Git ignore our folder."""
MARKS = {layout: f"{OURS}/is-{layout}" for layout in LAYOUTS}
"""An empty file that tells the layout of a folder, whatever else is in it."""
PATIENCE = 3.0
"""Seconds to wait for the lock: less than the gate's timeout."""


class SpoolLock:
    """The lock of a governed folder, as a context manager. Raises NotStaged, OSError."""

    def __init__(self, root: Root) -> None:
        for path in (TOP, OURS):
            make_folder(root.place(path))
        for path, data in ((IGNORED, b"*\n"), (MARKS[root.layout], b"")):
            if not os.path.lexists(root.place(path)):
                write_whole(root.place(path), data)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(root.place(LOCK), flags, 0o600)

    def __enter__(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(self._file)
                    raise NotStaged("what waits for review is locked by another program") from None
                time.sleep(0.02)
            else:
                return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self._file)


def write_json(path: str, value: Any, *, is_evidence: bool = True) -> None:
    """Replaces a file atomically, and durably if it is evidence. Raises OSError."""
    write_whole(path, json.dumps(value).encode(), is_evidence=is_evidence)


def write_whole(path: str, data: bytes, *, is_evidence: bool = False) -> None:
    """Replaces a file atomically by these bytes, and durably if it is evidence. Raises OSError."""
    folder, _, name = path.rpartition("/")
    make_folder(folder)
    draft = f"{folder}/.{name}.{os.getpid()}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if is_evidence:
                os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        remove(draft)
        raise
    if not is_evidence:
        return
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def make_folder(path: str) -> None:
    """Creates a private folder. Raises NotStaged when its name is taken by something else."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if os.path.islink(path) or not os.path.isdir(path):
            raise NotStaged("the folder in which changes wait is not one") from None


def read_json(path: str) -> Any:
    """The value in a file; None where there is no file, or no valid JSON. Raises OSError."""
    try:
        with open(path, "rb") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def remove(path: str) -> None:
    """Removes a file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def utc(seconds: float | None = None) -> str:
    """A time, now by default, in the format of records."""
    moment = time.time() if seconds is None else seconds
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1e6):06d}Z"
    )


def digest(data: bytes) -> str:
    """The SHA-256, in hexadecimal digits."""
    # Imported late: it is a tenth of the start-up time, and most calls hash nothing.
    import hashlib

    return hashlib.sha256(data).hexdigest()
