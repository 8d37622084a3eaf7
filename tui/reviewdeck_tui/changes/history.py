"""The changes of an agent's documents, as the deck's second lane reads them in workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from reviewdeck.engine.changes import Start, changes_since, unseen_counts, waiting_since
from reviewdeck.model import Actor, Draft, Marks, Restore, Revision, Verb
from reviewdeck.model.changes import DocumentChanges, PartChange
from reviewdeck.presentation.changes import Author, authors_of, redaction_of_changes
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck_tui.home_names import names_of

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


class Period(StrEnum):
    """The period that the lane covers."""

    UNSEEN = "not viewed yet"
    DAY = "last 24 hours"
    WEEK = "last 7 days"
    ALL = "all time"


_LENGTHS: Final = {Period.DAY: timedelta(days=1), Period.WEEK: timedelta(days=7)}

Place: TypeAlias = tuple[str, str]
"""A home and a document."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A draft that reverts part of a document."""

    draft: Draft
    undoes: str | None
    """The operation that it undoes as a whole."""
    edits: tuple[Restore, ...]

    def is_of(self, document: DocumentChanges, change: PartChange) -> bool:
        """Whether it reverts this lesson."""
        if self.undoes is not None and self.undoes == change.by.operation:
            return True
        texts = set(change.after) | {"\n".join(change.after).strip()} - {""}
        edits = [edit for edit in self.edits if edit.document == document.document]
        if change.after:
            return any(not texts.isdisjoint(edit.rejects) for edit in edits)
        removed = "\n".join(change.before).encode()
        return any(removed in (edit.previous or b"") for edit in edits)


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The changes of one period, as read at one moment."""

    span: Period
    at: datetime
    """The time of reading: marks set from this view cover everything until then."""
    documents: tuple[DocumentChanges, ...]
    authors: Mapping[str, Author] = field(default_factory=dict)
    pending: Mapping[Place, tuple[Pending, ...]] = field(default_factory=dict)
    marks: Mapping[str, Marks] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    you: Actor | None = None
    redaction: Redaction = NOTHING
    """Covers the secrets in the lessons."""

    def draft_of(self, document: DocumentChanges, change: PartChange) -> Draft | None:
        """The draft that reverts a lesson."""
        drafts = self.pending.get((document.home, document.document), ())
        return next((pending.draft for pending in drafts if pending.is_of(document, change)), None)


def read_changes(
    engine: Engine, span: Period, now: datetime, home: str | None = None
) -> ChangesView:
    """The changes of one home, or of all homes at hand."""
    homes = [open_home.home for open_home in engine.open_homes if home in (None, open_home.home.id)]
    marks = {open_home.id: engine.ledger.marks(open_home.id) for open_home in homes}
    documents: list[DocumentChanges] = []
    for open_home in homes:
        documents += changes_since(
            engine.ledger, open_home, _start_of(span, marks[open_home.id], now), rows=False
        )
    return ChangesView(
        span,
        now,
        tuple(documents),
        authors_of(engine, documents),
        _pending(engine),
        marks,
        names_of(homes),
        engine.actor,
        redaction_of_changes(engine, documents),
    )


def _start_of(span: Period, marks: Marks, now: datetime) -> Start:
    if span is Period.UNSEEN:
        return marks.of
    length = _LENGTHS.get(span)
    return Marks(None if length is None else now - length).of


def _pending(engine: Engine) -> dict[Place, tuple[Pending, ...]]:
    """The drafts that revert something, by document."""
    pending: dict[Place, tuple[Pending, ...]] = {}
    for draft in engine.drafts:
        if draft.verb is not Verb.APPROVE:
            continue
        proposal = engine.ledger.proposal(draft.proposal)
        edits = tuple(edit for edit in proposal.edits if isinstance(edit, Restore))
        for path in dict.fromkeys(edit.document for edit in edits):
            place = proposal.home, path
            entry = Pending(draft, proposal.undoes, edits)
            pending[place] = (*pending.get(place, ()), entry)
    return pending


class Unseen:
    """Counts the lessons that nobody has seen. Caches the counts of unchanged documents."""

    def __init__(self) -> None:
        self._cache: dict[
            Place, tuple[Revision, datetime, datetime | None, datetime | None, int]
        ] = {}

    def count(self, engine: Engine) -> dict[str, int]:
        """The number in each home of a deck, by its id."""
        homes = engine.open_homes
        return {each.home.id: sum(self._counts(engine, at)) for at, each in enumerate(homes)}

    def _counts(self, engine: Engine, number: int) -> Iterator[int]:
        home = engine.open_homes[number].home
        marks = engine.ledger.marks(home.id)
        waiting = waiting_since(engine.ledger, home.id)
        stale: list[str] = []
        for path, latest in engine.ledger.latest(home.id).items():
            mark = marks.of(path)
            cached = self._cache.get((home.id, path))
            if mark is not None and latest.at <= mark:
                continue
            state = latest.revision, latest.at, mark, waiting.get(path)
            if cached is not None and cached[:-1] == state:
                yield cached[-1]
            else:
                stale.append(path)
                self._cache[home.id, path] = (*state, 0)
        if stale:
            yield from self._count_again(engine, number, stale)

    def _count_again(self, engine: Engine, at: int, stale: Sequence[str]) -> Iterator[int]:
        home = engine.open_homes[at].home
        news = unseen_counts(engine.ledger, home, only=frozenset(stale))
        for document, amount in news.items():
            key = home.id, document
            self._cache[key] = (*self._cache[key][:-1], amount)
            yield amount
