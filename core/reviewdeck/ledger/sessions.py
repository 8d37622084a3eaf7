"""The turns of sessions, and the background reviewer's runs, in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump, load, moment_of, unshield
from reviewdeck.ledger.columns import Codec, Columns
from reviewdeck.ledger.database import LedgerPart, Transaction, insert
from reviewdeck.model import ReviewRun, Role, SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.model.ledger import bounded_key


class SqlTurns(LedgerPart):
    """Satisfies `ports.Turns` and `ports.TurnSink`."""

    @property
    def mode(self) -> SessionMode:
        """The ledger is sent new turns only."""
        return SessionMode.APPEND

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Stores batches in one transaction; stored turns stay or are replaced, by the mode."""
        with self._database.writing() as tx:
            places = _places(tx, batches)
            for batch in batches:
                if batch.mode is SessionMode.REPLACE:
                    later = {"transcript": places[batch.transcript.id], "first": batch.first}
                    tx.put(_FORGET, later)
            rows = [
                _turn_values(places[batch.transcript.id], turn)
                for batch in batches
                for turn in batch.turns
            ]
            insert(tx, "turn", rows, missing=True)

    def said(
        self, home: str, words: Sequence[str], *, limit: int
    ) -> tuple[tuple[datetime, str, str], ...]:
        """The user's latest messages in a home's turns that have all words.

        Each with the moment of its turn and the session; the latest first.
        """
        wanted = [word.casefold() for word in words]
        found: list[tuple[datetime, str, str]] = []
        if not wanted:
            return ()
        values: dict[str, Any] = {"home": home, "most": _LOOKED_AT}
        with self._reading("A turn") as tx:
            for session, at, messages in tx.rows(_SAID, values):
                for role, text, *_ in load(messages):
                    if role == Role.USER and all(word in text.casefold() for word in wanted):
                        found.append((moment_of(at), unshield(session), text))
                if len(found) >= limit:
                    break
        return tuple(found[:limit])


_LOOKED_AT = 5_000
"""The most turns that are looked through, the latest ones."""
_SAID = (
    "SELECT transcript.session, turn.at, turn.messages FROM turn"
    " JOIN transcript ON transcript.sequence = turn.transcript WHERE transcript.home = :home"
    " ORDER BY turn.at DESC LIMIT :most"
)
_FORGET = "DELETE FROM turn WHERE transcript = :transcript AND number >= :first"
_COLUMNS = (
    *("id", "home", "session", "parent", "began", "platform", "started_at", "last_at"),
    *("turns", "messages"),
)
_GROWN = ", ".join(
    f"{name} = CASE WHEN excluded.{name} > transcript.{name}"
    f" THEN excluded.{name} ELSE transcript.{name} END"
    for name in ("turns", "messages", "last_at")
)
"""A batch that comes once more, after a crash, must not take the counts back."""
_PUT = (
    f"INSERT INTO transcript ({', '.join(_COLUMNS)})"  # noqa: S608 - constant
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
    f" ON CONFLICT (id) DO UPDATE SET {_GROWN}"
)


def _places(tx: Transaction, batches: Sequence[TurnBatch]) -> dict[str, int]:
    """Stores the transcripts' own data; gives their row numbers."""
    grown = sorted((batch.transcript for batch in batches), key=lambda transcript: transcript.turns)
    latest = {transcript.id: transcript for transcript in grown}
    tx.many(_PUT, [_transcript_values(transcript) for transcript in latest.values()])
    sql = "SELECT id, sequence FROM transcript WHERE id IN :ids"
    return {
        unshield(id): place
        for ids in chunks(batch.transcript.id for batch in batches)
        for id, place in tx.rows(sql, {"ids": ids})
    }


def _transcript_values(transcript: Transcript) -> dict[str, Any]:
    lineage = transcript.lineage
    return {
        "id": transcript.id,
        "home": transcript.home,
        "session": bounded_key(lineage.session),
        "parent": lineage.parent and bounded_key(lineage.parent),
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
        "messages": dump(messages),
    }


class SqlReviews(LedgerPart):
    """Satisfies `ports.Reviews`."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended."""
        with self._database.writing() as tx:
            amounts = {
                "denied_count": sum(run.denied.values()),
                "proposal_count": len(run.proposals),
            }
            insert(tx, "review", [_RUN.row(run) | amounts])

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first."""
        of_homes = "WHERE home IN :homes" if homes else ""
        sql = f"SELECT {_RUN.sql} FROM review {of_homes} ORDER BY sequence DESC LIMIT :most"  # noqa: S608 - constant
        with self._reading("A review") as tx:
            return tuple(map(_RUN.value, tx.rows(sql, {"homes": list(homes), "most": limit})))


_RUN = Columns(
    ReviewRun,
    denied=Codec(load, lambda denied: dump(dict(denied))),
    proposals=Codec(lambda cell: tuple(load(cell)), lambda ids: dump(list(ids))),
)
