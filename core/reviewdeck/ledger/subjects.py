"""Texts that are compared with each other, as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, delete

from reviewdeck.ledger import pass_sql
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.database import LedgerPart, asked, bulk_insert
from reviewdeck.ledger.tables import SubjectRow, table_of
from reviewdeck.model import Relation
from reviewdeck.ports import Subject

_SUBJECT = table_of(SubjectRow)
_PENDING = _SUBJECT.c.relation == Relation.PENDING.value


class SqlSubjects(LedgerPart):
    """Texts of waiting proposals, and what is remembered."""

    def index(self, home: str, subjects: Iterable[Subject], gone: Collection[str]) -> None:
        """Adds texts in the place of what was there of their proposals, and drops others."""
        with self._storage.writing() as connection:
            replace_subjects(connection, [(home, one) for one in subjects], gone)

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """Those of these proposals that have no text in the index."""
        with self._storage.viewing() as session:
            indexed = {place for (place,) in asked(session, pass_sql.INDEXED, dump(list(ids)))}
        return tuple(id for id in ids if id not in indexed)


def replace_subjects(
    connection: Connection, subjects: Sequence[tuple[str, Subject]], gone: Collection[str] = ()
) -> None:
    """Adds texts of homes in the place of what was there of their proposals, and drops others."""
    for chunk in chunks({*gone, *(one.where for _, one in subjects)}):
        mine = _SUBJECT.c.place.in_(chunk) & _PENDING
        connection.execute(delete(_SUBJECT).where(mine))
    for home in dict.fromkeys(home for home, _ in subjects):
        index_subjects(connection, home, (one for where, one in subjects if where == home))


def index_subjects(connection: Connection, home: str, subjects: Iterable[Subject]) -> None:
    """Adds texts, in the caller's transaction."""
    rows = [
        {
            "home": home,
            "relation": one.relation.value,
            "domain": one.domain,
            "place": one.where,
            "text": one.text,
        }
        for one in subjects
    ]
    bulk_insert(connection, SubjectRow, rows)
