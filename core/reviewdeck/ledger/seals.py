"""Signing in the transaction that stores a decision, so that counters have no gap or twin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import Session
from sqlmodel import col

from reviewdeck.ledger.audit import NOBODY, Note, event_of, log
from reviewdeck.ledger.database import LedgerPart, runner, upsert
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.tables import (
    DecisionRow,
    EventRow,
    OperationRow,
    PinRow,
    ProposalRow,
    WriteRow,
    table_of,
)
from reviewdeck.ledger.view_sql import read_decisions
from reviewdeck.model import ABSENT, About, ActorKind, Decision, Event
from reviewdeck.model.codec import seal_from_json
from reviewdeck.model.decisions import PINNED
from reviewdeck.ports import Claim, Head, Sign
from reviewdeck.ports.journal import about_of

_DECISION = table_of(DecisionRow)
_EVENT = table_of(EventRow)


def sealed_claims(connection: Connection, claims: Sequence[Claim], sign: Sign) -> list[Claim]:
    """The claims with their decisions signed, each bound to its batch."""
    head, counter = _head(connection), _counter(connection)
    signed: list[Claim] = []
    last = _last_sealed(connection)
    for claim in claims:
        claim = _after_last(claim, last)
        first = claim.operations[0]
        about = about_of(first.home, claim.operations, claim.writes)
        decisions: list[Decision] = []
        for decision in claim.decisions:
            is_bound = decision.batch == first.batch
            bound = decision if is_bound else replace(decision, batch=first.batch)
            seal = sign(bound, about, counter + 1, head)
            counter += seal is not None
            decisions.append(bound if seal is None else replace(bound, seal=seal))
        signed.append(replace(claim, decisions=tuple(decisions)))
    return signed


def sealed(connection: Connection, decision: Decision, home: str, sign: Sign) -> Decision:
    """A decision that writes nothing, signed."""
    decision = _moved_after(decision, _last_sealed(connection))
    about = About(home, (decision.proposal,))
    seal = sign(decision, about, _counter(connection) + 1, _head(connection))
    return replace(decision, seal=seal)


def _after_last(claim: Claim, last: datetime | None) -> Claim:
    """A claim whose times do not fall behind the newest signed decision.

    A clock that was set back must not make an honest decision look like an inserted one.
    """
    if last is None or not any(_is_behind(decision, last) for decision in claim.decisions):
        return claim
    return replace(
        claim,
        decisions=tuple(_moved_after(decision, last) for decision in claim.decisions),
        operations=tuple(
            replace(operation, started_at=max(operation.started_at, last))
            for operation in claim.operations
        ),
    )


def _moved_after(decision: Decision, last: datetime | None) -> Decision:
    behind = last is not None and _is_behind(decision, last)
    return replace(decision, at=last) if behind and last is not None else decision


def _is_behind(decision: Decision, last: datetime) -> bool:
    return decision.actor.kind is ActorKind.OPERATOR and decision.at < last


def _last_sealed(connection: Connection) -> datetime | None:
    """When the newest signed decision was made; None where nothing is signed."""
    query = select(_DECISION.c.at).where(_DECISION.c.counter.is_not(None))
    moment: datetime | None = connection.scalar(query.order_by(_DECISION.c.counter.desc()).limit(1))
    return moment


def _counter(connection: Connection) -> int:
    return connection.scalar(select(func.max(_DECISION.c.counter))) or 0


def _head(connection: Connection) -> Head:
    query = select(_EVENT.c.sequence, _EVENT.c.sha).order_by(_EVENT.c.sequence.desc()).limit(1)
    row = connection.execute(query).first()
    return (0, "") if row is None else (row[0], row[1])


class SqlPins(LedgerPart):
    """Pinned values, which must not change unnoticed, and all decisions."""

    def pin(self, name: str, value: str) -> None:
        """Pins a value, replacing an earlier one, with a line of the log.

        The row is for speed: where it was removed or replaced, the log has the value.
        """
        with self._storage.writing() as connection:
            line = Note(f"{PINNED}{name}", "", name, NOBODY, self._storage.now(), {"value": value})
            log(connection, [line])
            upsert(connection, PinRow, "name", {"name": name, "value": value})

    def signers(self) -> frozenset[str]:
        """The keys of the oldest and of the newest signed decision."""
        sealed = select(col(DecisionRow.seal)).where(col(DecisionRow.counter).is_not(None))
        counter = col(DecisionRow.counter)
        with self._storage.reading() as session, decoding("A decision"):
            orders = (counter.asc(), counter.desc())
            ends = [session.scalar(sealed.order_by(order).limit(1)) for order in orders]
            seals = [seal_from_json(seal) for seal in ends if seal is not None]
            return frozenset(seal.key for seal in seals if seal is not None)

    def last_pinned(self, name: str) -> str | None:
        """The value last pinned under a name, by the log."""
        query = select(EventRow).where(col(EventRow.name) == f"{PINNED}{name}")
        with self._storage.reading() as session, decoding("An event"):
            row = session.scalar(query.order_by(col(EventRow.sequence).desc()).limit(1))
            value = None if row is None else event_of(row).detail.get("value")
            return value if isinstance(value, str) else None

    def begun(self, operation: str) -> Event | None:
        """The log's line of an operation's intent."""
        query = select(EventRow).where(
            col(EventRow.name) == "begin", col(EventRow.subject) == operation
        )
        with self._storage.reading() as session, decoding("An event"):
            row = session.scalar(query.order_by(col(EventRow.sequence)).limit(1))
            return None if row is None else event_of(row)

    def all_decisions(self) -> tuple[tuple[Decision, About], ...]:
        """Every decision with its signed subject, in the order in which they were stored."""
        with self._storage.reading() as session, decoding("A decision"):
            places = session.execute(select(col(ProposalRow.id), col(ProposalRow.home)))
            homes = {id: home for id, home in places}
            proposals, revisions = defaultdict[str, list[str]](list), _revisions(session)
            ordered = select(col(OperationRow.batch), col(OperationRow.proposal))
            for batch, proposal in session.execute(ordered.order_by(col(OperationRow.sequence))):
                proposals[batch].append(proposal)
            decisions = []
            for decision in read_decisions(runner(session.connection())):
                home = homes.get(decision.proposal, "")
                if decision.batch is None:
                    about = About(home, (decision.proposal,))
                else:
                    written = tuple(revisions[decision.batch])
                    about = About(home, tuple(proposals[decision.batch]), written)
                decisions.append((decision, about))
            return tuple(decisions)


def _revisions(session: Session) -> defaultdict[str, list[tuple[str, str, str]]]:
    query = select(WriteRow).order_by(col(WriteRow.batch), col(WriteRow.ordinal))
    by_batch = defaultdict[str, list[tuple[str, str, str]]](list)
    for row in session.scalars(query):
        by_batch[row.batch].append((row.path, row.before or ABSENT, row.after or ABSENT))
    return by_batch
