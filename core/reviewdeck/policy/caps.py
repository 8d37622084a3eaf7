"""How much may go in without an operator: many small changes are a large one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


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
class Spent:
    """What went in without an operator before."""

    waiting: int = 0
    """Proposals that wait now."""
    last_hour: int = 0
    """Proposals that went in within the last hour."""
    today: Mapping[str, Load] = field(default_factory=dict)
    """By document, within the last day."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Characters that a document may have; documents that are not in it have no limit."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which proposals go in now, and why the others wait."""

    now: tuple[str, ...]
    later: Mapping[str, str]


def choose(asks: Iterable[Ask], spent: Spent, caps: Caps) -> Choice:
    """Lets proposals in, in their order, as long as the caps allow."""
    now: list[str] = []
    later: dict[str, str] = {}
    today = dict(spent.today)
    for ask in asks:
        reason = _reason(ask, spent, caps, len(now), today)
        if reason is not None:
            later[ask.id] = reason
            continue
        now.append(ask.id)
        for path, load in ask.loads.items():
            today[path] = today.get(path, Load()) + load
    return Choice(tuple(now), later)


def _reason(
    ask: Ask, spent: Spent, caps: Caps, chosen: int, today: Mapping[str, Load]
) -> str | None:
    if spent.waiting > caps.pending:
        return f"{spent.waiting:,} proposals wait; beyond {caps.pending:,} an operator decides."
    if spent.last_hour + chosen >= caps.per_hour:
        return f"{caps.per_hour:,} changes went in within an hour; the rest waits."
    for path, load in ask.loads.items():
        after = today.get(path, Load()) + load
        limit = spent.limits.get(path)
        if limit is None or after.entries <= caps.day_entries:
            continue
        if after.characters > caps.day_share * limit:
            share = f"{caps.day_share:.0%} of its limit"
            return f"{path} has grown by {caps.day_entries} entries and {share} within a day."
    return None
