"""The whole ledger, and the parts of it beside queue and journal.

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
from reviewdeck.ports.passes import Records, Rounds, SubjectReader, Subjects
from reviewdeck.ports.queue import Proposals, QueueReader, RevisionReader, Revisions
from reviewdeck.ports.sessions import Turns, TurnSink


class Lives(Protocol):
    """What became of every proposal."""

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first; undoings and unreadable records left out."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """One directory as it is found, or as it was."""

    path: str
    """Resolved; empty for one whose place another one took."""
    number: str
    """Device and inode; empty where that was never noted."""
    mark: str = ""
    """Who our own folder in it says it is. A ledger knows it before it is written there."""


@dataclass(frozen=True, slots=True)
class KnownHome:
    """One home of a ledger, and where it stood when it was last opened."""

    id: str
    at: Standing


class Places(Protocol):
    """Where homes are. An id stays, wherever its home goes."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        ...

    def put_place(
        self,
        home: str,
        at: Standing,
        spare: str,
        event: str = "",
        detail: Mapping[str, object] = MappingProxyType({}),
    ) -> str:
        """Remembers where a home is; with an event, that is a line of the log too.

        Gives the home's mark: the one it has, or that it was to have, or the spare one.
        """
        ...


class Reviews(Protocol):
    """Runs of the background reviewer."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended, however it did."""
        ...

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first; of all homes when none is named."""
        ...


class Memory(Protocol):
    """What the policy has to remember: texts that were removed, replaced or rejected."""

    def remember(self, home: str, likeness: Sequence[Likeness], at: datetime) -> None:
        """Stores texts with their relation (removed or rejected)."""
        ...

    def forget(self, home: str, relation: Relation, where: str) -> None:
        """Lets go of the texts that were remembered so because of this proposal or document."""
        ...

    def remembered(self, home: str) -> tuple[Likeness, ...]:
        """Everything that was remembered for a home."""
        ...


class Judgements(Protocol):
    """What the checks said of proposals, and from which evidence."""

    def sessions(self, proposals: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """By proposal, the conversations that it came from, as far as any is known."""
        ...


class Drafts(Protocol):
    """Decisions that are prepared and not committed."""

    def put_draft(self, draft: Draft) -> None:
        """Stores a draft, in the place of an earlier one for the same proposal."""
        ...

    def clear_draft(self, proposal: str) -> bool:
        """Takes a draft back; says whether there was one."""
        ...

    def drafts(self) -> tuple[Draft, ...]:
        """All drafts, oldest first."""
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
        """Remembers that in the place of what was remembered before, with a line of the log.

        `outside` are documents whose changes outside review are covered now.
        """
        ...


class Pins(Protocol):
    """What must not change unseen, and everything that was ever decided."""

    def pin(self, name: str, value: str) -> None:
        """Pins a value in the place of an earlier one, with a line of the log."""
        ...

    def last_pinned(self, name: str) -> str | None:
        """What the log says that was pinned last under a name."""
        ...

    def signers(self) -> frozenset[str]:
        """The keys of the oldest and of the newest signed decision."""
        ...

    def begun(self, operation: str) -> Event | None:
        """The line of the log that says what an operation was to change."""
        ...

    def all_decisions(self) -> tuple[tuple[Decision, About], ...]:
        """Every decision with what it is about, in the order in which they were stored."""
        ...


class LedgerReader(QueueReader, RevisionReader, JournalReader, SubjectReader, Turns, Protocol):
    """What a look at homes asks of a ledger. An adapter without an ORM exists for it."""

    def origins(self, proposals: Collection[str], policy: str) -> Mapping[str, Origin]:
        """Where these proposals come from, as it was found for good under this policy file.

        One of them is missing while nobody looked, or while looking again may find more.
        """
        ...

    def judgement(self, proposal: str) -> Judgement | None:
        """What was judged last of a proposal while it waited; None for what nobody judged."""
        ...

    def notes(self, proposal: str) -> tuple[Event, ...]:
        """The notes that operators wrote about a proposal, oldest first."""
        ...

    def newest_event(self) -> datetime | None:
        """The latest time of the last events."""
        ...

    def marks(self, home: str) -> Marks:
        """Until when somebody has seen what the agent learnt, document by document."""
        ...

    def pinned(self, name: str) -> str | None:
        """What was pinned under a name."""
        ...

    def is_signed(self) -> bool:
        """Whether decisions were signed here, or were to be: a row or a line of the log says so."""
        ...

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """All runs together."""
        ...

    def close(self) -> None:
        """Lets go of the database."""
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
    Rounds,
    Subjects,
    TurnSink,
    Reviews,
    Lives,
    Pins,
    Places,
    Protocol,
):
    """All of it in one database, so that one transaction can cover it."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What was kept of one merge."""

    digest: str
    """Of the three texts that it is about (`planning.merging.Sides.digest`)."""
    value: Mapping[str, Any]
    """As it was given: plain values for JSON."""


class UnfinishedMerges(Protocol):
    """Keeps one value for each proposal. Nothing in it decides anything: losing it costs work.

    Each call is whole or not at all, also when the process is killed in it.
    """

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Keeps a value in the place of what was kept for this proposal.

        Raises StorageUnavailable.
        """
        ...

    def load(self, proposal: str) -> Unfinished | None:
        """What was kept; None for nothing, and for what cannot be read any more."""
        ...

    def forget(self, proposal: str) -> None:
        """Drops what was kept, if anything was. Raises StorageUnavailable."""
        ...
