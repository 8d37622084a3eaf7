"""The rows of a report: what was learned, stopped and waits, each in words that a stranger reads.

Their texts are redacted and inert; each form of the report escapes them for its own syntax.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from reviewdeck.engine.why import LiveLine
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.decided import Evidence
from reviewdeck.model import (
    ABSENT,
    AUTO_APPLY,
    IN_YOUR_WORDS,
    OUTSIDE,
    PLAINLY_SAFE,
    ActorKind,
    Cause,
    Decision,
    Observation,
    OriginClass,
    QueueItem,
    State,
)
from reviewdeck.model.changes import DocumentChanges, PartChange, PartChangeKind
from reviewdeck.presentation.changes import (
    Author,
    allowed_authors,
    author_words,
    operator_name,
    redaction_of_changes,
    title_of,
)
from reviewdeck.presentation.proposal_words import creation_time, gist
from reviewdeck.presentation.sections import TITLES, QueueSection, section_of_item
from reviewdeck.presentation.words import count, inert, one_line, origin_word
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import Redaction
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


class ReportSection(StrEnum):
    """The part of a report that a row is in."""

    LEARNED = "learned"
    STOPPED = "stopped"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Learned:
    """A memory entry, or the lines of one document that one operation changed."""

    document: DocumentChanges
    changes: tuple[PartChange, ...]
    """None where only the executable bit changed."""
    by: Observation
    waits: str
    """The proposal by which this change outside review still waits; empty for none."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A proposal that the policy refused, or that an operator rejected."""

    item: QueueItem
    decision: Decision | None
    """The rejection; None where the policy refused it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal that is not decided yet."""

    item: QueueItem


Subject: TypeAlias = Learned | Stopped | Waiting


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of a report. All texts are redacted and inert."""

    section: ReportSection
    group: str
    """The document that it is in, or what its proposal waits for: a heading."""
    home: str
    """The id of its home."""
    document: str
    """The path of the document; for a proposal, its target."""
    at: datetime
    """When it was learned, stopped or proposed."""
    change: str
    """added, changed or removed for what was learned; else the state of the proposal."""
    sentence: str
    """What the agent remembers now, or what was proposed."""
    before: str
    """The text that it replaced or removed; may have several lines."""
    after: str
    """The lines that a document other than a memory has now."""
    user_said: str
    """The user's own words; empty where none are like it."""
    is_closest: bool
    """Whether those only come closest to it."""
    source: str
    """Where it came from: what took part in the conversation."""
    reason: str
    """Why it was stopped or waits, or a remark on how it was learned."""
    by: str
    """Who or what decided; empty where nobody did."""
    proposal: str
    operation: str
    command: tuple[str, ...]
    """The words of the command that takes it back, or shows what is possible."""
    does: str
    """The effect of that command, in a few words."""
    is_grave: bool = False
    """Whether it is dangerous, or was an attack."""


def learned_in(document: DocumentChanges, waiting: Mapping[str, str]) -> Iterator[Learned]:
    """The rows of one document. `waiting` are proposals by the revision that they are about."""
    groups = (
        ((change.by, [change]) for change in document.changes)
        if document.is_memory
        else groupby(document.changes, key=lambda change: change.by)
    )
    for by, changes in groups:
        yield Learned(document, tuple(changes), by, waiting.get(by.revision, ""))
    if not document.changes and document.mode_by is not None:
        by = document.mode_by
        yield Learned(document, (), by, waiting.get(by.revision, ""))


def rows_of(engine: Engine, subjects: Iterable[Subject]) -> Iterator[ReportRow]:
    """These in words, a few hundred at a time: a ledger may hold a hundred thousand."""
    covers = _Covers(engine)
    for part in chunks(subjects):
        yield from _Worder(engine, part, covers).rows()


class _Covers:
    """Covers the secrets of one document after the other: their rows come together."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._document: DocumentChanges | None = None
        self._redaction = Redaction()
        self._hides: bool | None = None

    def of(self, document: DocumentChanges | None) -> Redaction:
        if document is not self._document:
            self._document = document
            self._redaction = redaction_of_changes(self._engine, [document] if document else [])
            self._hides = None
        return self._redaction

    def hides_any_of(self, document: DocumentChanges) -> bool:
        """Whether anything is covered in what changed in a document."""
        redaction = self.of(document)
        if self._hides is None:
            texts = (text for each in document.changes for text in (*each.before, *each.after))
            self._hides = any(map(redaction.covers_any_of, texts))
        return self._hides


class _Worder:
    """What the words of some rows need of the ledger, read at once."""

    def __init__(self, engine: Engine, subjects: Sequence[Subject], covers: _Covers) -> None:
        self._subjects, self._covers = subjects, covers
        self._redaction = Redaction()
        items = [subject.item for subject in subjects if not isinstance(subject, Learned)]
        learned = [subject for subject in subjects if isinstance(subject, Learned)]
        ids = {subject.by.proposal: None for subject in learned if subject.by.proposal}
        self._items = {item.id: item for item in (*items, *engine.ledger.items(tuple(ids)))}
        self._evidence = engine.ledger.evidence(tuple(self._items))
        self._authors = {
            item.id: Author(item.origin, None, None, item.action) for item in self._items.values()
        }
        outside = {each.by.home for each in learned if each.by.cause is Cause.OUTSIDE}
        for home in sorted(outside):
            self._authors |= allowed_authors(engine, home)

    def rows(self) -> Iterator[ReportRow]:
        for subject in self._subjects:
            document = subject.document if isinstance(subject, Learned) else None
            self._redaction = self._covers.of(document)
            match subject:
                case Learned():
                    yield self._learned(subject)
                case Stopped():
                    yield self._stopped(subject)
                case Waiting():
                    yield self._waiting(subject)

    def _line(self, text: str) -> str:
        return inert(self._redaction.text(text)) if text else ""

    def _lines(self, parts: Sequence[str]) -> str:
        return visible(self._redaction.text("\n".join(parts))) if parts else ""

    # What was learned.

    def _learned(self, subject: Learned) -> ReportRow:
        document, by = subject.document, subject.by
        item = self._items.get(by.proposal or "")
        before = tuple(text for change in subject.changes for text in change.before)
        after = tuple(text for change in subject.changes for text in change.after)
        command, does = self._take_back(subject)
        is_entry = document.is_memory and bool(subject.changes)
        entry = self._line(" ".join(after or before))
        return ReportRow(
            section=ReportSection.LEARNED,
            group=self._line(title_of(document.document)),
            home=document.home,
            document=self._line(document.document),
            at=by.at,
            change=str(_kind_of(before, after)),
            sentence=entry if is_entry else self._document_sentence(document, before, after),
            before=self._lines(before) if after or not is_entry else "",
            after="" if is_entry else self._lines(after),
            reason=self._remark(by, item),
            by=self._approval(by),
            proposal=by.proposal or subject.waits,
            operation=by.operation or "",
            command=command,
            does=does,
            **self._origin(by.proposal or subject.waits) | self._own_words(by, entry),
        )

    def _take_back(self, subject: Learned) -> tuple[tuple[str, ...], str]:
        """The command, and what it does.

        The id of a line and that of a revision are made of their texts alone: where some of that
        is covered, neither is named, or what is covered could be guessed.
        """
        by, document = subject.by, subject.document
        if by.operation:
            return ("undo", by.operation), "takes it back"
        if subject.waits:
            return ("revert", subject.waits), "lists it with what came with it, and takes it back"
        if document.is_memory and subject.changes and subject.changes[0].after:
            entry = subject.changes[0].after[0]
            if not self._redaction.covers_any_of(entry):
                line = LiveLine(document.home, document.document, 0, entry, True)
                return ("revert", "--line", line.id), "takes it back"
        path = shlex.quote(inert(document.document))
        if document.before == ABSENT or self._covers.hides_any_of(document):
            return ("history", path), "lists the revisions"
        revision = document.before[:_ENOUGH]
        return ("restore", path, revision), "shows the earlier document, and restores it"

    def _document_sentence(
        self, document: DocumentChanges, before: Sequence[str], after: Sequence[str]
    ) -> str:
        if document.archived:
            return f"Archived to {self._line(document.archived)}."
        if document.after == ABSENT:
            return f"Gone, {count(len(before), 'line')}."
        if document.before == ABSENT and document.document.endswith("/SKILL.md"):
            described = next((line for line in after if line.startswith("description:")), "")
            words = self._line(described.partition(":")[2]).strip(" \"'")
            return f"New skill: {words}" if words else "New skill."
        if document.before == ABSENT:
            return f"New file, {count(len(after), 'line')}."
        mode = document.became if not before and not after else ""
        return f"{mode or _amount_words(len(before), len(after))}."

    def _own_words(self, by: Observation, entry: str) -> dict[str, Any]:
        if not _is_own_sentence(by):
            return {}
        return {"user_said": entry, "is_closest": False}

    def _remark(self, by: Observation, item: QueueItem | None) -> str:
        if _is_own_sentence(by) and item is not None:
            return f"Instead of the agent's words: “{self._line(item.gist)}”"
        return ""

    def _approval(self, by: Observation) -> str:
        if by.cause is Cause.OUTSIDE and by.claimant is None:
            words = author_words(by, self._authors)
            return "nobody: changed outside review" if words == "outside review" else words
        if by.actor is not None and by.actor.kind is ActorKind.POLICY:
            return f"automatic: {rule_sentence(by.actor.name)}"
        return author_words(by, self._authors)

    # What was proposed.

    def _stopped(self, subject: Stopped) -> ReportRow:
        item, decision = subject.item, subject.decision
        is_refused = decision is None
        group, by = _stopper_words(decision)
        reason = item.reason if decision is None or not decision.reason else decision.reason
        is_outside = item.action == OUTSIDE
        command = ("show", item.id) if is_refused or is_outside else ("reopen", item.id)
        return ReportRow(
            section=ReportSection.STOPPED,
            group=group,
            at=creation_time(item) if decision is None else decision.at,
            reason=self._line(reason),
            by=by,
            command=command,
            does="puts it back into the queue" if command[0] == "reopen" else "shows it whole",
            is_grave=is_refused,
            **self._proposed(item),
        )

    def _waiting(self, subject: Waiting) -> ReportRow:
        item = subject.item
        section = section_of_item(item)
        return ReportRow(
            section=ReportSection.WAITING,
            group=TITLES[section].name,
            at=creation_time(item),
            # An unreadable record is named by its reason already.
            reason="" if item.state is State.QUARANTINED else self._line(_why_waiting(item)),
            by="",
            command=("show", item.id),
            does="shows it with the possible decisions",
            is_grave=section in (QueueSection.LIVE_DANGEROUS, QueueSection.DANGEROUS),
            **self._proposed(item),
        )

    def _proposed(self, item: QueueItem) -> dict[str, Any]:
        return {
            "home": item.home,
            "document": one_line(item.target),
            "change": item.state.value,
            "sentence": f"{action_words(item)}: {gist(item)}".removesuffix(": "),
            "before": "",
            "after": "",
            "proposal": item.id,
            "operation": "",
            **self._origin(item.id),
        }

    def _origin(self, proposal: str) -> dict[str, Any]:
        evidence, item = self._evidence.get(proposal, _NO_EVIDENCE), self._items.get(proposal)
        return {
            "user_said": self._line(evidence.said or evidence.closest),
            "is_closest": bool(evidence.closest and not evidence.said),
            "source": self._source(evidence, item),
        }

    def _source(self, evidence: Evidence, item: QueueItem | None) -> str:
        is_known = item is not None and item.origin and item.state is not State.QUARANTINED
        proposer = f"Proposed {_proposer_words(item.origin)}. " if item and is_known else ""
        if evidence.origin is None:
            return proposer.strip()
        words = _SOURCES[evidence.origin]
        names = [f"{name} ({detail})" if detail else name for name, detail in evidence.participants]
        is_told = bool(names) and item is not None and names[0] in item.reason
        if names and not is_told and evidence.origin in _NAMING:
            more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            words = f"{words}: {self._line(', '.join(names[:_MOST_NAMED]))}{more}"
        return f"{proposer}{words}."


def _is_own_sentence(by: Observation) -> bool:
    return by.actor is not None and by.actor.name == IN_YOUR_WORDS


def _stopper_words(decision: Decision | None) -> tuple[str, str]:
    """The heading of what was stopped, and who or what stopped it."""
    if decision is None:
        return "Refused by the policy", "refused by the policy"
    actor = decision.actor
    if actor.kind is ActorKind.POLICY:
        return "Rejected by a rule", f"rejected by the rule {rule_sentence(actor.name)}"
    return "Rejected by a person", f"rejected by {operator_name(actor, None)}"


def _why_waiting(item: QueueItem) -> str:
    """The reason of its state, without the name of a rule."""
    before, passes, rule = item.reason.partition(PLAINLY_SAFE)
    if item.verdict != AUTO_APPLY or not passes:
        return item.reason
    if item.state is not State.READY:
        return f"{before}{passes}."
    if IN_YOUR_WORDS in rule:
        return "The next automatic pass adds the user's own words in its place."
    return "It passes every check: the next automatic pass applies it."


def _proposer_words(origin: str) -> str:
    word = origin_word(origin)
    return _PROPOSERS.get(word, f"by {word}")


def _kind_of(before: Sequence[str], after: Sequence[str]) -> PartChangeKind:
    if before and after:
        return PartChangeKind.CHANGED
    return PartChangeKind.REMOVED if before else PartChangeKind.ADDED


def _amount_words(before: int, after: int) -> str:
    changed, added, removed = min(before, after), max(0, after - before), max(0, before - after)
    amounts = ((changed, "changed"), (added, "added"), (removed, "removed"))
    return ", ".join(f"{count(amount, 'line')} {word}" for amount, word in amounts if amount)


def rule_sentence(rule: str) -> str:
    """A rule that applied something, for a reader who does not know its name."""
    return "the user's own words" if rule == IN_YOUR_WORDS else inert(rule).replace("-", " ")


def action_words(item: QueueItem) -> str:
    """What a proposal asks for, in a few words that a stranger understands."""
    target = one_line(item.target)
    pattern = _ACTIONS.get(item.action, "")
    is_memory = item.kind.value == "memory"
    if item.state is State.QUARANTINED:
        return f"Unreadable record {target}"
    if not pattern:
        return f"{one_line(item.action)} {target}".strip()
    return pattern.format(f"memory {target}" if is_memory and target == "user" else target)


_MOST_NAMED: Final = 3
_ENOUGH: Final = 16
"""Digits of a revision that a command carries."""
_ACTIONS: Final = {
    "add": "Add to {}",
    "replace": "Replace in {}",
    "remove": "Remove from {}",
    "batch": "Several edits of {}",
    "create": "New skill {}",
    "edit": "Rewrite the skill {}",
    "patch": "Change the skill {}",
    "write_file": "Write a file of the skill {}",
    "remove_file": "Remove a file of the skill {}",
    "delete": "Delete the skill {}",
    "undo": "Undo in {}",
    OUTSIDE: "Changed outside review, {}",
}
_NO_EVIDENCE: Final = Evidence("", "", None, ())
_NAMING: Final = (OriginClass.OUTSIDE, OriginClass.WORKSPACE)
"""The origins whose participants are named."""
_PROPOSERS: Final = {"chat": "in a chat", "review": "by the background review"}
_SOURCES: Final = {
    OriginClass.USER: "Only the user and the agent took part",
    OriginClass.WORKSPACE: "Local files took part",
    OriginClass.OUTSIDE: "Untrusted content took part",
    OriginClass.UNRECORDED: "This agent keeps no conversations",
    OriginClass.UNKNOWN: "No conversation can be tied to it",
}
