"""Bursts: changes outside review of one cause and one time, which an operator may take as one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.outside import ENDED_REASONS, LIVE_STATES
from reviewdeck.model import (
    OUTSIDE,
    DocumentWrite,
    KnownBy,
    MemoryAdd,
    MemoryRemove,
    Proposal,
    QueueItem,
    SkillCreate,
    SkillDelete,
    State,
    gravity_of,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.origin.writers import exact_writer

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.ledger.ledger import Ledger

QUIET: Final = timedelta(hours=1)
"""A pause this long ends a burst: a session counts as active for as long."""
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class BurstEffect:
    """What a burst did to one memory, or to one kind of document."""

    removed: int
    added: int
    changed: int
    unit: str
    """``entry``, ``skill`` or ``document``."""
    memory: str = ""
    """The memory's file name; empty for skills and documents."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Live changes outside review of one home that wait, of one cause and one time."""

    items: tuple[QueueItem, ...]
    """The most dangerous first, then newest first."""
    sessions: tuple[str, ...]
    """The sessions that wrote, or may have written, each of them; empty if none is known."""
    is_exact: bool
    """Whether the one session is known exactly."""

    @property
    def lead(self) -> QueueItem:
        """The most dangerous one, which a list shows for all."""
        return self.items[0]

    @property
    def began(self) -> datetime:
        """When the first of them was found."""
        return min(map(_began, self.items))

    @property
    def ended(self) -> datetime:
        """When the last of them was found."""
        return max(item.ingested_at for item in self.items)


def digest_of(items: Iterable[QueueItem]) -> str:
    """A digest of exactly these changes as they are, for a decision on all of them."""
    shown = "\n".join(sorted(f"{item.id}:{item.digest}" for item in items))
    return hashlib.sha256(shown.encode()).hexdigest()


def bursts(ledger: Ledger, homes: Sequence[str]) -> tuple[Burst, ...]:
    """The bursts of these homes, newest first; a change alone is a burst of one."""
    return _grouped(ledger, _waiting(ledger, homes))


def burst_of(ledger: Ledger, item: QueueItem) -> Burst | None:
    """The burst that a change belongs to; None where it does not wait as a live one."""
    found = bursts(ledger, (item.home,))
    return next((burst for burst in found if item.id in map(_id, burst.items)), None)


def tallies(ledger: Ledger, burst: Burst) -> tuple[BurstEffect, ...]:
    """What a burst did, the most removed first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for item in burst.items:
        for unit, memory, did in _effects(ledger.proposal(item.id)):
            counts.setdefault((unit, memory), Counter())[did] += 1
    found = (
        BurstEffect(count["removed"], count["added"], count["changed"], unit, memory)
        for (unit, memory), count in counts.items()
    )
    return tuple(sorted(found, key=lambda tally: (-tally.removed, -tally.changed, tally.unit)))


def _waiting(ledger: Ledger, homes: Sequence[str]) -> Iterator[QueueItem]:
    after: int | None = None
    while page := ledger.page(Filter(tuple(homes), (State.LIVE,)), after=after, limit=_PAGE):
        yield from (item for item in page if item.action == OUTSIDE)
        after = page[-1].position


def _grouped(ledger: Ledger, items: Iterable[QueueItem]) -> tuple[Burst, ...]:
    by_time = sorted(items, key=_began)
    found: list[Burst] = []
    for item in by_time:
        judgement = ledger.judgement(item.id)
        origin = None if judgement is None else judgement.origin
        sessions = () if origin is None else tuple(dict.fromkeys(origin.sessions))
        is_exact = origin is not None and origin.known_by in (KnownBy.EXACT, KnownBy.LOG)
        one = Burst((item,), sessions[:1] if is_exact else sessions, is_exact)
        at = next((n for n, burst in enumerate(found) if _belong_together(burst, one)), None)
        if at is None:
            found.append(one)
        else:
            found[at] = _joined(found[at], one)
    return tuple(sorted(found, key=lambda burst: burst.ended, reverse=True))


def _belong_together(burst: Burst, one: Burst) -> bool:
    if burst.lead.home != one.lead.home or burst.is_exact != one.is_exact:
        return False
    is_one_cause = bool(set(burst.sessions) & set(one.sessions)) or not (
        burst.sessions or one.sessions
    )
    return is_one_cause and one.began - burst.ended <= QUIET


def _joined(burst: Burst, one: Burst) -> Burst:
    common = tuple(session for session in burst.sessions if session in one.sessions)
    items = sorted(
        (*burst.items, *one.items), key=lambda item: (-gravity_of(item.findings), -item.position)
    )
    return Burst(tuple(items), common, burst.is_exact)


def _id(item: QueueItem) -> str:
    return item.id


def _began(item: QueueItem) -> datetime:
    return item.created_at or item.ingested_at


def _effects(change: Proposal) -> Iterator[tuple[str, str, str]]:
    """Unit, memory and effect of each thing that a change did."""
    paths = [direct.path for direct in change.outside]
    unit = {"memory": "entry", "skills": "skill"}.get(change.kind.value, "document")
    if unit == "skill":
        did = {SkillDelete: "removed", SkillCreate: "added"}
        types = {type(edit) for edit in change.edits}
        yield unit, "", next((did[kind] for kind in did if kind in types), "changed")
        return
    memory = paths[0].rpartition("/")[2] if unit == "entry" and paths else ""
    for edit in change.edits:
        match edit:
            case MemoryRemove() | DocumentWrite(content=None):
                yield unit, memory, "removed"
            case MemoryAdd():
                yield unit, memory, "added"
            case _:
                yield unit, memory, "changed"


def changed_outside(
    engine: Engine, *, session: str = "", since: datetime | None = None
) -> tuple[QueueItem, ...]:
    """Changes outside review that are still live, newest first: open, kept or listed.

    Only of one session, where it is known exactly, or since a moment.
    """
    items: list[QueueItem] = []
    after: int | None = None
    filter_ = Filter(engine.home_ids, LIVE_STATES)
    while page := engine.ledger.page(filter_, after=after, limit=_PAGE):
        items += [
            item
            for item in page
            if item.action == OUTSIDE
            and item.reason not in ENDED_REASONS
            and (since is None or (item.created_at or item.ingested_at) >= since)
            and (not session or _is_written_by(engine.ledger, session, item.id))
        ]
        after = page[-1].position
    return tuple(items)


def _is_written_by(ledger: Ledger, session: str, id: str) -> bool:
    judgement = ledger.judgement(id)
    return judgement is not None and exact_writer(judgement.origin) == session
