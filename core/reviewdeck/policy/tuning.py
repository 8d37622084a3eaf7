"""What a policy file may tune: limits, caps, how much rules weigh, and rules of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from reviewdeck.model import (
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Restore,
    Severity,
)
from reviewdeck.policy.caps import Caps
from reviewdeck.policy.limits import Limits
from reviewdeck.policy.patterns import Pattern
from reviewdeck.policy.rule import pieces_of


class Effect(StrEnum):
    """What a rule of one's own does."""

    ALLOW = "allow"
    """What the rules that it names find is set aside. It never allows another shape."""
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a rule of one's own is about; what is empty is about everything."""

    homes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Memory or user, or names of skills; a star stands for anything."""
    origins: tuple[str, ...] = ()
    """What the record claims: enough to hold or refuse, never to allow."""
    paths: tuple[str, ...] = ()
    """Memory documents, or files as `skill/file`; a star stands for anything."""
    min_characters: int = 0
    max_characters: int | None = None
    pattern: Pattern | None = None

    def covers(self, proposal: Proposal, *, wholly: bool) -> bool:
        """Whether this is about a proposal: about all that it adds, or about some of it."""
        named = (
            (self.homes, proposal.home),
            (self.kinds, str(proposal.kind)),
            (self.actions, proposal.action),
            (self.targets, proposal.target),
            (self.origins, proposal.origin),
        )
        if not all(_is_among(value, globs) for globs, value in named):
            return False
        every = all if wholly else any
        pieces = [piece for edit in proposal.edits for piece in pieces_of(edit)]
        paths = [piece.path for piece in pieces] or _paths(proposal)
        if self.paths and not every(_is_among(path, self.paths) for path in paths):
            return False
        texts = [piece.text for piece in pieces] or [""]
        return every(self._fits(text) for text in texts)

    def _fits(self, text: str) -> bool:
        if len(text) < self.min_characters:
            return False
        if self.max_characters is not None and len(text) > self.max_characters:
            return False
        return self.pattern is None or self.pattern.find(text) is not None


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule from a policy file."""

    name: str
    effect: Effect
    reason: str
    scope: Scope = field(default_factory=Scope)
    sets_aside: frozenset[str] = frozenset()
    """For an allowing rule: the rules whose findings no longer hold."""
    severity: Severity = Severity.MEDIUM


@dataclass(frozen=True, slots=True)
class Tuning:
    """Everything that a policy file says. Without one, these defaults hold."""

    limits: Limits = field(default_factory=Limits)
    caps: Caps = field(default_factory=Caps)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    """By rule: what its findings weigh instead."""
    rules: tuple[OwnRule, ...] = ()


DEFAULT = Tuning()


def _is_among(value: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(fnmatchcase(value, glob) for glob in globs)


def _paths(proposal: Proposal) -> list[str]:
    """Where the edits go that add no text."""
    found: list[str] = []
    for edit in proposal.edits:
        match edit:
            case MemoryAdd(document) | MemoryReplace(document) | MemoryRemove(document):
                found.append(document)
            case Restore(document):
                found.append(document)
            case _:
                found.append(f"{edit.name}/{getattr(edit, 'file', 'SKILL.md')}")
    return found
