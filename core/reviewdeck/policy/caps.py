"""How much may go in without an operator: many small changes are a large one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits on automatic changes to one home. Bulk imports and benchmarks raise them."""

    pending: int = 100_000
    """With more than this waiting, nothing goes in without an operator."""
    per_hour: int = 50
    """Proposals that may go in within an hour."""
    day_share: float = 0.30
    """Of a document's limit, that may be added within a day ..."""
    day_entries: int = 5
    """... or this many entries, whichever allows more."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is added to one document: entries, and characters of them."""

    entries: int = 0
    characters: int = 0

    def __add__(self, other: Load) -> Load:
        """Both together."""
        return Load(self.entries + other.entries, self.characters + other.characters)


@dataclass(frozen=True, slots=True)
class Ask:
    """One proposal that would go in without an operator."""

    id: str
    loads: Mapping[str, Load] = field(default_factory=dict)
    """By memory document; new skills and files have none."""


@dataclass(frozen=True, slots=True)
class Went:
    """One proposal that went in without an operator, and when."""

    at: datetime
    loads: Mapping[str, Load] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spent:
    """What went in without an operator before."""

    now: datetime
    waiting: int = 0
    """Proposals that wait now."""
    lately: Sequence[Went] = ()
    """Within the last day, oldest first."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Characters that a document may have; documents that are not in it have no limit."""


@dataclass(frozen=True, slots=True)
class Held:
    """Which cap holds a proposal back, and until when."""

    cap: str
    """By its name in a policy file."""
    message: str
    frees: datetime | None = None
    """When there is room for it again; None where time alone does not help."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which proposals go in now, and why the others wait."""

    now: tuple[str, ...]
    later: Mapping[str, Held]


def choose(asks: Iterable[Ask], spent: Spent, caps: Caps) -> Choice:
    """Lets proposals in, in their order, as long as the caps allow."""
    tally, now, later = _Tally(spent, caps), list[str](), dict[str, Held]()
    for ask in asks:
        held = tally.held(ask)
        if held is None:
            now.append(ask.id)
            tally.add(Went(spent.now, ask.loads))
        else:
            later[ask.id] = held
    return Choice(tuple(now), later)


class _Tally:
    """What went in, with what is let in now, kept as sums."""

    def __init__(self, spent: Spent, caps: Caps) -> None:
        self._spent = spent
        self._caps = caps
        self._hour: list[datetime] = []
        self._today: dict[str, list[tuple[datetime, Load]]] = {}
        self._sums: dict[str, Load] = {}
        self._frees: dict[tuple[str, Load], datetime | None] = {}
        for went in spent.lately:
            self.add(went)

    def add(self, went: Went) -> None:
        """Counts one that went in, or is about to."""
        if self._spent.now - went.at < HOUR:
            self._hour.append(went.at)
        for path, load in went.loads.items():
            self._sums[path] = self._sums.get(path, Load()) + load
            self._today.setdefault(path, []).append((went.at, load))

    def held(self, ask: Ask) -> Held | None:
        """The cap that holds a proposal back, or None."""
        caps, waiting = self._caps, self._spent.waiting
        if waiting > caps.pending:
            said = f"{waiting:,} proposals wait; beyond {caps.pending:,} an operator decides."
            return Held("pending", said)
        if len(self._hour) >= caps.per_hour:
            said = f"{caps.per_hour:,} changes within an hour go in by themselves."
            full = self._hour[len(self._hour) - caps.per_hour :]
            return Held("automatic_per_hour", said, full[0] + HOUR if full else None)
        for path, load in ask.loads.items():
            if not self._fits(path, self._sums.get(path, Load()) + load):
                return self._full(path, load)
        return None

    def _fits(self, path: str, after: Load) -> bool:
        limit = self._spent.limits.get(path)
        if limit is None or after.entries <= self._caps.day_entries:
            return True
        return after.characters <= self._caps.day_share * limit

    def _full(self, path: str, load: Load) -> Held:
        if (path, load) not in self._frees:
            self._frees[path, load] = self._free_at(path, load)
        share = f"{self._caps.day_share:.0%} of its limit"
        said = f"{path} has grown by {self._caps.day_entries} entries and {share} within a day."
        return Held("day_share", said, self._frees[path, load])

    def _free_at(self, path: str, load: Load) -> datetime | None:
        """When enough of what was added is a day ago; None for what is too much by itself."""
        grown = self._today.get(path, [])
        rest = load
        for at, earlier in reversed(grown):
            if not self._fits(path, rest + earlier):
                return at + DAY
            rest += earlier
        return None
