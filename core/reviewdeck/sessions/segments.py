"""One file of the spool: written to its end, read from its beginning, locked while in use.

The lock is the system's own on the open file, so it goes with the process however that ends.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".spool"
UNNAMED = ".new"
"""Ends the name of a segment that is being made. There is nothing in it."""
PIECE = 1 << 20
"""Bytes that are read at once."""

_MODE = 0o600


@dataclass(slots=True)
class Segment:
    """An open file. `size` bytes of it are whole lines, `read` of them were taken."""

    path: Path
    file: int
    size: int = 0
    read: int = 0

    def append(self, data: bytes) -> None:
        """Writes all of this or nothing. Raises OSError."""
        try:
            done = os.write(self.file, data)
            while done < len(data):
                done += os.write(self.file, data[done:])
        except OSError:
            # A full disk may have taken a part: the next line must not follow half a one.
            os.ftruncate(self.file, self.size)
            raise
        self.size += len(data)

    def take(self) -> list[bytes]:
        """The next whole lines, about a piece of them; none at the end."""
        wanted = min(PIECE, self.size - self.read)
        data = os.pread(self.file, wanted, self.read)
        while b"\n" not in data and self.read + len(data) < self.size:
            more = os.pread(self.file, self.size - self.read - len(data), self.read + len(data))
            if not more:
                break
            data += more
        end = data.rfind(b"\n") + 1
        # What is behind the last line break was torn off by a power cut: there is no more of it.
        self.read = self.read + end if end else self.size
        return data[:end].split(b"\n")[:-1]

    @property
    def is_read(self) -> bool:
        """Whether everything was taken."""
        return self.read >= self.size

    def sync(self) -> None:
        """Makes what was written survive a power cut too."""
        os.fsync(self.file)

    def rewind(self) -> None:
        """Everything is to be taken once more."""
        self.read = 0

    def close(self) -> None:
        """Lets go of the file; it stays for whoever comes next."""
        os.close(self.file)

    def remove(self) -> None:
        """Everything in it is in the sink."""
        self.path.unlink(missing_ok=True)
        os.close(self.file)


def create(folder: Path, name: str) -> Segment:
    """A new segment. It is locked before it has a name that others look for. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{name}{SUFFIX}"
    hidden = folder / f"{name}{UNNAMED}"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(hidden, flags, _MODE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        hidden.rename(path)
        _sync_folder(folder)
    except FileNotFoundError:
        # Somebody who cleared up took it for one that a kill had left.
        os.close(file)
        return create(folder, name)
    except BaseException:
        os.close(file)
        raise
    return Segment(path, file)


def adopt(path: Path) -> Segment | None:
    """A segment that its process left behind; None when somebody is at it. Raises OSError."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    status = os.fstat(file)
    if not status.st_nlink:  # Somebody was through with it between the two calls.
        os.close(file)
        return None
    return Segment(path, file, status.st_size)


def clear_up(folder: Path) -> None:
    """Removes what a kill left of segments that were being made. Raises OSError."""
    for path in [path for path in folder.iterdir() if path.suffix == UNNAMED]:
        if (segment := adopt(path)) is not None:
            segment.remove()


def left_behind(folder: Path) -> list[Path]:
    """The segments in a folder, each recorder's in the order in which they were written."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []  # Nobody ever recorded here.


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
