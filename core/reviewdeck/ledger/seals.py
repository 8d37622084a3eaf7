"""Signing before the transaction that stores a decision, so that no key works while it is open.

What a signature rests on (the head of the home's chain, the key's last counter) is read first and
compared in the storing transaction: where it moved, everything is signed anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Final

from reviewdeck.ledger.audit import NOBODY, Note, head_later, log
from reviewdeck.ledger.cells import optional_moment, unshield
from reviewdeck.ledger.database import LedgerPart, Transaction, upsert
from reviewdeck.ledger.view_sql import EVENT, EVENTS, read_decisions, read_votes
from reviewdeck.model import ABSENT, About, ActorKind, Decision, Event
from reviewdeck.model.decisions import PINNED
from reviewdeck.model.ledger import Claim, about_of, begun_after
from reviewdeck.ports import Head, Heads, Signer, SignerOf
from reviewdeck.values import dataclass

_LAST_OF_KEY: Final = (
    "SELECT counter, at FROM decision WHERE signer = :key ORDER BY counter DESC LIMIT 1"
)


@dataclass(slots=True)
class _Turn:
    """What a key signs next."""

    signer: Signer
    counter: int
    """The last one that it used."""
    at: datetime | None
    """When its last decision was made."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What signatures rest on, as it was read; equal while nothing moved."""

    homes: tuple[tuple[str, Head], ...]
    keys: tuple[tuple[str, int, datetime | None], ...]
    ledger: Head = field(compare=False)

    def is_same(self, tx: Transaction) -> Callable[[], bool]:
        """Whether it is so in the transaction that stores what was signed, once it is wanted."""
        if not self.keys:
            return lambda: True
        keys = (key for key, _, _ in self.keys)
        now = read_ground(tx, (home for home, _ in self.homes), keys)
        return lambda: now() == self


def read_ground(tx: Transaction, homes: Iterable[str], keys: Iterable[str]) -> Callable[[], Ground]:
    """What signatures for these homes by these keys rest on now, once it is wanted."""
    last = {key: tx.later(_LAST_OF_KEY, {"key": key}) for key in keys}
    heads = {home: head_later(tx, home) for home in homes}
    of_ledger = head_later(tx, "")

    def ground() -> Ground:
        ends = []
        for key, rows in last.items():
            counter, at = next(iter(rows()), (0, None))
            ends.append((key, counter, optional_moment(at)))
        of_homes = tuple((home, head()) for home, head in heads.items())
        return Ground(of_homes, tuple(ends), of_ledger())

    return ground


NO_GROUND: Final = Ground((), (), (0, ""))
"""Of what is not signed."""


class SqlSeals(LedgerPart):
    """Signing what is about to be stored."""

    def _sealed_claims(
        self, claims: Sequence[Claim], signer_of: SignerOf
    ) -> tuple[list[Claim], Ground]:
        decisions = [decision for claim in claims for decision in claim.decisions]
        homes = dict.fromkeys(claim.operations[0].home for claim in claims if claim.operations)
        turns, ground = self._turns(decisions, homes, signer_of)
        signed: list[Claim] = []
        for claim in claims:
            if not claim.operations:
                continue
            claim = _after_last(claim, turns)
            first = claim.operations[0]
            about = about_of(first.home, claim.operations, claim.writes)
            bound = (replace(decision, batch=first.batch) for decision in claim.decisions)
            seals = tuple(_seal(decision, about, turns, ground) for decision in bound)
            signed.append(replace(claim, decisions=seals))
        return signed, ground

    def _sealed(
        self, decision: Decision, home: str, signer_of: SignerOf, about: About | None = None
    ) -> tuple[Decision, Ground]:
        turns, ground = self._turns([decision], [home], signer_of)
        decision = _moved_after(decision, turns)
        about = about or About(home, (decision.proposal,))
        return _seal(decision, about, turns, ground), ground

    def _turns(
        self, decisions: Sequence[Decision], homes: Iterable[str], signer_of: SignerOf
    ) -> tuple[dict[str, _Turn], Ground]:
        """By actor's name, what signs next; empty where nothing is signed."""
        actors = {decision.actor.name: decision.actor for decision in decisions
                  if decision.actor.kind is ActorKind.OPERATOR}  # fmt: skip
        found = {name: signer_of(actor) for name, actor in actors.items()}
        signers = {name: signer for name, signer in found.items() if signer is not None}
        if not signers:
            return {}, NO_GROUND
        with self._database.reading() as tx:
            ground = read_ground(tx, homes, dict.fromkeys(one.key for one in signers.values()))()
        by_key = {
            signer.key: _Turn(signer, max(counter, signer.last_counter), at)
            for signer in signers.values()
            for key, counter, at in ground.keys
            if key == signer.key
        }
        return {name: by_key[signer.key] for name, signer in signers.items()}, ground


def _seal(decision: Decision, about: About, turns: dict[str, _Turn], ground: Ground) -> Decision:
    turn = _turn_of(decision, turns)
    if turn is None:
        return decision
    turn.counter += 1
    heads = Heads(dict(ground.homes)[about.home], ground.ledger)
    return replace(decision, seal=turn.signer.sign(decision, about, turn.counter, heads))


def _turn_of(decision: Decision, turns: dict[str, _Turn]) -> _Turn | None:
    is_operators = decision.actor.kind is ActorKind.OPERATOR
    return turns.get(decision.actor.name) if is_operators else None


def _after_last(claim: Claim, turns: dict[str, _Turn]) -> Claim:
    """A claim whose times do not fall behind the newest decision that its key signed.

    A clock that was set back must not make an honest decision look like an inserted one.
    """
    moved = tuple(_moved_after(decision, turns) for decision in claim.decisions)
    if moved == claim.decisions:
        return claim
    return replace(claim, decisions=moved, operations=begun_after(claim.operations, moved))


def _moved_after(decision: Decision, turns: dict[str, _Turn]) -> Decision:
    turn = _turn_of(decision, turns)
    if turn is None or turn.at is None or decision.at >= turn.at:
        return decision
    return replace(decision, at=turn.at)


class SqlPins(LedgerPart):
    """Pinned values, which must not change unnoticed, and all decisions."""

    def pin(self, name: str, value: str) -> None:
        """Pins a value, replacing an earlier one, with a line of the log.

        The row is for speed: where it was removed or replaced, the log has the value.
        """
        with self._database.writing("") as tx:
            line = Note(f"{PINNED}{name}", "", name, NOBODY, self._database.now(), {"value": value})
            log(tx, [line])
            upsert(tx, "pin", ("name",), {"name": name, "value": value})

    def signers(self) -> frozenset[str]:
        sql = "SELECT DISTINCT signer FROM decision WHERE signer IS NOT NULL"
        with self._reading("A decision") as tx:
            return frozenset(key for (key,) in tx.rows(sql))

    def last_pinned(self, name: str) -> str | None:
        """The value last pinned under a name, by the log."""
        sql = f"{EVENTS} WHERE name = :name ORDER BY position DESC LIMIT 1"
        with self._reading("An event") as tx:
            rows = tx.rows(sql, {"name": f"{PINNED}{name}"})
            value = EVENT.value(rows[0]).detail.get("value") if rows else None
            return value if isinstance(value, str) else None

    def begun(self, operation: str) -> Event | None:
        """The log's line of an operation's intent."""
        sql = f"{EVENTS} WHERE name = 'begin' AND subject = :of ORDER BY position LIMIT 1"
        with self._reading("An event") as tx:
            rows = tx.rows(sql, {"of": operation})
            return EVENT.value(rows[0]) if rows else None

    def all_decisions(self) -> tuple[tuple[Decision, About], ...]:
        """Every decision with its signed subject, in the order in which they were stored."""
        with self._reading("A decision") as tx:
            places = tx.rows("SELECT id, home FROM proposal")
            homes = {unshield(id): unshield(home) for id, home in places}
            proposals, revisions = defaultdict[str, list[str]](list), _revisions(tx)
            ordered = "SELECT batch, proposal FROM operation ORDER BY sequence"
            for batch, proposal in tx.rows(ordered):
                proposals[unshield(batch)].append(unshield(proposal))
            decisions, votes = [], read_votes(tx)
            for decision in read_decisions(tx):
                home = homes.get(decision.proposal, "")
                if decision.id in votes:
                    about = votes[decision.id]
                elif decision.batch is None:
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
