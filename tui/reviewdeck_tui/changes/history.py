"""What an agent learnt, as the deck's second lane knows it; read from the engine by workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from reviewdeck.engine.changes import Learnt, Lesson, Start, learnt, unseen, waiting_since
from reviewdeck.model import Actor, Draft, Marks, Restore, Revision, Verb
from reviewdeck.policy.redact import NOTHING, Redaction
from reviewdeck.presentation.changes import Author, authors_of

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


class Period(StrEnum):
    """How far back the lane looks."""

    UNSEEN = "not seen yet"
    DAY = "last 24 hours"
    WEEK = "last 7 days"
    ALL = "all of it"


_LENGTHS: Final = {Period.DAY: timedelta(days=1), Period.WEEK: timedelta(days=7)}

Place: TypeAlias = tuple[str, str]
"""A home and a document."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A draft that takes something of a document back."""

    draft: Draft
    undoes: str | None
    """The operation that it takes back as a whole."""
    edits: tuple[Restore, ...]

    def is_of(self, one: Learnt, lesson: Lesson) -> bool:
        """Whether it takes this lesson back."""
        if self.undoes is not None and self.undoes == lesson.by.operation:
            return True
        came = set(lesson.after) | {"\n".join(lesson.after).strip()} - {""}
        mine = [edit for edit in self.edits if edit.document == one.document]
        if lesson.after:
            return any(not came.isdisjoint(edit.rejects) for edit in mine)
        gone = "\n".join(lesson.before).encode()
        return any(gone in (edit.previous or b"") for edit in mine)


@dataclass(frozen=True, slots=True)
class ChangesView:
    """What was learnt, at one moment."""

    span: Period
    at: datetime
    """When it was read: marks say that it was seen until then."""
    found: tuple[Learnt, ...]
    known: Mapping[str, Author] = field(default_factory=dict)
    pending: Mapping[Place, tuple[Pending, ...]] = field(default_factory=dict)
    marks: Mapping[str, Marks] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    you: Actor | None = None
    cover: Redaction = NOTHING
    """Knows the secrets in the lessons."""

    def draft_of(self, one: Learnt, lesson: Lesson) -> Draft | None:
        """The draft that takes a lesson back."""
        drafts = self.pending.get((one.home, one.document), ())
        return next((each.draft for each in drafts if each.is_of(one, lesson)), None)


def read_lore(deck: Deck, span: Period, now: datetime, home: str | None = None) -> ChangesView:
    """What was learnt in the homes of a deck, or in one of them."""
    homes = [one.home for one in deck.context.homes if home in (None, one.home.id)]
    marks = {one.id: deck.ledger.marks(one.id) for one in homes}
    found: list[Learnt] = []
    for one in homes:
        found += learnt(deck.ledger, one, _start(span, marks[one.id], now), rows=False)
    return ChangesView(
        span,
        now,
        tuple(found),
        authors_of(deck.view, found),
        _pending(deck),
        marks,
        {one.id: one.name for one in homes},
        deck.context.actor,
        Redaction(_texts(found)),
    )


def _texts(found: Sequence[Learnt]) -> Iterator[str]:
    for one in found:
        for lesson in one.lessons:
            yield "\n".join(lesson.before)
            yield "\n".join(lesson.after)


def _start(span: Period, marks: Marks, now: datetime) -> Start:
    if span is Period.UNSEEN:
        return marks.of
    length = _LENGTHS.get(span)
    return Marks(None if length is None else now - length).of


def _pending(deck: Deck) -> dict[Place, tuple[Pending, ...]]:
    """The drafts that take something back, by document."""
    found: dict[Place, tuple[Pending, ...]] = {}
    for draft in deck.ledger.drafts():
        if draft.verb is not Verb.APPROVE:
            continue
        proposal = deck.ledger.proposal(draft.proposal)
        edits = tuple(edit for edit in proposal.edits if isinstance(edit, Restore))
        for path in dict.fromkeys(edit.document for edit in edits):
            place = proposal.home, path
            one = Pending(draft, proposal.undoes, edits)
            found[place] = (*found.get(place, ()), one)
    return found


class Unseen:
    """How many lessons nobody has seen yet. Remembers what does not move."""

    def __init__(self) -> None:
        self._known: dict[
            Place, tuple[Revision, datetime, datetime | None, datetime | None, int]
        ] = {}

    def count(self, deck: Deck) -> int:
        """All of them, in the homes of a deck."""
        return sum(sum(self._of(deck, at)) for at in range(len(deck.context.homes)))

    def _of(self, deck: Deck, at: int) -> Iterator[int]:
        home = deck.context.homes[at].home
        marks = deck.ledger.marks(home.id)
        waiting = waiting_since(deck.ledger, home.id)
        stale: list[str] = []
        for path, latest in deck.ledger.latest(home.id).items():
            mark = marks.of(path)
            known = self._known.get((home.id, path))
            if mark is not None and latest.at <= mark:
                continue
            now = latest.revision, latest.at, mark, waiting.get(path)
            if known is not None and known[:-1] == now:
                yield known[-1]
            else:
                stale.append(path)
                self._known[home.id, path] = (*now, 0)
        if stale:
            yield from self._counted(deck, at, stale)

    def _counted(self, deck: Deck, at: int, stale: Sequence[str]) -> Iterator[int]:
        home = deck.context.homes[at].home
        news = unseen(deck.ledger, home, deck.context.actor, only=frozenset(stale))
        for document, amount in news.items():
            key = home.id, document
            self._known[key] = (*self._known[key][:-1], amount)
            yield amount
