"""The index of compared texts, as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, delete

from reviewdeck.ledger import pass_sql
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.database import LedgerPart, bulk_insert, raw_rows
from reviewdeck.ledger.tables import SubjectRow, table_of
from reviewdeck.model import Relation
from reviewdeck.ports import Subject

_SUBJECT = table_of(SubjectRow)
_PENDING = _SUBJECT.c.relation == Relation.PENDING.value


class SqlSubjects(LedgerPart):
    """The texts of open proposals, and the remembered ones."""

    def index(self, home: str, subjects: Iterable[Subject], removed: Collection[str]) -> None:
        """Replaces the texts of their proposals, and drops those of removed ones."""
        with self._storage.writing() as connection:
            replace_subjects(connection, [(home, subject) for subject in subjects], removed)

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """The proposals among these without a text in the index."""
        with self._storage.viewing() as session:
            indexed = {place for (place,) in raw_rows(session, pass_sql.INDEXED, dump(list(ids)))}
        return tuple(id for id in ids if id not in indexed)


def replace_subjects(
    connection: Connection, subjects: Sequence[tuple[str, Subject]], removed: Collection[str] = ()
) -> None:
    """Replaces the texts of their proposals, by home, and drops those of removed ones."""
    for chunk in chunks({*removed, *(subject.where for _, subject in subjects)}):
        of_proposals = _SUBJECT.c.place.in_(chunk) & _PENDING
        connection.execute(delete(_SUBJECT).where(of_proposals))
    for home in dict.fromkeys(home for home, _ in subjects):
        index_subjects(connection, home, (subject for where, subject in subjects if where == home))


def index_subjects(connection: Connection, home: str, subjects: Iterable[Subject]) -> None:
    """Adds texts, in the caller's transaction."""
    rows = [
        {
            "home": home,
            "relation": subject.relation.value,
            "domain": subject.domain,
            "place": subject.where,
            "text": subject.text,
        }
        for subject in subjects
    ]
    bulk_insert(connection, SubjectRow, rows)
