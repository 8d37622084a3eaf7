"""What one operator alone does not decide: who has to approve it, and whose vote counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.decidable import lost_race
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.holding import units
from reviewdeck.errors import NotDecidable, NotPermitted
from reviewdeck.model import (
    About,
    Change,
    Decision,
    DocumentWrite,
    Draft,
    Edit,
    Finding,
    MemoryAdd,
    Operation,
    State,
    Verb,
)
from reviewdeck.model.ledger import OpenBatch
from reviewdeck.model.votes import Quorum, Vote
from reviewdeck.planning.overlay import Overlay
from reviewdeck.policy.plain import check_plain
from reviewdeck.ports import Snapshot
from reviewdeck.text.diff import diff

AWAITS: Final = "1 of 2: waiting for another operator"


class AwaitsAnother(NotDecidable):
    """An approval is stored as a vote: another operator has to approve the same."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(
            f"{AWAITS} to approve {decision.proposal}.",
            hint="Nothing was written. Your vote is stored; `reviewdeck reject` and"
            f" `reviewdeck withdraw {decision.proposal}` still work.",
        )
        self.decision = decision


def needed(
    quorum: Quorum, evaluation: Evaluation, writes: Sequence[Change], snapshot: Snapshot
) -> int:
    """How many operators have to approve a proposal whose decision writes this.

    What an operator wrote themselves is looked at as well: no check saw it before.
    """
    if quorum.needs < 2:
        return 1
    return quorum.needed((*evaluation.findings, *_findings_in(writes, snapshot)))


def shared_in(
    engine: EngineContext, batch: OpenBatch, operations: Sequence[Operation]
) -> Mapping[str, str]:
    """The proposals of a batch that two operators have to approve, each with its author's name.

    Judged by the policy of this host, on the home as it was before. Raises NotVerified, UnknownId.
    """
    quorum, ledger = engine.quorum, engine.ledger
    if quorum.needs < 2 or not operations:
        return {}
    proposals = [ledger.proposal(operation.proposal) for operation in operations]
    evaluator = engine.evaluator(proposals[0])
    before = [change.reversed for change in batch.writes]
    evaluator.snapshot = Overlay(evaluator.snapshot, before)
    return {
        proposal.id: proposal.author
        for proposal in proposals
        if needed(quorum, evaluator.evaluate(proposal), batch.writes, evaluator.snapshot) > 1
    }


def _findings_in(writes: Sequence[Change], snapshot: Snapshot) -> Iterator[Finding]:
    edits: list[Edit] = []
    for write in writes:
        if write.after is None:
            continue
        is_memory = snapshot.has_entries(write.path)
        old, new = (units(data, is_memory=is_memory) for data in (write.before, write.after))
        added = [text for hunk in diff(old, new) for text in new[hunk.b_start : hunk.b_end]]
        if is_memory:
            edits += [MemoryAdd(write.path, text) for text in added]
        elif added:
            text = "\n".join(added)
            edits.append(DocumentWrite(write.path, text, text))
    if edits:
        for found in check_plain(edits):
            yield from found.findings


def about_writes(home: str, proposal: str, writes: Sequence[Change]) -> About:
    """What an operator approves who approves one proposal alone."""
    return About(home, (proposal,), tuple((change.path, *change.ends) for change in writes))


def second_vote(engine: EngineContext, draft: Draft, about: About) -> Vote | None:
    """Another operator's vote that makes this draft a decision; None where it is the first.

    While no key is open, the operator is taken to be the one of this account. Raises NotDecidable
    for the proposal's own author.
    """
    operator, key = _operator_of(engine)
    author = engine.ledger.proposal(draft.proposal).author
    if author and author in (operator, engine.actor.name):
        raise NotDecidable(OWN, hint="It is waiting in the queue.")
    votes = engine.ledger.votes([draft.proposal]).get(draft.proposal, ())
    return next(
        (
            vote
            for vote in reversed(votes)
            if vote.operator not in (operator, author)
            and (key is None or vote.decision.seal is None or vote.decision.seal.key != key)
            and vote.is_for(draft.digest)
            and vote.about == about
            and vote.decision.text_sha == draft.text_sha
            and engine.authority.vote_flaw(vote.decision, about, engine.now()) is None
        ),
        None,
    )


OWN: Final = "You proposed it yourself: two other operators have to approve it."


def _operator_of(engine: EngineContext) -> tuple[str, str | None]:
    """The name of the operator, and their public key where one is open."""
    try:
        operator = engine.operator()
    except NotPermitted:
        return engine.actor.name, None
    signer = engine.authority.signer(operator)
    return operator.name, None if signer is None else signer.key


def cast_vote(
    engine: EngineContext, draft: Draft, about: About, from_states: Sequence[State]
) -> Decision:
    """Stores an approval as a vote: it writes nothing. Raises NotDecidable."""
    decision = Decision(
        id=engine.new_id(),
        proposal=draft.proposal,
        verb=Verb.VOTE,
        actor=engine.operator(),
        at=engine.now(),
        digest=draft.digest,
        reason=draft.reason.strip(),
        text_sha=draft.text_sha,
        policy=engine.judge(),
    )
    vote = Vote(decision, draft.verb, about, draft.text, draft.document)
    with engine.uninterrupted():
        stored = engine.ledger.vote(vote, from_states, engine.authority.signer)
        if stored is None:
            raise lost_race(draft.proposal, engine.ledger.state_of(draft.proposal))
        engine.authority.stored()
    return stored


def withdraw_vote(engine: EngineContext, id: str) -> Decision:
    """Takes the operator's own vote about a proposal back. Raises NotDecidable without one."""
    proposal = engine.ledger.resolve(id, engine.home_ids)
    decision = Decision(
        id=engine.new_id(),
        proposal=proposal,
        verb=Verb.WITHDRAW,
        actor=engine.operator(),
        at=engine.now(),
        digest=engine.ledger.item(proposal).digest,
        policy=engine.judge(),
    )
    with engine.uninterrupted():
        if not engine.ledger.withdraw(decision, engine.authority.signer):
            raise NotDecidable(
                f"There is no vote of {decision.actor.name} about {proposal}.",
                hint=f"`reviewdeck show {proposal}` lists the votes.",
            )
        engine.authority.stored()
    return decision
