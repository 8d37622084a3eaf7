"""The edits that an agent asks for. One class per request, in the agent's own terms."""

from __future__ import annotations

from typing import TypeAlias

from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class MemoryAdd:
    """Append an entry."""

    document: str
    content: str


@dataclass(frozen=True, slots=True)
class MemoryReplace:
    """Put `content` in the place of the whole entry that contains `old_text`."""

    document: str
    old_text: str
    content: str
    matched_entry: str | None = None
    """The full entry that was matched when the edit was made, where the record says so."""


@dataclass(frozen=True, slots=True)
class MemoryRemove:
    """Drop the whole entry that contains `old_text`."""

    document: str
    old_text: str
    matched_entry: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryPatch:
    """Put `new_text` in the place of the one span `old_text` of an entry; the rest of it stays.

    White space counts: the span is part of the text that is replaced.
    """

    document: str
    old_text: str
    new_text: str
    matched_entry: str | None = None
    """The full entry that was matched when the edit was made, where the record says so."""

    @property
    def content(self) -> str:
        """The entry after the patch; only the new text where the entry is not known."""
        return (self.matched_entry or self.old_text).replace(self.old_text, self.new_text, 1)


@dataclass(frozen=True, slots=True)
class SkillCreate:
    """A new skill with its SKILL.md."""

    name: str
    content: str
    category: str | None = None


@dataclass(frozen=True, slots=True)
class SkillEdit:
    """A full rewrite of a SKILL.md."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class SkillPatch:
    """Find and replace within one file of a skill."""

    name: str
    old_string: str
    new_string: str
    file: str = "SKILL.md"
    replace_all: bool = False


@dataclass(frozen=True, slots=True)
class SkillWriteFile:
    """Add or overwrite one support file."""

    name: str
    file: str
    content: str


@dataclass(frozen=True, slots=True)
class SkillRemoveFile:
    """Remove one support file."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class SkillDelete:
    """Remove a whole skill."""

    name: str
    absorbed_into: str | None = None
    """The skill that took over its content; empty for none; None when not said."""


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """Replace a whole document that is no skill's by this text; None: remove it."""

    document: str
    content: str | None
    added: str = ""
    """The lines of it that its author's own version of the document did not have."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Bring one document from `applied` to `previous`: part of an undo, a revert, a restore."""

    document: str
    applied: bytes | None
    """The bytes that the undone operation had written."""
    previous: bytes | None
    """The bytes before it."""
    mode: int | None = None
    tree: str | None = None
    was_mode: int | None = None
    """The mode that goes with `applied`, where the executable bit changes back as well."""
    rejects: tuple[str, ...] = ()
    """Texts that count as rejected once this is written."""


EntryEdit: TypeAlias = MemoryReplace | MemoryPatch | MemoryRemove
"""An edit of an entry that exists."""
MemoryEdit: TypeAlias = MemoryAdd | EntryEdit
SkillChange: TypeAlias = (
    SkillCreate | SkillEdit | SkillPatch | SkillWriteFile | SkillRemoveFile | SkillDelete
)
Edit: TypeAlias = MemoryEdit | SkillChange | DocumentWrite | Restore


def added_text(edit: Edit) -> str | None:
    """The text that an edit would add; None for one that adds none."""
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryPatch():
            return edit.content
        case SkillCreate() | SkillEdit() | SkillWriteFile():
            return edit.content
        case SkillPatch():
            return edit.new_string
        case DocumentWrite():
            return edit.added or None
        case MemoryRemove() | SkillRemoveFile() | SkillDelete() | Restore():
            return None
