"""Votes in words: who approved what another operator has to approve too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.errors import NotVerified
from reviewdeck.model.votes import Vote
from reviewdeck.presentation.words import one_line

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.evaluation import Evaluation

NEEDS_TWO: Final = "two operators have to approve it"


def open_votes(engine: Engine) -> Mapping[str, tuple[Vote, ...]]:
    """The votes that wait for another operator's, by proposal; none where one is enough."""
    with suppress(NotVerified):  # What cannot be checked is shown all the same.
        if engine.quorum.needs < 2:
            return {}
    return engine.ledger.votes()


def operators_needed(engine: Engine, evaluation: Evaluation) -> int:
    """How many operators have to approve a proposal; 1 where that cannot be checked."""
    with suppress(NotVerified):
        return engine.quorum.needed(evaluation.findings)
    return 1


def vote_words(votes: Sequence[Vote], digest: str | None) -> str:
    """How far an approval by two operators is."""
    counting = [vote for vote in votes if vote.is_for(digest)]
    void = [vote.operator for vote in votes if not vote.is_for(digest)]
    if counting:
        who = " and ".join(f"{one_line(vote.operator)} {_does(vote)}" for vote in counting)
        words = f"1 of 2: {who}; waiting for another operator"
    else:
        words = f"0 of 2: {NEEDS_TWO}"
    if void:
        words += f"; void, since it changed: {', '.join(map(one_line, void))}"
    return words


def short_vote_words(votes: Sequence[Vote], digest: str | None) -> str:
    """The same for a row of a list; empty where no vote counts."""
    who = ", ".join(one_line(vote.operator) for vote in votes if vote.is_for(digest))
    return f"1 of 2: {who}" if who else ""


def votes_json(votes: Sequence[Vote], digest: str | None) -> list[dict[str, Any]]:
    """Votes, with whether each counts now."""
    return [
        {
            "operator": vote.operator,
            "verb": vote.verb.value,
            "at": vote.decision.at.isoformat(),
            "digest": vote.decision.digest,
            "counts": vote.is_for(digest),
        }
        for vote in votes
    ]


def _does(vote: Vote) -> str:
    return {"keep": "keeps it", "merge": "merged it"}.get(vote.verb.value, "approved it")
