"""An agent's changes as cards: a heading for each document, a card for each lesson. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from reviewdeck.model import Cause
from reviewdeck.model.changes import DocumentChanges, PartChange, PartChangeKind
from reviewdeck.presentation.changes import (
    LearnedTotals,
    approval_words,
    author_words,
    change_summary,
    conversation_words,
    title_of,
)
from reviewdeck.presentation.proposal_words import local_minute, local_time
from reviewdeck.presentation.words import age_of, count, one_line
from reviewdeck.text.redact import redact
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

    document: DocumentChanges
    change: PartChange | None
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
    for document in sorted(
        changes.documents, key=lambda other: (other.home, not other.is_memory, other.document)
    ):
        id = f"{document.home}\n{document.document}"
        cards.append(_heading(id, document, changes, opened))
        spots[id] = Spot(document, None)
        lessons = document.changes if id in opened else document.changes[:MOST_LESSONS]
        under = ""
        for change in lessons:
            card_id = _id(id, change, spots)
            spots[card_id] = Spot(document, change)
            is_news = change.under != under
            cards.append(
                _card(card_id, spots[card_id], changes, now, card_id in opened, with_under=is_news)
            )
            under = change.under
        if len(lessons) < len(document.changes):
            more = f"… {len(document.changes) - len(lessons):,} more changes: enter on the heading"
            cards.append(Card("", (Leaf(more, "quiet"),)))
    return CardListing(tuple(cards) or _empty_state(changes), spots)


def headline(changes: ChangesView) -> str:
    """A summary in one sentence."""
    totals = LearnedTotals()
    for document in changes.documents:
        totals.add(document)
    return str(totals) if changes.documents else "Nothing new"


def since_words(changes: ChangesView) -> str:
    """The beginning of the period, in words."""
    if changes.span is not Period.UNSEEN:
        return str(changes.span)
    times = [marks.everything for marks in changes.marks.values() if marks.everything is not None]
    return f"since {local_minute(min(times))}" if times else "since reviewdeck first looked"


def _heading(
    id: str, document: DocumentChanges, changes: ChangesView, opened: Collection[str]
) -> Card:
    home = f"{changes.homes.get(document.home, document.home)}: " if len(changes.homes) > 1 else ""
    title = Leaf(f"{home}{title_of(document.document)}", "heading", strong=True)
    leaves = [title, Leaf(Ours(change_summary(document, changes.you)), "quiet")]
    if id in opened:
        leaves.append(
            Leaf(
                Ours(
                    f"{redact(document.document)}, {document.before[:12]} to {document.after[:12]}"
                ),
                "quiet",
            )
        )
    return Card(id, tuple(leaves), rule="─", gap=True)


def _card(
    id: str, spot: Spot, changes: ChangesView, now: datetime, is_open: bool, *, with_under: bool
) -> Card:
    document, change = spot.document, spot.change
    if change is None:
        raise ValueError("a heading is no lesson")
    leaves = tuple(_body(change, document, is_open=is_open))
    if change.under and with_under:
        leaves = (Leaf(f"in “{change.under}”", "quiet"), *leaves)
    if is_open:
        leaves += tuple(_details(change, changes))
    return Card(id, leaves, tuple(_aside(document, change, changes, now)))


def _body(change: PartChange, document: DocumentChanges, *, is_open: bool) -> Iterator[Leaf]:
    if document.is_memory and change.kind is PartChangeKind.CHANGED:
        yield from _rewording(change.before[0], change.after[0])
        return
    is_even = len(change.before) == len(change.after)
    pairs = [marks(a, b) if is_even else ((), ()) for a, b in _pairs(change)]
    lines: list[Leaf] = []
    for at, text in enumerate(change.before):
        own = pairs[at][0] if is_even else ()
        removed = Leaf(text, "removed", "-", own, "removed-mark")
        lines += _lines(Leaf(text, "quiet", " ") if document.archived else removed)
    for at, text in enumerate(change.after):
        own = pairs[at][1] if is_even else ()
        lines += _lines(Leaf(text, "added", "+", own, "added-mark"))
    kept_lines = lines if is_open or len(lines) <= MOST_LINES + 1 else _first_lines(lines)
    yield from kept_lines
    if len(kept_lines) < len(lines):
        yield Leaf(f"… {count(len(lines) - len(kept_lines), 'more line')}: enter opens", "quiet")


def _pairs(change: PartChange) -> Iterator[tuple[str, str]]:
    if len(change.before) == len(change.after):
        yield from zip(change.before, change.after, strict=True)


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
    at = 0
    for number, line in enumerate(leaf.text.split("\n")):
        own = tuple(
            Mark(max(0, mark.start - at), min(len(line), mark.end - at))
            for mark in leaf.marks
            if mark.start < at + len(line) and mark.end > at
        )
        yield replace(leaf, text=line, marks=own, sign=leaf.sign if number == 0 else " ")
        at += len(line) + 1


def _aside(
    document: DocumentChanges, change: PartChange, changes: ChangesView, now: datetime
) -> Iterator[Leaf]:
    by = change.by
    way = approval_words(by, changes.you)
    tone = {"automatic": "ready", "outside review": "flag"}.get(way, "draft")
    who = author_words(by, changes.authors, changes.you)
    yield Leaf(Ours(f"{who} · {age_of(by.at, now)} ago"), tone)
    if talk := conversation_words(by, changes.authors):
        yield Leaf(talk, "quiet")
    if (draft := changes.draft_of(document, change)) is not None:
        yield Leaf(f"R drafted: {draft.reason}", "draft")


def _details(change: PartChange, changes: ChangesView) -> Iterator[Leaf]:
    by = change.by
    parts = [local_time(by.at)]
    if by.cause is Cause.OPERATION:
        parts += [f"operation {by.operation}", f"proposal {by.proposal}"]
    author = changes.authors.get(by.proposal or "")
    if author is not None:
        parts.append(f"proposed by {one_line(author.origin)}")
    yield Leaf(Ours(", ".join(parts)), "quiet")


def _id(above: str, change: PartChange, spots: dict[str, Spot]) -> str:
    """A card id that stays the same when other lessons come and go."""
    id = f"{above}\n{hash((change.before, change.after))}"
    while id in spots:
        id += "'"
    return id


def _empty_state(changes: ChangesView) -> tuple[Card, ...]:
    words = f"Nothing was learned, {since_words(changes)}."
    if changes.span is Period.UNSEEN:
        words = f"Nothing new {since_words(changes)}: you have seen everything."
    hint = "s looks further back: a day, a week, all time. 1 shows what is waiting for you."
    return (Card("", (Leaf(words, "heading", strong=True), Leaf(hint, "quiet")), gap=True),)
