"""An agent's changes since a moment, as one composed, blamed diff per document; and the marks.

However many operations, undos and hand edits there were, a document is compared with itself as it
was, once. What was added and removed in between is left out; what remains is blamed on what added
it. An operator marks changes as seen, and the log keeps the mark.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from reviewdeck.engine.archives import archive_of
from reviewdeck.engine.history import (
    Blamed,
    BlamedText,
    Split,
    is_pruned,
    parts_at,
    questions_of_contents,
    split_of,
    without_author,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ABSENT, ActorKind, Cause, Marks, Observation, Revision, became
from reviewdeck.model.changes import ComposedPart, DocumentChanges, PartChange, PartChangeKind
from reviewdeck.ports import Home, Snapshot
from reviewdeck.text import rows as shown
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import EDITED, likeness
from reviewdeck.text.hunks import Hunk
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.context import EngineContext

Sides = tuple[Blamed | None, Blamed | None]
"""A removed part and the part in its place; at least one of them."""

Start = Callable[[str], datetime | None]
"""Gives since when a document's changes are new; None: since its first observation."""


def changes_since(
    ledger: Ledger,
    home: Home,
    start: Start,
    *,
    only: Container[str] | None = None,
    rows: bool = True,
) -> list[DocumentChanges]:
    """One composed, blamed diff for each document that changed since its own moment.

    With `only`, for these documents; without `rows`, its lessons alone. The lane of the deck and
    `reviewdeck since` both show what this gives.
    """
    return list(each_change(ledger, home, start, only=only, rows=rows))


def each_change(
    ledger: Ledger,
    home: Home,
    start: Start,
    *,
    only: Container[str] | None = None,
    rows: bool = True,
) -> Iterator[DocumentChanges]:
    """The same, one document at a time: for those that need not fit into memory together."""
    snapshot = home.snapshot()
    starts = {
        path: moment
        for path, latest in sorted(ledger.latest(home.id).items())
        if (moment := start(path)) is None or latest.at > moment
        if only is None or path in only
    }
    with ledger.at_once():
        ledger.foresee(partial(ledger.observations, home.id, path) for path in starts)
        seen = {path: ledger.observations(home.id, path) for path in starts}
    for path, moment in starts.items():
        earlier, news = _split_at(seen[path], moment)
        is_memory = snapshot.has_entries(path)
        with ledger.at_once():
            ledger.foresee(questions_of_contents(ledger, (*earlier[-1:], *news)))
            earlier, news = _skip_pruned(ledger, earlier, news)
            composing = _compose(ledger, earlier, news, is_memory=is_memory) if news else None
        if composing is not None:
            document = composing.learnt(home.id, moment, rows=rows)
            archive = _archive_of(ledger, home, snapshot, document)
            yield replace(document, archived=archive)


def unseen_counts(
    ledger: Ledger, home: Home, *, only: Container[str] | None = None
) -> dict[str, int]:
    """By document, the number of lessons that nobody has marked seen and no operator let in.

    Changes that are pending review do not count.
    """
    every = changes_since(ledger, home, ledger.marks(home.id).of, only=only, rows=False)
    waiting = waiting_since(ledger, home.id)
    return {
        news.document: sum(
            not _is_an_operators(by) and not _is_waiting(by, waiting.get(news.document))
            for by, _ in news.added_by
        )
        for news in every
    }


def waiting_since(ledger: Ledger, home: str) -> dict[str, datetime]:
    """By document changed outside review, since when the change is pending."""
    return {
        change.path: proposal.created_at
        for proposal in ledger.outside(home)
        for change in proposal.outside
        if proposal.created_at is not None
    }


def _is_waiting(by: Observation, since: datetime | None) -> bool:
    return by.cause is Cause.OUTSIDE and since is not None and by.at >= since


def _is_an_operators(by: Observation) -> bool:
    who = by.actor if by.cause is Cause.OPERATION else by.claimant
    return who is not None and who.kind is ActorKind.OPERATOR


def _archive_of(ledger: Ledger, home: Home, snapshot: Snapshot, news: DocumentChanges) -> str:
    """The directory to which a removed document was archived unchanged; empty for none."""
    if news.after != ABSENT:
        return ""
    observations = reversed(ledger.observations(home.id, news.document))
    revisions = (observation.revision for observation in observations)
    before = next((revision for revision in revisions if revision != ABSENT), ABSENT)
    return archive_of(home, snapshot, news.document, before) or ""


def _split_at(
    observations: Sequence[Observation], moment: datetime | None
) -> tuple[list[Observation], list[Observation]]:
    """The observations up to a moment, and those after it. A first observation is no change."""
    earlier: list[Observation] = []
    news: list[Observation] = []
    for observation in observations:
        is_news = observation.cause is not Cause.SEEN
        is_later = moment is None or observation.at > moment
        (news if is_news and is_later else earlier).append(observation)
    return earlier, news


def _skip_pruned(
    ledger: Ledger, earlier: list[Observation], news: list[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """Skips revisions whose text was pruned: the first stored one takes their place."""
    while earlier and news and is_pruned(ledger, earlier[-1]):
        earlier = [without_author(news[0])]
        news = news[1:]
    return earlier, news


def _compose(
    ledger: Ledger, earlier: Sequence[Observation], news: Sequence[Observation], *, is_memory: bool
) -> _Composing | None:
    """The document then and now; None when both are the same."""
    split = split_of(is_memory=is_memory)
    before = earlier[-1].revision if earlier else ABSENT
    texts = parts_at(ledger, before, split) if earlier else ()
    old = BlamedText(texts, [earlier[-1]] * len(texts) if earlier else [])
    new, removed_by, hunks = _replay(ledger, old, news, split)
    if len(news) > 1:
        hunks = diff(old.texts, new.texts)
    modes, mode_by = _mode_change(earlier, news)
    if not hunks and modes is None:
        return None
    return _Composing(before, old, new, removed_by, news[-1], hunks, is_memory, modes, mode_by)


def _mode_change(
    earlier: Sequence[Observation], news: Sequence[Observation]
) -> tuple[tuple[int, int] | None, Observation | None]:
    """The modes then and now, where who may execute it changed, and the observation since when."""
    modes = [
        (observation.mode, observation)
        for observation in (*earlier[-1:], *news)
        if observation.mode is not None
    ]
    if news[-1].revision == ABSENT or not modes or not became(modes[0][0], modes[-1][0]):
        return None, None
    turns = [then for was, then in pairwise(modes) if became(was[0], then[0])]
    return (modes[0][0], modes[-1][0]), turns[-1][1]


def _replay(
    ledger: Ledger, old: BlamedText, news: Sequence[Observation], split: Split
) -> tuple[BlamedText, dict[str, Observation], list[Hunk]]:
    parts, removed_by, hunks = old, dict[str, Observation](), list[Hunk]()
    for observation in news:
        texts = parts_at(ledger, observation.revision, split)
        remaining = set(texts)
        removed_by |= {text: observation for text in parts.texts if text not in remaining}
        hunks = diff(parts.texts, texts)
        parts = parts.followed(hunks, texts, observation)
    return parts, removed_by, hunks


@dataclass(slots=True)
class _Run:
    """A lesson under construction."""

    by: Observation | None = None
    at: int = 0
    under: str = ""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def lesson(self) -> PartChange:
        if self.by is None:
            raise ValueError("nothing was learnt")
        kind = PartChangeKind.CHANGED
        if not self.before:
            kind = PartChangeKind.ADDED
        elif not self.after:
            kind = PartChangeKind.REMOVED
        return PartChange(kind, tuple(self.before), tuple(self.after), self.by, self.at, self.under)


@dataclass(frozen=True, slots=True)
class _Composing:
    """A document then and now, with the authors of its parts."""

    before: Revision
    old: BlamedText
    new: BlamedText
    removed_by: dict[str, Observation]
    last: Observation
    hunks: Sequence[Hunk]
    is_memory: bool
    modes: tuple[int, int] | None
    mode_by: Observation | None

    def learnt(self, home: str, since: datetime | None, *, rows: bool) -> DocumentChanges:
        """The composed diff with its lessons."""
        changes = [tuple(self.sides(hunk)) for hunk in self.hunks]
        headings = self._headings()
        lessons = [
            change
            for hunk, sides in zip(self.hunks, changes, strict=True)
            for change in self.lessons(hunk, sides, headings)
        ]
        return DocumentChanges(
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
        """The removed and added parts of a hunk, edited parts in pairs."""
        old = self.old.between(hunk.a_start, hunk.a_end)
        new = self.new.between(hunk.b_start, hunk.b_end)
        if len(old) == len(new) == 1 and self._is_edit(old[0], new[0]):
            yield old[0], new[0]
            return
        a, b = ([f"{part.text}\n" for part in side] for side in (old, new))
        for row in shown.rows(a, b, [Hunk(0, len(a), 0, len(b))], 0):
            old_part = None if row.left_at is None else old[row.left_at]
            right = None if row.right_at is None else new[row.right_at]
            if old_part and right and not self._is_edit(old_part, right):
                yield old_part, None
                yield None, right
            else:
                yield old_part, right

    def rows(self, changes: Sequence[Sequence[Sides]]) -> Iterator[ComposedPart]:
        """The whole document, kept parts included."""
        at = 0
        for hunk, sides in zip(self.hunks, changes, strict=True):
            kept_parts = self.old.between(at, hunk.a_start)
            yield from (ComposedPart("kept", part.text, part.added_by) for part in kept_parts)
            for left, right in sides:
                if left is not None:
                    pair = right.text if right else None
                    yield ComposedPart("removed", left.text, self._remover(left), pair)
                if right is not None:
                    yield ComposedPart(
                        "added", right.text, right.added_by, left.text if left else None
                    )
            at = hunk.a_end
        yield from (ComposedPart("kept", part.text, part.added_by) for part in self.old.between(at))

    def lessons(
        self, hunk: Hunk, sides: Sequence[Sides], headings: Sequence[int]
    ) -> Iterator[PartChange]:
        """The lessons of one hunk: adjacent lines of one observation are one lesson."""
        at, run = hunk.b_start, _Run()
        for left, right in sides:
            by = self._remover(left) if right is None and left else (right or self.new[at]).added_by
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
        """Whether an entry was edited into another. Lines in each other's place always were."""
        if not self.is_memory or self._remover(left) == right.added_by:
            return True
        return likeness(left.text, right.text, EDITED) > 0

    def _remover(self, part: Blamed) -> Observation:
        return self.removed_by.get(part.text, self.last)

    def _headings(self) -> Sequence[int]:
        """The places of a document's headings; none for a memory."""
        if self.is_memory or not self.last.path.endswith(".md"):
            return ()
        return [at for at, text in enumerate(self.new.texts) if text.startswith("#")]

    def _heading(self, at: int, headings: Sequence[int]) -> str:
        """The nearest heading above a line; none for the whole document."""
        index = bisect_right(headings, at) - 1
        return self.new.texts[headings[index]].lstrip("# ").strip() if index >= 0 and at else ""


def mark(engine: EngineContext, home: Home, marks: Marks) -> None:
    """Stores until when an operator has seen the changes of a home.

    A mark hides changes outside review, so only an operator may set it, and it never covers the
    future. Raises NotPermitted.
    """
    operator, now = engine.operator(), engine.now()
    before = engine.ledger.marks(home.id)
    latest = engine.ledger.latest(home.id)
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
    engine.ledger.put_marks(home.id, marks, operator, now, engine.authority.attest, outside=fresh)
