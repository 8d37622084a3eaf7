"""The machines of a shared ledger in words: which workers are alive, and what waits for them."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.presentation.words import count, one_line
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

SILENT: Final = timedelta(minutes=5)
"""The time after which a worker that said nothing is missed."""
STALE: Final = timedelta(minutes=5)
"""The age from which what is shown of a home elsewhere is old."""


@dataclass(frozen=True, slots=True)
class HostHealth:
    """One machine with homes."""

    name: str
    version: str
    """Of its worker; empty where none was ever seen."""
    age: timedelta | None
    """Since its worker was last seen; None where none ever was."""
    problem: str
    homes: int
    waiting: int
    """Homes for which something was decided and is not done there."""
    open: int
    """Proposals of its homes that are not decided."""

    @property
    def is_alarming(self) -> bool:
        """Whether somebody has to look after it."""
        return bool(self.problem) or self.is_missed

    @property
    def is_missed(self) -> bool:
        """Whether no worker of it is known to run."""
        return self.age is None or self.age > SILENT

    @property
    def words(self) -> str:
        """How it is, in one line."""
        where = one_line(self.name)
        if self.age is None:
            seen = f"no worker has been seen on {where}"
        elif self.age > SILENT:
            seen = f"no worker has been seen on {where} for {span_words(self.age)}"
        else:
            seen = f"the worker on {where} was seen {span_words(self.age)} ago"
        parts = [seen, f"version {one_line(self.version)}" if self.version else ""]
        parts.append(f"{count(self.homes, 'home')}, {self.open} to decide")
        if self.waiting:
            until = " until `reviewdeck worker` runs there" if self.is_missed else " for it"
            parts.append(f"what was decided for {count(self.waiting, 'home')} waits{until}")
        return "; ".join(filter(None, [*parts, one_line(self.problem)]))

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "name": self.name,
            "version": self.version,
            "seen_seconds_ago": None if self.age is None else round(self.age.total_seconds()),
            "problem": self.problem,
            "homes": self.homes,
            "open": self.open,
            "homes_to_write": self.waiting,
        }


def host_healths(engine: Engine) -> tuple[HostHealth, ...]:
    """The machines of a ledger that several share; none for a ledger of one machine."""
    if engine.machine is None:
        return ()
    ledger = engine.ledger
    sights = ledger.sights()
    names = {sight.host: sight.machine for sight in sights}
    homes = Counter(sight.host for sight in sights)
    work = ledger.homes_with_work([sight.home for sight in sights])
    waiting = Counter(sight.host for sight in sights if sight.home in work)
    pending = Counter[str]()
    for sight in sights:
        by_state = ledger.counts([sight.home]).by_state
        pending[sight.host] += sum(n for state, n in by_state.items() if state.is_open)
    found = {host.id: host for host in ledger.hosts()}
    healths = []
    for id in dict.fromkeys((*names, *found)):
        host = found.get(id)
        name = host.name if host is not None else names[id]
        version, age = ("", None) if host is None else (host.version, host.age)
        problem = "" if host is None else host.problem
        work_of = homes[id], waiting[id], pending[id]
        healths.append(HostHealth(name, version, age, problem, *work_of))
    return tuple(sorted(healths, key=lambda health: (not health.is_alarming, health.name)))


@dataclass(frozen=True, slots=True)
class Workers:
    """Whether the machines of a shared ledger do their work, in short."""

    silent: frozenset[str] = frozenset()
    """The ids of those whose worker was seen once, and is missed or in trouble."""
    alive: frozenset[str] = frozenset()
    """The ids of those whose worker was seen lately."""
    stalled: tuple[str, ...] = ()
    """The names of the silent ones for which something was decided and is not done."""


NO_WORKERS: Final = Workers()


def workers_of(engine: Engine) -> Workers:
    """The workers of a ledger that several share; none for a ledger of one machine."""
    if engine.machine is None:
        return NO_WORKERS
    hosts = engine.ledger.hosts()
    silent = {host.id: host.name for host in hosts if host.problem or host.age > SILENT}
    alive = frozenset(host.id for host in hosts if host.id not in silent)
    sights = [sight for sight in engine.ledger.sights() if sight.host in silent] if silent else []
    work = engine.ledger.homes_with_work([sight.home for sight in sights]) if sights else ()
    stalled = {silent[sight.host] for sight in sights if sight.home in work}
    return Workers(frozenset(silent), alive, tuple(sorted(stalled)))


def span_words(span: timedelta) -> str:
    """A time in the unit that people say: `40 s`, `20 min`."""
    seconds = max(0, round(span.total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
