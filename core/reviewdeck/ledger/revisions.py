"""Documents' bytes by revision, and which revision was seen when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, text

from reviewdeck.ledger.database import LedgerPart, bulk_insert, bytes_of, keep_bytes
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.operations import actor_cell
from reviewdeck.ledger.tables import BatchRow, ObservationRow, WriteRow, table_of
from reviewdeck.model import Cause, Observation, OperationState, Revision
from reviewdeck.model.codec import actor_from_json

_SEEN = table_of(ObservationRow)
_BATCH = table_of(BatchRow)
_WRITE = table_of(WriteRow)


class SqlRevisions(LedgerPart):
    """Bytes and observations."""

    def observe(
        self,
        observations: Sequence[Observation],
        contents: Sequence[bytes],
        *,
        known: Mapping[str, Observation] | None = None,
        is_ours: bool = False,
    ) -> tuple[Observation, ...]:
        """Stores the bytes, and each observation that differs from the document's last one.

        With `known`, only those of documents of which these are the last observations still, and
        that no open batch is about to write, unless that `is_ours` to end. Gives what was stored.
        """
        homes = {observation.home for observation in observations}
        with self._storage.writing() as connection:
            keep_bytes(connection, contents)
            last = _last(connection, homes)
            busy = set() if known is None or is_ours else _busy(connection, homes)
            changed: list[Observation] = []
            for seen in observations:
                place = (seen.home, seen.path)
                now = last.get(place)
                if known is not None and (place in busy or now != known.get(seen.path)):
                    continue
                if now is None or now.revision != seen.revision:
                    last[place] = seen
                    changed.append(seen)
            store_observations(connection, changed)
        return tuple(changed)

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None when it is ABSENT or not stored."""
        with self._storage.viewing() as session:
            return bytes_of(session, [revision]).get(revision)

    def observations(self, home: str, path: str | None = None) -> tuple[Observation, ...]:
        """Everything observed of one document, or of all, oldest first."""
        query = select(_SEEN).where(_SEEN.c.home == home)
        if path is not None:
            query = query.where(_SEEN.c.path == path)
        with self._storage.viewing() as session, decoding("An observation"):
            rows = session.execute(query.order_by(_SEEN.c.sequence))
            return tuple(_observation_of(row) for row in rows)

    def latest(self, home: str) -> dict[str, Observation]:
        """The last observation of each document."""
        with self._storage.viewing() as session, decoding("An observation"):
            rows = session.execute(_LATEST, {"home": home})
            return {row.path: _observation_of(row) for row in rows}

    def revision_at(self, home: str, path: str, moment: datetime) -> Observation | None:
        """The last observation of a document at or before a moment."""
        asked = {"home": home, "document": path, "moment": moment}
        with self._storage.viewing() as session, decoding("An observation"):
            row = session.execute(_THEN, asked).first()
            return None if row is None else _observation_of(row)


_NEWEST = text("""observation.sequence IN (
    WITH RECURSIVE document (path) AS (
        SELECT min(path) FROM observation WHERE home = :home
        UNION ALL
        SELECT (SELECT min(path) FROM observation WHERE home = :home AND path > document.path)
        FROM document WHERE document.path IS NOT NULL
    )
    SELECT (SELECT max(sequence) FROM observation WHERE home = :home AND path = document.path)
    FROM document WHERE document.path IS NOT NULL
)""").bindparams(bindparam("home", type_=_SEEN.c.home.type))
"""From document to document through the index: a long history costs nothing."""

_LATEST = select(_SEEN).where(_NEWEST)
_THEN = (
    select(_SEEN)
    .where(
        _SEEN.c.home == bindparam("home"),
        _SEEN.c.path == bindparam("document"),
        _SEEN.c.at <= bindparam("moment"),
    )
    .order_by(_SEEN.c.sequence.desc())
    .limit(1)
)
"""Put together once: every pass asks this."""


def store_observations(connection: Connection, observations: Iterable[Observation]) -> None:
    """Adds observations as they are, in the caller's transaction."""
    bulk_insert(connection, ObservationRow, [_row_of(seen) for seen in observations])


def _last(connection: Connection, homes: set[str]) -> dict[tuple[str, str], Observation]:
    with decoding("An observation"):
        return {
            (home, row.path): _observation_of(row)
            for home in homes
            for row in connection.execute(_LATEST, {"home": home})
        }


_OPEN_WRITES = (
    select(_WRITE.c.path)
    .join(_BATCH, _BATCH.c.id == _WRITE.c.batch)
    .where(
        _BATCH.c.home == bindparam("home"),
        _BATCH.c.settled.is_(False),
        _BATCH.c.state == OperationState.INTENT.value,
    )
)


def _busy(connection: Connection, homes: set[str]) -> set[tuple[str, str]]:
    """Documents that an open batch writes: its end will say what stands there."""
    return {
        (home, path) for home in homes for path in connection.scalars(_OPEN_WRITES, {"home": home})
    }


def _row_of(seen: Observation) -> dict[str, Any]:
    return {
        "home": seen.home,
        "path": seen.path,
        "revision": seen.revision,
        "at": seen.at,
        "cause": seen.cause.value,
        "operation": seen.operation,
        "proposal": seen.proposal,
        "actor": None if seen.actor is None else actor_cell(seen.actor),
    }


def _observation_of(row: Row[Any]) -> Observation:
    return Observation(
        home=row.home,
        path=row.path,
        revision=Revision(row.revision),
        at=row.at,
        cause=Cause(row.cause),
        operation=row.operation,
        proposal=row.proposal,
        actor=None if row.actor is None else actor_from_json(row.actor),
    )
