"""What a commit of drafts would do, and how it ended: the values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Change, Decision, Draft, Operation, Verb
from reviewdeck.planning.compose import ChosenProposal, Composed
from reviewdeck.upkeep import LeftOut


@dataclass(frozen=True, slots=True)
class Room:
    """The characters of a memory before and after, and how many it may have."""

    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class Written:
    """One document from what it is to what all drafts on it make of it."""

    home: str
    change: Change
    proposals: tuple[str, ...]
    """Whose drafts they are, in the order in which they are applied."""
    room: Room | None
    removed: tuple[str, ...]
    """Entries, or lines, that are not there any more."""
    added: int = 0
    """How many entries, or lines, are new."""

    @property
    def path(self) -> str:
        """The document."""
        return self.change.path


@dataclass(frozen=True, slots=True)
class HomePart:
    """What is written to one home: one plan, one digest."""

    home: str
    wanted: tuple[ChosenProposal, ...]
    composed: Composed
    documents: tuple[Written, ...]

    @property
    def digest(self) -> str:
        """What the decision is about."""
        return self.composed.plan.digest


@dataclass(frozen=True, slots=True)
class Superseded:
    """An open proposal that is left with nothing to do."""

    proposal: str
    by: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a commit would do, and what it leaves out."""

    parts: tuple[HomePart, ...] = ()
    quiet: tuple[Draft, ...] = ()
    """Rejections and deferrals: they write nothing."""
    rebased: tuple[Draft, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    superseded: tuple[Superseded, ...] = ()

    @property
    def documents(self) -> tuple[Written, ...]:
        """All documents that are written."""
        return tuple(document for part in self.parts for document in part.documents)

    @property
    def amount(self) -> int:
        """How many drafts are decided on."""
        return len(self.quiet) + sum(len(part.wanted) for part in self.parts)

    @property
    def digest(self) -> str:
        """One digest over everything that is decided."""
        quiet = (f"{one.verb}:{one.proposal}:{one.reason}" for one in self.quiet)
        said = "\n".join([*(part.digest for part in self.parts), *quiet])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Committed:
    """One draft that was decided. It is a draft no longer."""

    proposal: str
    verb: Verb
    result: Operation | Decision


@dataclass(frozen=True, slots=True)
class Failed:
    """One draft that was not, and why. It stays a draft."""

    proposal: str
    error: ReviewdeckError


@dataclass(frozen=True, slots=True)
class CommitReport:
    """How each draft of a commit ended."""

    committed: tuple[Committed, ...] = ()
    failed: tuple[Failed, ...] = ()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What was written, in order."""
        results = (one.result for one in self.committed)
        return tuple(result for result in results if isinstance(result, Operation))
