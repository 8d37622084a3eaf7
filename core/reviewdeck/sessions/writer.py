"""The thread that delivers turns to their sink, starting with those of earlier recorders.

Lines of the spool become batches; a batch is tried again until the sink accepts it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Final, assert_never

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.ports import Probe, TurnSink
from reviewdeck.sessions.spool import (
    Flush,
    Record,
    RecordedTurn,
    Segment,
    SegmentHeader,
    Spool,
    adopt,
    create,
    leftover_segments,
    line_of,
    record_of,
    remove_unnamed,
)
from reviewdeck.values import dataclass


@dataclass(slots=True)
class _Buffer:
    """The buffered turns of one document."""

    opening: SegmentHeader
    new: list[Turn] = field(default_factory=list)
    shipped: list[Turn] = field(default_factory=list)
    """Turns that were sent already; kept only for a sink that is sent all turns each time."""
    messages: int = 0


class Buffers:
    """Turns that are buffered until their batch is full, by document."""

    def __init__(self, mode: SessionMode) -> None:
        self._mode = mode
        self._open: dict[str, _Buffer] = {}

    def feed(self, records: Iterable[Record]) -> list[TurnBatch]:
        """The batches that these records complete, in order."""
        return [batch for record in records for batch in self._take(record)]

    def drain(self) -> list[TurnBatch]:
        """All buffered turns as batches, full or not. Later turns need an opening again."""
        batches = [batch for buffer in self._open.values() for batch in self._batch(buffer)]
        if self._mode is SessionMode.APPEND:
            self._open.clear()
        return batches

    def _take(self, record: Record) -> Iterator[TurnBatch]:
        match record:
            case SegmentHeader():
                # Each segment opens it again: its shipped turns must not be forgotten.
                self._open.setdefault(record.document, _Buffer(record))
            case RecordedTurn():
                yield from self._turn(record)
            case Flush():
                buffer = self._open.get(record.document)
                if buffer is not None:
                    yield from self._batch(buffer)
                    if record.is_over:
                        del self._open[record.document]
            case _:
                assert_never(record)

    def _turn(self, record: RecordedTurn) -> Iterator[TurnBatch]:
        buffer = self._open.get(record.document)
        if buffer is None:
            return  # A power cut tore its opening: its session is unknown.
        buffer.new.append(record.turn)
        buffer.messages = record.messages
        if record.is_full:
            yield from self._batch(buffer)

    def _batch(self, buffer: _Buffer) -> Iterator[TurnBatch]:
        if not buffer.new:
            return
        turns = (*buffer.shipped, *buffer.new)
        if self._mode is SessionMode.REPLACE:
            buffer.shipped += buffer.new
        buffer.new = []
        yield TurnBatch(_transcript(buffer, turns[-1]), turns, self._mode)


def merge_batches(batches: Sequence[TurnBatch]) -> list[TurnBatch]:
    """The batches merged into one per transcript, each with its turns in order."""
    by_document: dict[str, list[TurnBatch]] = {}
    for batch in batches:
        by_document.setdefault(batch.transcript.id, []).append(batch)
    return [_merged(group) for group in by_document.values()]


def _merged(batches: list[TurnBatch]) -> TurnBatch:
    last = batches[-1]
    if len(batches) == 1 or last.mode is SessionMode.REPLACE:
        return last  # The last batch has all turns of the earlier ones.
    return replace(last, turns=tuple(turn for batch in batches for turn in batch.turns))


def _transcript(buffer: _Buffer, last: Turn) -> Transcript:
    opening = buffer.opening
    return Transcript(
        id=opening.document,
        lineage=opening.lineage,
        started_at=opening.started_at,
        last_at=last.at,
        turns=last.number + 1,
        messages=buffer.messages,
        home=opening.home,
        platform=opening.platform,
    )


PAUSES: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each further attempt; the last pause is repeated."""
STRIKES: Final = 3
"""Attempts at a batch that the sink rejects, after which it no longer blocks others."""


@dataclass(frozen=True, slots=True)
class WriterProgress:
    """How many turns reached the sink, and what went wrong."""

    retained: int = 0
    """Turns that the sink accepted since the start."""
    failures: int = 0
    """Consecutive failed attempts; 0 when all is well."""
    problem: str = ""
    """The error of the last failed attempt."""
    set_aside: int = 0
    """Turns that the sink rejected: kept for the next start."""


class Delivery:
    """Delivery to one sink: retries while it is unavailable, and sets rejected batches aside."""

    def __init__(
        self,
        sink: TurnSink,
        *,
        set_aside: Callable[[TurnBatch], None],
        giving_up: threading.Event,
        pauses: Sequence[float] = PAUSES,
        probe: Probe = lambda step: None,
    ) -> None:
        self._sink = sink
        self._set_aside = set_aside
        self._giving_up = giving_up
        self._pauses = pauses
        self._probe = probe
        self.progress = WriterProgress()

    def deliver(self, batches: Sequence[TurnBatch]) -> bool:
        """Sends the batches, or sets them aside; False if it was told to give up."""
        remaining = merge_batches(batches)
        strikes = 0
        while remaining and (problem := self._attempt(remaining)):
            strikes += not isinstance(problem, ReviewdeckError | OSError)
            if strikes >= STRIKES and len(remaining) > 1:
                return all([self.deliver([batch]) for batch in remaining])
            if strikes >= STRIKES:
                self._leave(remaining[0])
                return True
            pause = self._pauses[min(self.progress.failures, len(self._pauses)) - 1]
            if self._giving_up.wait(pause):
                return False
        return True

    def _attempt(self, batches: Sequence[TurnBatch]) -> Exception | None:
        now = self.progress
        try:
            self._probe("retaining")
            self._sink.retain(batches)
        except Exception as problem:  # noqa: BLE001 - whatever a sink raises must not end the writer
            description = f"{type(problem).__name__}: {problem}"
            self.progress = replace(now, failures=now.failures + 1, problem=description)
            return problem
        self._probe("retained")
        amount = sum(len(batch.turns) for batch in batches)
        self.progress = replace(now, retained=now.retained + amount, failures=0, problem="")
        return None

    def _leave(self, batch: TurnBatch) -> None:
        self._set_aside(batch)
        amount = self.progress.set_aside + len(batch.turns)
        self.progress = replace(self.progress, failures=0, set_aside=amount)


def records_of(lines: Iterable[bytes]) -> list[Record]:
    """The records of these lines, without torn ones."""
    return [record for line in lines if (record := record_of(line)) is not None]


def replay(folder: Path, delivery: Delivery, mode: SessionMode) -> None:
    """Delivers the segments that ended recorders left in a folder; skips those in use."""
    for path in leftover_segments(folder):
        with suppress(OSError):  # Unreadable: it stays where it is.
            segment = adopt(path)
            if segment is not None and not _replay_segment(segment, delivery, mode):
                segment.close()
    with suppress(OSError):
        remove_unnamed(folder)


def write_aside(folder: Path, new_name: Callable[[], str], batch: TurnBatch) -> None:
    """Writes a batch to a segment of its own: the next recorder tries it again."""
    transcript = batch.transcript
    opening = SegmentHeader(
        transcript.id,
        transcript.lineage,
        transcript.home,
        transcript.platform,
        transcript.started_at,
    )
    lines = [line_of(opening)]
    lines += [
        line_of(RecordedTurn(transcript.id, turn, transcript.messages, is_full=False))
        for turn in batch.turns
    ]
    segment = create(folder, f"{new_name()}-aside")
    segment.append(b"".join(lines))
    segment.sync()
    segment.close()


def _replay_segment(segment: Segment, delivery: Delivery, mode: SessionMode) -> bool:
    buffers = Buffers(mode)
    while not segment.is_read:
        if not delivery.deliver(buffers.feed(records_of(segment.take()))):
            return False
    if not delivery.deliver(buffers.drain()):
        return False
    segment.remove()
    return True


LINGER: Final = 0.02
"""Seconds between the first turn of a burst and its transaction."""


class Writer:
    """The thread that drains a spool in order. No error of the sink ends it."""

    def __init__(
        self,
        spool: Spool,
        folder: Path,
        sink: TurnSink,
        delivery: Delivery,
        *,
        giving_up: threading.Event,
        linger: float,
        probe: Probe,
    ) -> None:
        self._spool = spool
        self._folder = folder
        self._sink = sink
        self._delivery = delivery
        self._giving_up = giving_up
        self._linger = linger
        self._probe = probe
        self._buffers = Buffers(sink.mode)
        self._thread: threading.Thread | None = None
        self._door = threading.Lock()
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._news = threading.Condition()
        self._done = 0

    @property
    def is_started(self) -> bool:
        """Whether there has been anything to do."""
        return self._thread is not None

    def wake(self) -> None:
        """Tells the thread that there is something to do; the first call starts it."""
        if not self._wanted.is_set():
            self._wanted.set()
        if self._thread is None:
            self._start()

    def reach(self, mark: int, bound: float) -> bool:
        """Waits until `mark` bytes of the spool are delivered; False after `bound` seconds."""
        with self._news:
            return self._news.wait_for(lambda: self._done >= mark, bound)

    def close(self, bound: float) -> bool:
        """Drains the spool for up to `bound` seconds; whether it got to the end."""
        self._closing.set()
        self._wanted.set()
        if self._thread is None:
            self._end()
            return True
        self._thread.join(bound)
        self._giving_up.set()
        return not self._thread.is_alive()

    def _start(self) -> None:
        with self._door:
            if self._thread is None and not self._closing.is_set():
                thread = threading.Thread(target=self._run, name="turn-writer", daemon=True)
                with suppress(RuntimeError):  # The interpreter is ending; the spool keeps them.
                    thread.start()
                    self._thread = thread

    def _run(self) -> None:
        try:
            replay(self._folder, self._delivery, self._sink.mode)
            while self._drain() and not self._closing.is_set():
                self._wanted.wait()
                # Turns in a burst share a transaction.
                self._closing.wait(self._linger)
                self._wanted.clear()
            self._drain()  # Turns that came in while it was closing.
        finally:
            self._end()

    def _drain(self) -> bool:
        """Delivers everything in the spool; False if it gave up, which leaves the rest in it."""
        mark = self._spool.written
        while not self._giving_up.is_set() and (piece := self._spool.take()):
            self._probe("taken")
            batches = self._buffers.feed(records_of(piece.lines))
            if piece.is_last:
                # Otherwise a segment would have to be kept for a turn of a partial batch.
                batches += self._buffers.drain()
            if not self._delivery.deliver(batches):
                return False
            if piece.is_last:
                self._spool.release(piece.segment)
                self._probe("released")
        with self._news:
            self._done = mark
            self._news.notify_all()
        return not self._giving_up.is_set()

    def _end(self) -> None:
        self._spool.close()
        self._sink.close()
