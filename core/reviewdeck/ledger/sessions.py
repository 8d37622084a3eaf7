"""The turns of sessions, and the background reviewer's runs, in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, select
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.database import LedgerPart, bulk_insert, insert_missing
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.tables import ReviewRow, TranscriptRow, TurnRow, table_of
from reviewdeck.model import (
    ReviewRun,
    SessionMode,
    Transcript,
    Turn,
    TurnBatch,
)


class SqlTurns(LedgerPart):
    """Satisfies `ports.Turns` and `ports.TurnSink`."""

    @property
    def mode(self) -> SessionMode:
        """The ledger is sent new turns only."""
        return SessionMode.APPEND

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Stores batches in one transaction; stored turns stay or are replaced, by the mode."""
        with self._storage.writing() as connection:
            places = _places(connection, batches)
            for batch in batches:
                if batch.mode is SessionMode.REPLACE:
                    _forget(connection, places[batch.transcript.id], batch.first)
            rows = [
                _turn_values(places[batch.transcript.id], turn)
                for batch in batches
                for turn in batch.turns
            ]
            insert_missing(connection, TurnRow, rows)


def _places(connection: Connection, batches: Sequence[TurnBatch]) -> dict[str, int]:
    """Stores the transcripts' own data; gives their row numbers."""
    table = table_of(TranscriptRow)
    new = sqlite_insert(table)
    # A batch that comes once more, after a crash, must not take the counts back.
    counts = {
        name: func.max(table.c[name], new.excluded[name])
        for name in ("turns", "messages", "last_at")
    }
    query = new.on_conflict_do_update(index_elements=["id"], set_=counts)
    connection.execute(query, [_transcript_values(batch.transcript) for batch in batches])
    rows_by_id: dict[str, int] = {}
    for ids in chunks(batch.transcript.id for batch in batches):
        among = select(table.c.id, table.c.sequence).where(table.c.id.in_(ids))
        rows_by_id |= {row.id: row.sequence for row in connection.execute(among)}
    return rows_by_id


def _forget(connection: Connection, place: int, first: int) -> None:
    table = table_of(TurnRow)
    connection.execute(
        delete(table).where(table.c.transcript == place).where(table.c.number >= first)
    )


def _transcript_values(transcript: Transcript) -> dict[str, Any]:
    lineage = transcript.lineage
    return {
        "id": transcript.id,
        "home": transcript.home,
        "session": lineage.session,
        "parent": lineage.parent,
        "began": lineage.began.value,
        "platform": transcript.platform,
        "started_at": transcript.started_at,
        "last_at": transcript.last_at,
        "turns": transcript.turns,
        "messages": transcript.messages,
    }


def _turn_values(place: int, turn: Turn) -> dict[str, Any]:
    messages = [
        (message.role, message.text, message.tool, message.call) for message in turn.messages
    ]
    return {
        "transcript": place,
        "number": turn.number,
        "id": turn.id,
        "at": turn.at,
        "messages": messages,
    }


class SqlReviews(LedgerPart):
    """Satisfies `ports.Reviews`."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended."""
        with self._storage.writing() as connection:
            bulk_insert(connection, ReviewRow, [_row_of(run)])

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first."""
        table = table_of(ReviewRow)
        query = _of_homes(select(table), homes).order_by(table.c.sequence.desc()).limit(limit)
        with self._storage.reading() as session, decoding("A review"):
            return tuple(_run_of(row) for row in session.execute(query))


def _of_homes(query: Select[*tuple[Any, ...]], homes: Sequence[str]) -> Select[*tuple[Any, ...]]:
    return query.where(table_of(ReviewRow).c.home.in_(list(homes))) if homes else query


_PLAIN = (
    *("id", "home", "session", "occasion", "started_at", "finished_at", "ending", "detail"),
    *("provider", "model", "is_routed", "prompts", "iterations", "input_tokens", "output_tokens"),
    *("cached_tokens", "cost", "shared", "saved_tokens"),
)
"""The columns named as the fields of a run."""


def _row_of(run: ReviewRun) -> dict[str, Any]:
    return {name: getattr(run, name) for name in _PLAIN} | {
        "denied": dict(run.denied),
        "denied_count": sum(run.denied.values()),
        "proposals": list(run.proposals),
        "proposal_count": len(run.proposals),
    }


def _run_of(row: Row[Any]) -> ReviewRun:
    plain = {name: getattr(row, name) for name in _PLAIN}
    return ReviewRun(**plain, denied=row.denied, proposals=tuple(row.proposals))
