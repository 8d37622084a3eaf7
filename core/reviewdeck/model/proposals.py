"""Proposals: ordered edits, with their source and the texts that their author saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.model.documents import Revision, became
from reviewdeck.model.edits import Edit, MemoryAdd, Restore
from reviewdeck.values import dataclass

BACKGROUND_REVIEW: Final = "background_review"
"""The origin that an agent's own review of itself gives its records."""


class Kind(StrEnum):
    """The part of a home that a proposal changes."""

    MEMORY = "memory"
    SKILLS = "skills"
    DOCUMENTS = "documents"
    """Texts that are neither lists of entries nor skills: facts, an index, instructions."""


OUTSIDE: Final = "outside"
"""The action and the origin of a change outside review."""


@dataclass(frozen=True, slots=True)
class DirectChange:
    """One document's change outside review, from the last known revision to the one observed."""

    path: str
    before: Revision
    after: Revision
    modes: tuple[int, int] | None = None
    """The permission bits before and after, where who may execute it changed."""

    @property
    def became(self) -> str:
        """The change of its executable bit in words; empty for none."""
        return became(*self.modes) if self.modes else ""


class BaseSource(StrEnum):
    """The source of a base."""

    GIVEN = "given"
    """The record says so."""
    RECORDED = "recorded"
    """The stored revision that was live when the record was made."""
    FIRST_SEEN = "first-seen"
    """The revision that was live when we first saw the record: it may have changed before that."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Base:
    """The text of one document that a proposal's author saw."""

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
    """Its target: a memory store or a skill name."""
    edits: tuple[Edit, ...]
    payload_sha: str
    """SHA-256 of the record's bytes."""
    origin: str = "unknown"
    """The requester named by the record. A claim, never a reason for trust."""
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
    """The bases by document path, where known."""
    session: str | None = None
    turn: str | None = None
    tool_call: str | None = None
    model: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Provenance from our own reviewer; never taken from an agent's record."""
    unknown_keys: tuple[str, ...] = ()
    """Unknown top-level keys of the record: kept and ignored."""
    undoes: str | None = None
    """The operation that this proposal takes back."""
    takes_back: str | None = None
    """The change outside review that this proposal takes back."""
    author: str = ""
    """The operator whose own it is; empty for what an agent proposes."""
    outside: tuple[DirectChange, ...] = ()
    """The changes outside review that it consists of. The edits are those that would have made
    them; the bytes are these revisions."""

    @property
    def changes_modes(self) -> bool:
        """Whether it changed an executable bit, which no tool call is known to report."""
        return any(change.modes for change in self.outside)

    def saying(self, texts: Sequence[str]) -> Proposal:
        """The same additions to a memory with other texts; as it is for none."""
        if not texts:
            return self
        pairs = zip(self.edits, texts, strict=True)
        added = (replace(edit, content=text) for edit, text in pairs if isinstance(edit, MemoryAdd))
        return replace(self, edits=tuple(added))

    @property
    def is_operators(self) -> bool:
        """Whether it is an operator's own: an undo, a revert, a restore. No record can be."""
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
