"""The queue between an agent's turns and the sink: files, so that a kill loses nothing.

Everything goes through it in one order, flushes included. It is the only queue: the writer reads
from it what the recorder wrote to it, so memory does not grow with the backlog.

A segment is appended to, read from its beginning, and locked while in use; the lock is an flock on
the open file, so it ends with the process. A line is eight hex digits (CRC-32 of the rest), a
space, and a JSON list whose first item is the kind of record. ASCII JSON contains no line break.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from reviewdeck.errors import SpoolFull, SpoolUnavailable
from reviewdeck.model import Began, Lineage, Message, Role, Turn
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode

_ROLES = {role.value: role for role in Role}


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    """The transcript of the turns that follow. It precedes them in every segment."""

    document: str
    lineage: Lineage
    home: str
    platform: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A recorded turn."""

    document: str
    turn: Turn
    messages: int
    """The number of messages of its transcript up to this turn."""
    is_full: bool
    """Whether it completes a batch."""


@dataclass(frozen=True, slots=True)
class Flush:
    """A request to send the buffered turns of a document now."""

    document: str
    is_over: bool
    """Whether the document has ended."""


Record: TypeAlias = SegmentHeader | RecordedTurn | Flush


def line_of(record: Record) -> bytes:
    """A record as a line of the spool."""
    body = _ENCODE(_plain(record)).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(body), body)


def record_of(line: bytes) -> Record | None:
    """The record of a line without its line break; None for one that is torn or foreign."""
    if line[8:9] != b" " or line[:8] != b"%08x" % zlib.crc32(line[9:]):
        return None
    try:
        match load_json(line[9:]):
            case ["turn", str(document), int(number), int(messages), is_full, at, id, raw_messages]:
                parsed = tuple(_message(*raw_message) for raw_message in raw_messages)
                turn = Turn(
                    number, datetime.fromisoformat(at), parsed, None if id is None else _text(id)
                )
                return RecordedTurn(document, turn, messages, bool(is_full))
            case ["open", str(document), str(session), parent, began, home, platform, at]:
                parent = None if parent is None else _text(parent)
                lineage = Lineage(session, parent, Began(began))
                started = datetime.fromisoformat(at)
                return SegmentHeader(document, lineage, _text(home), _text(platform), started)
            case ["flush", str(document), is_over]:
                return Flush(document, bool(is_over))
            case _:
                return None
    except (ValueError, TypeError, KeyError):
        return None  # Intact, but written by a later version.


def _plain(record: Record) -> Sequence[object]:
    match record:
        case RecordedTurn(document, turn, messages, is_full):
            raw_messages = [
                (message.role, message.text, message.tool, message.call)
                for message in turn.messages
            ]
            head = ("turn", document, turn.number, messages, is_full)
            return (*head, turn.at.isoformat(), turn.id, raw_messages)
        case SegmentHeader(document, lineage, home, platform, at):
            line = (lineage.session, lineage.parent, lineage.began)
            return ("open", document, *line, home, platform, at.isoformat())
        case Flush(document, is_over):
            return ("flush", document, is_over)


def _message(role: str, text: object, tool: object, call: object) -> Message:
    return Message(_ROLES[role], _text(text), _text(tool), _text(call))


def _text(value: object) -> str:
    """A text of a line. Raises TypeError: nothing else may get into the ledger as one."""
    if not isinstance(value, str):
        raise TypeError(f"not a text: {type(value).__name__}")
    return value


SUFFIX = ".spool"
UNNAMED = ".new"
"""The suffix of a segment that is being created, and is still empty."""
PIECE = 1 << 20
"""Bytes that are read at once."""

_MODE = 0o600


@dataclass(slots=True)
class Segment:
    """An open file of lines; `size` is its length in bytes, `read` how many were taken."""

    path: Path
    file: int
    size: int = 0
    read: int = 0

    def append(self, data: bytes) -> None:
        """Appends all of the data or nothing. Raises OSError."""
        try:
            done = os.write(self.file, data)
            while done < len(data):
                done += os.write(self.file, data[done:])
        except OSError:
            # A full disk may have taken a part: the next line must not follow half a line.
            os.ftruncate(self.file, self.size)
            raise
        self.size += len(data)

    def take(self) -> list[bytes]:
        """The next complete lines, about PIECE bytes of them; none at the end."""
        length = min(PIECE, self.size - self.read)
        data = os.pread(self.file, length, self.read)
        while b"\n" not in data and self.read + len(data) < self.size:
            chunk = os.pread(self.file, self.size - self.read - len(data), self.read + len(data))
            if not chunk:
                break
            data += chunk
        end = data.rfind(b"\n") + 1
        # A power cut tore off what follows the last line break.
        self.read = self.read + end if end else self.size
        return data[:end].split(b"\n")[:-1]

    @property
    def is_read(self) -> bool:
        """Whether everything was taken."""
        return self.read >= self.size

    def sync(self) -> None:
        """Synchronises the file, so that it survives a power cut."""
        os.fsync(self.file)

    def close(self) -> None:
        """Closes the file and keeps it for the next recorder."""
        os.close(self.file)

    def remove(self) -> None:
        """Deletes the file: everything in it is in the sink."""
        self.path.unlink(missing_ok=True)
        os.close(self.file)


def create(folder: Path, name: str) -> Segment:
    """Creates a segment, locked before it has a name that others look for. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{name}{SUFFIX}"
    hidden = folder / f"{name}{UNNAMED}"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(hidden, flags, _MODE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        hidden.rename(path)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        # Another process took it for a leftover and removed it.
        os.close(file)
        return create(folder, name)
    except BaseException:
        os.close(file)
        raise
    return Segment(path, file)


def adopt(path: Path) -> Segment | None:
    """Opens a segment that its process left behind; None if it is in use. Raises OSError."""
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
    if not status.st_nlink:  # Another process removed it between the two calls.
        os.close(file)
        return None
    return Segment(path, file, status.st_size)


def remove_unnamed(folder: Path) -> None:
    """Removes half-created segments of killed processes. Raises OSError."""
    for path in [path for path in folder.iterdir() if path.suffix == UNNAMED]:
        if (segment := adopt(path)) is not None:
            segment.remove()


def leftover_segments(folder: Path) -> list[Path]:
    """The segments in a folder, each recorder's in the order of writing."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []  # Nothing was ever recorded here.


SEGMENT = 4 << 20
"""Bytes after which a new segment is begun."""
LIMIT = 256 << 20
"""Bytes on disk at which the spool is full."""
SYNC_AFTER = 0.05
"""Seconds after which a write is synchronised: a power cut loses at most that much."""


@dataclass(frozen=True, slots=True)
class SpoolLimits:
    """The limits of a spool: sizes in bytes, and patience in seconds."""

    segment: int = SEGMENT
    """At most a quarter of the total is used."""
    total: int = LIMIT
    patience: float = 1.0
    """Seconds for which a turn waits for space when the spool is full."""


@dataclass(frozen=True, slots=True)
class SegmentLines:
    """Consecutive lines of a segment."""

    lines: list[bytes]
    segment: Segment
    is_last: bool
    """Whether the segment is read to its end and will not be written to again."""


class Spool:
    """One recorder's segments."""

    def __init__(self, folder: Path, name: str, limits: SpoolLimits | None = None) -> None:
        self._folder = folder
        self._name = name
        self._limits = limits or SpoolLimits()
        # Space is freed only by whole segments.
        self._most = min(self._limits.segment, self._limits.total // 4)
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._segments: deque[Segment] = deque()
        self._opened: set[str] = set()
        self._count = 0
        self._size = 0
        self._written = 0
        self._is_sealed = False
        self._syncing = Synchroniser(self._unsynced)
        self._dirty: Segment | None = None

    @property
    def waiting(self) -> int:
        """Bytes on disk."""
        return self._size

    @property
    def written(self) -> int:
        """Bytes that were ever appended for the writer."""
        return self._written

    def append(self, document: str, opening: Callable[[], bytes], line: bytes) -> None:
        """Appends a line, after its document's opening if the segment has none yet.

        Raises SpoolFull if there is no space within the patience, SpoolUnavailable if the disk
        refuses; then nothing was appended.
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

    def take(self) -> SegmentLines | None:
        """The next lines; None if there are none now. Only for the writer."""
        with self._lock:
            if not self._segments:
                return None
            segment = self._segments[0]
            is_closed = len(self._segments) > 1 or self._is_sealed
        if segment.is_read and not is_closed:
            return None
        lines = segment.take()
        # The segment may have grown meanwhile: its new lines come with the next piece.
        return SegmentLines(lines, segment, is_closed and segment.is_read)

    def release(self, segment: Segment) -> None:
        """Removes the first segment: everything in it is in the sink."""
        with self._lock:
            self._segments.popleft()
            if self._dirty is segment:
                self._dirty = None
            segment.remove()
            self._size -= segment.size
            self._room.notify_all()

    def seal(self) -> None:
        """Ends the writer's part of the queue; later lines are kept for the next recorder."""
        with self._lock:
            self._is_sealed = True
            self._opened.clear()

    def sync(self) -> None:
        """Synchronises all segments, so that they survive a power cut."""
        with self._lock:
            for segment in self._segments:
                with suppress(OSError):  # The system has it all the same.
                    segment.sync()

    def close(self) -> None:
        """Closes the segments; the next recorder adopts those that are left."""
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
        """Closes the segment of a line that came after `seal`: the writer does not read it."""
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


class Synchroniser:
    """A thread that synchronises shortly after a write, once for many lines."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self._sync = sync
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        if self._wanted.is_set() or self._over.is_set():
            return
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="spool-sync", daemon=True)
            with suppress(RuntimeError):  # At the end of the interpreter, closing synchronises.
                self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._wanted.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        while not self._over.is_set():
            self._wanted.wait()
            self._over.wait(SYNC_AFTER)
            self._wanted.clear()
            self._sync()
