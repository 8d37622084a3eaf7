"""Texts that are compared with each other, and an index of their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from sqlalchemy import Connection, delete, select, text

from reviewdeck.ledger import each_pass
from reviewdeck.ledger.bulk import bulk_insert
from reviewdeck.ledger.cells import dump, shield
from reviewdeck.ledger.storage import Part, asked, chunks
from reviewdeck.ledger.tables import SubjectRow, table_of
from reviewdeck.ledger.texts import subject_in, subject_of
from reviewdeck.likeness import words_to_find
from reviewdeck.model import Relation
from reviewdeck.ports import Subject
from reviewdeck.text.similarity import normalise

_SUBJECT = table_of(SubjectRow)
_PENDING = _SUBJECT.c.relation == Relation.PENDING.value
_COLUMNS = (_SUBJECT.c.relation, _SUBJECT.c.text, _SUBJECT.c.place, _SUBJECT.c.domain)


class SqlSubjects(Part):
    """Texts of waiting proposals, and what is remembered."""

    def index(self, home: str, subjects: Iterable[Subject], gone: Collection[str]) -> None:
        """Adds texts in the place of what was there of their proposals, and drops others."""
        with self._storage.writing() as connection:
            replace_subjects(connection, [(home, one) for one in subjects], gone)

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """Those of these proposals that have no text in the index."""
        with self._storage.viewing() as session:
            indexed = {place for (place,) in asked(session, each_pass.INDEXED, dump(list(ids)))}
        return tuple(id for id in ids if id not in indexed)

    def amount_of_subjects(self, home: str) -> int:
        """How many texts there are for a home."""
        with self._storage.viewing() as session:
            ((amount,),) = asked(session, each_pass.AMOUNT, shield(home))
            return int(amount)

    def subjects(self, home: str) -> Iterator[Subject]:
        """All texts of waiting proposals, and all that is remembered."""
        with self._storage.viewing() as session:
            yield from map(subject_in, asked(session, each_pass.SUBJECTS, shield(home)))

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
_CURRENT = text(each_pass.IS_CURRENT)


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
        found = next(asked(self._session, each_pass.IN_TEXTS, shield(word)), None)
        self[word] = found[0] if found else 0
        return self[word]

    def get(self, word: str, default: int | None = None) -> int:  # type: ignore[override]
        return self[word]
