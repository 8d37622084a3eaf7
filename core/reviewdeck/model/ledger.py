"""What the ledger is given and gives besides proposals, decisions and operations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from reviewdeck.model.decisions import About, Actor, Decision, Operation
from reviewdeck.model.documents import Revision
from reviewdeck.model.judgements import Finding, Judgement, Relation
from reviewdeck.model.plans import Change, Effect
from reviewdeck.model.states import State
from reviewdeck.values import dataclass

LONGEST_KEY: Final = 512
"""The most bytes of an id from outside: beside a path it fits into an index of any database."""
ANY_DOMAIN: Final = "any"
"""The domain of remembered texts, whose own domain is not stored."""


def bounded_key(key: str) -> str:
    """An id from outside that fits into an index: a long one is its beginning and its digest."""
    data = key.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST_KEY:
        return key
    return f"{key[:64]}#{hashlib.sha256(data).hexdigest()}"


@dataclass(frozen=True, slots=True)
class LedgerMember:
    """Who a role stands for in a shared ledger: an operator, or a machine with homes."""

    name: str
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class Opener:
    """Who opens a ledger, and where."""

    operator: str = ""
    """Whose drafts and marks these are; what was stored under no name is everybody's."""
    host: str = ""
    """The id of this machine: a path is one home here and may be another one elsewhere. Empty where
    every home of the ledger is here."""
    machine: str = ""
    """What the ledger calls this machine; empty where it has no name for it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which this operator's own are stored."""
        return tuple(dict.fromkeys((self.operator, "")))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which proposals a list shows."""

    homes: tuple[str, ...] = ()
    """Empty for all."""
    states: tuple[State, ...] = ()
    """Empty for all."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of the queue that `status` shows."""

    by_state: dict[State, int]
    drafts: int
    oldest_open: datetime | None
    dangerous: int = 0
    """The live changes with a grave finding."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline: the documents of a home at its first observation."""

    documents: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Sighting:
    """One file of the pending folder, seen and not opened."""

    source: str
    """Relative to the home. A folder that cannot be read stands for all that is in it."""
    hint: str
    """Equal hints mean equal content. Empty when that cannot be known."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One text of the index, and where it is."""

    relation: Relation
    text: str
    where: str
    domain: str
    """memory, skill, file or the file that is changed: only texts of one domain are compared."""


@dataclass(frozen=True, slots=True)
class Posting:
    """The texts of a home that have one term."""

    count: int
    texts: Sequence[int]
    """Their numbers; none where they are too many to tell anything."""


Postings: TypeAlias = Mapping[str, Posting]


@dataclass(frozen=True, slots=True)
class Found:
    """The texts of a home that have some terms."""

    postings: Postings
    subjects: Mapping[int, Subject]
    """By number, the texts of these postings, but for those of proposals that are decided."""


class LastEvaluation(NamedTuple):
    """How a waiting proposal was evaluated last."""

    key: str | None
    """None where it has to be evaluated again."""
    state: State
    verdict: str | None
    digest: str | None


@dataclass(frozen=True, slots=True)
class RefreshStart:
    """The state of a home's queue when a pass began."""

    home: str
    number: int
    has_moved: bool
    """Whether a proposal or a remembered text was added or removed since the last pass."""
    arrived: frozenset[str]
    """The proposals that became open since then."""
    departed: frozenset[str]
    """The proposals that are no longer open."""
    texts: tuple[str, ...]
    """The remembered texts that were added or dropped since then."""
    covered: int
    """The last change of the queue that is covered."""


@dataclass(frozen=True, slots=True)
class Staging:
    """The result of staging a proposal, to be stored with it."""

    proposal: str
    state: State
    verdict: str | None
    digest: str | None
    findings: tuple[Finding, ...]
    reason: str
    judgement: Judgement | None = None
    """The judgement with its evidence; None where nothing was judged."""
    judged_by: str = ""
    """The mark of the policy file at that time."""
    paths: tuple[str, ...] = ()
    """The documents that it depends on."""
    gist: str = ""
    """Its effect in one line, from its payload, secrets redacted."""
    subject: str = ""
    """A digest of the memory entry that it is about; empty for none."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The point of the journal up to which allowances were counted for an automatic claim.

    The claim fails when another automatic change of the home was begun since then.
    """

    after: str
    """The newest operation of the home at that time; empty when there was none."""
    own: tuple[str, ...] = ()
    """Batches that were counted together with this one."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One batch that is about to be written: all of it is stored in one transaction."""

    operations: tuple[Operation, ...]
    decisions: tuple[Decision, ...]
    writes: tuple[Change, ...]
    """The physical writes, with their bytes: what recovery works from."""
    contents: Mapping[Revision, bytes]
    """Bytes of the revisions that the operations' own changes name."""
    from_states: tuple[State, ...]
    """The claim succeeds only for proposals in one of these states."""
    fence: Fence | None = None
    votes: tuple[str, ...] = ()
    """The other operators' votes that its decisions rest on: it fails where one is open no more."""
    starts: Mapping[str, Revision] = field(default_factory=dict)
    """By document, what it was found as just now: the ledger has to know that before."""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch that is not finished in the ledger."""

    batch: str
    home: str
    operations: tuple[Operation, ...]
    writes: tuple[Change, ...]
    decisions: tuple[Decision, ...] = ()
    """The decisions for which it was begun, and the votes that they rest on."""

    @property
    def about(self) -> About:
        """The subject that its decisions sign."""
        return about_of(self.home, self.operations, self.writes)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one host to write a batch, and to say how that ended."""

    epoch: int
    """How often the batch was claimed; a later claim ends this one."""
    was_approved: bool
    """Whether nobody had claimed it before."""


@dataclass(frozen=True, slots=True)
class Host:
    """One machine with homes, as its worker last reported."""

    id: str
    name: str
    version: str
    """Of its program."""
    age: timedelta
    """Since it last reported, by the database's clock."""
    problem: str = ""
    """What keeps its worker from its work; empty for nothing."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One batch with its bytes in the journal of the host that writes it."""

    batch: OpenBatch
    records: tuple[tuple[str, str], ...] = ()
    """The pending records that it decides: source, and SHA-256 of the content."""
    books: tuple[str, ...] = ()
    """The operations that the agent keeps books about."""
    inverse: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict)
    """By operation, what undoes the bookkeeping: known before that is done."""
    is_given_back: bool = False
    """Whether nothing of it is on the disk any more, and the ledger is being told so."""
    epoch: int = 0
    """Of the claim by which it is written here; 0 from before there were any."""


def begun_after(
    operations: Sequence[Operation], decisions: Iterable[Decision]
) -> tuple[Operation, ...]:
    """The operations of a batch, none of them begun before one of its decisions."""
    latest = max(decision.at for decision in decisions)
    return tuple(replace(op, started_at=max(op.started_at, latest)) for op in operations)


def about_of(home: str, operations: Sequence[Operation], writes: Sequence[Change]) -> About:
    """The subject that the decisions of one batch sign."""
    return About(
        home,
        tuple(operation.proposal for operation in operations),
        tuple((change.path, *change.ends) for change in writes),
    )


@dataclass(frozen=True, slots=True)
class Automatic:
    """One proposal that the policy applied, or is applying."""

    proposal: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Undone:
    """The undo of an application."""

    by: str
    """The operation that did."""
    at: datetime
    actor: Actor


@dataclass(frozen=True, slots=True)
class DirectoryIdentity:
    """The identity of a directory, now or when it was last opened."""

    path: str
    """Resolved; empty for a home whose path another home has now."""
    number: str
    """Device and inode; empty where they were never noted."""
    mark: str = ""
    """The mark in our own folder of it. A ledger knows the mark before it is written there."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a host has to do in a home after a decision that was made on another machine."""

    decision: Decision
    digests: tuple[str, ...]
    """Of the texts that it rejects, or no longer does."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine on which an engine runs, in ledgers that several share."""

    host: str
    """Its id."""
    name: str
    """For people."""


_USUAL: Final = "default"


@dataclass(frozen=True, slots=True)
class Sight:
    """One home of a shared ledger, as its host last saw it."""

    home: str
    """Its id."""
    host: str
    """The id of the machine that has it."""
    machine: str
    """That machine's name, for people."""
    at: datetime
    """When it was last looked at, by that machine's clock."""
    name: str
    """The home's name, for people."""
    kind: str
    path: str

    @property
    def full_name(self) -> str:
        """Its name beside homes of other machines; that of the machine for its usual home."""
        return self.machine if self.name == _USUAL else f"{self.machine}:{self.name}"

    @property
    def names(self) -> frozenset[str]:
        """What a person may name it by; its machine's name stands for all homes of that."""
        return frozenset({self.home, self.name, self.path, self.machine, self.full_name})


@dataclass(frozen=True, slots=True)
class KnownHome:
    """One home of a ledger, and its directory when it was last opened."""

    id: str
    at: DirectoryIdentity
    kind: str = ""
    """What it was first opened as; empty while nothing is known of that."""
    host: str = ""
    """Where it is; empty for one from before hosts had ids."""
