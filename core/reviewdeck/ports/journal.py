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
    """The point of the journal up to which allowances were counted for an automatic claim.

    The claim fails when another automatic change of the home was begun since then.
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
    """A batch that is not finished in the ledger."""

    batch: str
    home: str
    operations: tuple[Operation, ...]
    writes: tuple[Change, ...]
    decisions: tuple[Decision, ...] = ()
    """The decisions for which it was begun."""

    @property
    def about(self) -> About:
        """The subject that its decisions sign."""
        return about_of(self.home, self.operations, self.writes)


def about_of(home: str, operations: Sequence[Operation], writes: Sequence[Change]) -> About:
    """The subject that the decisions of one batch sign."""
    return About(
        home,
        tuple(operation.proposal for operation in operations),
        tuple((change.path, *change.ends) for change in writes),
    )


@dataclass(frozen=True, slots=True)
class Automatic:
    """One proposal that the policy applied, or is applying."""

    proposal: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Undone:
    """The undo of an application."""

    by: str
    """The operation that did."""
    at: datetime
    actor: Actor


class JournalReader(Protocol):
    """The journal, read only."""

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
        """The inverse of an operation's side effects: of those that are done, or begun."""
        ...

    def undone(self, home: str) -> Mapping[str, Undone]:
        """The proposals of a home whose newest application was taken back, and by what."""
        ...

    def deferrals(self, home: str) -> Mapping[str, Decision]:
        """The newest deferral of each pending proposal of a home that has one."""
        ...

    def decisions(self, proposal: str) -> tuple[Decision, ...]:
        """The decisions about a proposal, oldest first."""
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
        """Stores bytes of another program that we displaced, or would have."""
        ...

    def keep_inverse(self, operation: str, effects: Sequence[Effect]) -> None:
        """Stores the inverse of an operation's side effects, before these are done."""
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
        """The automatic applications since a moment, oldest first."""
        ...

    def newest_operation(self, home: str) -> str:
        """The id of the newest operation of a home; empty when there is none."""
        ...
