"""The live state for a review: memories, skills, pending and rejected proposals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.homes.hermes.tool_calls import base_of
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    SENT_BACK,
    Base,
    Kind,
    OriginClass,
    Proposal,
    Protection,
    QueueItem,
    Skill,
    State,
    Verb,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.ports import Home, Snapshot
from reviewdeck.text.entries import parse, size
from reviewdeck.text.terms import normalise

if TYPE_CHECKING:
    from reviewdeck.reviewer.kept_documents import KeptDocuments

PENDING_SHOWN: Final = 30
REJECTED_SHOWN: Final = 20
WORDS_SHOWN: Final = 24
WORD_SHOWN: Final = 24
_TRUSTED_ORIGINS: Final = (OriginClass.USER, OriginClass.UNRECORDED)
_WAITING: Final = (State.READY, State.CONFLICT, State.DEFERRED)


@dataclass(frozen=True, slots=True)
class LiveMemory:
    """A memory at present."""

    store: str
    """memory or user."""
    document: str
    entries: tuple[str, ...]
    used: int
    limit: int | None
    closed: str | None = None
    """The reason why it takes no changes, or None."""


@dataclass(frozen=True, slots=True)
class LiveSkill:
    """A skill at present."""

    name: str
    description: str
    protections: frozenset[Protection]
    external: bool


@dataclass(frozen=True, slots=True)
class EarlierProposal:
    """A pending proposal, or one that an operator rejected."""

    id: str
    kind: Kind
    words: str
    reason: str = ""

    @property
    def is_sent_back(self) -> bool:
        """Whether the operator asked for another proposal in its place."""
        return self.reason.startswith(SENT_BACK)


@dataclass(frozen=True, slots=True)
class LiveState:
    """The state of a home when a review runs."""

    memories: tuple[LiveMemory, ...] = ()
    skills: tuple[LiveSkill, ...] = ()
    pending: tuple[EarlierProposal, ...] = ()
    rejected: tuple[EarlierProposal, ...] = ()
    bases: Mapping[str, Base] = field(default_factory=dict)
    """Revisions of the memories that the reviewer sees: the bases of its edits."""
    kept: KeptDocuments | None = None
    """Where the home keeps documents in the place of memories."""
    seen: Snapshot | None = None
    """The home as the reviewer sees it."""


def read_live(
    ledger: Ledger, home: Home, *, memory: bool, skills: bool, kept: KeptDocuments | None = None
) -> LiveState:
    """Reads the state for a review of memory, of skills or of both; read-only.

    `kept` is where a home keeps documents in the place of memories.
    """
    snapshot = home.snapshot()
    kinds = {Kind.MEMORY, Kind.DOCUMENTS} if memory else set()
    kinds |= {Kind.SKILLS} if skills else set()
    stores = STORES if memory and kept is None else {}
    memories = tuple(live_memory(store, path, snapshot) for store, path in stores.items())
    bases = {path: base_of(snapshot.document(path)) for path in stores.values()}
    if kept is not None and memory:
        memories = tuple(_kept_memories(kept, home, snapshot))
    return LiveState(
        memories=memories,
        skills=tuple(live_skill(skill, snapshot) for skill in home.skills()) if skills else (),
        pending=_earlier_proposals(ledger, home, _WAITING, PENDING_SHOWN, kinds),
        rejected=_earlier_proposals(ledger, home, (State.REJECTED,), REJECTED_SHOWN, kinds),
        bases=bases,
        kept=kept,
        seen=snapshot,
    )


def _kept_memories(kept: KeptDocuments, home: Home, snapshot: Snapshot) -> Iterator[LiveMemory]:
    for store, texts in kept.stores(snapshot, home).items():
        entries = tuple(texts.values())
        yield LiveMemory(store, kept.document(store) or "", entries, size(entries), None)


def live_memory(store: str, path: str, snapshot: Snapshot) -> LiveMemory:
    """One memory as it is in a snapshot."""
    document = snapshot.document(path)
    closed = snapshot.closed(path) or (document.problem and f"it {document.problem}")
    entries = () if document.problem else parse(document.text)
    return LiveMemory(store, path, entries, size(entries), snapshot.budget(path), closed)


def live_skill(skill: Skill, snapshot: Snapshot) -> LiveSkill:
    """One skill as it is in a snapshot."""
    data = snapshot.document(skill.path_of("SKILL.md")).data
    front = parse_front(data.decode("utf-8", "replace")) if data is not None else None
    described = str(front.fields.get("description", "")) if front else ""
    return LiveSkill(skill.name, described, skill.protections, skill.external)


def _earlier_proposals(
    ledger: Ledger, home: Home, states: tuple[State, ...], limit: int, kinds: set[Kind]
) -> tuple[EarlierProposal, ...]:
    items = ledger.page(Filter((home.id,), states), limit=limit)
    matching = [item for item in items if item.kind in kinds]
    return tuple(
        EarlierProposal(item.id, item.kind, _describe(ledger, item), rejection(ledger, item))
        for item in matching
    )


def _describe(ledger: Ledger, item: QueueItem) -> str:
    """The text of a proposal; of one with text from others only its words, sorted.

    Otherwise a review could read instructions that others wrote into a proposal. Sorted words say
    what it is about without carrying an instruction.
    """
    proposal = ledger.proposal(item.id)
    judged = ledger.judgement(item.id)
    if judged is None or judged.origin is None or judged.origin.kind in _TRUSTED_ORIGINS:
        return words_of(proposal)
    words = {word[:WORD_SHOWN] for word in normalise(words_of(proposal)).split() if word.isalpha()}
    about = ", ".join(sorted(word for word in words if len(word) > 2)[:WORDS_SHOWN])
    return f"{proposal.kind}, from a conversation with text of others; its words: {about}"


def rejection(ledger: Ledger, item: QueueItem) -> str:
    """The reason of the last rejection; empty without one."""
    rejections = [
        decision for decision in ledger.decisions(item.id) if decision.verb is Verb.REJECT
    ]
    return rejections[-1].reason if rejections else ""


def words_of(proposal: Proposal) -> str:
    """A proposal as text: its action, and the old and new text of each edit."""
    lines = [f"{proposal.action} {proposal.target}"]
    for edit in proposal.edits:
        old = getattr(edit, "old_text", "") or getattr(edit, "old_string", "")
        new = getattr(edit, "content", "") or getattr(edit, "new_string", "")
        lines += [f"- {old}"] if old else []
        lines += [f"+ {new}"] if new else []
    return "\n".join(lines)
