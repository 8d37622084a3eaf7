"""What was decided since a moment: how much of each kind, by whom and when; and the rejections."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import load, moment_of, unshield
from reviewdeck.ledger.columns import actor_of
from reviewdeck.ledger.database import ALL, LedgerPart
from reviewdeck.ledger.view_sql import DECISION, JUDGEMENTS
from reviewdeck.model import Actor, Decision, OriginClass, State, Verb

_SLOT: Final = timedelta(minutes=15)
"""The times of a tally: every time zone begins its days on one of them."""
_MICROSECONDS: Final = _SLOT // timedelta(microseconds=1)
_TALLIES: Final = """
    SELECT decision.at / :slot, decision.verb, decision.actor, proposal.action, count(*)
    FROM decision JOIN proposal ON proposal.id = decision.proposal
    WHERE proposal.home IN :homes AND decision.at >= :since
    GROUP BY 1, 2, 3, 4
"""
_ARRIVALS: Final = """
    SELECT since / :slot, count(*) FROM proposal
    WHERE home IN :homes AND since >= :since AND NOT (action IN :own) GROUP BY 1
"""
_OF_DECISION: Final = ", ".join(f"decision.{name}" for name in DECISION.names)
_REJECTIONS: Final = f"""
    SELECT decision.sequence, {_OF_DECISION}
    FROM decision JOIN proposal ON proposal.id = decision.proposal
    WHERE proposal.home IN :homes AND proposal.state = '{State.REJECTED.value}'
    AND decision.verb = '{Verb.REJECT.value}' AND decision.at >= :since
    AND decision.sequence < :before AND decision.sequence = (
        SELECT max(later.sequence) FROM decision AS later
        WHERE later.proposal = decision.proposal)
    ORDER BY decision.sequence DESC LIMIT :limit
"""  # noqa: S608 - constant parts
_PAGE: Final = 500


class DecisionTally(NamedTuple):
    """Decisions of one kind by one actor within a quarter of an hour."""

    at: datetime
    verb: Verb
    actor: Actor
    action: str
    """The action of the proposals that they decided."""
    amount: int


class Evidence(NamedTuple):
    """What a list tells of a judgement: a fifth of the time that all of it takes to read."""

    said: str
    """The sentence in which the user said it."""
    closest: str
    """The user's sentence closest to a text that they did not say."""
    origin: OriginClass | None
    participants: tuple[tuple[str, str], ...]
    """Name and detail of each that made the origin what it is."""


class SqlDecided(LedgerPart):
    """The decisions of some homes since a moment, and the evidence of proposals."""

    def evidence(self, proposals: Collection[str]) -> dict[str, Evidence]:
        """The evidence of each of these proposals that was judged, by id."""
        with self._reading("A judgement") as tx:
            return {
                unshield(id): _evidence_of(load(body))
                for part in chunks(proposals)
                for id, body in tx.rows(JUDGEMENTS, {"among": part})
            }

    def tallies(self, homes: Sequence[str], since: datetime) -> Iterator[DecisionTally]:
        """How many decisions of each kind there were, by whom and when."""
        bound = {"homes": list(homes), "since": since, "slot": _MICROSECONDS}
        with self._reading("A decision") as tx:
            for slot, verb, actor, action, amount in tx.stream(_TALLIES, bound):
                yield DecisionTally(
                    moment_of(slot * _MICROSECONDS),
                    Verb(verb),
                    actor_of(actor),
                    unshield(action),
                    amount,
                )

    def arrivals(
        self, homes: Sequence[str], since: datetime, own: Sequence[str]
    ) -> Iterator[tuple[datetime, int]]:
        """How many proposals arrived within each quarter of an hour, without these actions."""
        bound = {"homes": list(homes), "since": since, "slot": _MICROSECONDS, "own": list(own)}
        with self._reading("A proposal") as tx:
            for slot, amount in tx.stream(_ARRIVALS, bound):
                yield moment_of(slot * _MICROSECONDS), amount

    def rejections(self, homes: Sequence[str], since: datetime) -> Iterator[Decision]:
        """The rejections that hold: not reopened since. Newest first, a page at a time."""
        before = ALL
        while True:
            bound = {"homes": list(homes), "since": since, "before": before, "limit": _PAGE}
            with self._reading("A decision") as tx:
                rows = tx.rows(_REJECTIONS, bound)
            for _, *row in rows:
                yield DECISION.value(row)
            if len(rows) < _PAGE:
                return
            before = rows[-1][0]


def _evidence_of(body: Mapping[str, Any]) -> Evidence:
    # An older row has one field for both: the user may not have said it.
    said, closest = (body["said"], body["closest"]) if "closest" in body else ("", body["said"])
    origin = body["origin"]
    if origin is None:
        return Evidence(said, closest, None, ())
    return Evidence(
        said,
        closest,
        OriginClass(origin["kind"]),
        tuple(
            (participant["name"], participant["detail"])
            for participant in origin["participants"]
            if participant["origin"] == origin["kind"]
        ),
    )
