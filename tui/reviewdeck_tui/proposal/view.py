"""One proposal as it is shown: its diff, and everything that is known of it.

The next one is worked out while the operator reads this one. What was prepared is shown only when
every document that it is about is still as it was then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck.engine.evaluate import Evaluation, Evaluator
from reviewdeck.model import (
    AutoApply,
    Change,
    Conflict,
    Judgement,
    Plan,
    Proposal,
    QueueItem,
    Ready,
    Revision,
    StagedProposal,
    Step,
)
from reviewdeck.policy.redact import NOTHING, Redaction
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.changes import authors
from reviewdeck_tui.proposal.diff import present
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section
from reviewdeck_tui.proposal.evidence import Facts, Past
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.proposal.redaction import covered, covered_line, texts_of

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


@dataclass(frozen=True, slots=True)
class ProposalView:
    """One proposal as it is shown."""

    id: str
    digest: str | None
    """What a decision names; None for what cannot be approved as it is."""
    document: DiffDocument
    facts: Facts
    covered: DiffDocument | None = None
    """The document without its secrets, where that is another one."""

    cover: Redaction = NOTHING
    """Knows the secrets in all of that."""

    is_judged_again: bool = False
    """Whether the queue was still being judged anew: its state in the queue may be an old one."""

    def lines(self, pane: Pane, now: datetime, *, secrets: bool) -> Iterator[Line]:
        """One pane as it is to be shown."""
        found = self.facts.lines(pane, now)
        return found if secrets else (covered_line(line, self.cover) for line in found)

    def shown(self, *, secrets: bool) -> DiffDocument:
        """The document as it is to be shown."""
        return self.document if secrets or self.covered is None else self.covered


@dataclass(frozen=True, slots=True)
class Prepared:
    """A look, and what was live when it was made."""

    look: ProposalView
    seen: Mapping[str, Revision]

    def is_live(self, now: Snapshot) -> bool:
        """Whether all of that is live still."""
        return all(now.document(path).revision == one for path, one in self.seen.items())


def look_open(deck: Deck, item: QueueItem, evaluator: Evaluator, now: datetime) -> Prepared:
    """A proposal that waits, against what is live."""
    evaluation = evaluator.evaluate(deck.ledger.proposal(item.id))
    facts = facts_of(deck, item, evaluation)
    document = present(
        evaluation,
        budget=evaluator.snapshot.budget,
        authors=facts.authors(now),
        live_author=facts.live_author,
    )
    look = _look(evaluation.digest, document, facts)
    seen = {path: evaluator.snapshot.document(path).revision for path in evaluation.paths}
    return Prepared(look, seen)


def facts_of(deck: Deck, item: QueueItem, evaluation: Evaluation) -> Facts:
    """Everything that is known of a proposal that waits."""
    past = replace(_past(deck, item, evaluation.paths), judgement=evaluation.judgement)
    past = replace(past, judgement=evaluation.judgement)  # the stored one may be what let it in
    outcome = evaluation.staged.outcome
    if isinstance(outcome, Conflict):
        parts = deck.blame(outcome.path, item.home)
        past = replace(
            past, blamed=parts, sources=authors(deck.view, (one.brought_by for one in parts))
        )
    return Facts(item, evaluation.proposal, evaluation, past, deck.behind(evaluation.proposal))


def look_decided(deck: Deck, item: QueueItem) -> ProposalView:
    """What was written for a proposal, from the bytes in the ledger."""
    proposal = deck.ledger.proposal(item.id)
    done = [one for one in deck.operations(limit=1_000) if one.proposal == item.id]
    snapshot = deck.context.one_home(item.home).home.snapshot()
    plan = Plan(item.home, ())
    if done:
        plan = _plan(deck, done[0].id, proposal)
    evaluation = Evaluation(
        StagedProposal(proposal, Ready(plan), item.findings),
        Judgement(AutoApply(item.state.value)),
        (),
        tuple(change.path for change in plan.changes),
    )
    past = _past(deck, item, evaluation.paths)
    written = replace(past, operations=tuple(done))
    facts = Facts(item, proposal, None, written, deck.behind(proposal))
    if not done:
        said = Section(item.target, (Notice(f"Nothing was written: {item.state}."),))
        return _look(None, DiffDocument(item.id, item.target, (said,)), facts)
    return _look(None, present(evaluation, budget=snapshot.budget), facts)


def look_unreadable(item: QueueItem) -> ProposalView:
    """A record that could not be read."""
    said = Section(item.source or item.target, (Notice(item.reason),), "? cannot be read")
    document = DiffDocument(item.id, item.target, (said,))
    return _look(None, document, Facts(item, None, None, Past()))


def _look(digest: str | None, document: DiffDocument, facts: Facts) -> ProposalView:
    cover = Redaction((*texts_of(document), *facts.texts()))
    return ProposalView(facts.item.id, digest, document, facts, covered(document, cover), cover)


def _past(deck: Deck, item: QueueItem, paths: Sequence[str]) -> Past:
    ledger = deck.ledger
    return Past(
        judgement=deck.ledger.judgement(item.id),
        decisions=ledger.decisions(item.id),
        notes=ledger.notes(item.id),
        observations=tuple(o for path in paths for o in ledger.observations(item.home, path)),
    )


def _plan(deck: Deck, operation: str, proposal: Proposal) -> Plan:
    """What an operation wrote, as a plan."""
    done = deck.ledger.operation(operation)
    content = deck.ledger.content
    changes = tuple(
        Change(one.path, content(one.before), content(one.after), one.mode, one.tree)
        for one in done.changes
    )
    return Plan(done.home, (Step(proposal.id, proposal.payload_sha, changes),))
