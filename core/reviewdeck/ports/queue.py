"""The ledger's queue: proposals with their states, and the revisions they are about."""

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
    """The counts of the queue that `status` shows."""

    by_state: dict[State, int]
    drafts: int
    oldest_open: datetime | None
    dangerous: int = 0
    """The live changes with a grave finding."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline: the documents of a home at its first observation."""

    documents: int
    at: datetime


class QueueReader(Protocol):
    """The queue, read only."""

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """The number of proposals in each state."""
        ...

    def page(
        self, selection: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset: pass the last item's `position` as `after` for the next."""
        ...

    def item(self, id: str) -> QueueItem:
        """One row of the queue. Raises UnknownId."""
        ...

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several rows of the queue, in this order; unknown ids are left out."""
        ...

    def resolve(self, prefix: str, homes: Sequence[str] = ()) -> str:
        """The one proposal with this id, unique prefix of it, or unique id of the agent's own.

        Raises UnknownId.
        """
        ...

    def state_of(self, id: str) -> State | None:
        """The state of a proposal; None for an unknown id."""
        ...

    def proposal(self, id: str) -> Proposal:
        """The whole proposal. Raises UnknownId. A quarantined one has no edits."""
        ...

    def outside(self, home: str) -> tuple[Proposal, ...]:
        """The open changes outside review, oldest first."""
        ...

    def outlines(
        self, selection: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only the fields for ordering and filtering a long queue."""
        ...

    def stamp(self, home: str) -> str | None:
        """The stamp stored when this home was last taken in; empty where none could be."""
        ...


class Proposals(Protocol):
    """Proposals with their states."""

    def add(
        self,
        proposals: Sequence[Proposal | Quarantined],
        records: Mapping[str, bytes],
        hints: Mapping[str, str] = _NO_HINTS,
        subjects: Sequence[Subject] = (),
    ) -> set[str]:
        """Stores new proposals, with the records' bytes by SHA-256; gives the new ids.

        `hints` are the files' hints by source, `subjects` the texts that the new ones add.
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
        """Replaces a quarantined record by an operator's repair, to be staged.

        The bytes of both are stored. False when it is not quarantined any more.
        """
        ...

    def open_proposals(self, home: str) -> tuple[Proposal, ...]:
        """The open proposals that are not quarantined, oldest first."""
        ...

    def dropped_outside(
        self, home: str, reason: str, revisions: Mapping[str, Revision]
    ) -> tuple[Proposal, ...]:
        """The changes outside review that were dropped for this reason and had left one of these
        documents (by path) at its revision, oldest first."""
        ...

    def stage(self, stagings: Sequence[Staging]) -> None:
        """Stores the results of staging. Skips proposals that are no longer open.

        A deferred proposal stays deferred while its digest is the same. A proposal staged
        outside a pass is evaluated again by the next one.
        """
        ...

    def drop(self, id: str, reason: str) -> bool:
        """Takes a proposal out of the queue without a decision; False when it is not open."""
        ...


class RevisionReader(Protocol):
    """Documents' bytes by revision, and the observations of revisions."""

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None when it is ABSENT or not stored."""
        ...

    def observations(self, home: str, path: str | None = None) -> tuple[Observation, ...]:
        """The observations of one document, or of all, oldest first."""
        ...

    def latest(self, home: str) -> dict[str, Observation]:
        """The last observation of each document."""
        ...

    def baseline(self, home: str) -> Baseline | None:
        """The baseline of a home; None once it is reviewed."""
        ...

    def changes_outside(self, home: str, since: datetime) -> int:
        """The number of changes outside review observed after a moment."""
        ...

    def revision_at(self, home: str, path: str, moment: datetime) -> Observation | None:
        """The last observation of a document at or before a moment."""
        ...

    def moments(self, home: str, path: str, most: int) -> Sequence[tuple[datetime, Revision]]:
        """The last revisions of a document with the times they were observed, newest first."""
        ...


class Revisions(RevisionReader, Protocol):
    """Documents' bytes and observations, with the writing side."""

    def learn_modes(self, home: str, modes: Mapping[str, tuple[Revision, int]]) -> None:
        """Notes the mode of documents whose last observation has none, at this revision still."""
        ...

    def observe(
        self,
        observations: Sequence[Observation],
        contents: Sequence[bytes],
        *,
        latest: Mapping[str, Observation] | None = None,
        is_ours: bool = False,
    ) -> tuple[Observation, ...]:
        """Stores the bytes, and each observation that differs from the document's last one.

        With `latest`, only those of documents of which these are the last observations still, and
        that no open batch is about to write, unless that `is_ours` to end. Gives what was stored.
        """
        ...

    def claim(self, change: Proposal, by: Actor) -> None:
        """Names who made a change outside review, in each observation that it consists of."""
        ...

    def disclaim(self, change: Proposal, unknown: Actor) -> None:
        """Takes the claim of a change outside review back: it is credited to nobody known."""
        ...
