"""Which batches come of the lines of a spool. Pure: records in, batches out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from reviewdeck.model import Batch, Mode, Transcript, Turn
from reviewdeck.sessions.codec import Flush, Opening, Record, Taken


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

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._held: dict[str, _Held] = {}

    def feed(self, records: Iterable[Record]) -> list[Batch]:
        """The batches that are due with these records, in order."""
        return [batch for record in records for batch in self._take(record)]

    def drain(self) -> list[Batch]:
        """Everything that is buffered, whether full or not. What comes later is opened again."""
        batches = [batch for held in self._held.values() for batch in self._batch(held)]
        if self._mode is Mode.APPEND:
            self._held.clear()
        return batches

    def _take(self, record: Record) -> Iterator[Batch]:
        match record:
            case Opening():
                # In the next segment it is opened once more: what was shipped of it stays known.
                self._held.setdefault(record.document, _Held(record))
            case Taken():
                yield from self._turn(record)
            case Flush():
                yield from self._flush(record)
            case _:
                assert_never(record)

    def _turn(self, taken: Taken) -> Iterator[Batch]:
        held = self._held.get(taken.document)
        if held is None:
            return  # A power cut tore its opening: nobody knows whose it is.
        held.new.append(taken.turn)
        held.messages = taken.messages
        if taken.is_full:
            yield from self._batch(held)

    def _flush(self, flush: Flush) -> Iterator[Batch]:
        held = self._held.get(flush.document)
        if held is not None:
            yield from self._batch(held)
            if flush.is_over:
                del self._held[flush.document]

    def _batch(self, held: _Held) -> Iterator[Batch]:
        if not held.new:
            return
        turns = (*held.shipped, *held.new)
        if self._mode is Mode.REPLACE:
            held.shipped += held.new
        held.new = []
        yield Batch(_transcript(held, turns[-1]), turns, self._mode)


def joined(batches: Sequence[Batch]) -> list[Batch]:
    """Fewer batches with the same turns: those of one transcript together.

    The order within each transcript stays; between transcripts there is none to keep.
    """
    by_document: dict[str, list[Batch]] = {}
    for batch in batches:
        by_document.setdefault(batch.transcript.id, []).append(batch)
    return [_together(of_it) for of_it in by_document.values()]


def _together(batches: list[Batch]) -> Batch:
    last = batches[-1]
    if len(batches) == 1 or last.mode is Mode.REPLACE:
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
