"""Series of a queue over time. Each answers one question, and every point names its proposals."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from operator import attrgetter
from typing import Final

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ABSENT
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.text import entries

OPERATORS: Final = (Ending.TAKEN, Ending.CHANGED, Ending.REJECTED)
"""The endings that an operator decided."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day of the queue, in the time zone of who looks."""

    day: date
    arrived: tuple[str, ...]
    """Proposals that arrived."""
    departed: tuple[str, ...]
    """Proposals that were decided, by whomever."""
    waiting: int
    """How many waited when it ended; `waiting_at` names them."""
    oldest: timedelta
    """How long the oldest of them had waited by then."""
    median: timedelta
    """How long half of them had waited at least."""


@dataclass(frozen=True, slots=True)
class Share:
    """How the proposals of one group ended."""

    group: str
    by_ending: Mapping[Ending, tuple[str, ...]]

    @property
    def accepted(self) -> float | None:
        """The share of decided proposals that operators accepted, changed or not; None for none."""
        counts = {ending: len(self.by_ending.get(ending, ())) for ending in OPERATORS}
        looked_at = sum(counts.values())
        return (looked_at - counts[Ending.REJECTED]) / looked_at if looked_at else None

    @property
    def amount(self) -> int:
        return sum(map(len, self.by_ending.values()))


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """The size of one memory at the end of each day; None before its first observation."""

    document: str
    limit: int
    sizes: tuple[int | None, ...]
    """Characters, one number a day."""


def days_of(lives: Sequence[Life], first: date, last: date, zone: tzinfo) -> tuple[Day, ...]:
    """Arrivals, departures and backlog of each day from the first to the last.

    `lives` are in the order of arrival. Linear in them, and in the backlog of each day on
    which any departed.
    """
    begins = [_begin(day, zone) for day in _days(first, last + timedelta(days=1))]
    starts = [bisect_left(lives, begin, key=attrgetter("arrived_at")) for begin in begins]
    departed_by_day = _departures(lives, begins)
    waiting = [life for life in lives[: starts[0]] if _is_waiting_at(life, begins[0])]
    series = []
    for at, day in enumerate(_days(first, last)):
        arrivals, end = lives[starts[at] : starts[at + 1]], begins[at + 1]
        waiting += [
            life for life in arrivals if life.ended_at is not None or life.ending is Ending.WAITS
        ]
        if departed_ids := departed_by_day[at]:
            waiting = [life for life in waiting if life.id not in departed_ids]
        oldest = end - waiting[0].arrived_at if waiting else timedelta(0)
        median = end - waiting[len(waiting) // 2].arrived_at if waiting else timedelta(0)
        ids = tuple(life.id for life in arrivals)
        series.append(Day(day, ids, tuple(departed_ids), len(waiting), oldest, median))
    return tuple(series)


def _departures(lives: Iterable[Life], begins: Sequence[datetime]) -> list[dict[str, None]]:
    """The proposals that departed on each day; `begins` are the days' starts and the last end."""
    by_day: list[dict[str, None]] = [{} for _ in begins[1:]]
    for life in lives:
        if life.ended_at is not None and begins[0] <= life.ended_at < begins[-1]:
            by_day[bisect_right(begins, life.ended_at) - 1][life.id] = None
    return by_day


def waiting_at(lives: Iterable[Life], day: date, zone: tzinfo) -> tuple[str, ...]:
    """The proposals that were pending at the end of a day, in the order of arrival."""
    end = _begin(day + timedelta(days=1), zone)
    return tuple(life.id for life in lives if _is_waiting_at(life, end))


def shares(lives: Iterable[Life], group: Callable[[Life], str]) -> tuple[Share, ...]:
    """How the proposals of each group ended, the largest first; no group for an empty name."""
    by_group: dict[str, dict[Ending, list[str]]] = defaultdict(lambda: defaultdict(list))
    for life in lives:
        if name := group(life):
            by_group[name][life.ending].append(life.id)
    shares = [
        Share(name, {ending: tuple(ids) for ending, ids in endings.items()})
        for name, endings in by_group.items()
    ]
    return tuple(sorted(shares, key=lambda share: (-share.amount, share.group)))


def memory_usage(
    document: str,
    limit: int,
    sizes: Sequence[tuple[datetime, int]],
    first: date,
    last: date,
    zone: tzinfo,
) -> MemoryUsage:
    """How full a memory was, from its size at each moment at which it changed, oldest first."""
    moments = [at.astimezone(zone).date() for at, _ in sizes]
    places = (bisect_right(moments, day) for day in _days(first, last))
    return MemoryUsage(document, limit, tuple(sizes[at - 1][1] if at else None for at in places))


def memory_sizes(revisions: Ledger, home: str, path: str) -> list[tuple[datetime, int]]:
    """The size of a memory in characters at each moment at which it changed, oldest first."""
    sizes = []
    for observation in revisions.observations(home, path):
        data = revisions.content(observation.revision)
        if data is not None or observation.revision == ABSENT:
            text = (data or b"").decode("utf-8", errors="replace")
            sizes.append((observation.at, entries.size(entries.parse(text))))
    return sizes


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def _begin(day: date, zone: tzinfo) -> datetime:
    """When a day begins there. In UTC: times of one zone are compared in a tenth of the time."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _is_waiting_at(life: Life, moment: datetime) -> bool:
    if life.arrived_at >= moment:
        return False
    return life.ending is Ending.WAITS or (life.ended_at is not None and life.ended_at >= moment)
