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
        """What it wants to be sent, when somebody asks."""
        return SessionMode.APPEND

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Keeps these in one transaction: what is there already stays as it is, or is replaced."""
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
    """Stores what the transcripts are and have; gives their rows."""
    table = table_of(TranscriptRow)
    new = sqlite_insert(table)
    # A batch that comes once more, after a crash, must not take the counts back.
    counts = {
        name: func.max(table.c[name], new.excluded[name])
        for name in ("turns", "messages", "last_at")
    }
    query = new.on_conflict_do_update(index_elements=["id"], set_=counts)
    connection.execute(query, [_transcript_values(batch.transcript) for batch in batches])
    found: dict[str, int] = {}
    for ids in chunks(batch.transcript.id for batch in batches):
        among = select(table.c.id, table.c.sequence).where(table.c.id.in_(ids))
        found |= {row.id: row.sequence for row in connection.execute(among)}
    return found


def _forget(connection: Connection, place: int, first: int) -> None:
    kept = table_of(TurnRow)
    connection.execute(delete(kept).where(kept.c.transcript == place).where(kept.c.number >= first))


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
    said = [(one.role, one.text, one.tool, one.call) for one in turn.messages]
    return {
        "transcript": place,
        "number": turn.number,
        "id": turn.id,
        "at": turn.at,
        "messages": said,
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
"""Columns that are called as the fields of a run."""


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
