"""The queue between an agent's turns and the sink: files, so that a kill loses nothing.

Everything goes through it in one order, flushes included. It is the only queue there is: the
writer reads from it what the recorder wrote to it, so memory does not grow with what waits.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reviewdeck.errors import SpoolFull, SpoolUnavailable
from reviewdeck.sessions.segments import Segment, create

SEGMENT = 4 << 20
"""Bytes from which on a segment is not written to any more."""
LIMIT = 256 << 20
"""Bytes on disk from which on nothing more is taken."""
SYNC_AFTER = 0.05
"""Seconds after which what was written is synchronised: a power cut costs at most that."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the spool takes, in bytes."""

    segment: int = SEGMENT
    """At most a quarter of the total is used."""
    total: int = LIMIT
    patience: float = 1.0
    """Seconds for which a turn waits for room when the spool is full."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines in order, and the segment that they are from."""

    lines: list[bytes]
    segment: Segment
    is_last: bool
    """The segment is read, and nothing more will be written to it."""


class Spool:
    """One recorder's segments."""

    def __init__(self, folder: Path, name: str, limits: Limits | None = None) -> None:
        self._folder = folder
        self._name = name
        self._limits = limits or Limits()
        # Only whole segments make room again.
        self._most = min(self._limits.segment, self._limits.total // 4)
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._segments: deque[Segment] = deque()
        self._opened: set[str] = set()
        self._count = 0
        self._size = 0
        self._written = 0
        self._is_sealed = False
        self._syncing = Syncing(self._unsynced)
        self._dirty: Segment | None = None

    @property
    def waiting(self) -> int:
        """Bytes on disk."""
        return self._size

    @property
    def written(self) -> int:
        """Bytes that were ever put in for the writer."""
        return self._written

    def append(self, document: str, opening: Callable[[], bytes], line: bytes) -> None:
        """Adds a line. Its segment says once what the document is. Survives the process.

        Raises SpoolFull when there is no room for too long, SpoolUnavailable when the disk
        refuses; then nothing was taken.
        """
        with self._lock:
            if self._size + len(line) > self._limits.total and not self._is_sealed:
                self._wait_for_room(len(line))
            try:
                segment = self._segment()
                data = line if document in self._opened else opening() + line
                segment.append(data)
            except OSError as error:
                raise SpoolUnavailable(f"The turn cannot be kept: {error.strerror}.") from error
            if self._is_sealed:
                self._put_away(segment)
                return
            self._opened.add(document)
            self._size += len(data)
            self._written += len(data)
            self._dirty = segment
        self._syncing.wake()

    def take(self) -> Piece | None:
        """The next lines; None when there are none now. Only for the writer."""
        with self._lock:
            if not self._segments:
                return None
            segment = self._segments[0]
            is_closed = len(self._segments) > 1 or self._is_sealed
        if segment.is_read and not is_closed:
            return None
        lines = segment.take()
        # The size may have grown while we read: then the rest comes with the next piece.
        return Piece(lines, segment, is_closed and segment.is_read)

    def release(self, segment: Segment) -> None:
        """Everything of the first segment is in the sink."""
        with self._lock:
            self._segments.popleft()
            if self._dirty is segment:
                self._dirty = None
            segment.remove()
            self._size -= segment.size
            self._room.notify_all()

    def seal(self) -> None:
        """What is there is all that the writer gets; what still comes is for the next recorder."""
        with self._lock:
            self._is_sealed = True
            self._opened.clear()

    def sync(self) -> None:
        """Makes everything that is left survive a power cut."""
        with self._lock:
            for segment in self._segments:
                with suppress(OSError):  # The system has it all the same.
                    segment.sync()

    def close(self) -> None:
        """Lets go; what is left is taken over by the next recorder."""
        self._syncing.close()
        self.sync()
        with self._lock:
            while self._segments:
                self._segments.popleft().close()

    def _segment(self) -> Segment:
        last = self._segments[-1] if self._segments else None
        if last is None or self._is_sealed or last.size >= self._most:
            self._count += 1
            last = create(self._folder, f"{self._name}-{self._count:06d}")
            self._opened.clear()
            if not self._is_sealed:
                self._segments.append(last)
        return last

    def _put_away(self, segment: Segment) -> None:
        """A line that came after the end is a segment of its own, which nobody here reads."""
        self._opened.clear()
        with suppress(OSError):
            segment.sync()
        segment.close()

    def _wait_for_room(self, size: int) -> None:
        def has_room() -> bool:
            return self._size + size <= self._limits.total

        if not self._room.wait_for(has_room, self._limits.patience):
            raise SpoolFull(
                f"{self._size >> 20} MiB of turns wait for their sink, and no more are taken."
            )

    def _unsynced(self) -> None:
        with self._lock:
            segment, self._dirty = self._dirty, None
        if segment is not None:
            with suppress(OSError):  # Retried with the next line; a kill loses nothing anyway.
                segment.sync()


class Syncing:
    """A thread that synchronises soon after it was woken, and not once per line."""

    def __init__(self, sync: Callable[[], None], after: float = SYNC_AFTER) -> None:
        self._sync = sync
        self._after = after
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Something was written."""
        if self._wanted.is_set() or self._over.is_set():
            return
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="spool-sync", daemon=True)
            with suppress(RuntimeError):  # At the end of the interpreter, closing synchronises.
                self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._over.set()
        self._wanted.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        while not self._over.is_set():
            self._wanted.wait()
            self._over.wait(self._after)
            self._wanted.clear()
            self._sync()
