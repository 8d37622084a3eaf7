"""The one thread that delivers turns to their sink, those that an earlier recorder left first.

Lines of the spool become batches; a batch is tried again until the sink takes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, assert_never

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.ports import Probe, TurnSink
from reviewdeck.sessions.spool import (
    Flush,
    Opening,
    Record,
    Segment,
    Spool,
    TurnTaken,
    adopt,
    clear_up,
    create,
    left_behind,
    line_of,
    record_of,
)


@dataclass(slots=True)
class _Held:
    """What is known of one document."""

    opening: Opening
    new: list[Turn] = field(default_factory=list)
    shipped: list[Turn] = field(default_factory=list)
    """Only where a sink wants all of it each time."""
    messages: int = 0


class Buffers:
    """Turns that wait until their batch is full, by document."""

    def __init__(self, mode: SessionMode) -> None:
        self._mode = mode
        self._held: dict[str, _Held] = {}

    def feed(self, records: Iterable[Record]) -> list[TurnBatch]:
        """The batches that are due with these records, in order."""
        return [batch for record in records for batch in self._take(record)]

    def drain(self) -> list[TurnBatch]:
        """Everything that is buffered, whether full or not. What comes later is opened again."""
        batches = [batch for held in self._held.values() for batch in self._batch(held)]
        if self._mode is SessionMode.APPEND:
            self._held.clear()
        return batches

    def _take(self, record: Record) -> Iterator[TurnBatch]:
        match record:
            case Opening():
                # In the next segment it is opened once more: what was shipped of it stays known.
                self._held.setdefault(record.document, _Held(record))
            case TurnTaken():
                yield from self._turn(record)
            case Flush():
                yield from self._flush(record)
            case _:
                assert_never(record)

    def _turn(self, taken: TurnTaken) -> Iterator[TurnBatch]:
        held = self._held.get(taken.document)
        if held is None:
            return  # A power cut tore its opening: nobody knows whose it is.
        held.new.append(taken.turn)
        held.messages = taken.messages
        if taken.is_full:
            yield from self._batch(held)

    def _flush(self, flush: Flush) -> Iterator[TurnBatch]:
        held = self._held.get(flush.document)
        if held is not None:
            yield from self._batch(held)
            if flush.is_over:
                del self._held[flush.document]

    def _batch(self, held: _Held) -> Iterator[TurnBatch]:
        if not held.new:
            return
        turns = (*held.shipped, *held.new)
        if self._mode is SessionMode.REPLACE:
            held.shipped += held.new
        held.new = []
        yield TurnBatch(_transcript(held, turns[-1]), turns, self._mode)


def joined(batches: Sequence[TurnBatch]) -> list[TurnBatch]:
    """Fewer batches with the same turns: those of one transcript together.

    The order within each transcript stays; between transcripts there is none to keep.
    """
    by_document: dict[str, list[TurnBatch]] = {}
    for batch in batches:
        by_document.setdefault(batch.transcript.id, []).append(batch)
    return [_together(of_it) for of_it in by_document.values()]


def _together(batches: list[TurnBatch]) -> TurnBatch:
    last = batches[-1]
    if len(batches) == 1 or last.mode is SessionMode.REPLACE:
        return last  # Of batches that have everything, the last one has.
    return replace(last, turns=tuple(turn for batch in batches for turn in batch.turns))


def _transcript(held: _Held, last: Turn) -> Transcript:
    opening = held.opening
    return Transcript(
        id=opening.document,
        lineage=opening.lineage,
        started_at=opening.started_at,
        last_at=last.at,
        turns=last.number + 1,
        messages=held.messages,
        home=opening.home,
        platform=opening.platform,
    )


PAUSES: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each further attempt; the last one before all that follow."""
STRIKES: Final = 3
"""Attempts at a batch that fails for a reason of its own, before it no longer blocks the way."""


@dataclass(frozen=True, slots=True)
class WriterProgress:
    """How the way to the sink fares."""

    retained: int = 0
    """Turns that it took since the start."""
    failures: int = 0
    """Attempts in a row that failed; 0 when all is well."""
    problem: str = ""
    """What the last of them failed for."""
    set_aside: int = 0
    """Turns that it could not take for a reason of their own: kept for the next start."""


class Delivery:
    """One sink. A busy or missing one is waited for; a batch that it cannot take is set aside."""

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

    def bring(self, batches: Sequence[TurnBatch]) -> bool:
        """Everything of this is in the sink, or set aside; False when it was told to give up."""
        wanted = joined(batches)
        strikes = 0
        while wanted and (problem := self._attempt(wanted)):
            strikes += not isinstance(problem, ReviewdeckError | OSError)
            if strikes >= STRIKES and len(wanted) > 1:
                return all([self.bring([batch]) for batch in wanted])
            if strikes >= STRIKES:
                self._leave(wanted[0])
                return True
            if self._giving_up.wait(self._pause()):
                return False
        return True

    def _attempt(self, batches: Sequence[TurnBatch]) -> Exception | None:
        now = self.progress
        try:
            self._probe("retaining")
            self._sink.retain(batches)
        except Exception as problem:  # noqa: BLE001 - whatever a sink raises must not end the writer
            said = f"{type(problem).__name__}: {problem}"
            self.progress = replace(now, failures=now.failures + 1, problem=said)
            return problem
        self._probe("retained")
        amount = sum(len(batch.turns) for batch in batches)
        self.progress = replace(now, retained=now.retained + amount, failures=0, problem="")
        return None

    def _leave(self, batch: TurnBatch) -> None:
        self._set_aside(batch)
        amount = self.progress.set_aside + len(batch.turns)
        self.progress = replace(self.progress, failures=0, set_aside=amount)

    def _pause(self) -> float:
        return self._pauses[min(self.progress.failures, len(self._pauses)) - 1]


def records_of(lines: Iterable[bytes]) -> list[Record]:
    """The records of these lines; one that a power cut tore is none."""
    return [record for line in lines if (record := record_of(line)) is not None]


def replay(folder: Path, delivery: Delivery, mode: SessionMode) -> None:
    """Brings over what ended recorders left in a folder. Segments that are in use are passed by."""
    for path in left_behind(folder):
        with suppress(OSError):  # Not ours to read: it stays where it is.
            segment = adopt(path)
            if segment is not None and not _replayed(segment, delivery, mode):
                segment.close()
    with suppress(OSError):
        clear_up(folder)


def put_aside(folder: Path, new_name: Callable[[], str], batch: TurnBatch) -> None:
    """Keeps a batch as a segment that nobody is at: the next recorder tries it again."""
    opened = batch.transcript
    opening = Opening(opened.id, opened.lineage, opened.home, opened.platform, opened.started_at)
    lines = [line_of(opening)]
    lines += [
        line_of(TurnTaken(opened.id, one, opened.messages, is_full=False)) for one in batch.turns
    ]
    segment = create(folder, f"{new_name()}-aside")
    segment.append(b"".join(lines))
    segment.sync()
    segment.close()


def _replayed(segment: Segment, delivery: Delivery, mode: SessionMode) -> bool:
    buffers = Buffers(mode)
    while not segment.is_read:
        if not delivery.bring(buffers.feed(records_of(segment.take()))):
            return False
    if not delivery.bring(buffers.drain()):
        return False
    segment.remove()
    return True


LINGER: Final = 0.02
"""Seconds between the first turn of a burst and its transaction."""


class Writer:
    """Drains a spool in order, as long as it lives. Nothing that a sink does ends it."""

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
        """Whether there was anything to do so far."""
        return self._thread is not None

    def wake(self) -> None:
        """There is something to do. Starts the thread with the first call."""
        if not self._wanted.is_set():
            self._wanted.set()
        if self._thread is None:
            self._start()

    def reach(self, mark: int, bound: float) -> bool:
        """Waits until this much of the spool went by; False when that takes longer."""
        with self._news:
            return self._news.wait_for(lambda: self._done >= mark, bound)

    def close(self, bound: float) -> bool:
        """Lets it drain what is there for so many seconds; says whether it got to the end."""
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
                with suppress(RuntimeError):  # The interpreter ends: the spool has it.
                    thread.start()
                    self._thread = thread

    def _run(self) -> None:
        try:
            replay(self._folder, self._delivery, self._sink.mode)
            while self._drain() and not self._closing.is_set():
                self._wait()
            self._drain()  # What came while it was being told to close.
        finally:
            self._end()

    def _wait(self) -> None:
        self._wanted.wait()
        # Turns that come in a burst share a transaction.
        self._closing.wait(self._linger)
        self._wanted.clear()

    def _drain(self) -> bool:
        """Brings over all that is there; False when it gave up, which leaves it in the spool."""
        mark = self._spool.written
        while not self._giving_up.is_set() and (piece := self._spool.take()):
            self._probe("taken")
            batches = self._buffers.feed(records_of(piece.lines))
            if piece.is_last:
                # So that no segment has to be kept for a turn whose batch is not full.
                batches += self._buffers.drain()
            if not self._delivery.bring(batches):
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
