"""What a rule is, and what it is given to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeAlias

from reviewdeck.model import (
    Edit,
    Finding,
    Likeness,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Restore,
    RuleResult,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    Span,
    Staged,
)
from reviewdeck.policy.limits import DEFAULT_LIMITS, Limits
from reviewdeck.policy.reading import HOLD_LIMIT, Reading, read
from reviewdeck.policy.signs import Signed, Signs, signs_of


class LooksAt(StrEnum):
    """What a rule looks at, in the words of the documentation."""

    TEXT = "the text that is added"
    MEMORY = "text added to a memory document"
    SKILL = "text added to a skill"
    NAMES = "names and paths"
    EDITS = "the kind of change"
    LIKENESS = "texts that are alike"
    PLANNING = "what planning noticed"


class Place(StrEnum):
    """Where a piece of text would go."""

    MEMORY = "memory"
    SKILL = "skill"
    SUPPORT = "support file"


BRIEF_MEMORY = 4_000
"""Characters of a memory text that rules look at which only hold."""
ANYWHERE = frozenset(Place)
IN_MEMORY = frozenset({Place.MEMORY})
IN_SKILLS = frozenset({Place.SKILL, Place.SUPPORT})


@dataclass(frozen=True)
class Piece:
    """One text that a proposal would add."""

    place: Place
    text: str
    path: str = ""
    length: int = 0
    """Characters of the whole text, where this is only its beginning."""

    @property
    def beginning(self) -> Piece:
        """As much of it as a rule needs that only holds: what is longer is held for that."""
        most = BRIEF_MEMORY if self.place is Place.MEMORY else HOLD_LIMIT
        if len(self.text) <= most:
            return self
        return Piece(self.place, self.text[:most], self.path, len(self.text))

    @cached_property
    def reading(self) -> Reading:
        """The text as the vocabulary rules read it. Worked out once."""
        return read(self.text)


@dataclass(frozen=True)
class Subject:
    """Everything that a rule may look at."""

    edits: tuple[Edit, ...] = ()
    outcome: Staged | None = None
    noticed: tuple[Finding, ...] = ()
    alike: tuple[Likeness, ...] = ()
    live_text: str = ""
    limits: Limits = DEFAULT_LIMITS
    skills: Mapping[str, str] = field(default_factory=dict)
    """By name, the live SKILL.md of each skill that the edits are about."""

    @cached_property
    def brief(self) -> Subject:
        """The same with the beginnings of its texts."""
        found = Subject(
            self.edits,
            self.outcome,
            self.noticed,
            self.alike,
            self.live_text,
            self.limits,
            self.skills,
        )
        shortened = tuple(piece.beginning for piece in self.pieces)
        if shortened == self.pieces:
            return self
        found.__dict__["pieces"] = shortened
        return found

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The texts that the edits would add."""
        return tuple(piece for edit in self.edits for piece in pieces_of(edit))


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule found something."""

    message: str
    span: Span | None = None
    quote: str | None = None
    severity: Severity | None = None
    """Where this one weighs differently from the rule."""
    code: str | None = None
    """Where the finding goes by another name than the rule."""
    only_told: bool = False
    """Whether the text only quotes or tells of it: a rule that refuses then holds."""


class Holds(StrEnum):
    """When what a rule finds holds a text."""

    ALWAYS = "holds"
    UNLESS_CLEAR = "unless clear"
    """Not where the whole reads plainly like what honest agents write."""
    WEIGHED = "weighed"
    """Only where the whole reads like poison: it tells what a text is about."""


Check: TypeAlias = Callable[[Subject], Iterable[Hit]]
Example: TypeAlias = str | Edit | Subject
"""A text stands for a memory addition, an edit for a proposal of that one edit."""

MAX_HITS = 20
"""More findings of one rule than this tell an operator nothing new."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason for care: what it looks at, how much it weighs, and how it is found."""

    name: str
    looks_at: LooksAt
    severity: Severity
    reason: str
    """Why the rule exists, in one sentence."""
    check: Check
    hits: tuple[Example, ...]
    """Examples that it must find."""
    misses: tuple[Example, ...]
    """Examples that it must leave alone."""
    whole: bool = False
    """Whether it looks at the whole text though it only holds."""
    refuses: bool = False
    """Whether a finding of it means that the proposal is never applied as it is."""
    holds: Holds = Holds.ALWAYS
    """Whether how the text reads as a whole decides with it."""

    def apply(self, subject: Subject) -> RuleResult:
        """What this rule says of a proposal."""
        found: dict[Finding, None] = {}
        refuses = False
        for hit in self.check(subject if self.refuses or self.whole else subject.brief):
            refuses = refuses or (self.refuses and not hit.only_told)
            if len(found) < MAX_HITS:
                found[self._finding(hit)] = None
            elif refuses or not self.refuses:
                break
        if not found:
            return self.silence
        return RuleResult(self.name, self.reason, tuple(found), refuses)

    @property
    def silence(self) -> RuleResult:
        """What it says of most proposals."""
        return _silent(self.name, self.reason)

    def _finding(self, hit: Hit) -> Finding:
        return Finding(
            code=hit.code or self.name,
            severity=hit.severity or self.severity,
            message=hit.message,
            span=hit.span,
            quote=hit.quote,
        )


@lru_cache(maxsize=256)
def _silent(name: str, reason: str) -> RuleResult:
    return RuleResult(name, reason, (), refuses=False)


def subject_of(example: Example) -> Subject:
    """The subject that an example stands for."""
    match example:
        case Subject():
            return example
        case str():
            return Subject(edits=(MemoryAdd("memories/MEMORY.md", example),))
        case _:
            return Subject(edits=(example,))


def pieces_of(edit: Edit) -> tuple[Piece, ...]:
    """The texts that one edit would add."""
    match edit:
        case MemoryAdd(document, content) | MemoryReplace(document, _, content):
            return (Piece(Place.MEMORY, content, document),)
        case SkillCreate(name, content) | SkillEdit(name, content):
            return (Piece(Place.SKILL, content, f"{name}/SKILL.md"),)
        case SkillPatch(name, _, new_string, file):
            place = Place.SKILL if file == "SKILL.md" else Place.SUPPORT
            return (Piece(place, new_string, f"{name}/{file}"),)
        case SkillWriteFile(name, file, content):
            return (Piece(Place.SUPPORT, content, f"{name}/{file}"),)
        case MemoryRemove() | SkillRemoveFile() | SkillDelete() | Restore():
            return ()


@dataclass(frozen=True, slots=True)
class InText:
    """A check that looks at each added text that goes to one of these places."""

    places: frozenset[Place]
    look: Callable[[Piece], Iterable[Hit]]
    signs: Signs | None

    def __call__(self, subject: Subject) -> Iterable[Hit]:
        """What it finds in the texts of a proposal."""
        pieces = subject.pieces
        if len(pieces) == 1:  # nearly always
            return self.look(pieces[0]) if pieces[0].place in self.places else ()
        return chain.from_iterable(
            self.look(piece) for piece in pieces if piece.place in self.places
        )


def in_text(places: frozenset[Place], look: Callable[[Piece], Iterable[Hit]]) -> Check:
    """A check of each added text that goes to one of these places."""
    plain = look.call if isinstance(look, Signed) else look
    return InText(places, plain, signs_of(look))
