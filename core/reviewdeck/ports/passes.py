"""The ledger's side of a pass over a home: records read, evaluations, compared texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from reviewdeck.model import (
    Finding,
    Judgement,
    Proposal,
    QueueItem,
    Relation,
    State,
)

ANY_DOMAIN = "any"
"""The domain of remembered texts, whose own domain is not stored."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One file of the pending folder, seen and not opened."""

    source: str
    """Relative to the home. A folder that cannot be read stands for all that is in it."""
    hint: str
    """Equal hints mean equal content. Empty when that cannot be known."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One text of the index, and where it is."""

    relation: Relation
    text: str
    where: str
    domain: str
    """memory, skill, file or the file that is changed: only texts of one domain are compared."""


@dataclass(frozen=True, slots=True)
class RefreshStart:
    """The state of a home's queue when a pass began."""

    home: str
    number: int
    has_moved: bool
    """Whether a proposal or a remembered text was added or removed since the last pass."""
    arrived: frozenset[str]
    """The proposals that became open since then."""
    departed: frozenset[str]
    """The proposals that are no longer open."""
    covered: int
    """The last change of the queue that is covered."""


@dataclass(frozen=True, slots=True)
class Staging:
    """The result of staging a proposal, to be stored with it."""

    proposal: str
    state: State
    verdict: str | None
    digest: str | None
    findings: tuple[Finding, ...]
    reason: str
    judgement: Judgement | None = None
    """The judgement with its evidence; None where nothing was judged."""
    judged_by: str = ""
    """The mark of the policy file at that time."""
    paths: tuple[str, ...] = ()
    """The documents that it depends on."""
    gist: str = ""
    """Its effect in one line, from its payload, secrets redacted."""
    subject: str = ""
    """A digest of the memory entry that it is about; empty for none."""


class Records(Protocol):
    """The pending files that were read, with their hints."""

    def records(self, home: str) -> dict[str, str]:
        """The hint of each pending file that was read."""
        ...

    def mark_vanished(self, home: str, sources: Collection[str]) -> tuple[str, ...]:
        """Marks the open proposals of vanished files as decided elsewhere; gives their ids."""
        ...

    def leftovers(self, home: str) -> tuple[tuple[str, str], ...]:
        """Files of proposals that are applied or rejected, with the SHA-256 of their content."""
        ...

    def decided_records(self, home: str) -> tuple[tuple[str, str], ...]:
        """Each file that a decided proposal ever came from, with the SHA-256 of its content.

        Slow, since it reads every proposal: for the recovery of an interrupted removal.
        """
        ...


class Evaluations(Protocol):
    """The open proposals, and the keys of their stored evaluations."""

    def together(self) -> AbstractContextManager[Callable[[], None]]:
        """One transaction over all that this thread reads and writes: for a short pass.

        Others cannot write meanwhile, so long work ends it, by calling the given function.
        """
        ...

    def begin_refresh(self, home: str) -> RefreshStart:
        """The state of the queue now."""
        ...

    def keys(self, home: str) -> dict[str, str | None]:
        """Every proposal that is open and can be read, oldest first, with the key of its stored
        evaluation; None where there is none that a pass can rely on."""
        ...

    def end_refresh(
        self,
        begun: RefreshStart,
        keys: Mapping[str, str],
        stagings: Sequence[Staging] = (),
        stamp: str | None = None,
    ) -> bool:
        """Stores the keys of a pass's evaluations. False when another pass
        was finished in between: then the next one evaluates again.

        Stores the last stagings and the home's stamp as well, whatever the answer.
        """
        ...

    def automatic(self, home: str) -> tuple[str, ...]:
        """The ready proposals that the policy approves, oldest first."""
        ...

    def note(self, items: Collection[QueueItem]) -> None:
        """Stores the findings of these rows, where the proposal is still automatic and the same."""
        ...

    def proposals(self, ids: Collection[str]) -> tuple[Proposal, ...]:
        """The open ones among these proposals, oldest first, in full."""
        ...


class SubjectReader(Protocol):
    """Texts that are compared with each other."""

    def subjects(self, home: str) -> Iterable[Subject]:
        """The texts of open proposals, and the remembered ones."""
        ...


class Subjects(SubjectReader, Protocol):
    """The index of texts, with the writing side."""

    def index(self, home: str, subjects: Iterable[Subject], removed: Collection[str]) -> None:
        """Replaces the texts of open proposals, and drops those of removed ones."""
        ...

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """The proposals among these without a text in the index."""
        ...
