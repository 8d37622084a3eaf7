"""Rules that operators write themselves: what they are about, and whether they hold or refuse.

Their patterns are run by RE2, which takes time in proportion to the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, Protocol, cast

from reviewdeck.model import (
    DocumentWrite,
    Edit,
    Finding,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Restore,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    Span,
    added_text,
)
from reviewdeck.values import dataclass

LONGEST = 1_000
"""Characters of a pattern."""
READ = 65_536
"""Characters of a text that a pattern sees."""
_WITHOUT = "a pattern needs an extra: pip install 'reviewdeck[patterns]'"
_LETTERS: Final = ("ean", "аон", "αεο", "ابن", "कमर", "的一是", "のにを", "이다가")
"""A few common letters of each of several scripts."""
_MEMORY = 8 << 20
"""Bytes that one compiled pattern may take."""


class BadPattern(Exception):
    """A pattern that cannot be used. Never leaves the policy."""


class _Match(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Compiled(Protocol):
    def search(self, text: str) -> _Match | None: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that is known to compile."""

    source: str

    def find(self, text: str) -> tuple[int, int] | None:
        """The span of the first match."""
        match = _compiled(self.source).search(text[:READ].encode("utf-8", "replace").decode())
        return None if match is None else match.span()

    @property
    def is_everything(self) -> bool:
        """Whether it matches the empty text, or some single letter of each script, however often.

        So it tells one ordinary text from another by nothing but, at most, a few letters.
        """
        return self._matches("") or all(
            any(self._matches(letter) and self._matches(letter * 100) for letter in letters)
            for letters in _LETTERS
        )

    def _matches(self, text: str) -> bool:
        return self.find(text) is not None


def read_pattern(source: str) -> Pattern:
    """A pattern, checked. Raises BadPattern."""
    if len(source) > LONGEST:
        raise BadPattern(f"a pattern has at most {LONGEST:,} characters")
    _compiled(source)
    return Pattern(source)


@lru_cache(maxsize=256)
def _compiled(source: str) -> _Compiled:
    try:
        import re2  # type: ignore[import-untyped]  # it ships no types
    except ImportError:
        raise BadPattern(_WITHOUT) from None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return cast("_Compiled", re2.compile(source, options))
    except re2.error as error:
        detail = error.args[0] if error.args else "it cannot be read"
        text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise BadPattern(f"RE2 does not take the pattern: {text}") from None


class RuleEffect(StrEnum):
    """The effect of a rule, shipped or of an operator, on a proposal that it matches."""

    HOLD = "hold"
    """A person decides."""
    REFUSE = "refuse"
    """The proposal is never applied as it is."""
    REJECT = "reject"
    """As `refuse`, and the next automatic pass rejects it. For an operator's own rules alone."""

    @property
    def refuses(self) -> bool:
        """Whether what it matches is never applied as it is."""
        return self is not RuleEffect.HOLD


SCOPE_LISTS: Final[Mapping[str, str]] = {
    "home": "homes",
    "kind": "kinds",
    "action": "actions",
    "target": "targets",
    "origin": "origins",
    "path": "paths",
}
"""By key in a policy file, the field of a scope."""
_QUOTED = 160


@dataclass(frozen=True, slots=True)
class RuleScope:
    """The proposals that an operator's rule is about; an empty field is about all."""

    homes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Memory or user, or names of skills; a star stands for anything."""
    origins: tuple[str, ...] = ()
    """The origin that the record claims."""
    paths: tuple[str, ...] = ()
    """Memory documents, or files as `skill/file`; a star stands for anything."""
    min_characters: int = 0
    max_characters: int | None = None
    pattern: Pattern | None = None

    def places(self, proposal: Proposal) -> tuple[tuple[str, Span | None], ...] | None:
        """The texts of a proposal that this is about, each with where its pattern matches.

        None when it is not about the proposal; empty when it is, and no text of it is added.
        """
        scoped = (
            (self.homes, proposal.home),
            (self.kinds, str(proposal.kind)),
            (self.actions, proposal.action),
            (self.targets, proposal.target),
            (self.origins, proposal.origin),
        )
        if not all(_is_among(value, globs) for globs, value in scoped):
            return None
        edits = [edit for edit in proposal.edits if _is_among(path_of(edit), self.paths)]
        texts = [text for edit in edits if (text := added_text(edit)) is not None]
        places = [(text, span) for text in texts for span in self._spans(text)]
        if places or (edits and not texts and self._is_about_no_text):
            return tuple(places)
        return None

    @property
    def is_everything(self) -> bool:
        """Whether it is about every proposal that adds a text."""
        globs = (self.homes, self.kinds, self.actions, self.targets, self.origins, self.paths)
        is_sized = self.min_characters > 1 or self.max_characters is not None
        is_said = self.pattern is not None and not self.pattern.is_everything
        return not (is_sized or is_said) and all(not each or "*" in each for each in globs)

    @property
    def _is_about_no_text(self) -> bool:
        return self.pattern is None and not self.min_characters

    def _spans(self, text: str) -> Iterator[Span | None]:
        if len(text) < self.min_characters:
            return
        if self.max_characters is not None and len(text) > self.max_characters:
            return
        if self.pattern is None:
            yield None
        elif (place := self.pattern.find(text)) is not None:
            yield Span(*place)


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule from a policy file."""

    name: str
    effect: RuleEffect
    reason: str
    scope: RuleScope = field(default_factory=RuleScope)
    severity: Severity = Severity.MEDIUM

    def matches(self, proposal: Proposal) -> bool:
        """Whether it is about a proposal."""
        return self.scope.places(proposal) is not None


def own_findings(
    proposal: Proposal, rules: Sequence[OwnRule]
) -> Iterator[tuple[OwnRule, tuple[Finding, ...]]]:
    """The rules that are about a proposal, each with what it found."""
    for rule in rules:
        places = rule.scope.places(proposal)
        if places is not None:
            findings = [_finding(rule, text, span) for text, span in places]
            yield rule, tuple(dict.fromkeys(findings)) or (_finding(rule, "", None),)


def _finding(rule: OwnRule, text: str, span: Span | None) -> Finding:
    severity = Severity.CRITICAL if rule.effect.refuses else rule.severity
    quote = text[span.start : span.end][:_QUOTED] if span is not None else None
    return Finding(rule.name, severity, rule.reason, span, quote)


def _is_among(value: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(fnmatchcase(value, glob) for glob in globs)


def path_of(edit: Edit) -> str:
    """The document of an edit as a rule names it: a memory's path, or `skill/file`."""
    match edit:
        case (
            MemoryAdd()
            | MemoryReplace()
            | MemoryPatch()
            | MemoryRemove()
            | DocumentWrite()
            | Restore()
        ):
            return edit.document
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return f"{edit.name}/{edit.file}"
        case SkillCreate() | SkillEdit() | SkillDelete():
            return f"{edit.name}/SKILL.md"


def as_toml(rule: OwnRule) -> str:
    """A rule as a policy file has it, without what is the default."""
    scope = rule.scope
    values: dict[str, object] = {
        "name": rule.name,
        "effect": str(rule.effect),
        "severity": None if rule.severity is Severity.MEDIUM else str(rule.severity),
        "reason": rule.reason,
        **{key: list(getattr(scope, name)) for key, name in SCOPE_LISTS.items()},
        "min_characters": scope.min_characters,
        "max_characters": scope.max_characters,
        "pattern": scope.pattern and scope.pattern.source,
    }
    lines = [f"{key} = {_toml_value(value)}" for key, value in values.items() if value]
    return "\n".join(["[[rule]]", *lines, ""])


def _toml_value(value: object) -> str:
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"  # As people write a pattern.
    # A JSON text is a TOML one, but for what JSON leaves as it is: DEL. Patterns have none.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
