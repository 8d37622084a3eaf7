"""Drafted decisions, and remembered texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select
from sqlmodel import col

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.database import LedgerPart, insert_missing, upsert
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.row_sums import FORGOTTEN, REMEMBERED, sum_of_text
from reviewdeck.ledger.subjects import index_subjects
from reviewdeck.ledger.tables import DraftRow, LikenessRow, ProposalRow, SubjectRow, table_of
from reviewdeck.model import Draft, Likeness, Relation, Verb
from reviewdeck.ports import ANY_DOMAIN, Subject


class SqlDrafts(LedgerPart):
    """Decisions that are prepared and not committed."""

    def put_draft(self, draft: Draft) -> None:
        """Stores a draft, in the place of an earlier one for the same proposal."""
        proposal = table_of(ProposalRow)
        query = select(proposal.c.home).where(proposal.c.id == draft.proposal)
        with self._storage.writing() as connection:
            home = connection.scalar(query)
            if home is None:
                raise UnknownId(f"There is no proposal {draft.proposal}.")
            upsert(connection, DraftRow, "proposal", _row_of(draft, home))

    def clear_draft(self, proposal: str) -> bool:
        """Deletes a draft; says whether there was one."""
        table = table_of(DraftRow)
        with self._storage.writing() as connection:
            deleted = connection.execute(delete(table).where(table.c.proposal == proposal))
            return deleted.rowcount > 0

    def drafts(self, homes: Sequence[str] | None = None) -> tuple[Draft, ...]:
        """The drafts for these homes, or for all, oldest first."""
        query = select(DraftRow).order_by(col(DraftRow.at), col(DraftRow.proposal))
        if homes is not None:
            query = query.where(col(DraftRow.home).in_(homes))
        with self._storage.reading() as session, decoding("A draft"):
            return tuple(_draft_of(row) for row in session.scalars(query))


class SqlMemory(LedgerPart):
    """Texts that were removed, replaced or rejected."""

    def remember(self, home: str, likeness: Sequence[Likeness], at: datetime) -> None:
        """Stores texts with their relation; what is remembered already stays as it is."""
        rows = [
            {
                "home": home,
                "relation": like.relation.value,
                "sha": sum_of_text(like.text, like.where),
                "text": like.text,
                "score": like.score,
                "where": like.where,
                "exact": like.exact,
                "at": at,
            }
            for like in likeness
        ]
        if rows:
            with self._storage.writing() as connection:
                fresh = _not_remembered(connection, home, rows)
                insert_missing(connection, LikenessRow, fresh)
                index_subjects(connection, home, map(_subject_of, fresh))
                _note(connection, REMEMBERED, home, fresh, at)

    def forget(self, home: str, relation: Relation, where: str) -> None:
        """Drops the texts with this relation that came from this proposal or document."""
        remembered, indexed = table_of(LikenessRow), table_of(SubjectRow)
        with self._storage.writing() as connection:
            of_relation = (remembered.c.home == home) & (remembered.c.relation == relation.value)
            forgotten = connection.execute(
                select(remembered.c.relation, remembered.c.sha).where(
                    of_relation, remembered.c.where == where
                )
            )
            rows = [{"relation": row.relation, "sha": row.sha} for row in forgotten]
            _note(connection, FORGOTTEN, home, rows, self._storage.now())
            for table, place in ((remembered, remembered.c.where), (indexed, indexed.c.place)):
                of_relation = (table.c.home == home) & (table.c.relation == relation.value)
                connection.execute(delete(table).where(of_relation, place == where))

    def remembered(self, home: str) -> tuple[Likeness, ...]:
        """All remembered texts of a home."""
        query = (
            select(LikenessRow)
            .where(col(LikenessRow.home) == home)
            .order_by(col(LikenessRow.sequence))
        )
        with self._storage.reading() as session, decoding("A remembered text"):
            return tuple(
                Likeness(Relation(row.relation), row.text, row.score, row.where, row.exact)
                for row in session.scalars(query)
            )


def _note(
    connection: Connection, name: str, home: str, rows: Sequence[Mapping[str, Any]], at: datetime
) -> None:
    """Logs the texts, so that one removed from the table is missed."""
    if rows:
        texts = [[row["relation"], row["sha"]] for row in rows]
        log(connection, [Note(name, home, home, NOBODY, at, {"texts": texts})])


def _not_remembered(
    connection: Connection, home: str, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows that are not remembered yet, each once."""
    table = table_of(LikenessRow)
    keys: set[tuple[str, str]] = set()
    for chunk in chunks(row["sha"] for row in rows):
        query = select(table.c.relation, table.c.sha).where(
            table.c.home == home, table.c.sha.in_(chunk)
        )
        keys |= {(relation, sha) for relation, sha in connection.execute(query)}
    by_key = {(row["relation"], row["sha"]): row for row in rows}
    return [row for key, row in by_key.items() if key not in keys]


def _subject_of(row: dict[str, Any]) -> Subject:
    return Subject(Relation(row["relation"]), row["text"], row["where"], ANY_DOMAIN)


def _row_of(draft: Draft, home: str) -> dict[str, Any]:
    return {
        "proposal": draft.proposal,
        "home": home,
        "verb": draft.verb.value,
        "digest": draft.digest,
        "at": draft.at,
        "reason": draft.reason,
        "text": draft.text,
        "document": draft.document,
    }


def _draft_of(row: DraftRow) -> Draft:
    return Draft(
        proposal=row.proposal,
        verb=Verb(row.verb),
        digest=row.digest,
        at=row.at,
        reason=row.reason,
        text=row.text,
        document=row.document,
    )
