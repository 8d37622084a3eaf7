"""The charts of the insights screen: each with a question, points, and a way to draw it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from enum import StrEnum
from functools import partial
from typing import Final

from textual.content import Content

from reviewdeck.engine.insights import Day, MemoryUsage, Share, days_of, shares, waiting_at
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.presentation.words import count, origin_word
from reviewdeck_tui.insights.charts import ChartColumn, bar, column_chart
from reviewdeck_tui.queue import bars

Ids = Callable[[], tuple[str, ...]]


class PictureSubject(StrEnum):
    """The subject of a chart."""

    INFLOW = "Inflow"
    WAITING = "Waiting"
    ACCEPTED = "Accepted"
    ROOM = "Room"
    AUTOMATIC = "Automatic"


class GroupBy(StrEnum):
    """The grouping of accepted and rejected proposals."""

    ORIGIN = "origin"
    KIND = "kind"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Material:
    """The data of the charts."""

    lives: Sequence[Life]
    sizes: Sequence[MemoryUsage]
    """One for each memory, over all the days."""
    today: date
    days: int
    """The number of days that the sizes cover."""
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a chart."""

    words: str
    """The point in a sentence."""
    ids: Ids
    """The proposals of the point."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart: one question with its answer."""

    question: str
    points: tuple[Point, ...]
    draw: Callable[[int, int, int], list[Content]]
    """Lines for a width, a height and the place of the cursor."""
    legend: Content
    is_upright: bool
    """Whether the points are below each other instead of side by side."""


_LEAST_CHART: Final = 4
"""Lines of the smallest chart of a memory, its title included."""

SIGNS: Final[Mapping[Ending, tuple[str, str, str]]] = {
    Ending.TAKEN: ("█", "ready", "accepted"),
    Ending.CHANGED: ("▓", "draft", "changed"),
    Ending.REJECTED: ("▚", "refused", "rejected"),
    Ending.BY_RULE: ("▞", "refused", "rejected by rule"),
    Ending.AUTOMATIC: ("▒", "deferred", "automatic"),
    Ending.UNDONE: ("╳", "conflict", "undone"),
    Ending.ELSEWHERE: ("░", "quiet", "elsewhere"),
    Ending.WAITS: ("·", "quiet", "waiting"),
}


def picture(subject: PictureSubject, material: Material, days: int, by: GroupBy) -> Picture:
    """The chart of a subject over the last days."""
    match subject:
        case PictureSubject.INFLOW:
            return _inflow(material, _days(material, days))
        case PictureSubject.WAITING:
            return _waiting_times(material, _days(material, days))
        case PictureSubject.ACCEPTED:
            return _acceptance(material, by)
        case PictureSubject.ROOM:
            return _sizes(material, days)
        case PictureSubject.AUTOMATIC:
            return _automatic_groups(material)


def _days(material: Material, days: int) -> tuple[Day, ...]:
    first = material.today - timedelta(days=days - 1)
    return days_of(material.lives, first, material.today, material.zone)


def _inflow(material: Material, days: Sequence[Day]) -> Picture:
    def words(day: Day) -> str:
        arrived, decided = len(day.arrived), len(day.departed)
        return f"{_long(day.day)}: {arrived} arrived, {decided} decided, {day.waiting} waiting"

    columns = [ChartColumn(len(day.arrived), len(day.departed), _short(day.day)) for day in days]
    meanings = ("heading", "ready")
    return Picture(
        "Is the backlog growing?",
        tuple(Point(words(day), partial(_unique, day.arrived, day.departed)) for day in days),
        lambda width, height, at: column_chart(columns, width, height, at=at, meanings=meanings),
        _legend([("█", "heading", "arrived, left bar"), ("█", "ready", "decided, right bar")]),
        is_upright=False,
    )


def _waiting_times(material: Material, days: Sequence[Day]) -> Picture:
    def words(day: Day) -> str:
        if not day.waiting:
            return f"{_long(day.day)}: nothing waiting"
        waiting_times = f"oldest {_span(day.oldest)}, median {_span(day.median)}"
        return f"{_long(day.day)}: {count(day.waiting, 'proposal')} waiting, {waiting_times}"

    columns = [
        ChartColumn(day.oldest / timedelta(days=1), day.median / timedelta(days=1), _short(day.day))
        for day in days
    ]
    meanings = ("flag", "conflict")
    return Picture(
        "How many days are proposals waiting?",
        tuple(
            Point(words(day), partial(waiting_at, material.lives, day.day, material.zone))
            for day in days
        ),
        lambda width, height, at: column_chart(
            columns, width, height, at=at, meanings=meanings, inside=True
        ),
        _legend([("░", "flag", "oldest"), ("█", "conflict", "median")]),
        is_upright=False,
    )


def _acceptance(material: Material, by: GroupBy) -> Picture:
    groups: Mapping[GroupBy, Callable[[Life], str]] = {
        GroupBy.ORIGIN: lambda life: origin_word(life.origin) or "unknown",
        GroupBy.KIND: lambda life: life.kind,
        GroupBy.RULE: lambda life: life.rule,
    }
    groups_of_lives = shares(material.lives, groups[by])
    noun = {GroupBy.ORIGIN: "source", GroupBy.KIND: "kind", GroupBy.RULE: "rule"}[by]
    return _groups(f"Acceptance rate by {noun}", groups_of_lives, _accepted_words, tuple(SIGNS))


def _automatic_groups(material: Material) -> Picture:
    groups = shares(material.lives, lambda life: life.rule)
    endings = (Ending.AUTOMATIC, Ending.UNDONE, Ending.BY_RULE)
    fewer = sum(len(share.by_ending.get(Ending.BY_RULE, ())) for share in groups)
    shorter = f" Your rules made the queue {fewer} shorter." if fewer else ""
    question = f"What was decided automatically, and did it stay?{shorter}"
    return _groups(question, groups, _automatic_words, endings)


def _accepted_words(share: Share) -> str:
    accepted = share.accepted
    rate = "no decisions yet" if accepted is None else f"{accepted:.0%} accepted"
    return f"{share.group}: {rate}, {count(share.amount, 'proposal')}"


def _automatic_words(share: Share) -> str:
    undone = len(share.by_ending.get(Ending.UNDONE, ()))
    if rejected := len(share.by_ending.get(Ending.BY_RULE, ())):
        return f"{share.group}: {count(rejected, 'proposal')} that you did not have to decide"
    outcome = "all kept" if not undone else f"{undone} undone"
    return f"{share.group}: {share.amount} applied, {outcome}"


def _groups(
    question: str, groups: Sequence[Share], words: Callable[[Share], str], endings: Sequence[Ending]
) -> Picture:
    most = max((share.amount for share in groups), default=1)
    label = min(26, max((len(share.group) for share in groups), default=0))

    def draw(width: int, height: int, at: int) -> list[Content]:
        group_lines = 3 if height >= 3 * len(groups) else 1
        fit = max(1, height // group_lines)
        first = max(0, min(at - fit // 2, len(groups) - fit))
        lines: list[Content] = []
        for place, share in enumerate(groups[first : first + fit], first):
            lines.append(_group_line(share, width, label, most, endings, is_current=place == at))
            if group_lines > 1:
                lines += [_numbers(share, label, endings), Content("")]
        return lines

    used_endings = [
        ending for ending in endings if any(share.by_ending.get(ending) for share in groups)
    ]
    return Picture(
        question,
        tuple(Point(words(share), partial(_unique, *share.by_ending.values())) for share in groups),
        draw,
        _legend([SIGNS[ending] for ending in used_endings]),
        is_upright=True,
    )


def _group_line(
    share: Share, width: int, label: int, most: int, endings: Sequence[Ending], *, is_current: bool
) -> Content:
    parts = [(len(share.by_ending.get(ending, ())), *SIGNS[ending][:2]) for ending in endings]
    lead = bars.styled(f"{'>' if is_current else ' '} ", "cursor")
    name = bars.styled(f"{share.group[:label]:<{label}} ", "strong" if is_current else "text")
    amount = bars.styled(f" {share.amount:>5}", "text")
    return lead + name + bar(parts, max(8, width - label - 10), most) + amount


def _numbers(share: Share, label: int, endings: Sequence[Ending]) -> Content:
    parts = [
        f"{len(ids)} {SIGNS[ending][2]}"
        for ending in endings
        if (ids := share.by_ending.get(ending, ()))
    ]
    return bars.styled(f"{'':{label + 3}}{', '.join(parts)}", "quiet")


def _sizes(material: Material, days: int) -> Picture:
    fullest = sorted(material.sizes, key=lambda memory: -(memory.sizes[-1] or 0) / memory.limit)
    memories = [(memory, memory.sizes[-days:]) for memory in fullest]
    first = material.today - timedelta(days=days - 1)
    dates = [first + timedelta(days=number) for number in range(days)]

    def words(at: int) -> str:
        parts = [
            f"{memory.document} {sizes[at]:,} of {memory.limit:,}"
            for memory, sizes in memories
            if sizes[at] is not None
        ]
        return f"{_long(dates[at])}: {', '.join(parts) or 'not measured yet'}"

    def draw(width: int, height: int, at: int) -> list[Content]:
        visible, chart_height = len(memories), height // len(memories)
        if chart_height < _LEAST_CHART:  # The last line says how many are left out.
            visible, chart_height = max(1, (height - 1) // _LEAST_CHART), _LEAST_CHART
        lines = [
            line
            for place, (memory, sizes) in enumerate(memories[:visible], 1)
            for line in _memory(
                memory, sizes, dates, (width, chart_height), at, labels=place == visible
            )
        ]
        if (left_out := len(memories) - visible) > 0:
            more = f" {count(left_out, 'memory', 'memories')} more, less full"
            lines.append(bars.styled(more, "quiet"))
        return lines

    return Picture(
        "How full are the memories, in per cent?",
        tuple(Point(words(at), partial(_written_on, material, dates[at])) for at in range(days))
        if memories
        else (),
        draw,
        _legend([("█", "draft", "full"), ("┄", "quiet", "the limit")]),
        is_upright=False,
    )


def _memory(
    memory: MemoryUsage,
    sizes: Sequence[int | None],
    dates: Sequence[date],
    area: tuple[int, int],
    at: int,
    *,
    labels: bool,
) -> list[Content]:
    width, height = area
    full = [100 * (size or 0) / memory.limit for size in sizes]
    columns = [ChartColumn(part, part, _short(day)) for part, day in zip(full, dates, strict=True)]
    title = bars.styled(f" {memory.document}", "heading")
    meanings = ("draft", "draft")
    chart = column_chart(
        columns,
        width,
        height - 1,
        at=at,
        meanings=meanings,
        inside=True,
        limit=100.0,
        labels=labels,
    )
    return [title, *chart]


def _written_on(material: Material, day: date) -> tuple[str, ...]:
    written = (Ending.AUTOMATIC, Ending.TAKEN, Ending.CHANGED, Ending.UNDONE)
    return tuple(
        life.id
        for life in material.lives
        if life.ending in written
        and life.kind == "memory"
        and life.ended_at is not None
        and life.ended_at.astimezone(material.zone).date() == day
    )


def _legend(parts: Sequence[tuple[str, str, str]]) -> Content:
    line = Content(" ")
    for sign, meaning, words in parts:
        line += Content.styled(f"{sign} ", f"$deck-{meaning}") + bars.styled(f"{words}   ", "quiet")
    return line


def _unique(*groups: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id for group in groups for id in group))


def _short(day: date) -> str:
    return f"{day.day}" if day.day != 1 else f"{day:%b}"


def _long(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _span(time: timedelta) -> str:
    hours = time // timedelta(hours=1)
    return count(hours, "hour") if hours < 48 else count(hours // 24, "day")
