"""The ledger's queue: proposals, where they stand, and the revisions they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from reviewdeck.model import (
    Actor,
    Observation,
    Outline,
    Proposal,
    Quarantined,
    QueueItem,
    Revision,
    State,
)
from reviewdeck.ports.passes import Staging, Subject

_NO_HINTS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Filter:
    """Which proposals a list shows."""

    homes: tuple[str, ...] = ()
    """Empty for all."""
    states: tuple[State, ...] = ()
    """Empty for all."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What `status` says of the queue."""

    by_state: dict[State, int]
    drafts: int
    oldest_open: datetime | None
    dangerous: int = 0
    """How many of those that are live already have a grave finding."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the first look at a home took as it was."""

    documents: int
    at: datetime


class QueueReader(Protocol):
    """The queue, to be looked at."""

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """How many proposals stand where."""
        ...

    def page(
        self, wanted: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset: pass the last item's `position` as `after` for the next."""
        ...

    def item(self, id: str) -> QueueItem:
        """One line of the queue. Raises UnknownId."""
        ...

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several lines of the queue, in this order; unknown ids are left out."""
        ...

    def resolve(self, prefix: str, homes: Sequence[str] = ()) -> str:
        """The one proposal with this id, unique prefix of it, or unique id of the agent's own.

        Raises UnknownId.
        """
        ...

    def state_of(self, id: str) -> State | None:
        """Where a proposal stands; None when there is none by that whole id."""
        ...

    def proposal(self, id: str) -> Proposal:
        """The whole proposal. Raises UnknownId. A quarantined one has no edits."""
        ...

    def outside(self, home: str) -> tuple[Proposal, ...]:
        """What was changed without us and nobody has reviewed, oldest first."""
        ...

    def outlines(
        self, wanted: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only what ordering and filtering a long queue need."""
        ...

    def stamp(self, home: str) -> str | None:
        """The hint that was stored when this home was last taken in; empty where none could be."""
        ...


class Proposals(Protocol):
    """Proposals and where they stand."""

    def add(
        self,
        found: Sequence[Proposal | Quarantined],
        records: Mapping[str, bytes],
        hints: Mapping[str, str] = _NO_HINTS,
        subjects: Sequence[Subject] = (),
    ) -> set[str]:
        """Stores what is not known yet, with the records' bytes by SHA-256; gives the new ids.

        `hints` say by source how the files looked, `subjects` what the new ones bring in.
        """
        ...

    def repair(
        self,
        proposal: Proposal,
        record: bytes,
        subjects: Sequence[Subject],
        actor: Actor,
        at: datetime,
    ) -> bool:
        """Puts what an operator made of a quarantined record in its place, to be staged.

        The bytes of both are kept. False when it is not quarantined any more.
        """
        ...

    def open_proposals(self, home: str) -> tuple[Proposal, ...]:
        """Everything in an open state that is not quarantined, oldest first."""
        ...

    def dropped_outside(
        self, home: str, reason: str, revisions: Mapping[str, Revision]
    ) -> tuple[Proposal, ...]:
        """The changes outside review that were dropped for this reason and had left one of these
        documents (by path) at its revision, oldest first."""
        ...

    def stage(self, stagings: Sequence[Staging]) -> None:
        """Stores what staging came to. Leaves proposals alone that are no longer open.

        A deferred proposal stays deferred while its digest is the same. What is staged like this
        outside a pass is looked at again by the next one.
        """
        ...

    def drop(self, id: str, reason: str) -> bool:
        """Takes a proposal out of the queue that nobody decided on; False when it is not open."""
        ...

    def set_stamp(self, home: str, stamp: str) -> None:
        """Remembers the hint for `QueueReader.stamp`."""
        ...


class RevisionReader(Protocol):
    """Documents' bytes by revision, and which revision was seen when."""

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None when it is ABSENT or not stored."""
        ...

    def observations(self, home: str, path: str | None = None) -> tuple[Observation, ...]:
        """Everything observed of one document, or of all, oldest first."""
        ...

    def latest(self, home: str) -> dict[str, Observation]:
        """The last observation of each document."""
        ...

    def baseline(self, home: str) -> Baseline | None:
        """What the first look at a home took as it was; None once that is reviewed."""
        ...

    def changes_outside(self, home: str, since: datetime) -> int:
        """How many changes outside review were observed after a moment."""
        ...

    def revision_at(self, home: str, path: str, moment: datetime) -> Observation | None:
        """The last observation of a document at or before a moment."""
        ...

    def moments(self, home: str, path: str, most: int) -> Sequence[tuple[datetime, Revision]]:
        """From when on a document was at which of its last revisions: those noted last first."""
        ...


class Revisions(RevisionReader, Protocol):
    """The same, and storing what was seen."""

    def learn_modes(self, home: str, modes: Mapping[str, tuple[Revision, int]]) -> None:
        """Notes the mode of documents whose last observation has none, at this revision still."""
        ...

    def observe(
        self,
        observations: Sequence[Observation],
        contents: Sequence[bytes],
        *,
        known: Mapping[str, Observation] | None = None,
        is_ours: bool = False,
    ) -> tuple[Observation, ...]:
        """Stores the bytes, and each observation that differs from the document's last one.

        With `known`, only those of documents of which these are the last observations still, and
        that no open batch is about to write, unless that `is_ours` to end. Gives what was stored.
        """
        ...

    def claim(self, change: Proposal, by: Actor) -> None:
        """Names who made a change outside review, in each observation that it consists of."""
        ...
