"""What is live at this moment, what waits and what was rejected: read when a review runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.homes.hermes.tool_calls import base_of
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
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.ports import Filter, Home, LedgerReader, Snapshot
from reviewdeck.text.entries import parse, size
from reviewdeck.text.similarity import normalise

PENDING_SHOWN: Final = 30
REJECTED_SHOWN: Final = 20
WORDS_SHOWN: Final = 24
WORD_SHOWN: Final = 24
_OWN: Final = (OriginClass.USER, OriginClass.UNRECORDED)
_WAITING: Final = (State.READY, State.CONFLICT, State.DEFERRED)


@dataclass(frozen=True, slots=True)
class LiveMemory:
    """One memory as it is."""

    store: str
    """memory or user."""
    document: str
    entries: tuple[str, ...]
    used: int
    limit: int | None
    closed: str | None = None
    """Why nothing can be proposed for it."""


@dataclass(frozen=True, slots=True)
class LiveSkill:
    """One skill as it is."""

    name: str
    description: str
    protections: frozenset[Protection]
    external: bool


@dataclass(frozen=True, slots=True)
class EarlierProposal:
    """A proposal that waits, or that an operator has rejected."""

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
    """A home at the moment when a review runs."""

    memories: tuple[LiveMemory, ...] = ()
    skills: tuple[LiveSkill, ...] = ()
    pending: tuple[EarlierProposal, ...] = ()
    rejected: tuple[EarlierProposal, ...] = ()
    bases: Mapping[str, Base] = field(default_factory=dict)
    """What the reviewer is shown of the memories: the revisions that its edits start from."""


def read_live(ledger: LedgerReader, home: Home, *, memory: bool, skills: bool) -> LiveState:
    """Reads what a review of memory, of skills or of both has to know. Writes nothing."""
    snapshot = home.snapshot()
    kinds = {Kind.MEMORY} if memory else set()
    kinds |= {Kind.SKILLS} if skills else set()
    stores = STORES if memory else {}
    return LiveState(
        memories=tuple(live_memory(store, path, snapshot) for store, path in stores.items()),
        skills=tuple(live_skill(skill, snapshot) for skill in home.skills()) if skills else (),
        pending=_known(ledger, home, _WAITING, PENDING_SHOWN, kinds),
        rejected=_known(ledger, home, (State.REJECTED,), REJECTED_SHOWN, kinds),
        bases={path: base_of(snapshot.document(path)) for path in stores.values()},
    )


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


def _known(
    ledger: LedgerReader, home: Home, states: tuple[State, ...], limit: int, kinds: set[Kind]
) -> tuple[EarlierProposal, ...]:
    items = ledger.page(Filter((home.id,), states), limit=limit)
    found = [item for item in items if item.kind in kinds]
    return tuple(
        EarlierProposal(item.id, item.kind, _told(ledger, item), rejection(ledger, item))
        for item in found
    )


def _told(ledger: LedgerReader, item: QueueItem) -> str:
    """What a proposal asks for: its text, or only the words of one in which others took part.

    A review of the user's words alone would otherwise read, with their proposal, what others wrote
    to steer it. Words in the order of the alphabet tell what it was about, and ask for nothing.
    """
    proposal = ledger.proposal(item.id)
    judged = ledger.judgement(item.id)
    if judged is None or judged.origin is None or judged.origin.kind in _OWN:
        return words_of(proposal)
    words = {one[:WORD_SHOWN] for one in normalise(words_of(proposal)).split() if one.isalpha()}
    about = ", ".join(sorted(one for one in words if len(one) > 2)[:WORDS_SHOWN])
    return f"{proposal.kind}, from a conversation with text of others; its words: {about}"


def rejection(ledger: LedgerReader, item: QueueItem) -> str:
    """Why an operator rejected a proposal; empty where nobody did, or gave no reason."""
    rejections = [one for one in ledger.decisions(item.id) if one.verb is Verb.REJECT]
    return rejections[-1].reason if rejections else ""


def words_of(proposal: Proposal) -> str:
    """What a proposal asks for, with the text that it would bring in."""
    said = [f"{proposal.action} {proposal.target}"]
    for edit in proposal.edits:
        old = getattr(edit, "old_text", "") or getattr(edit, "old_string", "")
        new = getattr(edit, "content", "") or getattr(edit, "new_string", "")
        said += [f"- {old}"] if old else []
        said += [f"+ {new}"] if new else []
    return "\n".join(said)
