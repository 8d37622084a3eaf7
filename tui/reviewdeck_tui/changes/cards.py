"""An agent's changes as cards: a heading for each document, a card for each lesson. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from reviewdeck.engine.changes import Learnt, Lesson, LessonKind, Tally
from reviewdeck.model import Cause
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.changes import amounts, learnt_words, talk_words, way_of, who_words
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.presentation.words import age_of, count, one_line
from reviewdeck.text.words import Mark, marks
from reviewdeck_tui.changes.history import ChangesView, Period
from reviewdeck_tui.proposal.panes import Ours
from reviewdeck_tui.widgets.cards import Card, Leaf

MOST_LINES: Final = 6
"""Lines of a folded lesson."""
MOST_LESSONS: Final = 200
"""Lessons of a folded document."""
WAS: Final = "was: "
_FENCE: Final = re.compile(r"(?:---|name: .*)?")


@dataclass(frozen=True, slots=True)
class Spot:
    """The document or lesson that a card shows."""

    learnt: Learnt
    lesson: Lesson | None
    """None for the document's heading."""


@dataclass(frozen=True, slots=True)
class CardListing:
    """The cards, and by card id the document or lesson that each shows."""

    cards: tuple[Card, ...]
    spots: dict[str, Spot]


def list_changes(changes: ChangesView, opened: Collection[str], now: datetime) -> CardListing:
    """The changes as cards, document by document, memories first."""
    spots: dict[str, Spot] = {}
    cards: list[Card] = []
    for learnt in sorted(
        changes.documents, key=lambda other: (other.home, not other.is_memory, other.document)
    ):
        id = f"{learnt.home}\n{learnt.document}"
        cards.append(_heading(id, learnt, changes, opened))
        spots[id] = Spot(learnt, None)
        lessons = learnt.lessons if id in opened else learnt.lessons[:MOST_LESSONS]
        under = ""
        for lesson in lessons:
            card_id = _id(id, lesson, spots)
            spots[card_id] = Spot(learnt, lesson)
            is_news = lesson.under != under
            cards.append(
                _card(card_id, spots[card_id], changes, now, card_id in opened, with_under=is_news)
            )
            under = lesson.under
        if len(lessons) < len(learnt.lessons):
            more = f"… {len(learnt.lessons) - len(lessons):,} more changes: enter on the heading"
            cards.append(Card("", (Leaf(more, "quiet"),)))
    return CardListing(tuple(cards) or _empty_state(changes), spots)


def headline(changes: ChangesView) -> str:
    """A summary in one sentence."""
    if not changes.documents:
        return "Nothing new"
    parts = []
    for is_memory, unit in ((True, "fact"), (False, "line")):
        documents = [document for document in changes.documents if document.is_memory is is_memory]
        tally = sum((learnt.tally for learnt in documents), Tally())
        if tally.total:
            where = "" if is_memory else f" in {count(len(documents), 'skill file')}"
            parts.append(amounts(tally, unit) + where)
    if mode_changes := [learnt.became for learnt in changes.documents if learnt.became]:
        parts.append(f"{count(len(mode_changes), 'file')} {' or '.join(sorted(set(mode_changes)))}")
    return "; ".join(parts)


def since_words(changes: ChangesView) -> str:
    """The beginning of the period, in words."""
    if changes.span is not Period.UNSEEN:
        return str(changes.span)
    times = [marks.everything for marks in changes.marks.values() if marks.everything is not None]
    return f"since {at_local(min(times))[:16]}" if times else "since reviewdeck first looked"


def title_of(document: str) -> str:
    """A document's short name for people."""
    first, _, path = document.partition("/")
    if first == "memories":
        return path
    if document.endswith("/SKILL.md"):
        archived = "archived " if "/.archive/" in document else ""
        return f"{archived}skill {document.split('/')[-2]}"
    return path if first == "skills" else document


def _heading(id: str, learnt: Learnt, changes: ChangesView, opened: Collection[str]) -> Card:
    home = f"{changes.homes.get(learnt.home, learnt.home)}: " if len(changes.homes) > 1 else ""
    title = Leaf(f"{home}{title_of(learnt.document)}", "heading", strong=True)
    leaves = [title, Leaf(Ours(learnt_words(learnt, changes.you)), "quiet")]
    if id in opened:
        leaves.append(
            Leaf(
                Ours(f"{redact(learnt.document)}, {learnt.before[:12]} to {learnt.after[:12]}"),
                "quiet",
            )
        )
    return Card(id, tuple(leaves), rule="─", gap=True)


def _card(
    id: str, spot: Spot, changes: ChangesView, now: datetime, is_open: bool, *, with_under: bool
) -> Card:
    learnt, lesson = spot.learnt, spot.lesson
    if lesson is None:
        raise ValueError("a heading is no lesson")
    leaves = tuple(_body(lesson, learnt, is_open=is_open))
    if lesson.under and with_under:
        leaves = (Leaf(f"in “{lesson.under}”", "quiet"), *leaves)
    if is_open:
        leaves += tuple(_details(lesson, changes))
    return Card(id, leaves, tuple(_aside(learnt, lesson, changes, now)))


def _body(lesson: Lesson, learnt: Learnt, *, is_open: bool) -> Iterator[Leaf]:
    if learnt.is_memory and lesson.kind is LessonKind.CHANGED:
        yield from _rewording(lesson.before[0], lesson.after[0])
        return
    is_even = len(lesson.before) == len(lesson.after)
    pairs = [marks(a, b) if is_even else ((), ()) for a, b in _pairs(lesson)]
    lines: list[Leaf] = []
    for at, text in enumerate(lesson.before):
        own = pairs[at][0] if is_even else ()
        removed = Leaf(text, "removed", "-", own, "removed-mark")
        lines += _lines(Leaf(text, "quiet", " ") if learnt.archived else removed)
    for at, text in enumerate(lesson.after):
        own = pairs[at][1] if is_even else ()
        lines += _lines(Leaf(text, "added", "+", own, "added-mark"))
    kept_lines = lines if is_open or len(lines) <= MOST_LINES + 1 else _first_lines(lines)
    yield from kept_lines
    if len(kept_lines) < len(lines):
        yield Leaf(f"… {count(len(lines) - len(kept_lines), 'more line')}: enter opens", "quiet")


def _pairs(lesson: Lesson) -> Iterator[tuple[str, str]]:
    if len(lesson.before) == len(lesson.after):
        yield from zip(lesson.before, lesson.after, strict=True)


def _first_lines(lines: Sequence[Leaf]) -> list[Leaf]:
    """The first lines with content, skipping fences and the name of a front matter."""
    telling = [leaf for leaf in lines if not _FENCE.fullmatch(leaf.text.strip())]
    return telling[:MOST_LINES]


def _rewording(old: str, new: str) -> Iterator[Leaf]:
    """The new entry and the old one, whole, with the words that changed marked."""
    left, right = marks(old, new)
    now = Leaf(new, "text", "~", right, "added-mark")
    moved_marks = tuple(Mark(mark.start + len(WAS), mark.end + len(WAS)) for mark in left)
    yield from _lines(now)
    yield from _lines(Leaf(WAS + old, "quiet", " ", moved_marks, "removed-mark"))


def _lines(leaf: Leaf) -> Iterator[Leaf]:
    """A leaf for each line of a text, with its marks."""
    at = 0
    for number, line in enumerate(leaf.text.split("\n")):
        own = tuple(
            Mark(max(0, mark.start - at), min(len(line), mark.end - at))
            for mark in leaf.marks
            if mark.start < at + len(line) and mark.end > at
        )
        yield replace(leaf, text=line, marks=own, sign=leaf.sign if number == 0 else " ")
        at += len(line) + 1


def _aside(learnt: Learnt, lesson: Lesson, changes: ChangesView, now: datetime) -> Iterator[Leaf]:
    by = lesson.by
    way = way_of(by, changes.you)
    tone = {"automatic": "ready", "outside review": "flag"}.get(way, "draft")
    who = who_words(by, changes.authors, changes.you)
    yield Leaf(Ours(f"{who} · {age_of(by.at, now)} ago"), tone)
    if talk := talk_words(by, changes.authors):
        yield Leaf(talk, "quiet")
    if (draft := changes.draft_of(learnt, lesson)) is not None:
        yield Leaf(f"R drafted: {draft.reason}", "draft")


def _details(lesson: Lesson, changes: ChangesView) -> Iterator[Leaf]:
    by = lesson.by
    parts = [at_local(by.at)]
    if by.cause is Cause.OPERATION:
        parts += [f"operation {by.operation}", f"proposal {by.proposal}"]
    author = changes.authors.get(by.proposal or "")
    if author is not None:
        parts.append(f"asked for by {one_line(author.origin)}")
    yield Leaf(Ours(", ".join(parts)), "quiet")


def _id(above: str, lesson: Lesson, spots: dict[str, Spot]) -> str:
    """A card id that stays the same when other lessons come and go."""
    id = f"{above}\n{hash((lesson.before, lesson.after))}"
    while id in spots:
        id += "'"
    return id


def _empty_state(changes: ChangesView) -> tuple[Card, ...]:
    words = f"Nothing was learnt, {since_words(changes)}."
    if changes.span is Period.UNSEEN:
        words = f"Nothing new {since_words(changes)}: you have seen everything."
    hint = "s looks further back: a day, a week, all of it. 1 goes to what is waiting for you."
    return (Card("", (Leaf(words, "heading", strong=True), Leaf(hint, "quiet")), gap=True),)
