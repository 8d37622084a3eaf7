"""Deciding once for several proposals about one thing: one is taken, the others give way to it."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck import deciding
from reviewdeck.auto import stage_again
from reviewdeck.clusters import rivals
from reviewdeck.desk import Desk
from reviewdeck.errors import NotDecidable
from reviewdeck.likeness import subjects_of
from reviewdeck.model import Decision, Draft, Operation, QueueItem, State, Verb
from reviewdeck.upkeep import Fate, LeftOut, give_up

_GONE = "What was to take its place is not drafted any more."
_CLASHES = "What is to take its place does not fit after the other drafts."


def give_way(desk: Desk, proposal: str, winner: str) -> Decision:
    """Turns a proposal down for one that was applied in its place, for good.

    What it wanted is held against later proposals as with any rejection, except where the winner
    says the very same. Raises NotDecidable when the winner was not applied, or for another home.
    """
    taken = desk.ledger.proposal(winner)
    if desk.ledger.state_of(taken.id) is not State.APPLIED:
        raise NotDecidable(f"{winner} was not applied: nothing gives way to it.")
    if desk.ledger.proposal(proposal).home != taken.home:
        raise NotDecidable(f"{winner} is of another home.")
    spared = frozenset(subject.text for subject in subjects_of(taken))
    return deciding.turn_down(
        desk, proposal, f"superseded by {winner}", verb=Verb.SUPERSEDE, spared=spared
    )


def approve_for_all(
    desk: Desk, id: str, digest: str
) -> tuple[Operation, tuple[tuple[QueueItem, Decision], ...]]:
    """Applies a proposal as it was shown; what else waits about the same thing gives way to it.

    Raises what `deciding.approve` raises; then nothing gives way.
    """
    item = desk.ledger.item(desk.ledger.resolve(id, desk.home_ids))
    others = rivals(desk.ledger, item)
    operation = deciding.approve(desk, item.id, digest)
    decided = tuple((one, give_way(desk, one.id, item.id)) for one in others)
    if decided:
        stage_again(desk, desk.one_home(item.home))
    return operation, decided


def led(
    desk: Desk, drafts: Sequence[Draft], fitting: frozenset[str]
) -> tuple[list[Draft], list[LeftOut]]:
    """Which of these give way to what a commit writes, and which have nothing to give way to.

    One whose winner is no draft any more goes back to the queue with it.
    """
    held: list[Draft] = []
    left: list[LeftOut] = []
    drafted = {draft.proposal for draft in desk.ledger.drafts()}
    for draft in drafts:
        winner = draft.reason
        if winner in fitting or desk.ledger.state_of(winner) is State.APPLIED:
            held.append(draft)
        elif winner in drafted:
            left.append(LeftOut(draft, Fate.CLASHES, _CLASHES))
        else:
            left.append(LeftOut(draft, Fate.MOVED, _GONE))
            give_up(desk, left[-1])
    return held, left
