"""The states of a proposal and the moves between them: the one table of both.

The ledger's triggers are made from it, so a row cannot move in another way.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from reviewdeck.values import dataclass


class State(StrEnum):
    """The states of a proposal."""

    READY = "ready"
    CONFLICT = "conflict"
    DEAD = "dead"
    REFUSED = "refused"
    QUARANTINED = "quarantined"
    DEFERRED = "deferred"
    LIVE = "live"
    """Written outside review, and reviewed afterwards."""
    APPROVED = "approved"
    APPLYING = "applying"
    APPLIED = "applied"
    REJECTED = "rejected"
    ELSEWHERE = "elsewhere"
    KEPT = "kept"
    """Live already, and kept by an operator."""

    @property
    def is_open(self) -> bool:
        """Whether it is not decided yet."""
        return self in OPEN_STATES


STAGED: Final = frozenset(
    {State.READY, State.CONFLICT, State.DEAD, State.REFUSED, State.DEFERRED, State.LIVE}
)
"""What waits and is planned against the live home."""
OPEN_STATES: Final = STAGED | {State.QUARANTINED}
"""What waits."""
FINAL: Final = frozenset({State.APPLIED, State.REJECTED})
"""Decided here: its pending file is left over."""


@dataclass(frozen=True, slots=True)
class Move:
    """One way in which proposals change their state."""

    sources: frozenset[State]
    targets: frozenset[State]


def _move(sources: frozenset[State] | State, targets: frozenset[State] | State) -> Move:
    return Move(
        *(
            frozenset({states}) if isinstance(states, State) else states
            for states in (sources, targets)
        )
    )


MOVES: Final = {
    "staged": _move(OPEN_STATES, STAGED),
    "decided elsewhere": _move(OPEN_STATES, State.ELSEWHERE),
    "its record came back": _move(State.ELSEWHERE, frozenset({State.READY, State.QUARANTINED})),
    "deferred": _move(STAGED, State.DEFERRED),
    "rejected": _move(OPEN_STATES | {State.KEPT, State.ELSEWHERE}, State.REJECTED),
    "kept": _move(OPEN_STATES, State.KEPT),
    "reopened": _move(
        frozenset({State.REJECTED, State.KEPT}), frozenset({State.QUARANTINED, State.LIVE})
    ),
    "approved": _move(STAGED, State.APPROVED),
    "claimed": _move(State.APPROVED, State.APPLYING),
    "written": _move(State.APPLYING, State.APPLIED),
    "not written": _move(State.APPLYING, STAGED),
    "taken back": _move(State.APPLIED, frozenset({State.READY, State.REJECTED})),
    "the undo undone": _move(STAGED | {State.REJECTED, State.ELSEWHERE}, State.APPLIED),
}
"""By what happened, the states that a proposal may have been in and those that it is in then."""


def may_move(before: State, after: State) -> bool:
    """Whether a proposal may change from one state to the other."""
    return any(before in move.sources and after in move.targets for move in MOVES.values())
