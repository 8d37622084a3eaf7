"""Signing in the transaction that stores a decision, so that counters have no gap or twin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from reviewdeck.ledger.audit import NOBODY, Note, head_of, log
from reviewdeck.ledger.cells import load, optional_moment, unshield
from reviewdeck.ledger.database import LedgerPart, Transaction, first, upsert
from reviewdeck.ledger.view_sql import EVENT, event_of, read_decisions
from reviewdeck.model import ABSENT, About, ActorKind, Decision, Event
from reviewdeck.model.codec import seal_from_json
from reviewdeck.model.decisions import PINNED
from reviewdeck.model.ledger import Claim, about_of
from reviewdeck.ports import Sign

_COUNTER: Final = "SELECT max(counter) FROM decision"
_LAST_SEALED: Final = (
    "SELECT at FROM decision WHERE counter IS NOT NULL ORDER BY counter DESC LIMIT 1"
)
_SEALS: Final = "SELECT seal FROM decision WHERE counter IS NOT NULL ORDER BY counter"


def sealed_claims(tx: Transaction, claims: Sequence[Claim], sign: Sign) -> list[Claim]:
    """The claims with their decisions signed, each bound to its batch."""
    head, counter = head_of(tx), _counter(tx)
    signed: list[Claim] = []
    last = _last_sealed(tx)
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


def sealed(tx: Transaction, decision: Decision, home: str, sign: Sign) -> Decision:
    """A decision that writes nothing, signed."""
    decision = _moved_after(decision, _last_sealed(tx))
    about = About(home, (decision.proposal,))
    seal = sign(decision, about, _counter(tx) + 1, head_of(tx))
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


def _last_sealed(tx: Transaction) -> datetime | None:
    """When the newest signed decision was made; None where nothing is signed."""
    return optional_moment(first(tx, _LAST_SEALED))


def _counter(tx: Transaction) -> int:
    return first(tx, _COUNTER) or 0


class SqlPins(LedgerPart):
    """Pinned values, which must not change unnoticed, and all decisions."""

    def pin(self, name: str, value: str) -> None:
        """Pins a value, replacing an earlier one, with a line of the log.

        The row is for speed: where it was removed or replaced, the log has the value.
        """
        with self._database.writing() as tx:
            line = Note(f"{PINNED}{name}", "", name, NOBODY, self._database.now(), {"value": value})
            log(tx, [line])
            upsert(tx, "pin", "name", {"name": name, "value": value})

    def signers(self) -> frozenset[str]:
        """The keys of the oldest and of the newest signed decision."""
        with self._reading("A decision") as tx:
            ends = [first(tx, f"{_SEALS} {order} LIMIT 1") for order in ("ASC", "DESC")]
            seals = [seal_from_json(load(seal)) for seal in ends if seal is not None]
            return frozenset(seal.key for seal in seals if seal is not None)

    def last_pinned(self, name: str) -> str | None:
        """The value last pinned under a name, by the log."""
        sql = f"{EVENT} WHERE name = :name ORDER BY sequence DESC LIMIT 1"
        with self._reading("An event") as tx:
            rows = tx.rows(sql, {"name": f"{PINNED}{name}"})
            value = event_of(rows[0]).detail.get("value") if rows else None
            return value if isinstance(value, str) else None

    def begun(self, operation: str) -> Event | None:
        """The log's line of an operation's intent."""
        sql = f"{EVENT} WHERE name = 'begin' AND subject = :of ORDER BY sequence LIMIT 1"
        with self._reading("An event") as tx:
            rows = tx.rows(sql, {"of": operation})
            return event_of(rows[0]) if rows else None

    def all_decisions(self) -> tuple[tuple[Decision, About], ...]:
        """Every decision with its signed subject, in the order in which they were stored."""
        with self._reading("A decision") as tx:
            places = tx.rows("SELECT id, home FROM proposal")
            homes = {unshield(id): unshield(home) for id, home in places}
            proposals, revisions = defaultdict[str, list[str]](list), _revisions(tx)
            ordered = "SELECT batch, proposal FROM operation ORDER BY sequence"
            for batch, proposal in tx.rows(ordered):
                proposals[unshield(batch)].append(unshield(proposal))
            decisions = []
            for decision in read_decisions(tx):
                home = homes.get(decision.proposal, "")
                if decision.batch is None:
                    about = About(home, (decision.proposal,))
                else:
                    written = tuple(revisions[decision.batch])
                    about = About(home, tuple(proposals[decision.batch]), written)
                decisions.append((decision, about))
            return tuple(decisions)


def _revisions(tx: Transaction) -> defaultdict[str, list[tuple[str, str, str]]]:
    sql = 'SELECT batch, path, "before", "after" FROM batch_write ORDER BY batch, ordinal'
    by_batch = defaultdict[str, list[tuple[str, str, str]]](list)
    for batch, path, before, after in tx.rows(sql):
        by_batch[unshield(batch)].append((unshield(path), before or ABSENT, after or ABSENT))
    return by_batch
