"""Texts that are compared with each other, and an index of their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from sqlalchemy import Connection, delete, func, select, text

from reviewdeck.ledger.bulk import bulk_insert
from reviewdeck.ledger.cells import shield
from reviewdeck.ledger.listing import WAITING_SQL
from reviewdeck.ledger.rounds import subject_of
from reviewdeck.ledger.storage import Part, chunks
from reviewdeck.ledger.tables import SubjectRow, table_of
from reviewdeck.likeness import words_to_find
from reviewdeck.model import Relation
from reviewdeck.ports import Subject
from reviewdeck.text.similarity import normalise

_SUBJECT = table_of(SubjectRow)
_PENDING = _SUBJECT.c.relation == Relation.PENDING.value
_COLUMNS = (_SUBJECT.c.relation, _SUBJECT.c.text, _SUBJECT.c.place, _SUBJECT.c.domain)

_IS_CURRENT = (
    "(subject.relation <> 'pending' OR EXISTS (SELECT 1 FROM proposal"  # noqa: S608 - constant states
    f" WHERE proposal.id = subject.place AND {WAITING_SQL}))"
)
"""A proposal may be decided and still be in the index until the next pass."""

_COUNT = text("SELECT doc FROM subject_vocabulary WHERE term = :word")


class SqlSubjects(Part):
    """Texts of waiting proposals, and what is remembered."""

    def index(self, home: str, subjects: Iterable[Subject], gone: Collection[str]) -> None:
        """Adds texts in the place of what was there of their proposals, and drops others."""
        with self._storage.writing() as connection:
            replace_subjects(connection, [(home, one) for one in subjects], gone)

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """Those of these proposals that have no text in the index."""
        indexed: set[str] = set()
        with self._storage.viewing() as session:
            for chunk in chunks(ids):
                mine = _SUBJECT.c.place.in_(chunk) & _PENDING
                indexed |= set(session.scalars(select(_SUBJECT.c.place).where(mine)))
        return tuple(id for id in ids if id not in indexed)

    def amount_of_subjects(self, home: str) -> int:
        """How many texts there are for a home."""
        query = select(func.count()).where(_SUBJECT.c.home == home)
        with self._storage.viewing() as session:
            return session.scalar(query) or 0

    def subjects(self, home: str) -> Iterator[Subject]:
        """All texts of waiting proposals, and all that is remembered."""
        query = select(*_COLUMNS).where(_SUBJECT.c.home == home, text(_IS_CURRENT))
        with self._storage.viewing() as session:
            yield from map(subject_of, session.execute(query.order_by(_SUBJECT.c.id)))

    def near(self, home: str, text: str, domains: Sequence[str]) -> Sequence[Subject]:
        """Those that share rare words with a text, in these domains; in all of them for none."""
        with self._storage.viewing() as session:
            wanted = _match(text, _Counts(session))
            if wanted is None:
                return ()
            query = (
                select(*_COLUMNS)
                .where(_SUBJECT.c.home == home, _FOUND, _CURRENT)
                .order_by(_SUBJECT.c.id)
            )
            if domains:
                query = query.where(_SUBJECT.c.domain.in_(domains))
            return [subject_of(row) for row in session.execute(query, {"wanted": wanted})]


_FOUND = text("subject.id IN (SELECT rowid FROM subject_words WHERE subject_words MATCH :wanted)")
_CURRENT = text(_IS_CURRENT)


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
            "words": normalise(one.text),
        }
        for one in subjects
    ]
    bulk_insert(connection, SubjectRow, rows)


def _match(wanted: str, counts: Mapping[str, int]) -> str | None:
    """What to ask the index: rare words alone, others in pairs. None when no word is known."""
    words, alone = words_to_find(wanted, counts)
    said = [_quoted(word) for word in words[:alone]]
    pairs = combinations(words[alone:], 2)
    said += [f"({_quoted(a)} AND {_quoted(b)})" for a, b in pairs]
    return " OR ".join(said) or None


def _quoted(word: str) -> str:
    return '"' + shield(word).replace('"', '""') + '"'


class _Counts(dict[str, int]):
    """In how many texts a word occurs, looked up once."""

    def __init__(self, session: Connection) -> None:
        super().__init__()
        self._session = session

    def __missing__(self, word: str) -> int:
        self[word] = self._session.scalar(_COUNT, {"word": shield(word)}) or 0
        return self[word]

    def get(self, word: str, default: int | None = None) -> int:  # type: ignore[override]
        return self[word]
