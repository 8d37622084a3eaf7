"""What a recorder could not bring to its sink, and how the next one does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from reviewdeck.model import Batch, Mode
from reviewdeck.sessions.buffering import Buffers
from reviewdeck.sessions.codec import Opening, Record, Taken, line_of, record_of
from reviewdeck.sessions.delivery import Delivery
from reviewdeck.sessions.segments import Segment, adopt, clear_up, create, left_behind


def records_of(lines: Iterable[bytes]) -> list[Record]:
    """The records of these lines; one that a power cut tore is none."""
    return [record for line in lines if (record := record_of(line)) is not None]


def replay(folder: Path, delivery: Delivery, mode: Mode) -> None:
    """Brings over what ended recorders left in a folder. Segments that are in use are passed by."""
    for path in left_behind(folder):
        with suppress(OSError):  # Not ours to read: it stays where it is.
            segment = adopt(path)
            if segment is not None and not _replayed(segment, delivery, mode):
                segment.close()
    with suppress(OSError):
        clear_up(folder)


def put_aside(folder: Path, new_name: Callable[[], str], batch: Batch) -> None:
    """Keeps a batch as a segment that nobody is at: the next recorder tries it again."""
    opened = batch.transcript
    opening = Opening(opened.id, opened.lineage, opened.home, opened.platform, opened.started_at)
    lines = [line_of(opening)]
    lines += [line_of(Taken(opened.id, one, opened.messages, is_full=False)) for one in batch.turns]
    segment = create(folder, f"{new_name()}-aside")
    segment.append(b"".join(lines))
    segment.sync()
    segment.close()


def _replayed(segment: Segment, delivery: Delivery, mode: Mode) -> bool:
    buffers = Buffers(mode)
    while not segment.is_read:
        if not delivery.bring(buffers.feed(records_of(segment.take()))):
            return False
    if not delivery.bring(buffers.drain()):
        return False
    segment.remove()
    return True
