"""What an agent learnt as cards: a heading for each document, one card for each lesson. Pure."""

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
"""Lines of a lesson that are shown before it is opened."""
MOST_LESSONS: Final = 200
"""Lessons of a document that are shown before it is opened."""
WAS: Final = "was: "
_FENCE: Final = re.compile(r"(?:---|name: .*)?")


@dataclass(frozen=True, slots=True)
class Spot:
    """What a card stands for."""

    one: Learnt
    lesson: Lesson | None
    """None for the heading of the document."""


@dataclass(frozen=True, slots=True)
class Told:
    """The cards, and what each stands for."""

    cards: tuple[Card, ...]
    spots: dict[str, Spot]


def tell(lore: ChangesView, opened: Collection[str], now: datetime) -> Told:
    """Everything that was learnt, document by document: memories first."""
    spots: dict[str, Spot] = {}
    cards: list[Card] = []
    for one in sorted(lore.found, key=lambda each: (each.home, not each.is_memory, each.document)):
        id = f"{one.home}\n{one.document}"
        cards.append(_heading(id, one, lore, opened))
        spots[id] = Spot(one, None)
        shown = one.lessons if id in opened else one.lessons[:MOST_LESSONS]
        under = ""
        for lesson in shown:
            below = _id(id, lesson, spots)
            spots[below] = Spot(one, lesson)
            is_news = lesson.under != under
            cards.append(_card(below, spots[below], lore, now, below in opened, with_under=is_news))
            under = lesson.under
        if len(shown) < len(one.lessons):
            more = f"… {len(one.lessons) - len(shown):,} more changes: enter on the heading"
            cards.append(Card("", (Leaf(more, "quiet"),)))
    return Told(tuple(cards) or _nothing(lore), spots)


def headline(lore: ChangesView) -> str:
    """Everything in one sentence."""
    if not lore.found:
        return "Nothing new"
    said = []
    for is_memory, unit in ((True, "fact"), (False, "line")):
        of_it = [one for one in lore.found if one.is_memory is is_memory]
        tally = sum((one.tally for one in of_it), Tally())
        if tally.total:
            where = "" if is_memory else f" in {count(len(of_it), 'skill file')}"
            said.append(amounts(tally, unit) + where)
    if modes := [one.became for one in lore.found if one.became]:
        said.append(f"{count(len(modes), 'file')} {' or '.join(sorted(set(modes)))}")
    return "; ".join(said)


def since_words(lore: ChangesView) -> str:
    """From when on the lane looks."""
    if lore.span is not Period.UNSEEN:
        return str(lore.span)
    marked = [one.everything for one in lore.marks.values() if one.everything is not None]
    return f"since {at_local(min(marked))[:16]}" if marked else "since reviewdeck first looked"


def title_of(document: str) -> str:
    """What a person calls a document."""
    first, _, rest = document.partition("/")
    if first == "memories":
        return rest
    if document.endswith("/SKILL.md"):
        archived = "archived " if "/.archive/" in document else ""
        return f"{archived}skill {document.split('/')[-2]}"
    return rest if first == "skills" else document


def _heading(id: str, one: Learnt, lore: ChangesView, opened: Collection[str]) -> Card:
    home = f"{lore.homes.get(one.home, one.home)}: " if len(lore.homes) > 1 else ""
    title = Leaf(f"{home}{title_of(one.document)}", "heading", strong=True)
    leaves = [title, Leaf(Ours(learnt_words(one, lore.you)), "quiet")]
    if id in opened:
        leaves.append(
            Leaf(Ours(f"{redact(one.document)}, {one.before[:12]} to {one.after[:12]}"), "quiet")
        )
    return Card(id, tuple(leaves), rule="─", gap=True)


def _card(
    id: str, spot: Spot, lore: ChangesView, now: datetime, is_open: bool, *, with_under: bool
) -> Card:
    one, lesson = spot.one, spot.lesson
    if lesson is None:
        raise ValueError("a heading is no lesson")
    leaves = tuple(_body(lesson, one, is_open=is_open))
    if lesson.under and with_under:
        leaves = (Leaf(f"in “{lesson.under}”", "quiet"), *leaves)
    if is_open:
        leaves += tuple(_details(lesson, lore))
    return Card(id, leaves, tuple(_aside(one, lesson, lore, now)))


def _body(lesson: Lesson, one: Learnt, *, is_open: bool) -> Iterator[Leaf]:
    if one.is_memory and lesson.kind is LessonKind.CHANGED:
        yield from _reworded(lesson.before[0], lesson.after[0])
        return
    is_even = len(lesson.before) == len(lesson.after)
    pairs = [marks(a, b) if is_even else ((), ()) for a, b in _paired(lesson)]
    lines: list[Leaf] = []
    for at, text in enumerate(lesson.before):
        own = pairs[at][0] if is_even else ()
        gone = Leaf(text, "removed", "-", own, "removed-mark")
        lines += _lines(Leaf(text, "quiet", " ") if one.archived else gone)
    for at, text in enumerate(lesson.after):
        own = pairs[at][1] if is_even else ()
        lines += _lines(Leaf(text, "added", "+", own, "added-mark"))
    shown = lines if is_open or len(lines) <= MOST_LINES + 1 else _gist(lines)
    yield from shown
    if len(shown) < len(lines):
        yield Leaf(f"… {count(len(lines) - len(shown), 'more line')}: enter opens", "quiet")


def _paired(lesson: Lesson) -> Iterator[tuple[str, str]]:
    if len(lesson.before) == len(lesson.after):
        yield from zip(lesson.before, lesson.after, strict=True)


def _gist(lines: Sequence[Leaf]) -> list[Leaf]:
    """The first lines that say something: a front matter's name and fences do not."""
    telling = [leaf for leaf in lines if not _FENCE.fullmatch(leaf.text.strip())]
    return telling[:MOST_LINES]


def _reworded(old: str, new: str) -> Iterator[Leaf]:
    """What it says now, and what it said: whole entries with the words that changed."""
    left, right = marks(old, new)
    now = Leaf(new, "text", "~", right, "added-mark")
    moved = tuple(Mark(mark.start + len(WAS), mark.end + len(WAS)) for mark in left)
    yield from _lines(now)
    yield from _lines(Leaf(WAS + old, "quiet", " ", moved, "removed-mark"))


def _lines(leaf: Leaf) -> Iterator[Leaf]:
    """A leaf for each line of a text, the marks moved along."""
    at = 0
    for number, line in enumerate(leaf.text.split("\n")):
        own = tuple(
            Mark(max(0, mark.start - at), min(len(line), mark.end - at))
            for mark in leaf.marks
            if mark.start < at + len(line) and mark.end > at
        )
        yield replace(leaf, text=line, marks=own, sign=leaf.sign if number == 0 else " ")
        at += len(line) + 1


def _aside(one: Learnt, lesson: Lesson, lore: ChangesView, now: datetime) -> Iterator[Leaf]:
    by = lesson.by
    way = way_of(by, lore.you)
    tone = {"automatic": "ready", "outside review": "flag"}.get(way, "draft")
    who = who_words(by, lore.known, lore.you)
    yield Leaf(Ours(f"{who} · {age_of(by.at, now)} ago"), tone)
    if talk := talk_words(by, lore.known):
        yield Leaf(talk, "quiet")
    if (draft := lore.draft_of(one, lesson)) is not None:
        yield Leaf(f"R drafted: {draft.reason}", "draft")


def _details(lesson: Lesson, lore: ChangesView) -> Iterator[Leaf]:
    by = lesson.by
    said = [at_local(by.at)]
    if by.cause is Cause.OPERATION:
        said += [f"operation {by.operation}", f"proposal {by.proposal}"]
    author = lore.known.get(by.proposal or "")
    if author is not None:
        said.append(f"asked for by {one_line(author.origin)}")
    yield Leaf(Ours(", ".join(said)), "quiet")


def _id(above: str, lesson: Lesson, taken: dict[str, Spot]) -> str:
    """A name that stays when other lessons come and go."""
    id = f"{above}\n{hash((lesson.before, lesson.after))}"
    while id in taken:
        id += "'"
    return id


def _nothing(lore: ChangesView) -> tuple[Card, ...]:
    said = f"Nothing was learnt, {since_words(lore)}."
    if lore.span is Period.UNSEEN:
        said = f"Nothing new {since_words(lore)}: you have seen everything."
    hint = "s looks further back: a day, a week, all of it. 1 goes to what is waiting for you."
    return (Card("", (Leaf(said, "heading", strong=True), Leaf(hint, "quiet")), gap=True),)
