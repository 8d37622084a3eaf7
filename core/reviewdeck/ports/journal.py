"""The ledger's journal: intents, how they end, and decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from reviewdeck.model import (
    About,
    Actor,
    Change,
    Decision,
    Effect,
    Observation,
    Operation,
    OperationState,
    Revision,
    State,
)
from reviewdeck.ports.authority import Sign, unsigned


@dataclass(frozen=True, slots=True)
class Fence:
    """Up to where the journal was counted before something goes in without an operator.

    The claim fails when another such change of the home was begun since: the caps would be wrong.
    """

    after: str
    """The newest operation of the home at that time; empty when there was none."""
    own: tuple[str, ...] = ()
    """Batches that were counted together with this one."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One batch that is about to be written: all of it is stored in one transaction."""

    operations: tuple[Operation, ...]
    decisions: tuple[Decision, ...]
    writes: tuple[Change, ...]
    """The physical writes, with their bytes: what recovery works from."""
    contents: Mapping[Revision, bytes]
    """Bytes of the revisions that the operations' own changes name."""
    from_states: tuple[State, ...]
    """The claim succeeds only for proposals in one of these states."""
    fence: Fence | None = None


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch whose end the ledger does not know."""

    batch: str
    home: str
    operations: tuple[Operation, ...]
    writes: tuple[Change, ...]
    decisions: tuple[Decision, ...] = ()
    """Because of which it was begun."""

    @property
    def about(self) -> About:
        """What its decisions are about."""
        return about_of(self.home, self.operations, self.writes)


def about_of(home: str, operations: Sequence[Operation], writes: Sequence[Change]) -> About:
    """What the decisions of one batch are about."""
    return About(
        home,
        tuple(one.proposal for one in operations),
        tuple((one.path, *one.ends) for one in writes),
    )


@dataclass(frozen=True, slots=True)
class Automatic:
    """One proposal that went in, or is going in, by policy."""

    proposal: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Undone:
    """That something took an application back."""

    by: str
    """The operation that did."""
    at: datetime
    actor: Actor


class JournalReader(Protocol):
    """What was written and decided."""

    def unfinished(self, home: str) -> tuple[OpenBatch, ...]:
        """Batches that are intents still, or done and not settled."""
        ...

    def operations(
        self, *, home: str | None = None, limit: int | None = None
    ) -> tuple[Operation, ...]:
        """Operations, newest first."""
        ...

    def operation(self, prefix: str) -> Operation:
        """The operation with this id or unique prefix of it. Raises UnknownId."""
        ...

    def inverse_effects(self, operation: str) -> tuple[Effect, ...]:
        """What takes back the side effects of this operation: those that are done, or begun."""
        ...

    def undone(self, home: str) -> Mapping[str, Undone]:
        """The proposals of a home whose newest application was taken back, and by what."""
        ...

    def decisions(self, proposal: str) -> tuple[Decision, ...]:
        """What was decided about a proposal, oldest first."""
        ...


class Journal(JournalReader, Protocol):
    """Intents, their ends, and decisions."""

    def begin(self, claims: Sequence[Claim], sign: Sign = unsigned) -> tuple[str, ...]:
        """Claims the proposals and stores the intents, durably, in one transaction.

        A batch of which one proposal cannot be claimed any more is left out whole. Gives the
        batches that were begun. Each decision is signed as it is stored.
        """
        ...

    def finish(self, batch: str, at: datetime, observations: Sequence[Observation]) -> None:
        """The writes are in place: operations done, proposals applied, observations stored."""
        ...

    def abandon(self, batch: str, at: datetime, state: OperationState, reason: str) -> None:
        """The writes are not in place: proposals go back to the queue."""
        ...

    def rescue(self, batch: str, path: str, data: bytes, at: datetime) -> None:
        """Keeps bytes of a foreign writer that we displaced or would have."""
        ...

    def keep_inverse(self, operation: str, effects: Sequence[Effect]) -> None:
        """Stores what takes the side effects of an operation back, before they are done."""
        ...

    def settle(self, batch: str) -> None:
        """The side effects are done and the pending records retired."""
        ...

    def decide(
        self,
        decision: Decision,
        state: State,
        from_states: Sequence[State],
        sign: Sign = unsigned,
    ) -> bool:
        """Records a decision that writes nothing to the home. False when another one won."""
        ...

    def decisions_in(self, batch: str) -> tuple[Decision, ...]:
        """The decisions that a batch was begun for, as they are stored, oldest first."""
        ...

    def automatic_since(self, home: str, since: datetime) -> tuple[Automatic, ...]:
        """What went in without an operator from this moment on, oldest first."""
        ...

    def newest_operation(self, home: str) -> str:
        """The id of the newest operation of a home; empty when there is none."""
        ...
