"""What an agent learnt since a moment: one composed, blamed diff per document.

However many operations, undos and hand edits there were, a document is compared with itself as it
was, once. What came and went in between is no news; what stayed is blamed on what brought it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.history import Blamed, Split, as_first_seen, carried, is_lost, parts_at, splitter
from reviewdeck.model import ABSENT, ActorKind, Cause, Observation, Revision
from reviewdeck.ports import Home, Ledger
from reviewdeck.text import rows as shown
from reviewdeck.text.diff import diff
from reviewdeck.text.hunks import Hunk
from reviewdeck.text.pairing import EDITED, likeness

HEADING_WITHIN: Final = 400
"""So many lines above a change are searched for the heading that it stands under."""

Sides = tuple[Blamed | None, Blamed | None]
"""What is gone, and what stands in its place: never neither."""

Start = Callable[[str], datetime | None]
"""From when on a document's changes are news; None: from when it was first looked at."""


@dataclass(frozen=True, slots=True)
class Row:
    """One part of a composed diff."""

    kind: str
    """added, removed or kept."""
    text: str
    by: Observation
    """What brought it; for a removed one, what took it away."""
    pair: str | None = None
    """For one that took another's place, or gave way to one: the text of that other one."""


class LessonKind(StrEnum):
    """What a lesson does to a document."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing that was learnt: an entry of a memory, or lines that came together."""

    kind: LessonKind
    before: tuple[str, ...]
    """The parts that are gone."""
    after: tuple[str, ...]
    """The parts that stand in their place."""
    by: Observation
    at: int
    """Where it begins among the parts of the document as it is now."""
    under: str = ""
    """The heading that it stands under; empty for a memory."""

    @property
    def size(self) -> int:
        """How many parts it is about."""
        return max(len(self.before), len(self.after))


@dataclass(frozen=True, slots=True)
class Tally:
    """How much was learnt, by what it did and by who let it in. Entries, or lines."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    automatic: int = 0
    operator: int = 0
    outside: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.added + self.changed + self.removed

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.added + other.added,
            self.changed + other.changed,
            self.removed + other.removed,
            self.automatic + other.automatic,
            self.operator + other.operator,
            self.outside + other.outside,
        )


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything that happened to one document since a moment, as one diff."""

    home: str
    document: str
    before: Revision
    after: Revision
    rows: tuple[Row, ...]
    lessons: tuple[Lesson, ...] = ()
    is_memory: bool = False
    since: datetime | None = None
    """From when on; None: since it was first looked at."""

    @property
    def tally(self) -> Tally:
        """How much it is."""
        return sum(map(_tally, self.lessons), Tally())


def learnt(
    ledger: Ledger, home: Home, start: Start, *, only: Container[str] | None = None
) -> list[Learnt]:
    """One composed, blamed diff for each document that changed since its own moment.

    With `only`, for these documents. The lane of the deck and `reviewdeck since` both show what
    this gives.
    """
    found: list[Learnt] = []
    for path, latest in sorted(ledger.latest(home.id).items()):
        moment = start(path)
        if only is not None and path not in only:
            continue
        if moment is not None and latest.at <= moment:
            continue
        divided = _divided(ledger.observations(home.id, path), moment)
        earlier, news = _from_what_is_kept(ledger, *divided)
        if news and (one := _learnt(ledger, home, path, earlier, news)):
            found.append(replace(one, since=moment))
    return found


def _divided(
    observations: Sequence[Observation], moment: datetime | None
) -> tuple[list[Observation], list[Observation]]:
    """What was known at a moment, and what came after. What our first look found is no news."""
    earlier: list[Observation] = []
    news: list[Observation] = []
    for observation in observations:
        is_news = observation.cause is not Cause.SEEN
        is_later = moment is None or observation.at > moment
        (news if is_news and is_later else earlier).append(observation)
    return earlier, news


def _from_what_is_kept(
    ledger: Ledger, earlier: list[Observation], news: list[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """When the text to begin with is gone, the first one that is kept takes its place."""
    while earlier and news and is_lost(ledger, earlier[-1]):
        earlier = [as_first_seen(news[0])]
        news = news[1:]
    return earlier, news


def _learnt(
    ledger: Ledger,
    home: Home,
    path: str,
    earlier: Sequence[Observation],
    news: Sequence[Observation],
) -> Learnt | None:
    split = splitter(home, path)
    before = earlier[-1].revision if earlier else ABSENT
    old = [Blamed(text, earlier[-1]) for text in parts_at(ledger, before, split)] if earlier else []
    new, gone = _replayed(ledger, old, news, split)
    hunks = diff([part.text for part in old], [part.text for part in new])
    if not hunks:
        return None
    is_memory = home.snapshot().budget(path) is not None
    work = _Composing(old, new, gone, news[-1], is_memory, path.endswith(".md"))
    changes = [tuple(work.sides(hunk)) for hunk in hunks]
    lessons = [
        lesson
        for hunk, sides in zip(hunks, changes, strict=True)
        for lesson in work.lessons(hunk, sides)
    ]
    return Learnt(
        home.id,
        path,
        before,
        news[-1].revision,
        tuple(work.rows(hunks, changes)),
        tuple(lessons),
        is_memory,
    )


def _replayed(
    ledger: Ledger, old: Sequence[Blamed], news: Sequence[Observation], split: Split
) -> tuple[list[Blamed], dict[str, Observation]]:
    """The parts as they are now, and what took away those that are not there any more."""
    parts, gone = list(old), dict[str, Observation]()
    for observation in news:
        texts = parts_at(ledger, observation.revision, split)
        there = set(texts)
        gone |= {part.text: observation for part in parts if part.text not in there}
        parts = carried(parts, texts, observation)
    return parts, gone


@dataclass(slots=True)
class _Run:
    """A lesson in the making."""

    by: Observation | None = None
    at: int = 0
    under: str = ""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def lesson(self) -> Lesson:
        """What it has become."""
        if self.by is None:
            raise ValueError("nothing was learnt")
        kind = LessonKind.CHANGED
        if not self.before:
            kind = LessonKind.ADDED
        elif not self.after:
            kind = LessonKind.REMOVED
        return Lesson(kind, tuple(self.before), tuple(self.after), self.by, self.at, self.under)


@dataclass(frozen=True, slots=True)
class _Composing:
    """A document as it was and as it is, with who brought what."""

    old: Sequence[Blamed]
    new: Sequence[Blamed]
    gone: dict[str, Observation]
    last: Observation
    is_memory: bool
    has_headings: bool

    def sides(self, hunk: Hunk) -> Iterator[Sides]:
        """What a hunk takes away and brings, what was edited beside what it was."""
        old, new = self.old[hunk.a_start : hunk.a_end], self.new[hunk.b_start : hunk.b_end]
        a, b = ([f"{part.text}\n" for part in side] for side in (old, new))
        for row in shown.rows(a, b, [Hunk(0, len(a), 0, len(b))], 0):
            left = None if row.left_at is None else old[row.left_at]
            right = None if row.right_at is None else new[row.right_at]
            if left and right and not self._is_edit(left, right):
                yield left, None
                yield None, right
            else:
                yield left, right

    def rows(self, hunks: Sequence[Hunk], changes: Sequence[Sequence[Sides]]) -> Iterator[Row]:
        """The whole document, kept parts included."""
        at = 0
        for hunk, sides in zip(hunks, changes, strict=True):
            kept = self.old[at : hunk.a_start]
            yield from (Row("kept", one.text, one.brought_by) for one in kept)
            for left, right in sides:
                if left is not None:
                    pair = right.text if right else None
                    yield Row("removed", left.text, self._took(left), pair)
                if right is not None:
                    yield Row("added", right.text, right.brought_by, left.text if left else None)
            at = hunk.a_end
        yield from (Row("kept", one.text, one.brought_by) for one in self.old[at:])

    def lessons(self, hunk: Hunk, sides: Sequence[Sides]) -> Iterator[Lesson]:
        """The lessons of one hunk: lines that one thing brought together are one."""
        at, run = hunk.b_start, _Run()
        for left, right in sides:
            by = self._took(left) if right is None and left else (right or self.new[at]).brought_by
            if run.by is not None and (self.is_memory or run.by != by):
                yield run.lesson()
                run = _Run()
            if run.by is None:
                run = _Run(by, at, "" if self.is_memory else self._heading(at))
            run.before += [left.text] if left else []
            run.after += [right.text] if right else []
            at += right is not None
        if run.by is not None:
            yield run.lesson()

    def _is_edit(self, left: Blamed, right: Blamed) -> bool:
        """Whether an entry became another. Lines that stand in each other's place always did."""
        if not self.is_memory or self._took(left) == right.brought_by:
            return True
        return likeness(left.text, right.text, EDITED) > 0

    def _took(self, part: Blamed) -> Observation:
        return self.gone.get(part.text, self.last)

    def _heading(self, at: int) -> str:
        """The nearest heading above a line; none for the whole document."""
        if not self.has_headings or at == 0:
            return ""
        for index in range(min(at, len(self.new) - 1), max(-1, at - HEADING_WITHIN), -1):
            text = self.new[index].text
            if text.startswith("#"):
                return text.lstrip("# ").strip()
        return ""


def _tally(lesson: Lesson) -> Tally:
    gone, came, size = len(lesson.before), len(lesson.after), lesson.size
    kind = lesson.by.actor.kind if lesson.by.actor and lesson.by.cause is Cause.OPERATION else None
    return Tally(
        added=max(0, came - gone),
        changed=min(came, gone),
        removed=max(0, gone - came),
        automatic=size if kind is ActorKind.POLICY else 0,
        operator=size if kind is ActorKind.OPERATOR else 0,
        outside=size if lesson.by.cause is Cause.OUTSIDE else 0,
    )
