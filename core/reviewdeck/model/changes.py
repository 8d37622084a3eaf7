"""What was learnt about a document: the parts of a composed diff, and lessons made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from reviewdeck.model.decisions import ActorKind, Cause, Observation
from reviewdeck.model.documents import Revision, became


@dataclass(frozen=True, slots=True)
class ComposedPart:
    """One part of a composed diff."""

    kind: str
    """added, removed or kept."""
    text: str
    by: Observation
    """What brought it; for a removed one, what took it away."""
    pair: str | None = None
    """For one that took another's place, or gave way to one: the text of that other one."""


class LessonKind(StrEnum):
    """What a lesson does to a document."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing that was learnt: an entry of a memory, or lines that came together."""

    kind: LessonKind
    before: tuple[str, ...]
    """The parts that are gone."""
    after: tuple[str, ...]
    """The parts that stand in their place."""
    by: Observation
    at: int
    """Where it begins among the parts of the document as it is now."""
    under: str = ""
    """The heading that it stands under; empty for a memory."""

    @property
    def size(self) -> int:
        """How many parts it is about."""
        return max(len(self.before), len(self.after))


@dataclass(frozen=True, slots=True)
class Tally:
    """How much was learnt, by what it did and by who let it in. Entries, or lines."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    automatic: int = 0
    operator: int = 0
    outside: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.added + self.changed + self.removed

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.added + other.added,
            self.changed + other.changed,
            self.removed + other.removed,
            self.automatic + other.automatic,
            self.operator + other.operator,
            self.outside + other.outside,
        )


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything that happened to one document since a moment, as one diff."""

    home: str
    document: str
    before: Revision
    after: Revision
    rows: tuple[ComposedPart, ...]
    lessons: tuple[Lesson, ...] = ()
    is_memory: bool = False
    since: datetime | None = None
    """From when on; None: since it was first looked at."""
    archived: str = ""
    """The directory that its skill was moved to; empty for what is gone, and for what is there."""

    modes: tuple[int, int] | None = None
    """The permission bits then and now, where who may execute it changed."""
    mode_by: Observation | None = None
    """What changed that."""

    @property
    def became(self) -> str:
        """That it can be executed now, or no longer; empty where that is as it was."""
        return became(*self.modes) if self.modes else ""

    @property
    def brought_by(self) -> tuple[tuple[Observation, int], ...]:
        """What brought how much of it, the mode being one thing."""
        mode = ((self.mode_by, 1),) if self.mode_by else ()
        return (*((one.by, one.size) for one in self.lessons), *mode)

    @property
    def tally(self) -> Tally:
        """How much it is."""
        return sum(map(_tally, self.lessons), Tally())


def _tally(lesson: Lesson) -> Tally:
    gone, came, size = len(lesson.before), len(lesson.after), lesson.size
    kind = lesson.by.actor.kind if lesson.by.actor and lesson.by.cause is Cause.OPERATION else None
    return Tally(
        added=max(0, came - gone),
        changed=min(came, gone),
        removed=max(0, gone - came),
        automatic=size if kind is ActorKind.POLICY else 0,
        operator=size if kind is ActorKind.OPERATOR else 0,
        outside=size if lesson.by.cause is Cause.OUTSIDE else 0,
    )
