"""The gate's writes in a governed folder: atomic, and one writer at a time."""

from __future__ import annotations

import fcntl
import json
import os
import time

from reviewdeck.agents.hermes.kit import OURS as TOP
from reviewdeck.agents.hermes.kit import open_folder, parsed, read_file, write_file

from .documents import LAYOUTS
from .roots import NotStaged, Root, ours_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

IGNORED = f"{TOP}/.gitignore"
"""Makes Git ignore our folder."""
MARKS = {layout: f"{ours_in(layout)}/is-{layout}" for layout in LAYOUTS}
"""An empty file that tells the layout of a folder, whatever else is in it."""
LARGEST = 64 * 1024 * 1024
"""The most bytes of a file that the gate wrote."""
PATIENCE = 3.0
"""Seconds to wait for the lock: less than the gate's timeout."""


class SpoolLock:
    """The lock of a governed folder, as a context manager. Raises NotStaged, OSError."""

    def __init__(self, root: Root) -> None:
        for folder in (root.place(TOP), root.own()):
            make_folder(folder)
        for path, data in ((IGNORED, b"*\n"), (MARKS[root.layout], b"")):
            if not os.path.lexists(root.place(path)):
                write_whole(root.place(path), data)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(root.own("lock"), flags, 0o600)

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
    """Replaces a file atomically, and durably if it is evidence. Raises NotStaged, OSError."""
    write_whole(path, json.dumps(value).encode(), is_evidence=is_evidence)


def write_whole(path: str, data: bytes, *, is_evidence: bool = False) -> None:
    """Replaces a file by these bytes, as `write_json` does."""
    parent, _, name = path.rpartition("/")
    make_folder(parent)
    folder = open_folder(parent)
    try:
        write_file(folder, name, data, is_evidence=is_evidence)
    finally:
        os.close(folder)


def make_folder(path: str) -> None:
    """Creates a private folder. Raises NotStaged when its name is taken by something else."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if os.path.islink(path) or not os.path.isdir(path):
            raise NotStaged("the folder in which changes wait is not one") from None


def read_json(path: str) -> Any:
    """The value in a file; None where there is no file, or no valid JSON. Raises OSError."""
    return parsed(read_file(path, LARGEST))


def utc(seconds: float | None = None) -> str:
    """A time, now by default, in the format of records."""
    moment = time.time() if seconds is None else seconds
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1e6):06d}Z"
    )
