"""A report as cards: the rows of `reviewdeck report` under its headings. Pure.

The texts of a report are redacted and inert already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Final

from reviewdeck.presentation.report import Decider, Memory, Report, ReportPart, summary_sentences
from reviewdeck.presentation.report_rows import ReportRow
from reviewdeck.presentation.sections import TITLES
from reviewdeck.presentation.words import age_of, count
from reviewdeck_tui.proposal.panes import Ours
from reviewdeck_tui.widgets.cards import Card, Leaf


class ShownPeriod(StrEnum):
    """The period that is shown."""

    DAY = "last 24 hours"
    WEEK = "last 7 days"
    MONTH = "last 4 weeks"

    @property
    def length(self) -> timedelta:
        return _LENGTHS[self]

    @property
    def option(self) -> str:
        """As the command takes it."""
        return _OPTIONS[self]


_LENGTHS: Final = {
    ShownPeriod.DAY: timedelta(days=1),
    ShownPeriod.WEEK: timedelta(weeks=1),
    ShownPeriod.MONTH: timedelta(weeks=4),
}
_OPTIONS: Final = {ShownPeriod.DAY: "1d", ShownPeriod.WEEK: "1w", ShownPeriod.MONTH: "4w"}
_WORDS: Final = {title.name: title.words for title in TITLES.values()}
_MOST_LINES: Final = 4
_BAR: Final = 24
_NEARLY_FULL: Final = 0.9


@dataclass(frozen=True, slots=True)
class ReportCards:
    """The cards, and by card id the row that each shows; none for a heading."""

    cards: tuple[Card, ...]
    rows: dict[str, ReportRow | None]


def report_cards(report: Report, now: datetime, command: str) -> ReportCards:
    """The report from top to bottom. `command` writes the same as a page."""
    rows: dict[str, ReportRow | None] = {}
    sentences = " ".join(summary_sentences(report))
    passed_on = Leaf(Ours(f"To pass on: {command}"), "quiet")
    cards: list[Card] = [Card("", (Leaf(Ours(sentences), strong=True), passed_on), gap=True)]
    for part, title in (
        (report.learned, "What was learned"),
        (report.stopped, "What was stopped"),
        (report.waiting, "What waits for a decision"),
    ):
        cards.append(_heading(title, f"{part.total:,}", rows))
        cards += _part(part, report, title, now, rows)
    cards.append(_heading("How full the memories are", "", rows))
    cards += [Card("", (_memory(memory, report),)) for memory in report.memories]
    cards.append(_heading("Who decided", "", rows))
    cards += [Card("", (_decider(decider),)) for decider in report.deciders]
    if not report.deciders:
        cards.append(Card("", (Leaf(Ours("Nobody decided anything in this period."), "quiet"),)))
    return ReportCards(tuple(cards), rows)


def _heading(title: str, amount: str, rows: dict[str, ReportRow | None]) -> Card:
    rows[title] = None
    words = Ours(f"{title}  {amount}".rstrip())
    return Card(title, (Leaf(words, "heading", strong=True),), rule="─", gap=True)


def _part(
    part: ReportPart, report: Report, title: str, now: datetime, rows: dict[str, ReportRow | None]
) -> Iterator[Card]:
    for (home, name), grouped in groupby(part.rows, key=lambda row: (row.home, row.group)):
        where = f"{report.homes.get(home, home)}: " if len(report.homes) > 1 else ""
        words = f"{where}{name}{f': {_WORDS[name]}' if name in _WORDS else ''}"
        yield Card("", (Leaf(Ours(words), "quiet"),), gap=True)
        for row in grouped:
            id = f"{title}\n{len(rows)}"
            rows[id] = row
            yield _card(id, row, now)
    if part.left_out:
        more = f"… {count(part.left_out, 'more row')}: `reviewdeck report --format csv` has all"
        yield Card("", (Leaf(Ours(more), "quiet"),))
    if not part.total:
        yield Card("", (Leaf(Ours("Nothing."), "quiet"),))


def _card(id: str, row: ReportRow, now: datetime) -> Card:
    sign, tone = _SIGNS.get(row.change, (" ", "text"))
    if row.is_grave:
        sign, tone = "!", "dangerous"
    leaves = [Leaf(Ours(row.sentence), tone if row.is_grave else "text", sign, strong=True)]
    leaves += _changed(row)
    if row.user_said and row.user_said != row.sentence:
        label = "closest, the user said" if row.is_closest else "the user said"
        leaves.append(Leaf(Ours(f"{label}: “{row.user_said}”"), "quiet"))
    leaves += [Leaf(Ours(text), "quiet") for text in (row.reason, row.source) if text]
    aside = [Leaf(Ours(f"{row.by} · " * bool(row.by) + f"{age_of(row.at, now)} ago"), tone)]
    aside.append(Leaf(Ours(" ".join(row.command)), "quiet"))
    return Card(id, tuple(leaves), tuple(aside))


_SIGNS: Final = {
    "added": ("+", "ready"),
    "changed": ("~", "draft"),
    "removed": ("-", "removed"),
    "rejected": ("-", "quiet"),
    "conflict": ("#", "conflict"),
    "live": ("*", "flag"),
}


def _changed(row: ReportRow) -> Iterator[Leaf]:
    lines = [("-", "removed", line) for line in row.before.split("\n") if row.before]
    lines += [("+", "added", line) for line in row.after.split("\n") if row.after]
    for sign, tone, line in lines[:_MOST_LINES]:
        yield Leaf(Ours(line), tone, sign)
    if len(lines) > _MOST_LINES:
        yield Leaf(Ours(f"… {count(len(lines) - _MOST_LINES, 'more line')}"), "quiet")


def _memory(memory: Memory, report: Report) -> Leaf:
    where = f"{report.homes.get(memory.home, '')} " if len(report.homes) > 1 else ""
    filled = min(_BAR, round(memory.share * _BAR))
    size = f"{memory.used:,} of {memory.limit:,} {memory.unit}"
    tone = "dangerous" if memory.share > 1 else "flag" if memory.share >= _NEARLY_FULL else "text"
    bar = "█" * filled + "░" * (_BAR - filled)
    return Leaf(Ours(f"{where}{memory.label}  {bar}  {size}"), tone)


def _decider(decider: Decider) -> Leaf:
    amounts = ", ".join(f"{amount:,} {word}" for word, amount in decider.amounts.items())
    kind = decider.standing if decider.is_person else "rule"
    return Leaf(Ours(f"{decider.name} ({kind}): {amounts}"))
