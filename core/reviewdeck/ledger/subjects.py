"""The index of compared texts, as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import ALL, NONE, LedgerPart, Transaction, Values, insert
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.view_sql import IS_CURRENT
from reviewdeck.model.ledger import Subject
from reviewdeck.text.terms import terms_of

_UNINDEXED = f"""
    SELECT id FROM proposal WHERE home = :home AND {WAITING_SQL}
    AND (evaluation_key IS NULL OR id IN (SELECT proposal FROM dirty WHERE home = :home))
    AND NOT EXISTS (SELECT 1 FROM subject WHERE place = proposal.id AND relation = 'pending')
"""  # noqa: S608 - constant states
_TERM = "INSERT INTO term (term, subject) VALUES (:term, :subject)"
# Other homes' texts may be added meanwhile. Not by the index on `home`: it has earlier ones.
_LAST = "SELECT id FROM subject WHERE home || '' = :home ORDER BY id DESC LIMIT :amount"
_TERMS_OF_LAST = f"""
    INSERT INTO term (term, subject) SELECT given.term, added.id
    FROM unnest(CAST(:terms AS text[]), CAST(:places AS bigint[])) AS given (term, place)
    JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ({_LAST}) AS last) AS added
        USING (place)
"""  # noqa: S608 - constant
"""Nobody waits for the numbers that the texts were given."""
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

    def unindexed(self, home: str) -> frozenset[str]:
        """The proposals of a home without a text in the index, of those to be evaluated anew."""
        with self._database.reading() as tx:
            return frozenset(unshield(id) for (id,) in tx.rows(_UNINDEXED, {"home": home}))


def replace_subjects(tx: Transaction, subjects: Sequence[tuple[str, Subject]]) -> None:
    """Replaces the texts of their proposals, by home."""
    for chunk in chunks({subject.where for _, subject in subjects}):
        tx.put(_DROP, {"ids": chunk})
    for home, its in groupby(sorted(subjects, key=itemgetter(0)), key=itemgetter(0)):
        index_subjects(tx, home, (subject for _, subject in its))


def index_subjects(tx: Transaction, home: str, subjects: Iterable[Subject]) -> None:
    """Adds texts with their terms, in the caller's transaction, which holds the home."""
    for chunk in chunks(subjects):
        insert(tx, "subject", [_row(home, subject) for subject in chunk])
        terms = [
            (term, place) for place, each in enumerate(chunk, 1) for term in terms_of(each.text)
        ]
        last = {"home": home, "amount": len(chunk)}
        if tx.has_lateral:
            given = {"terms": [term for term, _ in terms], "places": [at for _, at in terms]}
            tx.put(_TERMS_OF_LAST, last | given)
        else:
            numbers = sorted(number for (number,) in tx.rows(_LAST, last))
            tx.many(_TERM, ({"term": term, "subject": numbers[at - 1]} for term, at in terms))


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
