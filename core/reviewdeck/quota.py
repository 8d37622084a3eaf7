"""Caps on what goes in without an operator, counted from what the journal knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from reviewdeck.desk import Desk
from reviewdeck.model import Finding, MemoryAdd, Proposal, QueueItem, Severity
from reviewdeck.pace import undisturbed
from reviewdeck.policy.caps import DAY, Ask, Caps, Choice, Held, Load, Spent, Went, choose
from reviewdeck.ports import OpenHome

NOTHING: Mapping[str, Proposal] = MappingProxyType({})

CAP = "cap"
"""The finding that a cap holds a proposal back."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What may go in now, and up to where the journal was counted for that."""

    choice: Choice
    after: str
    """The newest operation of the home that was counted; empty when there is none."""
    read: Mapping[str, Proposal] = field(default_factory=dict)
    """Those of the proposals that were read by now."""


def count(
    desk: Desk,
    one: OpenHome,
    safe: Sequence[str],
    caps: Caps,
    at_hand: Mapping[str, Proposal] = NOTHING,
) -> Counted:
    """Which of these proposals go in now, and why the others wait."""
    # This comes first: what is begun after this look is noticed when ours is begun.
    newest = desk.ledger.newest_operation(one.home.id)
    if not safe:
        return Counted(Choice((), {}), newest)
    before = desk.loads.get(one.home.id, {})
    with undisturbed():
        unread = [id for id in safe if id not in before and id not in at_hand]
        read = {**at_hand, **{found.id: found for found in desk.ledger.proposals(unread)}}
        loads = before | {id: _loads(found) for id, found in read.items()}
    spent = spent_at(desk, one)
    desk.loads[one.home.id].update((id, loads[id]) for id in safe if id in loads)
    asks = [Ask(id, loads[id]) for id in safe if id in loads]
    return Counted(choose(asks, spent, caps), newest, read)


def told(item: QueueItem, held: Held) -> QueueItem:
    """The line of the queue, saying which cap holds it and when that has room again."""
    noted = noted_by(item, held)
    return replace(noted, reason=noted.findings[-1].message)


def noted_by(item: QueueItem, held: Held | None) -> QueueItem:
    """The line of the queue with what a cap says of it now as its last finding."""
    others = tuple(one for one in item.findings if one.code != CAP)
    said = () if held is None else (Finding(CAP, Severity.LOW, words_of(held)),)
    return replace(item, findings=(*others, *said))


def words_of(held: Held) -> str:
    """Which cap it is, and when it has room again."""
    when = f" There is room again from {held.frees:%Y-%m-%d %H:%M} UTC." if held.frees else ""
    return f"Plainly safe, and more than the cap {held.cap!r} lets in: {held.message}{when}"


def spent_at(desk: Desk, one: OpenHome) -> Spent:
    """What went into this home without an operator lately."""
    now = desk.now()
    lately = desk.ledger.automatic_since(one.home.id, now - DAY)
    loads = _known(desk, one.home.id, [went.proposal for went in lately])
    counts = desk.ledger.counts([one.home.id])
    snapshot = one.home.snapshot()
    limits = {path: snapshot.budget(path) for path in one.home.documents()}
    return Spent(
        now=now,
        waiting=sum(number for state, number in counts.by_state.items() if state.is_open),
        lately=tuple(Went(went.at, loads[went.proposal]) for went in lately),
        limits={path: limit for path, limit in limits.items() if limit is not None},
    )


def _known(desk: Desk, home: str, ids: Sequence[str]) -> dict[str, Mapping[str, Load]]:
    """What these proposals add. What an earlier pass read is not read again."""
    before = desk.loads.get(home, {})
    found = {id: before[id] if id in before else _loads(desk.ledger.proposal(id)) for id in ids}
    desk.loads[home] = found
    return found


def _loads(proposal: Proposal) -> Mapping[str, Load]:
    loads: dict[str, Load] = {}
    for edit in proposal.edits:
        if isinstance(edit, MemoryAdd):
            load = Load(1, len(edit.content))
            loads[edit.document] = loads.get(edit.document, Load()) + load
    return _shared(tuple(loads.items()))


@lru_cache(maxsize=1_000)
def _shared(loads: tuple[tuple[str, Load], ...]) -> Mapping[str, Load]:
    """Thousands are remembered for a day, and most are one entry of some fifty characters."""
    return MappingProxyType(dict(loads))
