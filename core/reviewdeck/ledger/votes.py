"""Votes: approvals that wait for another operator's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.audit import MOST_TRIES, Note, log, overtaken
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump, optional_text, unshield
from reviewdeck.ledger.database import Row, Transaction, insert
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.operations import decision_note, decision_row
from reviewdeck.ledger.seals import SqlSeals
from reviewdeck.ledger.view_sql import DECISION, vote_about
from reviewdeck.model import Decision, State, Verb
from reviewdeck.model.ledger import Claim
from reviewdeck.model.votes import Vote
from reviewdeck.ports import SignerOf, nobody_signs

_OF_DECISION: Final = ", ".join(f"decision.{name}" for name in DECISION.names)
_OPEN: Final = "vote.batch IS NULL AND NOT vote.ended"
_WAITING: Final = f"""
    SELECT vote.verb, vote.home, vote.revisions, vote.text, vote.document, {_OF_DECISION}
    FROM vote JOIN decision ON decision.id = vote.decision
    JOIN proposal ON proposal.id = vote.proposal
    WHERE {_OPEN} AND {WAITING_SQL} AND NOT EXISTS (
        SELECT 1 FROM decision AS later
        WHERE later.proposal = vote.proposal AND later.sequence > decision.sequence
        AND later.verb NOT IN ('vote', 'withdraw', 'defer'))
"""  # noqa: S608 - constant
"""What was decided about the proposal since then, and came back, asks for new votes."""
_OF_PROPOSALS: Final = f"{_WAITING} AND vote.proposal IN :among ORDER BY decision.sequence"
_OF_ALL: Final = f"{_WAITING} ORDER BY decision.sequence"
_PLACE: Final = "SELECT home, state FROM proposal WHERE id = :of"
_MINE: Final = "proposal = :of AND operator = :operator AND batch IS NULL AND NOT ended"
_END_MINE: Final = f"UPDATE vote SET ended = TRUE WHERE {_MINE}"  # noqa: S608 - constant
_USE: Final = f"UPDATE vote SET batch = :batch WHERE decision IN :ids AND {_OPEN}"  # noqa: S608 - constant
_END: Final = f"UPDATE vote SET ended = TRUE WHERE decision IN :ids AND {_OPEN}"  # noqa: S608 - constant
_STILL_OPEN: Final = f"SELECT decision FROM vote WHERE decision IN :ids AND {_OPEN}"  # noqa: S608 - constant
_DROP_MINE: Final = "DELETE FROM draft WHERE proposal = :of AND operator IN :mine"


class SqlVotes(SqlSeals):
    """The votes of operators about proposals that need two."""

    def vote(
        self, vote: Vote, from_states: Sequence[State], signer_of: SignerOf = nobody_signs
    ) -> Decision | None:
        """Stores a vote in the place of the same operator's earlier one; their draft is used up.

        None where the proposal is in none of these states any more.
        """
        decision, about = vote.decision, vote.about
        its = {"of": decision.proposal, "operator": vote.operator, "mine": self._opener.names}
        for _ in range(MOST_TRIES):
            signed, ground = self._sealed(decision, about.home, signer_of, about)
            with self._database.writing(about.home) as tx:
                if not ground.is_same(tx)():
                    continue
                if _place_of(tx, decision.proposal)[1] not in from_states:
                    return None
                tx.put(_END_MINE, its)
                tx.put(_DROP_MINE, its)
                insert(tx, "decision", [decision_row(signed)])
                insert(tx, "vote", [_row_of(vote)])
                log(tx, [_vote_note(signed, vote)])
                return signed
        raise overtaken(about.home)

    def withdraw(self, decision: Decision, signer_of: SignerOf = nobody_signs) -> bool:
        """Ends the operator's own vote about a proposal; False where there is none."""
        with self._database.reading() as tx:
            home = _place_of(tx, decision.proposal)[0]
        for _ in range(MOST_TRIES):
            signed, ground = self._sealed(decision, home, signer_of)
            with self._database.writing(home) as tx:
                if not ground.is_same(tx)():
                    continue
                its = {"of": decision.proposal, "operator": decision.actor.name}
                if tx.run(_END_MINE, its) == 0:
                    return False
                insert(tx, "decision", [decision_row(signed)])
                log(tx, [decision_note(signed, home)])
                return True
        raise overtaken(home)

    def votes(self, proposals: Collection[str] | None = None) -> Mapping[str, tuple[Vote, ...]]:
        """The votes about these waiting proposals, or about all, oldest first, by proposal.

        Whether they are about what would be written now is not said here.
        """
        found: defaultdict[str, list[Vote]] = defaultdict(list)
        with self._reading("A vote") as tx:
            if proposals is None:
                votes = list(map(_vote_of, tx.rows(_OF_ALL)))
            else:
                votes = [
                    _vote_of(row)
                    for part in chunks(proposals)
                    for row in tx.rows(_OF_PROPOSALS, {"among": part})
                ]
            for vote in votes:
                found[vote.proposal].append(vote)
        return {id: tuple(each) for id, each in found.items()}


def still_open(tx: Transaction, votes: Collection[str]) -> Callable[[], frozenset[str]]:
    """Those of these votes that nobody has withdrawn, replaced or used, once they are wanted."""
    if not votes:
        return frozenset
    rows = tx.later(_STILL_OPEN, {"ids": list(votes)})
    return lambda: frozenset(unshield(id) for (id,) in rows())


def use_votes(tx: Transaction, claims: Sequence[Claim]) -> None:
    """Marks the votes of claims as used for their batches."""
    for claim in claims:
        if claim.votes:
            batch = claim.operations[0].batch
            tx.put(_USE, {"ids": list(claim.votes), "batch": batch})


def end_vote(tx: Transaction, vote: str) -> bool:
    """Uses a vote for a decision that writes nothing; False where it is open no more."""
    return tx.run(_END, {"ids": [vote]}) == 1


def _place_of(tx: Transaction, proposal: str) -> tuple[str, str]:
    for home, state in tx.rows(_PLACE, {"of": proposal}):
        return unshield(home), state
    raise UnknownId(f"There is no proposal {proposal}.")


def _row_of(vote: Vote) -> dict[str, Any]:
    return {
        "decision": vote.decision.id,
        "proposal": vote.proposal,
        "home": vote.about.home,
        "operator": vote.operator,
        "verb": vote.verb.value,
        "revisions": dump([list(ends) for ends in vote.about.revisions]),
        "text": vote.text,
        "document": vote.document,
        "batch": None,
        "ended": False,
    }


def _vote_of(row: Row) -> Vote:
    verb, home, revisions, text, document, *decided = row
    decision = DECISION.value(decided)
    about = vote_about(decision.proposal, home, revisions)
    return Vote(decision, Verb(verb), about, optional_text(text), optional_text(document))


def _vote_note(decision: Decision, vote: Vote) -> Note:
    note = decision_note(decision, vote.about.home)
    revisions = [list(ends) for ends in vote.about.revisions]
    detail = {**note.detail, "for": vote.verb.value, "revisions": revisions}
    return replace(note, detail=detail)
