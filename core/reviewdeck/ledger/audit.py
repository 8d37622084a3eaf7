"""The append-only log: each line's SHA-256 covers the line before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from reviewdeck.ledger.cells import dump, load, micros_of, unshield
from reviewdeck.ledger.database import ALL, LedgerPart, Transaction, insert, upsert
from reviewdeck.ledger.operations import actor_cell
from reviewdeck.ledger.view_sql import EVENT, event_of
from reviewdeck.model import Actor, ActorKind, Event, Marks, Revision
from reviewdeck.model.codec import marks_to_json
from reviewdeck.ports.authority import Attest, unattested

_COLUMNS: Final = (
    "sequence", "at", "name", "home", "subject", "actor", "detail", "previous", "sha",
)  # fmt: skip
CHAIN: Final = f"SELECT {', '.join(_COLUMNS)} FROM event ORDER BY sequence"  # noqa: S608 - constant
"""Every line as it is stored."""
HEAD: Final = "SELECT sequence, sha FROM event ORDER BY sequence DESC LIMIT 1"
"""The last line, which the next one names."""

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
        with self._database.writing() as tx:
            return log(tx, [Note(name, home, subject, actor, at, detail or {})], attest)

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Events with a higher sequence number, oldest first."""
        sql = f"{EVENT} WHERE sequence > :after ORDER BY sequence LIMIT :most"
        with self._reading("An event") as tx:
            values = {"after": after, "most": ALL if limit is None else limit}
            return tuple(map(event_of, tx.rows(sql, values)))

    def verify(self) -> int | None:
        """The sequence number of the first event that does not fit the chain, or None."""
        previous, expected = "", 1
        with self._database.reading() as tx:
            purged = _purged_lines(tx)
            for line in lines_of(tx):
                is_sound = _fits(line) or _is_purged(line, purged)
                if line["sequence"] != expected or line["previous"] != previous or not is_sound:
                    return int(line["sequence"])
                previous, expected = line["sha"], expected + 1
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
        rows = [{"home": home, "path": path, "at": at} for path, at in marks.documents.items()]
        with self._database.writing() as tx:
            upsert(tx, "home", "id", {"id": home, "looked_at": marks.everything})
            tx.run("DELETE FROM seen WHERE home = :home", {"home": home})
            insert(tx, "seen", rows)
            detail: dict[str, object] = {**marks_to_json(marks), "outside": dict(outside)}
            log(tx, [Note(MARK, home, home, actor, at, detail)], attest)


def log(tx: Transaction, notes: Sequence[Note], attest: Attest | None = None) -> str:
    """Adds events at the end of the chain, in the caller's transaction; gives the last one's sum.

    Empty where there was nothing to add.
    """
    if not notes:
        return ""
    sequence, previous = head_of(tx)
    rows: list[dict[str, Any]] = []
    for note in notes:
        sequence += 1
        if attest is not None:
            note = _attested(note, sequence, previous, attest)
        event = _chained(note, sequence, previous)
        previous = event["sha"]
        rows.append(event)
    insert(tx, "event", rows)
    return previous


def head_of(tx: Transaction) -> tuple[int, str]:
    """Number and checksum of the last line; 0 and nothing where there is none."""
    for sequence, sha in tx.rows(HEAD):
        return sequence, sha
    return 0, ""


def _attested(note: Note, sequence: int, previous: str, attest: Attest) -> Note:
    line = Event(
        sequence, note.at, note.name, note.home, note.subject, note.actor, note.detail, previous
    )
    signed = attest(line)
    if signed is None:
        return note
    return replace(note, detail=note.detail | {"key": signed[0], "signature": signed[1]})


def _chained(note: Note, sequence: int, previous: str) -> dict[str, Any]:
    actor, detail = actor_cell(note.actor), dump(note.detail)
    # The same as `dump` of the whole row, made of parts that the cells need as well.
    canonical = (
        f'{{"actor":{actor},"at":{micros_of(note.at)},"detail":{detail}'
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


def lines_of(tx: Transaction) -> Iterator[dict[str, Any]]:
    """Every line as it is stored, oldest first."""
    for row in tx.stream(CHAIN):
        yield dict(zip(_COLUMNS, row, strict=True))


def _fits(line: Mapping[str, Any]) -> bool:
    """Whether a stored line has the checksum that it states."""
    try:
        return bool(line["sha"] == line_sum(line))
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


def _purged_lines(tx: Transaction) -> dict[int, tuple[int, str]]:
    """The purged lines: the later line that says so, and the checksum of each now."""
    sql = "SELECT sequence, detail FROM event WHERE name = :name ORDER BY sequence"
    replaced: dict[int, tuple[int, str]] = {}
    for sequence, detail in tx.rows(sql, {"name": PURGE}):
        with suppress(ArithmeticError, AttributeError, TypeError, ValueError):
            lines = load(detail).get("lines") or {}
            replaced |= {int(number): (sequence, str(now)) for number, now in lines.items()}
    return replaced


def _is_purged(line: Mapping[str, Any], purged: Mapping[int, tuple[int, str]]) -> bool:
    """Whether a later line accounts for this line's purged content."""
    by, now = purged.get(line["sequence"], (0, ""))
    try:
        return bool(by > line["sequence"] and now == line_sum(line))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return False
