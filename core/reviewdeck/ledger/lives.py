"""The lives of all proposals at once, for charts.

There may be a hundred thousand: rows are read as the database has them, and values that
repeat (homes, origins, actors) are decoded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from reviewdeck.ledger.cells import load, moment_of, optional_moment, unshield
from reviewdeck.ledger.database import LedgerPart, Transaction, Values
from reviewdeck.model import ActorKind, State, Verb
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.values import dataclass

_PROPOSALS: Final = (
    "SELECT id, home, origin, kind, since, state FROM proposal"
    " WHERE home IN :homes AND action <> 'undo' AND state <> 'quarantined'"
    " ORDER BY since, position"
)
_APPLIED: Final = (
    "SELECT proposal, finished_at, undone_by, actor FROM operation"
    " WHERE home IN :homes AND kind = 'apply' AND state = 'done' ORDER BY sequence"
)
_DECIDED: Final = "SELECT proposal, verb, at FROM decision ORDER BY sequence"
_ELSEWHERE: Final = (
    "SELECT subject, max(at) FROM event"
    " WHERE home IN :homes AND name = 'elsewhere' GROUP BY subject"
)
_WAITS: Final = (None, Ending.WAITS, "")
_ENDED: Final = frozenset({State.APPLIED.value, State.REJECTED.value, State.ELSEWHERE.value})


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence of other tables by proposal id; times in microseconds."""

    applied: Mapping[str, tuple[int | None, str | None, str]]
    decided: Mapping[str, tuple[str, int]]
    """The last decision of each."""
    elsewhere: Mapping[str, int]


class SqlLives(LedgerPart):
    """The outcome of every proposal."""

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first, without undos and unreadable records."""
        bound = {"homes": list(homes)}
        plain = lru_cache(maxsize=256)(unshield)
        with self._reading("A proposal") as tx:
            evidence = _collect_evidence(tx, bound)
            applied = evidence.applied
            for id, home, origin, kind, since, state in tx.stream(_PROPOSALS, bound):
                end = _end(id, state, evidence) if state in _ENDED or id in applied else _WAITS
                yield Life(id, plain(home), plain(origin), kind, moment_of(since), *end)


def _collect_evidence(tx: Transaction, bound: Values) -> _Evidence:
    applied = tx.rows(_APPLIED, bound)
    return _Evidence(
        {id: (at, undone, actor) for id, at, undone, actor in applied},
        {id: (verb, at) for id, verb, at in tx.rows(_DECIDED)},
        {id: at for id, at in tx.rows(_ELSEWHERE, bound)},
    )


def _end(id: str, state: str, evidence: _Evidence) -> tuple[datetime | None, Ending, str]:
    at, undone, actor = evidence.applied.get(id, (None, None, ""))
    rule = _rule(actor)
    verb, decided_at = evidence.decided.get(id, ("", None))
    if undone is not None:
        return optional_moment(at), Ending.UNDONE, rule
    if state == State.APPLIED.value:
        by_hand = Ending.CHANGED if verb == Verb.MERGE.value else Ending.TAKEN
        return optional_moment(at), Ending.AUTOMATIC if rule else by_hand, rule
    if state == State.REJECTED.value:
        return optional_moment(decided_at), Ending.REJECTED, ""
    if state == State.ELSEWHERE.value:
        return optional_moment(evidence.elsewhere.get(id)), Ending.ELSEWHERE, ""
    return None, Ending.WAITS, ""


@lru_cache(maxsize=256)
def _rule(actor: str) -> str:
    """The policy rule that a stored actor is; empty for a person."""
    stored = load(actor) if actor else None
    if isinstance(stored, dict) and stored.get("kind") == ActorKind.POLICY.value:
        return str(stored["name"])
    return ""
