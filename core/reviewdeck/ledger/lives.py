"""The lives of all proposals at once, for pictures of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.storage import Part
from reviewdeck.ledger.tables import DecisionRow, EventRow, OperationRow, ProposalRow, table_of
from reviewdeck.model import ActorKind, OperationKind, OperationState, State, Verb
from reviewdeck.model.lives import Ending, Life

_PROPOSAL: Final = table_of(ProposalRow)
_OPERATION: Final = table_of(OperationRow)
_DECISION: Final = table_of(DecisionRow)
_EVENT: Final = table_of(EventRow)


@dataclass(frozen=True, slots=True)
class _Known:
    """What other tables say of the proposals, by their ids."""

    applied: Mapping[str, tuple[datetime | None, str | None, Any]]
    decided: Mapping[str, tuple[str, datetime]]
    """The last word on each."""
    gone: Mapping[str, datetime]


class SqlLives(Part):
    """What became of every proposal."""

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first; undoings and unreadable records left out."""
        columns = _PROPOSAL.c
        query = (
            select(
                columns.id,
                columns.home,
                columns.origin,
                columns.kind,
                columns.since,
                columns.state,
            )
            .where(columns.home.in_(homes), columns.action != "undo")
            .where(columns.state != State.QUARANTINED.value)
            .order_by(columns.since, columns.position)
        )
        with self._storage.reading() as session, decoding("A proposal"):
            known = _known(session, homes)
            for id, home, origin, kind, since, state in session.execute(query):
                went, ending, rule = _end(id, State(state), known)
                yield Life(id, home, origin, kind, since, went, ending, rule)


def _known(session: Session, homes: Sequence[str]) -> _Known:
    done = _OPERATION.c
    applied = (
        select(done.proposal, done.finished_at, done.undone_by, done.actor)
        .where(done.home.in_(homes), done.kind == OperationKind.APPLY.value)
        .where(done.state == OperationState.DONE.value)
        .order_by(done.sequence)
    )
    said = _DECISION.c
    decided = select(said.proposal, said.verb, said.at).order_by(said.sequence)
    left = _EVENT.c
    gone = (
        select(left.subject, func.max(left.at, type_=left.at.type))
        .where(left.home.in_(homes), left.name == "elsewhere")
        .group_by(left.subject)
    )
    return _Known(
        {id: (at, undone, actor) for id, at, undone, actor in session.execute(applied)},
        {id: (verb, at) for id, verb, at in session.execute(decided)},
        {id: at for id, at in session.execute(gone)},
    )


def _end(id: str, state: State, known: _Known) -> tuple[datetime | None, Ending, str]:
    at, undone, actor = known.applied.get(id, (None, None, None))
    rule = _rule(actor)
    verb, decided_at = known.decided.get(id, ("", None))
    if undone is not None:
        return at, Ending.UNDONE, rule
    if state is State.APPLIED:
        by_hand = Ending.CHANGED if verb == Verb.MERGE.value else Ending.TAKEN
        return at, Ending.AUTOMATIC if rule else by_hand, rule
    if state is State.REJECTED:
        return decided_at, Ending.REJECTED, ""
    if state is State.ELSEWHERE:
        return known.gone.get(id), Ending.ELSEWHERE, ""
    return None, Ending.WAITS, ""


def _rule(actor: Any) -> str:
    is_policy = isinstance(actor, dict) and actor.get("kind") == ActorKind.POLICY.value
    return str(actor["name"]) if is_policy else ""
