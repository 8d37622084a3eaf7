"""Decisions and their signatures, operations, audit events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from reviewdeck.model.documents import Revision
from reviewdeck.model.judgements import CheckMarks, Finding
from reviewdeck.model.plans import Effect
from reviewdeck.model.proposals import Kind
from reviewdeck.model.states import State
from reviewdeck.values import dataclass


class Ending(StrEnum):
    """The end of a proposal."""

    WAITS = "waits"
    """Still open."""
    AUTOMATIC = "automatic"
    TAKEN = "taken"
    """An operator approved it as it was."""
    CHANGED = "changed"
    """An operator wrote their own text in its place."""
    REJECTED = "rejected"
    BY_RULE = "by rule"
    """An operator's rule rejected it."""
    UNDONE = "undone"
    """Applied and undone."""
    ELSEWHERE = "elsewhere"
    """Decided by the agent, or by hand."""


class Life(NamedTuple):
    """One proposal's life. A tuple, since charts are made of a hundred thousand of them."""

    id: str
    home: str
    origin: str
    kind: str
    arrived_at: datetime
    ended_at: datetime | None
    ending: Ending
    rule: str
    """The policy rule that approved or rejected it; empty for none."""


OPERATORS: Final = "operators"
"""The pin of the list of operators."""
LEDGER: Final = "ledger"
"""The pin that tells a ledger's counters from those of others."""
BASELINE: Final = "baseline:"
"""Prefix of the pin that says that a home's baseline was reviewed."""
PINNED: Final = "pinned-"
"""Prefix of the log's event of a pin."""
BEGINNINGS: Final = frozenset({"operators", "operators-anew", f"{PINNED}{OPERATORS}"})
"""Events after which decisions are signed."""
KEY_ENDS: Final = frozenset({"operator-revoked", "operator-rotated", "operators-anew"})
"""Events after which a key counts no longer."""
POLICY_SIGNED: Final = "policy-signed"
"""The event of a policy file that an operator signs."""
DIVIDES: Final = BEGINNINGS | KEY_ENDS | {POLICY_SIGNED}
"""Events that later decisions of all homes are checked by: a checkpoint over all follows each."""


SENT_BACK: Final = "sent back: "
"""Prefix of a rejection's reason that asks the author for another proposal."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A signature, and the values it covers that are stored nowhere else."""

    key: str
    """The public key, in hex."""
    counter: int
    """One more than that of the key's seal before it in the same ledger."""
    policy: str
    """SHA-256 of the policy that held, or `built-in`."""
    log_sequence: int
    """The last line of the home's chain when it was signed; 0 for an empty one."""
    log_sha: str
    signature: str = ""
    """Ed25519, in hex."""
    ledger: tuple[int, str] | None = None
    """Number and sum of a line of the ledger's own chain, which covers all other homes. None for
    seals from before homes had chains: those count and cover one log for all."""


class Verb(StrEnum):
    """The verbs of decisions."""

    APPROVE = "approve"
    MERGE = "merge"
    REJECT = "reject"
    DEFER = "defer"
    SUPERSEDE = "supersede"
    """Rejects a proposal for another about the same entry."""
    KEEP = "keep"
    """Keeps a change that was live already."""
    CLAIM = "claim"
    """Keeps a change as the operator's own."""
    REOPEN = "reopen"
    """Takes a rejection back."""
    VOTE = "vote"
    """Approves what another operator has to approve too. It decides nothing by itself."""
    WITHDRAW = "withdraw"
    """Takes one's own vote back."""


class ActorKind(StrEnum):
    """The kinds of actors: an operator, a policy rule, or nobody known (outside review)."""

    OPERATOR = "operator"
    POLICY = "policy"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an action, and how the identity was established."""

    kind: ActorKind
    name: str
    """A user name, or the name of a policy rule."""
    host: str = ""
    terminal: str = ""
    tier: str = "unsigned"
    """How the identity was established."""
    ancestry: tuple[str, ...] = ()
    """Name and id of the processes above the decision's, nearest first; may be unknown."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A committed, final answer to one proposal."""

    id: str
    proposal: str
    verb: Verb
    actor: Actor
    at: datetime
    digest: str | None = None
    """The digest that was shown; None for a rejection of something that cannot be applied."""
    reason: str = ""
    text_sha: str | None = None
    """For a merge: SHA-256 of the operator's own text."""
    batch: str | None = None
    """The batch that it causes; None for a decision that writes nothing."""
    seal: Seal | None = None
    """The operator's signature, where there are keys."""
    policy: str = ""
    """The rules and the policy file it was judged by, each by the beginning of its digest.
    Empty for older decisions."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision that is prepared and not committed. It writes nothing."""

    proposal: str
    verb: Verb
    digest: str | None
    at: datetime
    reason: str = ""
    """To supersede: the winning proposal."""
    text: str | None = None
    """For a merge: the operator's own text."""
    document: str | None = None

    @property
    def text_sha(self) -> str | None:
        """For a merge: SHA-256 of the operator's own text."""
        return None if self.text is None else hashlib.sha256(self.text.encode()).hexdigest()


class OperationKind(StrEnum):
    """Applying, or undoing."""

    APPLY = "apply"
    UNDO = "undo"


class OperationState(StrEnum):
    """The progress of an operation."""

    INTENT = "intent"
    DONE = "done"
    CONFLICT = "conflict"
    """Another program wrote in between: it was rolled back."""
    ABANDONED = "abandoned"
    """Begun and rolled back."""


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One document's change within an operation; the bytes are in the ledger by revision."""

    path: str
    before: Revision
    after: Revision
    mode: int | None = None
    tree: str | None = None
    was_mode: int | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One journaled application of one proposal's part of a plan."""

    id: str
    batch: str
    """Operations of one batch are written together."""
    kind: OperationKind
    state: OperationState
    home: str
    proposal: str
    actor: Actor
    digest: str
    changes: tuple[RecordedChange, ...]
    started_at: datetime
    finished_at: datetime | None = None
    undoes: str | None = None
    undone_by: str | None = None
    effects: tuple[Effect, ...] = ()
    """The agent's own bookkeeping that goes with it."""
    settled: bool = False
    """Whether the side effects are done and the pending record is removed."""


class Cause(StrEnum):
    """The cause of an observation."""

    SEEN = "seen"
    """The first observation of the document."""
    OUTSIDE = "outside"
    """Changed outside review."""
    OPERATION = "operation"


@dataclass(frozen=True, slots=True)
class Observation:
    """One document at one revision from a moment on."""

    home: str
    path: str
    revision: Revision
    at: datetime
    cause: Cause
    operation: str | None = None
    proposal: str | None = None
    actor: Actor | None = None
    mode: int | None = None
    """The permission bits of a skill's file, where they are known."""

    @property
    def claimant(self) -> Actor | None:
        """The operator who claims the change outside review; None for none."""
        is_claimed = self.actor is not None and self.actor.kind is ActorKind.OPERATOR
        return self.actor if self.cause is Cause.OUTSIDE and is_claimed else None


@dataclass(frozen=True, slots=True)
class Marks:
    """The moments until which an operator has seen a home's changes."""

    everything: datetime | None = None
    """None: never looked."""
    documents: Mapping[str, datetime] = field(default_factory=dict)
    """Later marks of single documents."""

    def of(self, path: str) -> datetime | None:
        """The moment until which a document was seen."""
        return self.documents.get(path, self.everything)

    def cover(self, path: str, moment: datetime) -> bool:
        """Whether a change of a document at this time was seen."""
        until = self.of(path)
        return until is not None and moment <= until

    def at_most(self, moment: datetime) -> Marks:
        """The same marks, but none beyond this time."""
        everything = None if self.everything is None else min(self.everything, moment)
        return Marks(everything, {k: min(at, moment) for k, at in self.documents.items()})

    def seen(self, path: str, until: datetime) -> Marks:
        """The marks once this document is seen."""
        return Marks(self.everything, {**self.documents, path: until})


OLDER_TEXT = "Written against an older text."
"""What a reason begins with where the author saw text that is live no more."""


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One proposal as a list shows it: the result of its last staging, without its texts."""

    id: str
    home: str
    source: str | None
    source_id: str | None
    kind: Kind
    action: str
    target: str
    state: State
    verdict: str | None
    """auto-apply, review, refuse; None when there was nothing to judge."""
    digest: str | None
    findings: tuple[Finding, ...]
    reason: str
    """The reason for its state, in one line."""
    origin: str
    summary: str
    """Its author's own words for it: a claim, and evidence of nothing."""
    created_at: datetime | None
    ingested_at: datetime
    position: int
    """Grows with every new proposal: the key for paging."""
    checks: CheckMarks | None = None
    """The answers of the six checks; None where nothing was judged."""
    gist: str = ""
    """Its effect in one line, from its payload, secrets redacted."""
    subject: str = ""
    """A digest of the memory entry that it is about; empty for none."""


class Outline(NamedTuple):
    """The fields of a proposal for ordering and filtering.

    A tuple, since a deck reads all of them: as a dataclass each takes five times as long to make.
    """

    position: int
    id: str
    home: str
    kind: str
    action: str
    target: str
    state: str
    gravity: int
    """Rank of its gravest finding; 0 where there is none."""
    created: int
    """Microseconds since 1970 at which it was made, or first seen."""
    origin: str
    source_id: str
    session: str
    gist: str
    subject: str
    reason: str
    failing: tuple[str, ...] = ()
    """The names of the checks that say no."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the append-only log; `sha` covers it and the line before in its chain."""

    sequence: int
    """Its number in its chain."""
    at: datetime
    name: str
    home: str
    subject: str
    """A proposal, operation or document."""
    actor: Actor
    detail: dict[str, object] = field(default_factory=dict)
    previous: str = ""
    sha: str = ""
    chain: str = ""
    """The home whose chain it is in; empty for the ledger's own, where older lines of homes are."""
    position: int = 0
    """Its place in the order in which this ledger stored its lines."""


NOTE: Final = "note"
"""The event of a note that an operator wrote about a proposal; `text` in its detail is the note."""
ENDS: Final = "ends"
"""The event of the last day on which what a proposal adds holds: `on`, as `2026-10-31`."""
SHOWN: Final = "shown"
"""The event of how much of a diff was on the screen when it was approved: `share`, as `60%`."""
CHECKPOINT: Final = "checkpoint"
"""The event of the ledger's own chain that names the heads of homes' chains."""
DOMAIN: Final = b"reviewdeck decision 1\n"
"""Prefix of signed bytes, so that a signature for one purpose is none for another."""
CHAIN_DOMAIN: Final = b"reviewdeck decision 2\n"
"""The prefix since homes have chains."""
LINE_DOMAIN: Final = b"reviewdeck line of the log 1\n"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class About:
    """The subject of a decision's signature, besides the proposal that its row names."""

    home: str
    proposals: tuple[str, ...]
    """All proposals that are written together with it, in order."""
    revisions: tuple[tuple[str, str, str], ...] = ()
    """Path, revision before and revision after of each document that is written."""


def line_statement(event: Event) -> bytes:
    """The signed bytes of a line of the log about an operator's action.

    The line before it is covered, so a signed line cannot be moved; its own signature is not.
    """
    signed = {
        "at": (event.at - _EPOCH) // timedelta(microseconds=1),
        "detail": {k: v for k, v in event.detail.items() if k not in ("key", "signature")},
        "home": event.home,
        "name": event.name,
        "operator": event.actor.name,
        "previous": event.previous,
        "sequence": event.sequence,
        "subject": event.subject,
    }
    canonical = json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return LINE_DOMAIN + canonical.encode("ascii")


def statement(decision: Decision, about: About, seal: Seal) -> bytes:
    """The signed bytes of a decision: canonical JSON of everything that it rests on.

    The signature of the seal itself is no part of it.
    """
    signed = {
        "at": (decision.at - _EPOCH) // timedelta(microseconds=1),
        "counter": seal.counter,
        "decision": decision.id,
        "digest": decision.digest,
        "home": about.home,
        "key": seal.key,
        "log": [seal.log_sequence, seal.log_sha],
        "operator": decision.actor.name,
        "policy": seal.policy,
        "proposal": decision.proposal,
        "proposals": list(about.proposals),
        "reason": decision.reason,
        "revisions": [list(revision) for revision in about.revisions],
        "text": decision.text_sha,
        "verb": decision.verb.value,
    }
    if seal.ledger is not None:
        signed["ledger"] = list(seal.ledger)
    canonical = json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return (DOMAIN if seal.ledger is None else CHAIN_DOMAIN) + canonical.encode("ascii")
