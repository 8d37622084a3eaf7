"""Changes of a document since a moment: the parts of a composed diff, and lessons."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from reviewdeck.model.decisions import ActorKind, Cause, Observation
from reviewdeck.model.documents import Revision, became
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class ComposedPart:
    """One part of a composed diff."""

    kind: str
    """added, removed or kept."""
    text: str
    by: Observation
    """The observation that added it, or for a removed part the one that removed it."""
    pair: str | None = None
    """For an edited part, the text of its counterpart."""


class PartChangeKind(StrEnum):
    """The kinds of lessons."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class PartChange:
    """One lesson: an entry of a memory, or adjacent lines from one source."""

    kind: PartChangeKind
    before: tuple[str, ...]
    """The removed parts."""
    after: tuple[str, ...]
    """The parts in their place."""
    by: Observation
    at: int
    """Its index among the parts of the current document."""
    under: str = ""
    """The heading above it; empty for a memory."""

    @property
    def size(self) -> int:
        """The number of parts it covers."""
        return max(len(self.before), len(self.after))


@dataclass(frozen=True, slots=True)
class Tally:
    """The amount of changes, by kind and by who approved them. Entries, or lines."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    automatic: int = 0
    operator: int = 0
    outside: int = 0

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed

    def __add__(self, other: Tally) -> Tally:
        """The sum of both."""
        return Tally(
            self.added + other.added,
            self.changed + other.changed,
            self.removed + other.removed,
            self.automatic + other.automatic,
            self.operator + other.operator,
            self.outside + other.outside,
        )


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """All changes of one document since a moment, as one diff."""

    home: str
    document: str
    before: Revision
    after: Revision
    rows: tuple[ComposedPart, ...]
    changes: tuple[PartChange, ...] = ()
    is_memory: bool = False
    since: datetime | None = None
    """The start of the period; None: since the first observation."""
    archived: str = ""
    """The directory to which its skill was archived; empty for others."""

    modes: tuple[int, int] | None = None
    """The permission bits then and now, where the executable bit changed."""
    mode_by: Observation | None = None
    """The observation that changed them."""

    @property
    def became(self) -> str:
        """The change of its executable bit in words; empty for none."""
        return became(*self.modes) if self.modes else ""

    @property
    def added_by(self) -> tuple[tuple[Observation, int], ...]:
        """The observations with the number of parts each added; a mode counts as one."""
        mode = ((self.mode_by, 1),) if self.mode_by else ()
        return (*((change.by, change.size) for change in self.changes), *mode)

    @property
    def tally(self) -> Tally:
        return sum(map(_tally, self.changes), Tally())


def _tally(change: PartChange) -> Tally:
    removed, added, size = len(change.before), len(change.after), change.size
    kind = change.by.actor.kind if change.by.actor and change.by.cause is Cause.OPERATION else None
    return Tally(
        added=max(0, added - removed),
        changed=min(added, removed),
        removed=max(0, removed - added),
        automatic=size if kind is ActorKind.POLICY else 0,
        operator=size if kind is ActorKind.OPERATOR else 0,
        outside=size if change.by.cause is Cause.OUTSIDE else 0,
    )
