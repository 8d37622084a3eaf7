"""Plans: a proposal's changes of the live home, to the byte; and the outcomes of staging."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from reviewdeck.model.documents import Revision, became, executes_otherwise, revision_of
from reviewdeck.values import dataclass


@dataclass(frozen=True)
class Change:
    """The change of one document from its live bytes to the wanted ones."""

    path: str
    before: bytes | None
    """None when there is no such document yet."""
    after: bytes | None
    """None when the document goes away."""
    mode: int | None = None
    """Permission bits of the result; None keeps what is there, or the default of the home."""
    tree: str | None = None
    """The directory that appears or goes away as a whole with this change."""
    was_mode: int | None = None
    """The permission bits before, where who may execute the file changes; else None."""

    @cached_property
    def before_revision(self) -> Revision:
        """The revision that must be live for this change to be applied."""
        return revision_of(self.before)

    @cached_property
    def after_revision(self) -> Revision:
        """The revision that is live once it is applied."""
        return revision_of(self.after)

    @property
    def is_change(self) -> bool:
        """Whether its text or who may execute it differs afterwards."""
        return self.before != self.after or executes_otherwise(self.was_mode, self.mode)

    @property
    def became(self) -> str:
        """Whether the file can be executed now, or no longer; empty where that stays."""
        return became(self.was_mode, self.mode)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as decisions name them: revisions, with the mode where that changes."""
        if self.was_mode is None or self.mode is None:
            return self.before_revision, self.after_revision
        return (
            f"{self.before_revision} {self.was_mode:03o}",
            f"{self.after_revision} {self.mode:03o}",
        )

    @property
    def reversed(self) -> Change:
        """The change that undoes it."""
        if self.was_mode is None:
            return replace(self, before=self.after, after=self.before)
        return replace(
            self, before=self.after, after=self.before, mode=self.was_mode, was_mode=self.mode
        )

    @property
    def is_additive(self) -> bool:
        """Whether it only creates a document or appends to one."""
        if self.after is None:
            return False
        return self.before is None or self.after.startswith(self.before.rstrip())


class EffectKind(StrEnum):
    """The kinds of Hermes' bookkeeping for its skills."""

    MARK_AGENT_CREATED = "mark-agent-created"
    MARK_CREATED = "mark-created"
    """Created on the user's request."""
    COUNT_PATCH = "count-patch"
    FORGET = "forget"
    MARK_ARCHIVED = "mark-archived"
    RESTORE_RECORD = "restore-record"


@dataclass(frozen=True, slots=True)
class Effect:
    """One piece of Hermes' own bookkeeping that goes with a change of a skill."""

    kind: EffectKind
    skill: str
    record: str | None = None
    """For RESTORE_RECORD: the usage record to put back, as JSON; None drops the record."""
    over: str | None = None
    """For RESTORE_RECORD: the record that we wrote and that is to be there, as JSON; None when it
    is not known, or when we dropped it. What Hermes wrote since then stays."""


@dataclass(frozen=True, slots=True)
class Step:
    """One proposal's part of a plan."""

    proposal: str
    payload_sha: str
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """Of its documents those that are links, each with the file that its bytes go to."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One or more proposals, in order, worked out against the live home."""

    home: str
    steps: tuple[Step, ...]

    @property
    def proposals(self) -> tuple[str, ...]:
        """The proposals' ids, in the order in which they are applied."""
        return tuple(step.proposal for step in self.steps)

    @property
    def changes(self) -> tuple[Change, ...]:
        """One change per document: the first before, the last after."""
        if len(self.steps) == 1 and len(self.steps[0].changes) == 1:  # nearly always
            (only,) = self.steps[0].changes
            return (only,) if only.is_change else ()
        first: dict[str, Change] = {}
        last: dict[str, Change] = {}
        for step in self.steps:
            for change in step.changes:
                first.setdefault(change.path, change)
                last[change.path] = change
        folded = (
            change if change is first[path] else _folded(first[path], change)
            for path, change in last.items()
        )
        return tuple(change for change in folded if change.is_change)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The side effects, in order."""
        return tuple(effect for step in self.steps for effect in step.effects)

    @property
    def digest(self) -> str:
        """SHA-256 of exactly what would be written where: home, payloads, befores and afters."""
        links = dict(link for step in self.steps for link in step.links)
        return digest_of(
            self.home,
            [step.payload_sha for step in self.steps],
            {c.path: (*c.ends, links[c.path]) if c.path in links else c.ends for c in self.changes},
        )


def _folded(first: Change, last: Change) -> Change:
    was_mode = last.was_mode if first.was_mode is None else first.was_mode
    mode = first.mode if last.mode is None else last.mode
    return replace(last, before=first.before, was_mode=was_mode, mode=mode)


def digest_of(home: str, payloads: list[str], texts: Mapping[str, Sequence[str]]) -> str:
    """The SHA-256 over canonical JSON that an operator approves."""
    canonical = _CANONICAL.encode({"home": home, "payloads": payloads, "texts": texts})
    return hashlib.sha256(canonical.encode()).hexdigest()


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Ready:
    """The proposal can be applied as it is."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another change touched the same text. A person has to merge them."""

    home: str
    proposal: str
    payload_sha: str
    path: str
    base: bytes | None
    """The text that the author saw; None when absent or unknown."""
    live: bytes | None
    proposed: bytes | None
    """The text that the author wants."""
    reason: str
    base_known: bool = True
    others: tuple[Change, ...] = ()
    """Changes to other documents that go with the resolution."""
    effects: tuple[Effect, ...] = ()
    mode: int | None = None
    link: str | None = None
    """The file that the document is a link to, if it is one."""

    @property
    def digest(self) -> str:
        """SHA-256 over the three texts, the other changes, the home and the payload."""
        sides = (self.base, self.live, self.proposed)
        where = [] if self.link is None else [self.link]
        texts: dict[str, Sequence[str]] = {self.path: [*map(revision_of, sides), *where]}
        texts |= {c.path: c.ends for c in self.others}
        return digest_of(self.home, [self.payload_sha], texts)


class DeadReason(StrEnum):
    """The reasons why a proposal cannot be applied."""

    TARGET_GONE = "target-gone"
    AMBIGUOUS = "ambiguous"
    ALREADY_THERE = "already-there"
    OVER_BUDGET = "over-budget"
    TOO_LARGE = "too-large"
    """What it writes exceeds the limit of the document by itself."""
    LOOSE_MATCH = "loose-match"
    INVALID = "invalid"
    NAME_TAKEN = "name-taken"
    EXTERNAL = "external"
    PINNED = "pinned"
    UNREADABLE = "unreadable"
    NOT_PLAIN = "not-plain"
    MOVED = "moved"
    CLOSED = "closed"
    """The agent itself takes no more writes to this document."""
    PROTECTED = "protected"
    """The agent itself never deletes this one."""
    UNDONE = "undone"
    """It would undo an operation that cannot be undone any more."""


@dataclass(frozen=True, slots=True)
class Dead:
    """The proposal cannot be applied to the live home."""

    reason: DeadReason
    message: str
    candidate: str | None = None
    """The nearest live text, for an operator who wants to re-aim it."""


Staged: TypeAlias = Ready | Conflict | Dead
