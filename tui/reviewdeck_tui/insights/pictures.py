"""The pictures of the insights screen: each a question, its points, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from enum import StrEnum
from functools import partial
from typing import Final

from textual.content import Content

from reviewdeck.engine.insights import Day, Filling, Share, days_of, shares, waiting_at
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.presentation.words import count, origin_word
from reviewdeck_tui.insights.charts import ChartColumn, bar, column_chart
from reviewdeck_tui.queue import bars

Ids = Callable[[], tuple[str, ...]]


class PictureSubject(StrEnum):
    """What a picture is about."""

    INFLOW = "Inflow"
    WAITING = "Waiting"
    ACCEPTED = "Accepted"
    ROOM = "Room"
    AUTOMATIC = "Automatic"


class GroupBy(StrEnum):
    """What accepted and rejected proposals are told apart by."""

    ORIGIN = "origin"
    KIND = "kind"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that pictures are made of."""

    lives: Sequence[Life]
    sizes: Sequence[Filling]
    """One for each memory, over all the days."""
    today: date
    days: int
    """How many days the fillings cover."""
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Point:
    """One place in a picture."""

    words: str
    """What it says, in a sentence."""
    ids: Ids
    """The proposals that are in it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One question with its answer."""

    question: str
    points: tuple[Point, ...]
    draw: Callable[[int, int, int], list[Content]]
    """Lines for a width, a height and the place of the cursor."""
    legend: Content
    is_upright: bool
    """Whether points stand below each other and not side by side."""


SIGNS: Final[Mapping[Ending, tuple[str, str, str]]] = {
    Ending.TAKEN: ("█", "ready", "accepted"),
    Ending.CHANGED: ("▓", "draft", "changed"),
    Ending.REJECTED: ("▚", "refused", "rejected"),
    Ending.AUTOMATIC: ("▒", "deferred", "automatic"),
    Ending.UNDONE: ("╳", "conflict", "taken back"),
    Ending.ELSEWHERE: ("░", "quiet", "elsewhere"),
    Ending.WAITS: ("·", "quiet", "waiting"),
}


def picture(subject: PictureSubject, material: Material, days: int, by: GroupBy) -> Picture:
    """The picture of a subject over the last days."""
    match subject:
        case PictureSubject.INFLOW:
            return _inflow(material, _days(material, days))
        case PictureSubject.WAITING:
            return _waiting(material, _days(material, days))
        case PictureSubject.ACCEPTED:
            return _accepted(material, by)
        case PictureSubject.ROOM:
            return _room(material, days)
        case PictureSubject.AUTOMATIC:
            return _automatic(material)


def _days(material: Material, days: int) -> tuple[Day, ...]:
    first = material.today - timedelta(days=days - 1)
    return days_of(material.lives, first, material.today, material.zone)


def _inflow(material: Material, days: Sequence[Day]) -> Picture:
    def words(day: Day) -> str:
        left = count(day.waiting, "proposal")
        return f"{_long(day.day)}: {len(day.came)} came, {len(day.went)} went, {left} left"

    columns = [ChartColumn(len(day.came), len(day.went), _short(day.day)) for day in days]
    meanings = ("heading", "ready")
    return Picture(
        "Is the backlog growing?",
        tuple(Point(words(day), partial(_unique, day.came, day.went)) for day in days),
        lambda width, height, at: column_chart(columns, width, height, at=at, meanings=meanings),
        _legend([("█", "heading", "came, left"), ("█", "ready", "decided, right")]),
        is_upright=False,
    )


def _waiting(material: Material, days: Sequence[Day]) -> Picture:
    def words(day: Day) -> str:
        if not day.waiting:
            return f"{_long(day.day)}: nothing waited"
        waited = f"{_span(day.oldest)} the oldest, {_span(day.median)} half of them"
        return f"{_long(day.day)}: {count(day.waiting, 'proposal')} waited, {waited}"

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
        _legend([("░", "flag", "the oldest"), ("█", "conflict", "half of them, at least")]),
        is_upright=False,
    )


def _accepted(material: Material, by: GroupBy) -> Picture:
    groups: Mapping[GroupBy, Callable[[Life], str]] = {
        GroupBy.ORIGIN: lambda life: origin_word(life.origin) or "unknown",
        GroupBy.KIND: lambda life: life.kind,
        GroupBy.RULE: lambda life: life.rule,
    }
    found = shares(material.lives, groups[by])
    among = {GroupBy.ORIGIN: "source", GroupBy.KIND: "kind", GroupBy.RULE: "rule"}[by]
    return _groups(f"Acceptance rate by {among}", found, _accepted_words, tuple(SIGNS))


def _automatic(material: Material) -> Picture:
    found = shares(material.lives, lambda life: life.rule)
    endings = (Ending.AUTOMATIC, Ending.UNDONE)
    return _groups(
        "What was applied automatically, and did it stay?", found, _automatic_words, endings
    )


def _accepted_words(share: Share) -> str:
    accepted = share.accepted
    judged = "nobody looked yet" if accepted is None else f"{accepted:.0%} accepted"
    return f"{share.group}: {judged}, {count(share.amount, 'proposal')}"


def _automatic_words(share: Share) -> str:
    undone = len(share.by_ending.get(Ending.UNDONE, ()))
    kept = "all kept" if not undone else f"{undone} taken back"
    return f"{share.group}: {share.amount} went in, {kept}"


def _groups(
    question: str,
    found: Sequence[Share],
    words: Callable[[Share], str],
    endings: Sequence[Ending],
) -> Picture:
    most = max((share.amount for share in found), default=1)
    label = min(26, max((len(share.group) for share in found), default=0))

    def draw(width: int, height: int, at: int) -> list[Content]:
        each = 3 if height >= 3 * len(found) else 1
        fit = max(1, height // each)
        first = max(0, min(at - fit // 2, len(found) - fit))
        lines: list[Content] = []
        for place, share in enumerate(found[first : first + fit], first):
            lines.append(_group_line(share, width, label, most, endings, is_here=place == at))
            if each > 1:
                lines += [_told(share, label, endings), Content("")]
        return lines

    used = [one for one in endings if any(share.by_ending.get(one) for share in found)]
    return Picture(
        question,
        tuple(Point(words(share), partial(_unique, *share.by_ending.values())) for share in found),
        draw,
        _legend([SIGNS[one] for one in used]),
        is_upright=True,
    )


def _group_line(
    share: Share, width: int, label: int, most: int, endings: Sequence[Ending], *, is_here: bool
) -> Content:
    parts = [(len(share.by_ending.get(one, ())), *SIGNS[one][:2]) for one in endings]
    lead = bars.styled(f"{'>' if is_here else ' '} ", "cursor")
    name = bars.styled(f"{share.group[:label]:<{label}} ", "strong" if is_here else "text")
    amount = bars.styled(f" {share.amount:>5}", "text")
    return lead + name + bar(parts, max(8, width - label - 10), most) + amount


def _told(share: Share, label: int, endings: Sequence[Ending]) -> Content:
    """The same in numbers."""
    said = [
        f"{len(ids)} {SIGNS[one][2]}" for one in endings if (ids := share.by_ending.get(one, ()))
    ]
    return bars.styled(f"{'':{label + 3}}{', '.join(said)}", "quiet")


def _room(material: Material, days: int) -> Picture:
    memories = [(one, one.sizes[-days:]) for one in material.sizes]
    first = material.today - timedelta(days=days - 1)
    dates = [first + timedelta(days=at) for at in range(days)]

    def words(at: int) -> str:
        said = [
            f"{one.document} {sizes[at]:,} of {one.limit:,}"
            for one, sizes in memories
            if sizes[at] is not None
        ]
        return f"{_long(dates[at])}: {', '.join(said) or 'not looked at yet'}"

    def draw(width: int, height: int, at: int) -> list[Content]:
        room = max(4, height // max(1, len(memories)))
        shown = max(1, height // room)
        return [
            line
            for place, (one, sizes) in enumerate(memories[:shown], 1)
            for line in _memory(one, sizes, dates, (width, room), at, labels=place == shown)
        ]

    return Picture(
        "How full are the memories, in per cent?",
        tuple(Point(words(at), partial(_went_in, material, dates[at])) for at in range(days))
        if memories
        else (),
        draw,
        _legend([("█", "draft", "full"), ("┄", "quiet", "the limit")]),
        is_upright=False,
    )


def _memory(
    one: Filling,
    sizes: Sequence[int | None],
    dates: Sequence[date],
    room: tuple[int, int],
    at: int,
    *,
    labels: bool,
) -> list[Content]:
    width, height = room
    full = [100 * (size or 0) / one.limit for size in sizes]
    columns = [ChartColumn(part, part, _short(day)) for part, day in zip(full, dates, strict=True)]
    title = bars.styled(f" {one.document}", "heading")
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


def _went_in(material: Material, day: date) -> tuple[str, ...]:
    wrote = (Ending.AUTOMATIC, Ending.TAKEN, Ending.CHANGED, Ending.UNDONE)
    return tuple(
        life.id
        for life in material.lives
        if life.ending in wrote
        and life.kind == "memory"
        and life.went is not None
        and life.went.astimezone(material.zone).date() == day
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
