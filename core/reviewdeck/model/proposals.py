"""Proposals: ordered edits, where they came from, and what their author was looking at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.model.documents import Revision, became
from reviewdeck.model.edits import Edit, Restore


class Kind(StrEnum):
    """Which part of a home a proposal is about."""

    MEMORY = "memory"
    SKILLS = "skills"
    DOCUMENTS = "documents"
    """Texts that are no list of entries and no skill's: facts, an index, instructions."""


class State(StrEnum):
    """Where a proposal stands."""

    READY = "ready"
    CONFLICT = "conflict"
    DEAD = "dead"
    REFUSED = "refused"
    QUARANTINED = "quarantined"
    DEFERRED = "deferred"
    LIVE = "live"
    """It was written without anybody's decision, and is reviewed afterwards."""
    APPROVED = "approved"
    APPLYING = "applying"
    APPLIED = "applied"
    REJECTED = "rejected"
    ELSEWHERE = "elsewhere"
    KEPT = "kept"
    """It was live already, and an operator let it stay."""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for somebody."""
        return self in OPEN_STATES


OPEN_STATES = frozenset(
    {
        State.READY,
        State.CONFLICT,
        State.DEAD,
        State.REFUSED,
        State.QUARANTINED,
        State.DEFERRED,
        State.LIVE,
    }
)

OUTSIDE: Final = "outside"
"""The action, and the origin, of what was changed without us."""


@dataclass(frozen=True, slots=True)
class DirectChange:
    """One document that somebody changed without us, from what we knew to what we found."""

    path: str
    before: Revision
    after: Revision
    modes: tuple[int, int] | None = None
    """The permission bits before and after, where who may execute it changed."""

    @property
    def became(self) -> str:
        """Whether it can be executed now, or no longer; empty where that did not change."""
        return became(*self.modes) if self.modes else ""


class BaseSource(StrEnum):
    """How we know what an author was looking at."""

    GIVEN = "given"
    """The record says so."""
    RECORDED = "recorded"
    """We had stored the revision that was live when the record was made."""
    FIRST_SEEN = "first-seen"
    """What was live when we first saw the record: it may have changed before that."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Base:
    """The text of one document that an author was looking at."""

    revision: Revision
    data: bytes | None
    """None when absent, or when only the revision is known (then `has_text` is False)."""
    source: BaseSource
    has_text: bool = True


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change someone wants made to a home."""

    id: str
    """Ours: derived from the home, the source and the content, so the same record twice is one."""
    home: str
    """The home's id. A proposal is never applied to another."""
    kind: Kind
    action: str
    """The author's own word: add, replace, remove, batch, create, edit, patch, ..."""
    target: str
    """What it is about: a memory store or a skill name."""
    edits: tuple[Edit, ...]
    payload_sha: str
    """SHA-256 of the record's bytes."""
    origin: str = "unknown"
    """Who the record says asked for it. A claim, never a reason for trust."""
    source: str | None = None
    """The pending file, relative to the home."""
    source_id: str | None = None
    """The id that Hermes gave it."""
    summary: str = ""
    """Its author's own words for it. A claim: what a list says comes from the edits."""
    created_at: datetime | None = None
    """When the record says it was made."""
    ingested_at: datetime | None = None
    """When we first saw it."""
    bases: Mapping[str, Base] = field(default_factory=dict)
    """Document path to what the author was looking at, where known."""
    session: str | None = None
    turn: str | None = None
    tool_call: str | None = None
    model: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)
    """What our own reviewer knows of how it came about; never taken from somebody's record."""
    unknown_keys: tuple[str, ...] = ()
    """Top-level keys of the record that we do not know: kept and ignored."""
    undoes: str | None = None
    """The operation that this proposal takes back."""
    takes_back: str | None = None
    """The change outside review that this proposal takes back."""
    outside: tuple[DirectChange, ...] = ()
    """What is live already without anybody's decision. The edits are those that would have made
    it; the bytes are these revisions."""

    @property
    def changes_modes(self) -> bool:
        """Whether it changed who may execute a file: no call of a tool is known to say that."""
        return any(one.modes for one in self.outside)

    @property
    def is_operators(self) -> bool:
        """Whether an operator asked for it: an undo, a revert, a restore. No record can."""
        return all(isinstance(edit, Restore) for edit in self.edits) and bool(self.edits)


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A pending file that cannot be read as a proposal. It stays on disk, untouched."""

    id: str
    home: str
    source: str
    reason: str
    """A short code: not-utf8, not-json, too-large, ..."""
    message: str
    payload_sha: str
    kind: Kind
    ingested_at: datetime | None = None
