"""Plain-form rules, and the proposal that they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TypeAlias

from reviewdeck.model import (
    Edit,
    Finding,
    MemoryAdd,
    MemoryPatch,
    MemoryReplace,
    Severity,
    SkillCreate,
    SkillEdit,
    SkillPatch,
    Span,
    added_text,
)
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import Reading
from reviewdeck.reading.agents import AGENTS, Agent

MAX_FINDINGS = 20
"""An operator learns nothing from more findings of one rule."""
_LONGEST_QUOTE = 160


class Destination(StrEnum):
    """The kind of document that a text would go into."""

    MEMORY = "memory"
    SKILL = "skill"
    SUPPORT = "support file"


@dataclass(frozen=True, slots=True)
class KnownToHome:
    """Hosts, text and skills of the home, which are no news."""

    hosts: frozenset[str] = frozenset()
    """Hosts named in the home's live documents or by the operator."""
    text: str = ""
    """The live documents: a command or path that stands there is not new."""
    skills: frozenset[str] = frozenset()
    """Names of the skills in the home."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """For each skill its directory, from `~` or `…`."""
    free_names: bool = False
    """Whether its agent takes a skill's files wherever they lie, and whatever they are called."""
    readers: tuple[Agent, ...] = AGENTS
    """The agents that read its files."""


NOTHING_KNOWN = KnownToHome()


@dataclass(frozen=True)
class AddedText:
    """One text that a proposal would add, or one resolved string of its front matter."""

    place: Destination
    text: str
    stands_at: Span | None = None
    """The span of the source of a resolved string in the added text."""

    @cached_property
    def reading(self) -> Reading:
        """The text normalised and cut into words."""
        return Reading(self.text)


@dataclass(frozen=True, slots=True)
class InstructionChange:
    """A SKILL.md before and after a change."""

    path: str
    before: str
    """Empty where there was none."""
    after: str


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """The folder of a skill: links, permissions and other files beside its texts."""

    links: tuple[tuple[str, str], ...] = ()
    """Each symbolic link, and where it leads as it is written."""
    executables: tuple[str, ...] = ()
    """Files with a permission to be executed."""
    files: tuple[str, ...] = ()
    """Its other files, by their paths."""
    shadows: tuple[str, ...] = ()
    """Other places with a skill of this name."""
    results: tuple[InstructionChange, ...] = ()
    """The files that an agent may load as skills, as they were and as they would be."""


@dataclass(frozen=True)
class RuleInput:
    """A proposal with what the rules may know about the home."""

    edits: tuple[Edit, ...] = ()
    known: KnownToHome = NOTHING_KNOWN
    folder: SkillFolder | None = None

    @cached_property
    def texts(self) -> tuple[AddedText, ...]:
        """The texts that the edits would add."""
        return tuple(piece for edit in self.edits if (piece := _added_by(edit)) is not None)

    @cached_property
    def pieces(self) -> tuple[AddedText, ...]:
        """The same with each string of their front matter, escapes and blocks resolved."""
        from reviewdeck.policy.rules.front_matter import strings_of

        return tuple(
            each for piece in self.texts for each in (piece, *strings_of(piece, self.known.readers))
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule found something."""

    message: str
    piece: AddedText | None = None
    start: int = 0
    end: int = 0
    quote: str | None = None
    """Shown in the place of a text that must not be repeated."""
    severity: Severity | None = None
    """None for the severity of the rule."""

    def finding(self, name: str, severity: Severity) -> Finding:
        """The finding that an operator reads."""
        severity = self.severity or severity
        if self.piece is None:
            return Finding(name, severity, self.message, None, self.quote)
        span = self.piece.stands_at or Span(self.start, self.end)
        quote = self.quote if self.quote is not None else self.piece.text[self.start : self.end]
        return Finding(name, severity, self.message, span, printable(quote[:_LONGEST_QUOTE]))


Check: TypeAlias = Callable[[RuleInput], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One question about the form of a text."""

    name: str
    effect: RuleEffect
    severity: Severity
    reason: str
    """The reason for the rule, in one sentence."""
    looks_at: str
    check: Check = field(repr=False)

    def findings(self, subject: RuleInput) -> tuple[Finding, ...]:
        """The findings of the rule in a proposal, each place once."""
        results: list[tuple[Hit, Finding]] = []
        for hit in self.check(subject):
            finding = hit.finding(self.name, self.severity)
            if not any(_is_same(hit, finding, *other) for other in results):
                results.append((hit, finding))
            if len(results) == MAX_FINDINGS:
                break
        return tuple(finding for _, finding in results)


def _is_same(hit: Hit, finding: Finding, other_hit: Hit, other: Finding) -> bool:
    """Whether two findings of a rule are about the same words, read in two ways."""
    if finding.span is None or other.span is None:
        return finding == other
    if finding.span.end <= other.span.start or other.span.end <= finding.span.start:
        return False
    if hit.piece is other_hit.piece and finding.message == other.message:
        return True
    first, second = finding.quote or "", other.quote or ""
    return first in second or second in first


@dataclass(frozen=True, slots=True)
class RuleFindings:
    """A rule that speaks, and what it found."""

    rule: Rule
    findings: tuple[Finding, ...]


def in_pieces(look: Callable[[AddedText], Iterable[Hit]]) -> Check:
    """A check of every added text and of every string of front matter."""

    def check(subject: RuleInput) -> Iterator[Hit]:
        for piece in subject.pieces:
            yield from look(piece)

    return check


def printable(text: str) -> str:
    """The text with a code in the place of each character that shows nothing."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\n" else f"<U+{ord(character):04X}>"
        for character in text
    )


@lru_cache(maxsize=16)
def _added_by(edit: Edit) -> AddedText | None:
    """The text of an edit. Cut into words once for all questions that are asked of a proposal."""
    text = added_text(edit)
    return None if text is None else AddedText(_place_of(edit), text)


def _place_of(edit: Edit) -> Destination:
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryPatch():
            return Destination.MEMORY
        case SkillCreate() | SkillEdit() | SkillPatch(file="SKILL.md"):
            return Destination.SKILL
        case _:
            return Destination.SUPPORT
