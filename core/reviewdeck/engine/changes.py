"""What an agent learnt since a moment: one composed, blamed diff per document; and the mark.

However many operations, undos and hand edits there were, a document is compared with itself as it
was, once. What came and went in between is left out; what remains is blamed on what added it. That
changes are seen is marked by an operator, and the log keeps it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from reviewdeck.engine.archives import archive_of
from reviewdeck.engine.history import Blamed, Split, as_first_seen, is_lost, parts_at, split_of
from reviewdeck.model import (
    ABSENT,
    Actor,
    Cause,
    Marks,
    Observation,
    Revision,
    became,
)
from reviewdeck.model.changes import ComposedPart, Learnt, Lesson, LessonKind, Tally
from reviewdeck.ports import Home, LedgerReader, Snapshot
from reviewdeck.text import rows as shown
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import EDITED, likeness
from reviewdeck.text.hunks import Hunk

if TYPE_CHECKING:
    from reviewdeck.engine.context import EngineContext

__all__ = ["ComposedPart", "Learnt", "Lesson", "LessonKind", "Start", "Tally", "learnt", "unseen"]

Sides = tuple[Blamed | None, Blamed | None]
"""What is gone, and what stands in its place: never neither."""

Start = Callable[[str], datetime | None]
"""From when on a document's changes are news; None: from when it was first looked at."""


def learnt(
    ledger: LedgerReader,
    home: Home,
    start: Start,
    *,
    only: Container[str] | None = None,
    rows: bool = True,
) -> list[Learnt]:
    """One composed, blamed diff for each document that changed since its own moment.

    With `only`, for these documents; without `rows`, its lessons alone. The lane of the deck and
    `reviewdeck since` both show what this gives.
    """
    found: list[Learnt] = []
    snapshot = home.snapshot()
    for path, latest in sorted(ledger.latest(home.id).items()):
        moment = start(path)
        if only is not None and path not in only:
            continue
        if moment is not None and latest.at <= moment:
            continue
        divided = _divided(ledger.observations(home.id, path), moment)
        earlier, news = _from_what_is_kept(ledger, *divided)
        is_memory = snapshot.has_entries(path)
        one = _composed(ledger, earlier, news, is_memory=is_memory) if news else None
        if one is not None:
            news_of_it = one.learnt(home.id, moment, rows=rows)
            found.append(replace(news_of_it, archived=_archive(ledger, home, snapshot, news_of_it)))
    return found


def unseen(
    ledger: LedgerReader, home: Home, you: Actor, *, only: Container[str] | None = None
) -> dict[str, int]:
    """How many lessons of each document nobody has marked seen, but for what you wrote.

    What waits for a review is none of them.
    """
    found = learnt(ledger, home, ledger.marks(home.id).of, only=only, rows=False)
    waiting = waiting_since(ledger, home.id)
    return {
        one.document: sum(
            not _is_own(by, you) and not _waits(by, waiting.get(one.document))
            for by, _ in one.brought_by
        )
        for one in found
    }


def waiting_since(ledger: LedgerReader, home: str) -> dict[str, datetime]:
    """By document that was changed outside review, since when that waits for one."""
    return {
        change.path: one.created_at
        for one in ledger.outside(home)
        for change in one.outside
        if one.created_at is not None
    }


def _waits(by: Observation, since: datetime | None) -> bool:
    return by.cause is Cause.OUTSIDE and since is not None and by.at >= since


def _is_own(by: Observation, you: Actor) -> bool:
    who = by.actor if by.cause is Cause.OPERATION else by.claimant
    return who is not None and (who.kind, who.name) == (you.kind, you.name)


def _archive(ledger: LedgerReader, home: Home, snapshot: Snapshot, one: Learnt) -> str:
    """Where a document that is gone was archived as it was; empty where it was not."""
    if one.after != ABSENT:
        return ""
    last = [seen.revision for seen in ledger.observations(home.id, one.document)]
    before = next((revision for revision in reversed(last) if revision != ABSENT), ABSENT)
    return archive_of(home, snapshot, one.document, before) or ""


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
    ledger: LedgerReader, earlier: list[Observation], news: list[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """When the text to begin with is gone, the first one that is kept takes its place."""
    while earlier and news and is_lost(ledger, earlier[-1]):
        earlier = [as_first_seen(news[0])]
        news = news[1:]
    return earlier, news


def _composed(
    ledger: LedgerReader,
    earlier: Sequence[Observation],
    news: Sequence[Observation],
    *,
    is_memory: bool,
) -> _Composing | None:
    """The document then and now; None when nothing of it differs."""
    split = split_of(is_memory=is_memory)
    before = earlier[-1].revision if earlier else ABSENT
    texts = parts_at(ledger, before, split) if earlier else ()
    old = _Version(texts, [earlier[-1]] * len(texts) if earlier else [])
    new, gone, hunks = _replayed(ledger, old, news, split)
    if len(news) > 1:
        hunks = diff(old.texts, new.texts)
    modes, mode_by = _of_mode(earlier, news)
    if not hunks and modes is None:
        return None
    return _Composing(before, old, new, gone, news[-1], hunks, is_memory, modes, mode_by)


def _of_mode(
    earlier: Sequence[Observation], news: Sequence[Observation]
) -> tuple[tuple[int, int] | None, Observation | None]:
    """The mode then and now, where who may execute it changed, and what changed it."""
    known = [(one.mode, one) for one in (*earlier[-1:], *news) if one.mode is not None]
    if news[-1].revision == ABSENT or not known or not became(known[0][0], known[-1][0]):
        return None, None
    turns = [then for was, then in pairwise(known) if became(was[0], then[0])]
    return (known[0][0], known[-1][0]), turns[-1][1]


@dataclass(frozen=True, slots=True)
class _Version:
    """A document with what brought each part. Two lists: long ones are made of nothing else."""

    texts: Sequence[str]
    by: Sequence[Observation]

    def __getitem__(self, at: int) -> Blamed:
        return Blamed(self.texts[at], self.by[at])

    def between(self, start: int, end: int | None = None) -> list[Blamed]:
        """Some of its parts."""
        return [Blamed(*one) for one in zip(self.texts[start:end], self.by[start:end], strict=True)]

    def followed(
        self, hunks: Sequence[Hunk], texts: Sequence[str], observation: Observation
    ) -> _Version:
        """The next one: what stayed keeps its author, the rest gets this one."""
        by: list[Observation] = []
        at = 0
        for hunk in hunks:
            by += self.by[at : hunk.a_start]
            by += [observation] * (hunk.b_end - hunk.b_start)
            at = hunk.a_end
        return _Version(texts, [*by, *self.by[at:]])


def _replayed(
    ledger: LedgerReader, old: _Version, news: Sequence[Observation], split: Split
) -> tuple[_Version, dict[str, Observation], list[Hunk]]:
    """The parts as they are now, what took away those that are gone, and the last difference."""
    parts, gone, hunks = old, dict[str, Observation](), list[Hunk]()
    for observation in news:
        texts = parts_at(ledger, observation.revision, split)
        there = set(texts)
        gone |= {text: observation for text in parts.texts if text not in there}
        hunks = diff(parts.texts, texts)
        parts = parts.followed(hunks, texts, observation)
    return parts, gone, hunks


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

    before: Revision
    old: _Version
    new: _Version
    gone: dict[str, Observation]
    last: Observation
    hunks: Sequence[Hunk]
    is_memory: bool
    modes: tuple[int, int] | None
    mode_by: Observation | None

    def learnt(self, home: str, since: datetime | None, *, rows: bool) -> Learnt:
        """All of it."""
        changes = [tuple(self.sides(hunk)) for hunk in self.hunks]
        headings = self._headings()
        lessons = [
            lesson
            for hunk, sides in zip(self.hunks, changes, strict=True)
            for lesson in self.lessons(hunk, sides, headings)
        ]
        return Learnt(
            home,
            self.last.path,
            self.before,
            self.last.revision,
            tuple(self.rows(changes)) if rows else (),
            tuple(lessons),
            self.is_memory,
            since,
            modes=self.modes,
            mode_by=self.mode_by,
        )

    def sides(self, hunk: Hunk) -> Iterator[Sides]:
        """What a hunk takes away and brings, what was edited beside what it was."""
        old = self.old.between(hunk.a_start, hunk.a_end)
        new = self.new.between(hunk.b_start, hunk.b_end)
        if len(old) == len(new) == 1 and self._is_edit(old[0], new[0]):
            yield old[0], new[0]
            return
        a, b = ([f"{part.text}\n" for part in side] for side in (old, new))
        for row in shown.rows(a, b, [Hunk(0, len(a), 0, len(b))], 0):
            left = None if row.left_at is None else old[row.left_at]
            right = None if row.right_at is None else new[row.right_at]
            if left and right and not self._is_edit(left, right):
                yield left, None
                yield None, right
            else:
                yield left, right

    def rows(self, changes: Sequence[Sequence[Sides]]) -> Iterator[ComposedPart]:
        """The whole document, kept parts included."""
        at = 0
        for hunk, sides in zip(self.hunks, changes, strict=True):
            kept = self.old.between(at, hunk.a_start)
            yield from (ComposedPart("kept", one.text, one.brought_by) for one in kept)
            for left, right in sides:
                if left is not None:
                    pair = right.text if right else None
                    yield ComposedPart("removed", left.text, self._took(left), pair)
                if right is not None:
                    yield ComposedPart(
                        "added", right.text, right.brought_by, left.text if left else None
                    )
            at = hunk.a_end
        yield from (ComposedPart("kept", one.text, one.brought_by) for one in self.old.between(at))

    def lessons(
        self, hunk: Hunk, sides: Sequence[Sides], headings: Sequence[int]
    ) -> Iterator[Lesson]:
        """The lessons of one hunk: lines that one thing brought together are one."""
        at, run = hunk.b_start, _Run()
        for left, right in sides:
            by = self._took(left) if right is None and left else (right or self.new[at]).brought_by
            if run.by is not None and (self.is_memory or run.by != by):
                yield run.lesson()
                run = _Run()
            if run.by is None:
                run = _Run(by, at, self._heading(at, headings))
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

    def _headings(self) -> Sequence[int]:
        """Where the headings are; none in what has none."""
        if self.is_memory or not self.last.path.endswith(".md"):
            return ()
        return [at for at, text in enumerate(self.new.texts) if text.startswith("#")]

    def _heading(self, at: int, headings: Sequence[int]) -> str:
        """The nearest heading above a line; none for the whole document."""
        index = bisect_right(headings, at) - 1
        return self.new.texts[headings[index]].lstrip("# ").strip() if index >= 0 and at else ""


def mark(context: EngineContext, home: Home, marks: Marks) -> None:
    """Remembers until when an operator has seen what was learnt in a home.

    A mark makes changes outside review old news, so it is taken from nobody who may not decide,
    and it covers nothing that is yet to come. Raises NotPermitted.
    """
    operator, now = context.operator(), context.now()
    before = context.ledger.marks(home.id)
    latest = context.ledger.latest(home.id)
    marks = marks.at_most(now)
    if marks == before:
        return
    outside = {
        path: last.revision
        for path, last in sorted(latest.items())
        if last.cause is Cause.OUTSIDE and marks.cover(path, last.at)
    }
    fresh = {
        path: revision
        for path, revision in outside.items()
        if not before.cover(path, latest[path].at)
    }
    context.ledger.put_marks(home.id, marks, operator, now, context.authority.attest, outside=fresh)
