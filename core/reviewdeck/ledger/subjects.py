"""The index of compared texts, as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import ALL, NONE, LedgerPart, Transaction, Values, insert
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.view_sql import IS_CURRENT
from reviewdeck.model.ledger import Subject
from reviewdeck.text.terms import terms_of

_INDEXED = "SELECT place FROM subject WHERE place IN :ids AND relation = 'pending'"
_TERM = "INSERT INTO term (term, subject) VALUES (:term, :subject)"
_DROP = "DELETE FROM subject WHERE place IN :ids AND relation = 'pending'"
_WAIT = f"SELECT coalesce(sum(amount), 0) FROM counter WHERE home = :home AND {WAITING_SQL}"  # noqa: S608 - constant states
_DROP_LEFT = f"{_DROP} AND NOT {IS_CURRENT} AND ({_WAIT}) <= :most"


class SqlSubjects(LedgerPart):
    """The texts of open proposals, and the remembered ones."""

    def index(self, home: str, subjects: Iterable[Subject]) -> None:
        """Replaces the texts of their proposals."""
        with self._database.writing(home) as tx:
            replace_subjects(tx, [(home, subject) for subject in subjects])

    def unindex(self, home: str, ids: Collection[str], most: int = ALL) -> None:
        """Drops the texts of those proposals among these that wait no more.

        None where more than so many wait: a file is not written then.
        """
        with self._database.writing(home) as tx:
            for chunk in chunks(ids):
                tx.put(_DROP_LEFT, {"ids": chunk, "home": home, "most": most})

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """The proposals among these without a text in the index."""
        if not ids:
            return ()
        with self._database.reading() as tx:
            indexed = {unshield(place) for (place,) in tx.rows(_INDEXED, {"ids": list(ids)})}
        return tuple(id for id in ids if id not in indexed)


def replace_subjects(tx: Transaction, subjects: Sequence[tuple[str, Subject]]) -> None:
    """Replaces the texts of their proposals, by home."""
    for chunk in chunks({subject.where for _, subject in subjects}):
        tx.put(_DROP, {"ids": chunk})
    insert(tx, "subject", [_row(home, subject) for home, subject in subjects])
    for chunk in chunks(dict.fromkeys(subject.where for _, subject in subjects)):
        index_terms(tx, "place IN :ids AND relation = 'pending'", {"ids": chunk})


def top_subject(tx: Transaction) -> Callable[[], int]:
    """The highest number of a text now, once it is wanted."""
    rows = tx.later("SELECT coalesce(max(id), 0) FROM subject")
    return lambda: int(rows()[0][0])


def index_subjects(tx: Transaction, home: str, subjects: Iterable[Subject], top: int) -> None:
    """Adds texts with their terms, in the caller's transaction; `top` is the highest number of
    one before.
    """
    insert(tx, "subject", [_row(home, subject) for subject in subjects])
    # Other homes' texts may be added meanwhile. Not by the index on `home`: it has earlier ones.
    index_terms(tx, "id > :top AND home || '' = :home", {"top": top, "home": home})


def _row(home: str, subject: Subject) -> dict[str, str]:
    return {
        "home": home,
        "relation": subject.relation.value,
        "domain": subject.domain,
        "place": subject.where,
        "text": subject.text,
    }


def index_terms(tx: Transaction, which: str, values: Values = NONE) -> None:
    """Stores the terms of these texts."""
    texts = tx.rows(f"SELECT id, text FROM subject WHERE {which}", values)  # noqa: S608 - the caller's
    rows = ((term, number) for number, text in texts for term in terms_of(unshield(text)))
    tx.many(_TERM, ({"term": term, "subject": number} for term, number in rows))
