"""The ledger port, and its parts other than queue and journal.

They are homes' locations, proposals over time, the background reviewer's runs, unfinished merges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from reviewdeck.model import (
    About,
    Actor,
    Decision,
    Draft,
    Event,
    Judgement,
    Likeness,
    Marks,
    Origin,
    Relation,
    ReviewRun,
    ReviewTotals,
    Revision,
)
from reviewdeck.model.decisions import Life
from reviewdeck.ports.authority import Attest, unattested
from reviewdeck.ports.journal import Journal, JournalReader
from reviewdeck.ports.passes import Evaluations, Records, SubjectReader, Subjects
from reviewdeck.ports.queue import Proposals, QueueReader, RevisionReader, Revisions
from reviewdeck.ports.sessions import Turns, TurnSink


class Lives(Protocol):
    """The outcome of every proposal."""

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first, without undos and unreadable records."""
        ...


@dataclass(frozen=True, slots=True)
class DirectoryIdentity:
    """The identity of a directory, now or when it was last opened."""

    path: str
    """Resolved; empty for a home whose path another home has now."""
    number: str
    """Device and inode; empty where they were never noted."""
    mark: str = ""
    """The mark in our own folder of it. A ledger knows the mark before it is written there."""


@dataclass(frozen=True, slots=True)
class KnownHome:
    """One home of a ledger, and its directory when it was last opened."""

    id: str
    at: DirectoryIdentity
    kind: str = ""
    """What it was first opened as; empty while nothing is known of that."""


class Places(Protocol):
    """The paths of homes. An id stays the same wherever its home is moved."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        ...

    def put_place(
        self,
        home: str,
        at: DirectoryIdentity,
        spare: str,
        event: str = "",
        detail: Mapping[str, object] = MappingProxyType({}),
        *,
        kind: str = "",
    ) -> str:
        """Stores where a home is, and of which kind; with an event, the log gets a line too.

        Gives the home's mark: the one in its folder, else the stored one, else the spare.
        """
        ...


class Reviews(Protocol):
    """Runs of the background reviewer."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended."""
        ...

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first; of all homes when none is given."""
        ...


class Memory(Protocol):
    """Texts that were removed, replaced or rejected, for the policy."""

    def remember(self, home: str, likeness: Sequence[Likeness], at: datetime) -> None:
        """Stores texts with their relation (removed or rejected)."""
        ...

    def forget(self, home: str, relation: Relation, where: str) -> None:
        """Drops the texts with this relation that came from this proposal or document."""
        ...

    def remembered(self, home: str) -> tuple[Likeness, ...]:
        """All remembered texts of a home."""
        ...


class Judgements(Protocol):
    """The checks' answers about proposals, with their evidence."""

    def sessions(self, proposals: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """By proposal, the conversations that it came from, where known."""
        ...


class Drafts(Protocol):
    """Decisions that are prepared and not committed."""

    def put_draft(self, draft: Draft) -> None:
        """Stores a draft, in the place of an earlier one for the same proposal."""
        ...

    def clear_draft(self, proposal: str) -> bool:
        """Deletes a draft; says whether there was one."""
        ...

    def drafts(self, homes: Sequence[str] | None = None) -> tuple[Draft, ...]:
        """The drafts for these homes, or for all, oldest first."""
        ...


class AuditLog(Protocol):
    """The append-only log with its hash chain."""

    def append(
        self,
        name: str,
        *,
        home: str,
        subject: str,
        actor: Actor,
        at: datetime,
        detail: dict[str, object] | None = None,
        attest: Attest = unattested,
    ) -> str:
        """Adds one event, signed where `attest` signs; gives its sum, which covers all before."""
        ...

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Events with a higher sequence number, oldest first."""
        ...

    def verify(self) -> int | None:
        """The sequence number of the first event that does not fit the chain, or None."""
        ...

    def put_marks(
        self,
        home: str,
        marks: Marks,
        actor: Actor,
        at: datetime,
        attest: Attest = unattested,
        *,
        outside: Mapping[str, Revision] = MappingProxyType({}),
    ) -> None:
        """Replaces a home's marks, with a line of the log.

        `outside` are documents whose changes outside review are covered now.
        """
        ...


class Pins(Protocol):
    """Pinned values, which must not change unnoticed, and all decisions."""

    def pin(self, name: str, value: str) -> None:
        """Pins a value, replacing an earlier one, with a line of the log."""
        ...

    def last_pinned(self, name: str) -> str | None:
        """The value last pinned under a name, by the log."""
        ...

    def signers(self) -> frozenset[str]:
        """The keys of the oldest and of the newest signed decision."""
        ...

    def begun(self, operation: str) -> Event | None:
        """The log's line of an operation's intent."""
        ...

    def all_decisions(self) -> tuple[tuple[Decision, About], ...]:
        """Every decision with its signed subject, in the order in which they were stored."""
        ...


class LedgerReader(QueueReader, RevisionReader, JournalReader, SubjectReader, Turns, Protocol):
    """The read-only ledger. It has an adapter without an ORM."""

    def origins(self, proposals: Collection[str], policy: str) -> Mapping[str, Origin]:
        """The settled origins of these proposals under this policy file.

        A proposal is missing while its origin was not looked up, or may still become better known.
        """
        ...

    def judgement(self, proposal: str) -> Judgement | None:
        """The last judgement of a proposal while it was open; None without one."""
        ...

    def evaluation_key(self, proposal: str) -> str | None:
        """The key of a proposal's stored evaluation; None where it has to be evaluated again."""
        ...

    def notes(self, proposal: str) -> tuple[Event, ...]:
        """The notes that operators wrote about a proposal, oldest first."""
        ...

    def newest_event(self) -> datetime | None:
        """The latest time of the last events."""
        ...

    def marks(self, home: str) -> Marks:
        """Until when an operator has seen the agent's changes, by document."""
        ...

    def pinned(self, name: str) -> str | None:
        """The value pinned under a name; None for none."""
        ...

    def is_signed(self) -> bool:
        """Whether decisions are signed in this ledger, by a row or a line of the log."""
        ...

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """The totals over all runs."""
        ...

    def close(self) -> None:
        """Closes the database."""
        ...


class Ledger(
    LedgerReader,
    Proposals,
    Revisions,
    Journal,
    Memory,
    Judgements,
    Drafts,
    AuditLog,
    Records,
    Evaluations,
    Subjects,
    TurnSink,
    Reviews,
    Lives,
    Pins,
    Places,
    Protocol,
):
    """The whole ledger in one database, so that one transaction can cover any part."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The saved state of one unfinished merge."""

    digest: str
    """The digest of the merge's three texts."""
    value: Mapping[str, Any]
    """The state as it was given: plain values for JSON."""


class UnfinishedMerges(Protocol):
    """Saves one state for each proposal. It decides nothing: losing it costs work.

    Each call is whole or not at all, also when the process is killed in it.
    """

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Saves a proposal's state, replacing an earlier one.

        Raises StorageUnavailable.
        """
        ...

    def load(self, proposal: str) -> Unfinished | None:
        """The saved state; None for none, and for one that cannot be read."""
        ...

    def forget(self, proposal: str) -> None:
        """Drops the saved state, if any. Raises StorageUnavailable."""
        ...
