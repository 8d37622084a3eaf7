"""The append-only log: each line's SHA-256 covers the line before it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, select
from sqlmodel import col

from reviewdeck.ledger.cells import Dumped, dump, load, micros_of, unshield
from reviewdeck.ledger.database import LedgerPart, bulk_insert, upsert
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.operations import actor_cell
from reviewdeck.ledger.tables import EventRow, HomeRow, SeenRow, table_of
from reviewdeck.model import Actor, ActorKind, Event, Marks, Revision
from reviewdeck.model.codec import actor_from_json, marks_to_json
from reviewdeck.ports.authority import Attest, unattested

_CHAIN = (
    "SELECT sequence, at, name, home, subject, actor, detail, previous, sha"
    " FROM event ORDER BY sequence"
)

PURGE = "purge"
"""The event of a purge: it names the replaced lines and texts."""

MARK = "mark"
"""The event of marking changes as seen."""

NOBODY = Actor(kind=ActorKind.OUTSIDE, name="reviewdeck")
"""The actor of events that nobody caused."""


@dataclass(frozen=True, slots=True)
class Note:
    """One event to be logged."""

    name: str
    home: str
    subject: str
    actor: Actor
    at: datetime
    detail: dict[str, object] = field(default_factory=dict)


class SqlAudit(LedgerPart):
    """The log, and the marks of what was seen."""

    def append(
        self,
        name: str,
        *,
        home: str,
        subject: str,
        actor: Actor,
        at: datetime,
        detail: dict[str, object] | None = None,
        attest: Attest = unattested,
    ) -> str:
        """Adds one event, signed where `attest` signs; gives its sum, which covers all before."""
        with self._storage.writing() as connection:
            return log(connection, [Note(name, home, subject, actor, at, detail or {})], attest)

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Events with a higher sequence number, oldest first."""
        query = (
            select(EventRow)
            .where(col(EventRow.sequence) > after)
            .order_by(col(EventRow.sequence))
            .limit(limit)
        )
        with self._storage.reading() as session, decoding("An event"):
            return tuple(event_of(row) for row in session.scalars(query))

    def verify(self) -> int | None:
        """The sequence number of the first event that does not fit the chain, or None."""
        previous, expected = "", 1
        with self._storage.reading() as session:
            purged = _purged_lines(session.connection())
            for row in session.connection().exec_driver_sql(_CHAIN):
                is_sound = _fits(row) or _is_purged(row, purged)
                if row.sequence != expected or row.previous != previous or not is_sound:
                    return int(row.sequence)
                previous, expected = row.sha, expected + 1
        return None

    def put_marks(
        self,
        home: str,
        marks: Marks,
        actor: Actor,
        at: datetime,
        attest: Attest = unattested,
        *,
        outside: Mapping[str, Revision] = MappingProxyType({}),
    ) -> None:
        """Replaces a home's marks, with a line of the log.

        `outside` are documents whose changes outside review are covered now.
        """
        table = table_of(SeenRow)
        rows = [{"home": home, "path": path, "at": at} for path, at in marks.documents.items()]
        with self._storage.writing() as connection:
            upsert(connection, HomeRow, "id", {"id": home, "looked_at": marks.everything})
            connection.execute(table.delete().where(table.c.home == home))
            bulk_insert(connection, SeenRow, rows)
            detail: dict[str, object] = {**marks_to_json(marks), "outside": dict(outside)}
            log(connection, [Note(MARK, home, home, actor, at, detail)], attest)


def log(connection: Connection, notes: Sequence[Note], attest: Attest | None = None) -> str:
    """Adds events at the end of the chain, in the caller's transaction; gives the last one's sum.

    Empty where there was nothing to add.
    """
    if not notes:
        return ""
    table = table_of(EventRow)
    last = connection.execute(
        select(table.c.sequence, table.c.sha).order_by(table.c.sequence.desc()).limit(1)
    ).first()
    sequence, previous = (0, "") if last is None else (last[0], last[1])
    rows: list[dict[str, Any]] = []
    for note in notes:
        sequence += 1
        if attest is not None:
            note = _attested(note, sequence, previous, attest)
        event = _chained(note, sequence, previous)
        previous = event["sha"]
        rows.append(event)
    bulk_insert(connection, EventRow, rows)
    return previous


def _attested(note: Note, sequence: int, previous: str, attest: Attest) -> Note:
    line = Event(
        sequence, note.at, note.name, note.home, note.subject, note.actor, note.detail, previous
    )
    signed = attest(line)
    if signed is None:
        return note
    return replace(note, detail=note.detail | {"key": signed[0], "signature": signed[1]})


def _chained(note: Note, sequence: int, previous: str) -> dict[str, Any]:
    actor, detail = actor_cell(note.actor), Dumped(dump(note.detail))
    # The same as `dump` of the whole row, made of parts that the cells need as well.
    canonical = (
        f'{{"actor":{actor.text},"at":{micros_of(note.at)},"detail":{detail.text}'
        f',"home":{dump(note.home)},"name":{dump(note.name)},"previous":"{previous}"'
        f',"sequence":{sequence},"subject":{dump(note.subject)}}}'
    )
    return {
        "sequence": sequence,
        "at": note.at,
        "name": note.name,
        "home": note.home,
        "subject": note.subject,
        "actor": actor,
        "detail": detail,
        "previous": previous,
        "sha": _sha(previous, canonical),
    }


def _sha(previous: str, canonical: str) -> str:
    return hashlib.sha256((previous + canonical).encode()).hexdigest()


def _fits(row: Any) -> bool:
    """Whether a stored row has the checksum that it states."""
    try:
        return bool(row.sha == line_sum(row._mapping))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return False


def line_sum(row: Mapping[str, Any]) -> str:
    """The checksum of a stored row."""
    stored = {
        "sequence": row["sequence"],
        "at": row["at"],
        "name": row["name"],
        "home": unshield(row["home"]),
        "subject": unshield(row["subject"]),
        "actor": load(row["actor"]),
        "detail": load(row["detail"]),
        "previous": row["previous"],
    }
    return _sha(row["previous"], dump(stored))


def _purged_lines(connection: Connection) -> dict[int, tuple[int, str]]:
    """The purged lines: the later line that says so, and the checksum of each now."""
    query = "SELECT sequence, detail FROM event WHERE name = ? ORDER BY sequence"
    replaced: dict[int, tuple[int, str]] = {}
    for sequence, detail in connection.exec_driver_sql(query, (PURGE,)):
        with suppress(ArithmeticError, AttributeError, TypeError, ValueError):
            lines = load(detail).get("lines") or {}
            replaced |= {int(number): (sequence, str(now)) for number, now in lines.items()}
    return replaced


def _is_purged(row: Any, purged: Mapping[int, tuple[int, str]]) -> bool:
    """Whether a later line accounts for this line's purged content."""
    by, now = purged.get(row.sequence, (0, ""))
    try:
        return bool(by > row.sequence and now == line_sum(row._mapping))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return False


def event_of(row: EventRow) -> Event:
    """The event that a row stores."""
    return Event(
        sequence=row.sequence,
        at=row.at,
        name=row.name,
        home=row.home,
        subject=row.subject,
        actor=actor_from_json(row.actor),
        detail=row.detail,
        previous=row.previous,
        sha=row.sha,
    )
