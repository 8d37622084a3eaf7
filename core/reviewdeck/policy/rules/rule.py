"""Plain-form rules, and the proposal that they look at."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

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
    SkillWriteFile,
    Span,
    added_text,
)
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.survey import Sought, Survey
from reviewdeck.policy.rules.views import FoldedText, View
from reviewdeck.policy.rules.vocabulary import Phrase, vocabulary
from reviewdeck.reading.agents import AGENTS, Agent
from reviewdeck.reading.frontmatter import front_end, front_span, readings_of
from reviewdeck.reading.yaml import strings_in
from reviewdeck.text.blocks import BlockKind, blocks

MAX_FINDINGS = 20
"""An operator learns nothing from more findings of one rule."""
_LONGEST_QUOTE = 160
_KEPT: Final = 4096
"""Texts of which a rule keeps what it found."""


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


_PROSE_FENCES: Final = frozenset({"text", "txt", "md", "markdown", "mdx", "prompt"})
"""Languages of fences in which sentences stand."""
_PROSE_FILES: Final = (".md", ".mdx", ".markdown", ".txt", ".rst")


class _Stretch(NamedTuple):
    """Where a block stands in a text, and what it is."""

    start: int
    end: int
    is_code: bool = False
    is_fenced: bool = False
    context: str = ""
    is_cell: bool = False


@dataclass(frozen=True)
class AddedText:
    """One text that a proposal would add, a block of it, or one string of its front matter."""

    place: Destination
    text: str
    stands_at: Span | None = None
    """The span of the source of a resolved string in the added text."""
    is_code: bool = False
    is_fenced: bool = False
    """Whether a block lies in a code fence, whatever its language."""
    context: str = ""
    """What introduces a block: the heading above it, and the paragraph before its list, or the item
    or paragraph before a fence.
    """
    is_cell: bool = False
    """Whether a block is a cell of a table, which names things rather than orders them."""
    _reading: FoldedText | None = field(default=None, compare=False, repr=False)

    @property
    def is_memory(self) -> bool:
        """Whether it would go into a memory, where the rules are stricter than in a skill."""
        return self.place is Destination.MEMORY

    @property
    def reading(self) -> FoldedText:
        """A block folded, with its words. Raises TypeError for a text of several blocks."""
        if self._reading is None:
            raise TypeError("only a block is read")
        return self._reading

    @cached_property
    def key(self) -> tuple[bytes, Destination, bool]:
        """Stands for the text: what rules found in it is kept by it."""
        data = self.text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=16).digest(), self.place, self.is_code

    @cached_property
    def _stretches(self) -> Sequence[_Stretch]:
        if self.is_code or self.stands_at is not None:
            return (_Stretch(0, len(self.text), self.is_code),)
        return tuple(_stretches_of(self.text))

    @cached_property
    def _survey(self) -> Survey:
        blocks = [(self.text[one.start : one.end], one.is_code) for one in self._stretches]
        return Survey(blocks, is_memory=self.is_memory)

    @cached_property
    def _looked_at(self) -> dict[int, AddedText]:
        """The blocks that a rule looked at, by their numbers."""
        return {}

    def _block(self, number: int) -> AddedText:
        block = self._looked_at.get(number)
        if block is None:
            one = self._stretches[number]
            block = self._looked_at[number] = AddedText(
                self.place,
                self.text[one.start : one.end],
                None,
                one.is_code,
                one.is_fenced,
                one.context,
                one.is_cell,
                self._survey.reading(number),
            )
        return block

    def blocks_with(self, sought: Sought) -> Iterator[tuple[int, AddedText]]:
        """Where its blocks begin that may have what is sought, and each of them: no rule about
        words looks beyond one.
        """
        for number in self._survey.with_any_of(sought):
            yield self._stretches[number].start, self._block(number)

    def block_around(self, start: int, end: int) -> tuple[int, AddedText] | None:
        """The block that holds these characters, and where it begins."""
        number = bisect_right(self._stretches, start, key=lambda one: one.start) - 1
        if number < 0 or end > self._stretches[number].end:
            return None
        return self._stretches[number].start, self._block(number)

    @cached_property
    def _phrases(self) -> Mapping[str, Sequence[tuple[View, Phrase]]]:
        """By rule, the phrases that some view of it has the words of."""
        possible: dict[str, list[tuple[View, Phrase]]] = {}
        for view in self.reading.views:
            for listed in vocabulary().possible(view.bits, self.is_memory).phrases:
                if view is self.reading.plain or listed.rule not in _AS_WRITTEN:
                    possible.setdefault(listed.rule, []).append((view, listed.phrase))
        return possible

    def said(self, rule: str) -> Iterator[Hit]:
        """The phrases of a rule that stand in any view of it."""
        for view, phrase in self._phrases.get(rule, ()):
            for place in view.places_of(phrase, is_code=self.is_code):
                yield Hit(phrase.says, self, *view.span(*place))

    def phrases(self, rule: str) -> Iterator[Hit]:
        """The phrases of a rule in its blocks."""
        for at, block in self.blocks_with(Sought((rule,))):
            for hit in block.said(rule):
                yield Hit(hit.message, self, at + hit.start, at + hit.end)

    @cached_property
    def kept(self) -> dict[Look, Sequence[Hit]]:
        """What rules found in such a block, wherever it stands: it is judged once."""
        return _kept(
            self.place, self.text, self.is_code, self.is_fenced, self.context, self.is_cell
        )

    def close(self) -> None:
        """Frees its words: what rules found in them is kept."""
        for name in ("_survey", "_stretches", "_looked_at"):
            vars(self).pop(name, None)


_AS_WRITTEN: Final = frozenset({"call", "code"})
"""Phrases of code, whose words are not put together."""


def _stretches_of(text: str) -> Iterator[_Stretch]:
    heading = lead = item = ""
    for block in blocks(text, front_end(text, AGENTS)):
        start, end = block.start, block.end
        is_code = block.kind is BlockKind.FENCE
        if block.kind is BlockKind.HEADING:
            heading, lead, item = text[start:end], "", ""
        elif block.kind is BlockKind.PARAGRAPH:
            lead, item = text[start:end], ""
        elif block.kind is BlockKind.ITEM:
            item = text[start:end]
        # A list is introduced by the paragraph in front of it, a fence by the item that it is in.
        context = f"{heading}\n{item or lead if is_code else lead}"
        if is_code and block.language in _PROSE_FENCES:
            for inner in blocks(text[start:end], front_end=0):
                inside = inner.kind is BlockKind.FENCE
                yield _Stretch(start + inner.start, start + inner.end, inside, True, context)
        else:
            is_cell = block.kind is BlockKind.CELL
            yield _Stretch(start, end, is_code, is_code, context, is_cell)


@lru_cache(maxsize=1024)
def _kept(*_block: object) -> dict[Look, Sequence[Hit]]:
    return {}


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
        return tuple(
            each
            for piece in self.texts
            for each in (piece, *_strings_of(piece, self.known.readers))
        )


def _strings_of(piece: AddedText, readers: Sequence[Agent]) -> Iterator[AddedText]:
    """The strings of a skill's front matter that its source does not show as they are."""
    if piece.place is not Destination.SKILL:
        return
    seen: set[str] = set()
    for reading in readings_of(piece.text, readers):
        for value in strings_in(dict(reading.fields)):
            if value not in seen and value not in piece.text:
                seen.add(value)
                yield AddedText(
                    Destination.SKILL, value, Span(*front_span(piece.text, reading.front))
                )


class Hit(NamedTuple):
    """One place where a rule found something."""

    message: str
    piece: AddedText | None = None
    start: int = 0
    end: int = 0
    quote: str | None = None
    """Shown in the place of a text that must not be repeated."""
    severity: Severity | None = None
    """None for the severity of the rule."""
    is_refused: bool = False
    """Whether a rule that refuses does so even where this is less grave than the rule."""

    def finding(self, name: str, severity: Severity) -> Finding:
        """The finding that an operator reads."""
        severity = self.severity or severity
        if self.piece is None:
            return Finding(name, severity, self.message, None, self.quote)
        span = self.piece.stands_at or Span(self.start, self.end)
        quote = self.quote if self.quote is not None else self.piece.text[self.start : self.end]
        return Finding(name, severity, self.message, span, printable(quote[:_LONGEST_QUOTE]))

    @property
    def words(self) -> str:
        """What was found."""
        return self.piece.text[self.start : self.end] if self.piece is not None else ""

    def moved(self, piece: AddedText | None, by: int) -> Hit:
        """The same hit in another text, so many characters further on."""
        start, end = self.start + by, self.end + by
        return Hit(self.message, piece, start, end, self.quote, self.severity, self.is_refused)

    def graded(self, severity: Severity | None, *, is_refused: bool = False) -> Hit:
        """The hit with another severity."""
        return self._replace(severity=severity, is_refused=is_refused)


Check: TypeAlias = Callable[[RuleInput], Iterable[Hit]]
Look: TypeAlias = Callable[[AddedText], Iterable[Hit]]
IsKnown: TypeAlias = Callable[[Hit, KnownToHome], bool]
Words: TypeAlias = Callable[[Hit], str]


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
    is_known: IsKnown = field(default=lambda _hit, _known: False, repr=False)
    """Whether a hit is no news to the home."""

    def findings(self, subject: RuleInput) -> tuple[Finding, ...]:
        """The findings of the rule in a proposal, each place once, the gravest first."""
        found = self.answer(subject)
        return found.findings if found is not None else ()

    def answer(self, subject: RuleInput) -> RuleFindings | None:
        """What the rule says of a proposal; None where it finds nothing."""
        refuses = False
        grave: list[tuple[Hit, Finding]] = []
        lesser: list[tuple[Hit, Finding]] = []
        for hit in self.check(subject):
            results = lesser if self._is_lesser(hit) else grave
            if len(results) == MAX_FINDINGS or self.is_known(hit, subject.known):
                continue
            refuses |= hit.is_refused or not self._is_lesser(hit)
            finding = hit.finding(self.name, self.severity)
            if not any(_is_same(hit, finding, *other) for other in results):
                results.append((hit, finding))
            if len(grave) == MAX_FINDINGS:
                break
        for one in lesser:
            if not any(_is_same(*one, *other) for other in grave):
                grave.append(one)
        findings = tuple(finding for _, finding in grave[:MAX_FINDINGS])
        refuses &= self.effect is RuleEffect.REFUSE
        return RuleFindings(self, findings, refuses) if findings else None

    def speaks(self, subject: RuleInput) -> bool:
        """Whether it finds anything."""
        return any(not self.is_known(hit, subject.known) for hit in self.check(subject))

    def _is_lesser(self, hit: Hit) -> bool:
        return hit.severity is not None and hit.severity.rank < self.severity.rank


def _is_same(hit: Hit, finding: Finding, other_hit: Hit, other: Finding) -> bool:
    """Whether two findings of a rule are about the same words, read in two ways."""
    pieces = [one.piece for one in (hit, other_hit) if one.piece is not None]
    is_one_text = hit.piece is other_hit.piece or any(piece.stands_at for piece in pieces)
    if finding.span is None or other.span is None or not is_one_text:
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
    refuses: bool
    """Whether a rule that refuses found an attack, and not only one that a text tells of."""


class InPieces:
    """A check of every added text and string of front matter.

    What it finds in a text is kept: a text is looked into once, however often it is judged. Where
    the home may know what is found by certain words, no more hits of the same words are kept than
    are shown.
    """

    def __init__(self, look: Look, words: Words | None = None) -> None:
        self._look = look
        self._words = words
        self._kept: dict[tuple[bytes, Destination, bool], tuple[Hit, ...]] = {}

    def __call__(self, subject: RuleInput) -> Iterator[Hit]:
        for piece in subject.pieces:
            for hit in self.found_in(piece):
                yield hit.moved(piece, 0)

    def found_in(self, piece: AddedText) -> tuple[Hit, ...]:
        """What it finds in one text, without the text."""
        found = self._kept.get(piece.key)
        if found is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            hits = _bounded(self._look(piece), self._words)
            found = self._kept[piece.key] = tuple(map(_bare, hits))
        return found


def _bounded(hits: Iterable[Hit], words: Words | None) -> Iterator[Hit]:
    counts: dict[tuple[Severity | None, str], int] = {}
    for hit in hits:
        key = hit.severity, words(hit) if words is not None else ""
        counts[key] = counts.get(key, 0) + 1
        most = MAX_FINDINGS if words or hit.severity is not None else 6 * MAX_FINDINGS
        if counts[key] <= most:
            yield hit
        elif words is None and hit.severity is None:
            return


def _bare(hit: Hit) -> Hit:
    """The hit without its text, which is not kept."""
    return hit.moved(None, 0)


def in_blocks(look: Look, sought: Sought, words: Words | None = None) -> InPieces:
    """The same, each block by itself that may have what is sought."""

    def look_into(piece: AddedText) -> Iterator[Hit]:
        for at, block in piece.blocks_with(sought):
            hits = block.kept.get(look)
            if hits is None:
                hits = block.kept[look] = tuple(map(_bare, _bounded(look(block), words)))
            for hit in hits:
                yield hit.moved(piece, at)

    return InPieces(look_into, words)


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
    if text is None:
        return None
    is_code = isinstance(edit, SkillWriteFile | SkillPatch) and _is_code(edit.file)
    return AddedText(_place_of(edit), text, is_code=is_code)


def _is_code(file: str) -> bool:
    name = file.rpartition("/")[2].lower()
    return "." in name and not name.endswith(_PROSE_FILES)


def _place_of(edit: Edit) -> Destination:
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryPatch():
            return Destination.MEMORY
        case SkillCreate() | SkillEdit() | SkillPatch(file="SKILL.md"):
            return Destination.SKILL
        case _:
            return Destination.SUPPORT
