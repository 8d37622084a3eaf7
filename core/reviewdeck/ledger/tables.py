"""The ledger's tables. SQLModel classes live here and nowhere else."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import BigInteger, Index, Integer, LargeBinary, MetaData, text
from sqlmodel import Field, SQLModel

from reviewdeck.ledger.list_sql import OPEN_SQL

Number = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the type is exactly INTEGER."""
Moment = Number
"""A time as microseconds since 1970."""
Text = sqlalchemy.Text().with_variant(sqlalchemy.Text(collation="C"), "postgresql")
"""Compared byte by byte, as SQLite does: else ranges and orders depended on a server's language."""
Words = Text
"""Text from outside, whatever is in it: shielded."""
Json = Text
"""A value as canonical JSON, in ASCII."""


def _partial(name: str, *columns: str, where: str) -> Index:
    """An index over the rows for which a condition holds, in each database."""
    condition = text(where)
    return Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


METADATA = MetaData()
"""Ours alone, so that another program's SQLModel tables never mix with these."""


class LedgerRow(SQLModel):
    """The base class of all tables."""

    metadata = METADATA


class BlobRow(LedgerRow, table=True):
    """Bytes by their SHA-256: revisions, records, rescued files."""

    __tablename__ = "blob"

    sha: str = Field(primary_key=True, sa_type=Text)
    data: bytes = Field(sa_type=LargeBinary)
    """The whole content, or with `base` the part between its first `head` and last `tail` bytes."""
    base: str | None = Field(default=None, foreign_key="blob.sha", sa_type=Text)
    head: int | None = Field(default=None, sa_type=Integer)
    tail: int | None = Field(default=None, sa_type=Integer)


class ProposalRow(LedgerRow, table=True):
    """One proposal or quarantined record. The long columns come last: lists do not read them."""

    __tablename__ = "proposal"
    __table_args__ = (
        Index("proposal_state", "state", "position"),
        Index("proposal_home", "home", "state", "position"),
        Index("proposal_source_id", "source_id"),
        _partial("proposal_oldest", "home", "since", where=OPEN_SQL),
        {"sqlite_autoincrement": True},
    )

    position: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    source: str | None = Field(default=None, sa_type=Words)
    source_id: str | None = Field(default=None, sa_type=Words)
    kind: str = Field(sa_type=Text)
    action: str = Field(sa_type=Words)
    target: str = Field(sa_type=Words)
    state: str = Field(sa_type=Text)
    verdict: str | None = Field(default=None, sa_type=Text)
    digest: str | None = Field(default=None, sa_type=Text)
    origin: str = Field(sa_type=Words)
    created_at: datetime | None = Field(default=None, sa_type=Moment)
    ingested_at: datetime = Field(sa_type=Moment)
    since: datetime = Field(sa_type=Moment)
    """The earlier of the two: its age is counted from it."""
    payload_sha: str = Field(sa_type=Text)
    reason: str = Field(sa_type=Words)
    summary: str = Field(sa_type=Words)
    findings: Any = Field(sa_type=Json, nullable=False)
    paths: Any = Field(sa_type=Json, nullable=False)
    body: Any = Field(sa_type=Json, nullable=False)
    """Edits, bases (their texts are blobs), session and the like."""
    evaluation_key: str | None = Field(default=None, sa_type=Text)
    """The key of its stored evaluation; NULL to be evaluated again."""
    gist: str | None = Field(default=None, sa_type=Words)
    """Its effect in one line, from the last staging. The summary is its author's."""
    subject: str | None = Field(default=None, sa_type=Text)
    """A digest of the memory entry that it is about."""
    session: str | None = Field(default=None, sa_type=Words)
    """The conversation that its author names."""
    gravity: int = Field(default=0, sa_type=Integer, sa_column_kwargs={"server_default": "0"})
    """The rank of its gravest finding; 0 without one."""


class CounterRow(LedgerRow, table=True):
    """The number of a home's proposals in a state, kept by triggers."""

    __tablename__ = "counter"

    home: str = Field(primary_key=True, sa_type=Words)
    state: str = Field(primary_key=True, sa_type=Text)
    amount: int = Field(sa_type=Number)


class HomeRow(LedgerRow, table=True):
    """The state of a home as a whole."""

    __tablename__ = "home"

    id: str = Field(primary_key=True, sa_type=Words)
    stamp: str | None = Field(default=None, sa_type=Words)
    round: int = Field(default=0, sa_type=Number, sa_column_kwargs={"server_default": "0"})
    """The number of passes over the open proposals."""
    inputs: str | None = Field(default=None, sa_type=Words)
    """What the last of them evaluated against."""


class SeenRow(LedgerRow, table=True):
    """Until when an operator saw a home's changes, and one document's where that differs."""

    __tablename__ = "seen"

    home: str = Field(primary_key=True, sa_type=Words)
    operator: str = Field(primary_key=True, sa_type=Words)
    """Empty for marks from before each operator had their own: everybody's."""
    path: str = Field(primary_key=True, sa_type=Words)
    """Empty for the home as a whole."""
    at: datetime = Field(sa_type=Moment)


class RecordRow(LedgerRow, table=True):
    """One pending file as it was when it was last read."""

    __tablename__ = "record"
    __table_args__ = (
        Index("record_proposal", "proposal"),
        _partial("record_done", "home", where="done"),
    )

    home: str = Field(primary_key=True, sa_type=Words)
    source: str = Field(primary_key=True, sa_type=Words)
    hint: str = Field(sa_type=Text)
    proposal: str = Field(sa_type=Words)
    done: bool
    """Whether its proposal is applied or rejected, so that the file is left over; by a trigger."""


class DirtyRow(LedgerRow, table=True):
    """What changed since the last pass: a proposal came or left, a text is remembered or no more.

    Kept by triggers.
    """

    __tablename__ = "dirty"
    __table_args__ = (Index("dirty_home", "home", "sequence"), {"sqlite_autoincrement": True})

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    home: str = Field(sa_type=Words)
    proposal: str | None = Field(default=None, unique=True, sa_type=Words)
    text: str | None = Field(default=None, sa_type=Words)


class SubjectRow(LedgerRow, table=True):
    """A text that others are compared with."""

    __tablename__ = "subject"
    __table_args__ = (Index("subject_home", "home", "domain"), Index("subject_place", "place"))

    id: int | None = Field(default=None, primary_key=True, sa_type=Number)
    home: str = Field(sa_type=Words)
    relation: str = Field(sa_type=Text)
    domain: str = Field(sa_type=Words)
    place: str = Field(sa_type=Words)
    text: str = Field(sa_type=Words)


class TermRow(LedgerRow, table=True):
    """A term of a text that others are compared with."""

    __tablename__ = "term"
    __table_args__ = (Index("term_subject", "subject"), {"sqlite_with_rowid": False})

    term: str = Field(primary_key=True, sa_type=Text)
    subject: int = Field(
        primary_key=True, foreign_key="subject.id", ondelete="CASCADE", sa_type=Number
    )


class JudgementRow(LedgerRow, table=True):
    """The last judgement of a proposal: the checks' answers, with their evidence."""

    __tablename__ = "judgement"

    proposal: str = Field(primary_key=True, foreign_key="proposal.id", sa_type=Words)
    policy: str = Field(sa_type=Text)
    """SHA-256 of the policy file; empty without one."""
    is_settled: bool
    """Whether its origin can no longer become better known."""
    marks: Any = Field(default=None, sa_type=Json, nullable=True)
    """The answers alone, for lists: six times yes or no, the origin's class, how it is known."""
    body: Any = Field(sa_type=Json, nullable=False)


class DraftRow(LedgerRow, table=True):
    """A decision that an operator prepared."""

    __tablename__ = "draft"

    proposal: str = Field(primary_key=True, foreign_key="proposal.id", sa_type=Words)
    operator: str = Field(primary_key=True, sa_type=Words)
    """Empty for drafts from before each operator had their own: everybody's."""
    home: str = Field(sa_type=Words)
    verb: str = Field(sa_type=Text)
    digest: str | None = Field(default=None, sa_type=Text)
    at: datetime = Field(sa_type=Moment)
    reason: str = Field(sa_type=Words)
    text: str | None = Field(default=None, sa_type=Words)
    document: str | None = Field(default=None, sa_type=Words)


class DecisionRow(LedgerRow, table=True):
    """A committed answer to one proposal."""

    __tablename__ = "decision"
    __table_args__ = (
        _partial("decision_batch", "batch", where="batch IS NOT NULL"),
        Index("decision_counter", "signer", "counter", unique=True),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    proposal: str = Field(foreign_key="proposal.id", index=True, sa_type=Words)
    verb: str = Field(sa_type=Text)
    actor: Any = Field(sa_type=Json, nullable=False)
    at: datetime = Field(sa_type=Moment)
    digest: str | None = Field(default=None, sa_type=Text)
    reason: str = Field(sa_type=Words)
    text_sha: str | None = Field(default=None, sa_type=Text)
    batch: str | None = Field(default=None, sa_type=Words)
    counter: int | None = Field(default=None, sa_type=Number)
    seal: Any = Field(default=None, sa_type=Json, nullable=True)
    policy: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    signer: str | None = Field(default=None, sa_type=Text)
    """The public key that signed it, whose counters are its own."""


class VoteRow(LedgerRow, table=True):
    """What a decision of the verb `vote` approves: another operator has to approve the same."""

    __tablename__ = "vote"
    __table_args__ = (
        _partial("vote_open", "proposal", where="batch IS NULL AND NOT ended"),
        _partial("vote_batch", "batch", where="batch IS NOT NULL"),
    )

    decision: str = Field(primary_key=True, foreign_key="decision.id", sa_type=Words)
    proposal: str = Field(foreign_key="proposal.id", sa_type=Words)
    home: str = Field(sa_type=Words)
    operator: str = Field(sa_type=Words)
    verb: str = Field(sa_type=Text)
    """What it approves: approve, merge or keep."""
    revisions: Any = Field(sa_type=Json, nullable=False)
    """Path, revision before and revision after of each document that would be written."""
    text: str | None = Field(default=None, sa_type=Words)
    document: str | None = Field(default=None, sa_type=Words)
    batch: str | None = Field(default=None, sa_type=Words)
    """What was written by it and the other operator's decision."""
    ended: bool
    """Whether it was withdrawn, replaced, or used for a decision that writes nothing."""


class LookingRow(LedgerRow, table=True):
    """The proposal that an operator has open, until when at the latest."""

    __tablename__ = "looking"

    operator: str = Field(primary_key=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    proposal: str = Field(foreign_key="proposal.id", sa_type=Words)
    until: datetime = Field(sa_type=Moment)


class BatchRow(LedgerRow, table=True):
    """Operations that are written together: an intent and its end."""

    __tablename__ = "batch"
    __table_args__ = (_partial("batch_open", "home", where="NOT settled"),)

    id: str = Field(primary_key=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    state: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Moment)
    finished_at: datetime | None = Field(default=None, sa_type=Moment)
    settled: bool
    """Whether nothing is left to be done for it."""
    epoch: int = Field(default=0, sa_type=Number, sa_column_kwargs={"server_default": "0"})
    """How often it was claimed: only its last claimer may say how it ended."""
    lease_until: int | None = Field(default=None, sa_type=Moment)
    """When another host may claim it too, by the database's clock; NULL while it is approved."""
    worker: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """The host that claimed it last."""


class OperationRow(LedgerRow, table=True):
    """One proposal's part of a batch."""

    __tablename__ = "operation"
    __table_args__ = (
        Index("operation_home", "home", "sequence"),
        Index("operation_time", "home", "started_at"),
        _partial("operation_undoes", "undoes", where="undoes IS NOT NULL"),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    batch: str = Field(foreign_key="batch.id", index=True, sa_type=Words)
    kind: str = Field(sa_type=Text)
    state: str = Field(sa_type=Text)
    home: str = Field(sa_type=Words)
    proposal: str = Field(foreign_key="proposal.id", index=True, sa_type=Words)
    claimed_from: str = Field(sa_type=Text)
    """The state of the proposal before."""
    actor: Any = Field(sa_type=Json, nullable=False)
    digest: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Moment)
    finished_at: datetime | None = Field(default=None, sa_type=Moment)
    undoes: str | None = Field(default=None, sa_type=Words)
    undone_by: str | None = Field(default=None, sa_type=Words)
    settled: bool
    effects: Any = Field(sa_type=Json, nullable=False)
    inverse: Any = Field(sa_type=Json, nullable=False)


class ChangeRow(LedgerRow, table=True):
    """One document's change within an operation; the bytes are blobs."""

    __tablename__ = "operation_change"

    operation: str = Field(primary_key=True, foreign_key="operation.id", sa_type=Words)
    ordinal: int = Field(primary_key=True, sa_type=Integer)
    path: str = Field(sa_type=Words)
    before: str = Field(sa_type=Text)
    after: str = Field(sa_type=Text)
    mode: int | None = Field(default=None, sa_type=Integer)
    tree: str | None = Field(default=None, sa_type=Words)
    was_mode: int | None = Field(default=None, sa_type=Integer)


class WriteRow(LedgerRow, table=True):
    """One physical write of a batch, for recovery. NULL stands for no document."""

    __tablename__ = "batch_write"

    batch: str = Field(primary_key=True, foreign_key="batch.id", sa_type=Words)
    ordinal: int = Field(primary_key=True, sa_type=Integer)
    path: str = Field(sa_type=Words)
    before: str | None = Field(default=None, foreign_key="blob.sha", sa_type=Text)
    after: str | None = Field(default=None, foreign_key="blob.sha", sa_type=Text)
    mode: int | None = Field(default=None, sa_type=Integer)
    tree: str | None = Field(default=None, sa_type=Words)
    was_mode: int | None = Field(default=None, sa_type=Integer)


class RescuedRow(LedgerRow, table=True):
    """Displaced bytes of another program."""

    __tablename__ = "rescued"

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    batch: str = Field(foreign_key="batch.id", index=True, sa_type=Words)
    path: str = Field(sa_type=Words)
    sha: str = Field(foreign_key="blob.sha", sa_type=Text)
    at: datetime = Field(sa_type=Moment)


class ObservationRow(LedgerRow, table=True):
    """One document at one revision from a moment on."""

    __tablename__ = "observation"
    __table_args__ = (
        Index("observation_path", "home", "path", "sequence"),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    home: str = Field(sa_type=Words)
    path: str = Field(sa_type=Words)
    revision: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Moment)
    cause: str = Field(sa_type=Text)
    operation: str | None = Field(default=None, sa_type=Words)
    proposal: str | None = Field(default=None, sa_type=Words)
    actor: Any = Field(default=None, sa_type=Json, nullable=False)
    mode: int | None = Field(default=None, sa_type=Integer)


class LikenessRow(LedgerRow, table=True):
    """A text that was removed, replaced or rejected."""

    __tablename__ = "likeness"
    __table_args__ = (Index("likeness_text", "home", "relation", "sha", unique=True),)

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    home: str = Field(sa_type=Words)
    relation: str = Field(sa_type=Text)
    sha: str = Field(sa_type=Text)
    """Of the text and its place: the same text is remembered once."""
    text: str = Field(sa_type=Words)
    score: float
    where: str = Field(sa_type=Words)
    exact: bool
    at: datetime = Field(sa_type=Moment)


class EventRow(LedgerRow, table=True):
    """One line of the audit log. Triggers refuse to change or delete it."""

    __tablename__ = "event"
    __table_args__ = (
        Index("event_line", "chain", "sequence", unique=True),
        # Two lines after the same one would be a fork.
        Index("event_previous", "chain", "previous", unique=True),
        {"sqlite_autoincrement": True},
    )

    position: int | None = Field(default=None, primary_key=True, sa_type=Number)
    """The order in which lines were stored."""
    chain: str = Field(sa_type=Words)
    """The home of whose chain it is a line; empty for the ledger's own."""
    sequence: int = Field(sa_type=Number)
    """Its number in its chain."""
    at: datetime = Field(sa_type=Moment)
    name: str = Field(sa_type=Text)
    home: str = Field(sa_type=Words)
    subject: str = Field(sa_type=Words)
    actor: Any = Field(sa_type=Json, nullable=False)
    detail: Any = Field(sa_type=Json, nullable=False)
    previous: str = Field(sa_type=Text)
    sha: str = Field(sa_type=Text)


class TranscriptRow(LedgerRow, table=True):
    """One document of turns: a session from when it was entered to when it was left."""

    __tablename__ = "transcript"
    __table_args__ = (
        Index("transcript_session", "session", "sequence"),
        Index("transcript_last", "last_at"),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    session: str = Field(sa_type=Words)
    parent: str | None = Field(default=None, sa_type=Words)
    began: str = Field(sa_type=Text)
    platform: str = Field(sa_type=Words)
    started_at: datetime = Field(sa_type=Moment)
    last_at: datetime = Field(sa_type=Moment)
    turns: int = Field(sa_type=Number)
    messages: int = Field(sa_type=Number)


class TurnRow(LedgerRow, table=True):
    """One turn of a transcript."""

    __tablename__ = "turn"

    transcript: int = Field(primary_key=True, foreign_key="transcript.sequence", sa_type=Number)
    number: int = Field(primary_key=True, sa_type=Number)
    id: str | None = Field(default=None, sa_type=Words)
    """The agent's own id for it."""
    at: datetime = Field(sa_type=Moment)
    messages: Any = Field(sa_type=Json, nullable=False)
    """Role, text, tool and call of each."""


class ReviewRow(LedgerRow, table=True):
    """One run of the background reviewer."""

    __tablename__ = "review"
    __table_args__ = (Index("review_home", "home", "sequence"), {"sqlite_autoincrement": True})

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    session: str = Field(sa_type=Words)
    occasion: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Moment)
    finished_at: datetime = Field(sa_type=Moment)
    ending: str = Field(sa_type=Text)
    detail: str = Field(sa_type=Words)
    provider: str = Field(sa_type=Words)
    model: str = Field(sa_type=Words)
    is_routed: bool
    prompts: str = Field(sa_type=Words)
    iterations: int = Field(sa_type=Integer)
    input_tokens: int = Field(sa_type=Number)
    output_tokens: int = Field(sa_type=Number)
    cached_tokens: int = Field(sa_type=Number)
    cost: float | None = None
    shared: float | None = None
    saved_tokens: int = Field(sa_type=Number)
    denied: Any = Field(sa_type=Json, nullable=False)
    denied_count: int = Field(sa_type=Integer)
    proposals: Any = Field(sa_type=Json, nullable=False)
    proposal_count: int = Field(sa_type=Integer)


class PlaceRow(LedgerRow, table=True):
    """The directory of one home when it was last opened, and its mark."""

    __tablename__ = "place"

    home: str = Field(primary_key=True, sa_type=Words)
    path: str = Field(sa_type=Words)
    """Empty when another home has this path now."""
    number: str = Field(sa_type=Text)
    mark: str = Field(sa_type=Text)
    kind: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """What it was first opened as; empty until this is known."""
    host: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """The id of the machine; empty until this is known."""


class HostRow(LedgerRow, table=True):
    """One machine with homes, as its worker last reported."""

    __tablename__ = "host"

    id: str = Field(primary_key=True, sa_type=Text)
    name: str = Field(sa_type=Words)
    version: str = Field(sa_type=Words)
    seen_at: int = Field(sa_type=Moment)
    """By the database's clock."""
    problem: str = Field(default="", sa_type=Words, sa_column_kwargs={"server_default": ""})
    """What keeps its worker from its work; empty for nothing."""


class ErrandRow(LedgerRow, table=True):
    """What a host still has to do in a home after a decision that was made on another machine."""

    __tablename__ = "errand"
    __table_args__ = (Index("errand_home", "home"),)

    decision: str = Field(primary_key=True, foreign_key="decision.id", sa_type=Words)
    home: str = Field(sa_type=Words)
    digests: Any = Field(sa_type=Json, nullable=False)
    """Of the texts that it rejects, or no longer does."""


class LookRow(LedgerRow, table=True):
    """What a host last saw of one of its homes, where several hosts share the ledger."""

    __tablename__ = "look"

    home: str = Field(primary_key=True, sa_type=Words)
    host: str = Field(sa_type=Text)
    machine: str = Field(sa_type=Words)
    """The host's name, for people."""
    at: datetime = Field(sa_type=Moment)
    name: str = Field(sa_type=Words)
    kind: str = Field(sa_type=Text)
    path: str = Field(sa_type=Words)
    sha: str = Field(sa_type=Text)
    """Of the body: one that is the same is not stored again."""
    body: Any = Field(sa_type=Json, nullable=False)
    """Documents with their revisions and problems, skills, limits; bytes are blobs."""


class PinRow(LedgerRow, table=True):
    """A value that must not change unnoticed, such as the operators' keys."""

    __tablename__ = "pin"

    name: str = Field(primary_key=True, sa_type=Text)
    value: str = Field(sa_type=Words)
