"""A home, one agent's directory: a snapshot to plan against, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from reviewdeck.model import Change, Document, Effect, Limit, Loading, Proposal, Quarantined, Skill
from reviewdeck.model.ledger import JournalEntry, Sight, Sighting
from reviewdeck.ports.conversations import Conversations
from reviewdeck.values import dataclass


class Snapshot(Protocol):
    """A home at one moment. Every document is read at most once, so a plan sees one state."""

    @property
    def home(self) -> str:
        """The home's id."""

    def document(self, path: str) -> Document:
        """The document at this path; never raises, an error is the document's `problem`."""

    def documents(self) -> tuple[str, ...]:
        """The paths of all documents that exist: memories and local skills."""

    def skill(self, name: str) -> Skill | None:
        """The skill whose directory has this name: local ones first, then external ones."""

    def new_skill_directory(self, name: str, category: str | None) -> str:
        """Where a new skill of this name goes."""

    def archive_directory(self, name: str) -> str:
        """Where a skill that is archived goes: a directory that does not exist yet."""

    def has_entries(self, path: str) -> bool:
        """Whether this document is a list of entries that are decided on one by one."""

    def budget(self, path: str) -> int | None:
        """How many characters its entries may have before the agent refuses more; or None."""

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The most that the agent takes of this document; `reading.limits` counts a text."""

    def loading(self, path: str) -> Loading:
        """When this document reaches the agent."""

    def closed(self, path: str) -> str | None:
        """Why the agent itself takes no more writes to this document; None when it does."""

    @property
    def pins_entries(self) -> bool:
        """Whether the agent's records name the whole entry that they replace or remove."""

    @property
    def free_names(self) -> bool:
        """Whether the agent takes a skill's files wherever they lie, by whatever name."""


@dataclass(frozen=True, slots=True)
class PendingFile:
    """One file of the pending folder, as it was read."""

    source: str
    """Relative to the home."""
    data: bytes | None
    """None when it was not read: then `problem` says why."""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Refusals:
    """What a home itself says is not to be applied automatically, whichever ledger looks."""

    paused: str = ""
    """Who paused automatic additions; empty when nobody did."""
    rejected: frozenset[str] = frozenset()
    """The digests of rejected texts."""
    unreadable: str = ""
    """The file or folder that cannot be read: what was rejected is not known."""


@dataclass(frozen=True, slots=True)
class LinkedSkill:
    """A skill that an agent reaches through a link. Nothing is written there."""

    path: str
    """Its SKILL.md, or the link where none was reached; relative to the home."""
    target: str
    """Where it really is."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Its texts by path, the SKILL.md first."""
    problem: str = ""
    """Why not all of it was read."""
    is_file: bool = False
    """Whether the SKILL.md itself is the link."""


@dataclass(frozen=True, slots=True)
class OutsideText:
    """An instruction that lies outside of a home, and that its agent loads. Nothing is written."""

    path: str
    """How the agent comes to it: the link, relative to the home, or its own path."""
    by: str
    """The document that imports it; empty for a link."""
    target: str
    """Where it really is."""
    data: bytes | None
    """None where it was not read."""
    problem: str = ""
    """Why it was not read, or is not loaded."""


@dataclass(frozen=True, slots=True)
class SkillSight:
    """How many skills a home's agents load, and how many of those are reviewed."""

    live: int = 0
    """Skills that an agent of the home loads."""
    seen: int = 0
    """Those of them of which every change is reviewed."""
    unloaded: int = 0
    """Files that look like a skill, and that no agent of the home loads."""
    cautions: tuple[str, ...] = ()
    """A sentence for each that is live and not seen, and one about the unloaded ones."""


class Home(Protocol):
    """One agent's directory, for looking. Nothing here changes a byte of it."""

    @property
    def id(self) -> str:
        """Stable and unique: the path at which a ledger came to know it, wherever it is now."""

    @property
    def where(self) -> str:
        """Its current path."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings to read before deciding about this home; a sentence each."""

    @property
    def ungated(self) -> tuple[str, ...]:
        """The agent's settings that are off, and would have it stage what it writes."""

    @property
    def kind(self) -> str:
        """Which agent's: the name of its kind, such as `hermes`."""

    @property
    def readers(self) -> tuple[str, ...]:
        """The agents whose models are given its documents, by their keys in `reading`."""

    @property
    def name(self) -> str:
        """The name that a person uses: the profile's or the folder's."""

    def snapshot(self) -> Snapshot:
        """The home as it is now."""

    def scan(self) -> Iterable[Sighting]:
        """The files of the pending folder in the same order, none of them opened."""

    def pending(self, only: Collection[str] | None = None) -> Iterable[PendingFile]:
        """The files of the pending folder, in the order in which they are to be considered.

        With `only`, those of these sources, and a folder that cannot be read.
        """

    def claimed(self) -> Mapping[str, str]:
        """The records that another program is deciding on, each with the file that says so.

        They are neither gone nor ours to decide.
        """

    def archives(self, skill: str) -> tuple[str, ...]:
        """The directories to which the agent archived skills of this name."""

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one pending file, strictly. Never raises for what the file contains.

        What an operator repaired need not lie where a record belongs.
        """

    def documents(self) -> tuple[str, ...]:
        """The paths of all documents of the home that exist: memories and local skills."""

    def index_of(self, path: str) -> str | None:
        """The document that lists this one, a line with its file's name; None where none does.

        Where both change at once, that is one change.
        """

    def is_derived(self, path: str, snapshot: Snapshot) -> bool:
        """Whether the agent itself made this document of others, and nothing else is in it.

        A change of it says nothing that a review of the others did not.
        """

    def refusals(self) -> Refusals:
        """What stands in the home against automatic additions. Never raises."""

    def skills(self) -> tuple[Skill, ...]:
        """Every skill of the home, those that live outside of it too, by name."""

    def skill_sight(self) -> SkillSight:
        """How many skills its agents load, and how many of those are reviewed. Never raises."""

    def linked_skills(self) -> tuple[LinkedSkill, ...]:
        """The skills whose file or folder is a link, or lies behind one. Never raises."""

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """The instructions that its agent loads from outside of it. Never raises."""

    def keeps_conversations(self) -> bool:
        """Whether it keeps any of its agent's conversations."""

    def conversations(self) -> Conversations | None:
        """Its agent's conversations; None when it keeps none."""

    def stamp(self, paths: Iterable[str]) -> str:
        """A cheap hint that changes whenever the pending folder or one of these documents may have.

        A hint only: a decision reads the bytes again under a lock.
        """


@dataclass(frozen=True, slots=True)
class ForeignBytes:
    """Bytes that a foreign writer left in a file that we had displaced."""

    path: str
    data: bytes


class HomeWriter(Protocol):
    """One agent's directory, for writing. Every write is a compare-and-swap on content."""

    def lock(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        """Holds the agent's own locks for these documents, in sorted order, within a bound.

        Raises Busy, HomeReadOnly.
        """

    def read(self, path: str) -> Document:
        """The document as it is on disk at this moment."""

    def write(self, changes: Sequence[Change], token: str) -> None:
        """Puts these changes on disk, durably, each as a compare-and-swap.

        Changes that share a `tree` appear or go away with one rename. What is displaced stays in
        `.reviewdeck/` under `token` until `settle`. A change whose `after` is live already is left
        alone, so a second call does no harm. Raises StaleBase with what was found, and then has
        not touched that document; WriteFailed when the system refuses.
        """

    def has_landed(self, change: Change, token: str) -> bool:
        """Whether a change was on disk under this token, by what it displaced. False where that is
        unknown.
        """

    def settle(self, token: str) -> tuple[ForeignBytes, ...]:
        """Removes what `write` displaced under this token; gives back what changed meanwhile."""

    def retire(self, records: Sequence[tuple[str, str]]) -> list[bool]:
        """Takes pending records away, each a source with the SHA-256 of its content, where it is
        still that; says whether it did.
        """

    def end_retiring(self, decided: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Takes away what was left on its way out of the pending folder and is one of these; the
        rest goes back. They are asked for only where anything was left.
        """

    def note_pause(self, by: str) -> None:
        """Notes in the home who paused automatic additions; with an empty name, that nobody did.

        Raises WriteFailed, HomeReadOnly.
        """

    def note_rejected(self, digests: Collection[str], *, taken_back: bool = False) -> None:
        """Notes in the home the digests of rejected texts, or that they no longer are.

        Raises WriteFailed, HomeReadOnly.
        """

    def notify_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Leaves word for the agent that proposed it, where it listens. Never raises."""

    def apply_effects(
        self,
        effects: Sequence[Effect],
        now: datetime,
        keep: Callable[[tuple[Effect, ...]], None] = ...,
    ) -> tuple[Effect, ...]:
        """Does the agent's own bookkeeping; gives the inverse effects.

        `keep` is called with them before anything is written, and not where nothing has to be.
        """

    def repeat_effects(self, inverse: Sequence[Effect]) -> None:
        """Completes bookkeeping of which `keep` was called, exactly once."""


class BatchJournal(Protocol):
    """The batches that this host is writing to one home, with their bytes, on its own disk."""

    def lock(self) -> AbstractContextManager[None]:
        """Lets one process of this host at a time decide on and write to the home. Raises Busy.

        What is left of entries that were never stored is removed.
        """

    def put(self, entry: JournalEntry) -> None:
        """Stores an entry, durably, in the place of an earlier one of its batch.

        Raises WriteFailed, HomeReadOnly.
        """

    def entries(self) -> tuple[JournalEntry, ...]:
        """The entries that can be read, in the order in which they were begun."""

    def leftovers(self) -> tuple[str, ...]:
        """The files of entries that are being stored, or were never stored."""

    def drop(self, batch: str) -> None:
        """Removes the entry of a batch."""

    def acknowledge(self, batch: str) -> None:
        """Notes that the ledger has all of a batch: its entry is removed, or is one of the past."""

    def past(self) -> tuple[JournalEntry, ...]:
        """The entries that the ledger had, and may have lost since; oldest first."""


@dataclass(frozen=True, slots=True)
class OpenHome:
    """One home with both its sides."""

    home: Home
    writer: HomeWriter
    journal: BatchJournal
    sight: Sight | None = None
    """Where it is, if that is another machine: what is to be written there is only approved here,
    and the writer refuses."""


Clock = Callable[[], datetime]
"""Now, with a time zone."""

NewId = Callable[[], str]
"""A fresh identifier for an operation, a decision or a batch: at least 12 lower-case hex digits."""

Progress = Callable[[int, int], None]
"""Called during long work with the number of steps done and their total."""

Probe = Callable[[str], None]
"""Called with a step's name before the step is taken: a place for tests to fail at."""


def no_probe(step: str) -> None:
    """The probe outside of tests: does nothing."""
