"""One proposal as the deck shows it: its diff, and the evidence about it.

The next one is prepared while the operator reads this one. A prepared view is shown only if
every document that it is about is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import code_of, is_grave
from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.evaluation import Evaluation
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
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.changes import authors_of_observations
from reviewdeck.presentation.reading import reading_notes
from reviewdeck.presentation.votes import operators_needed
from reviewdeck.presentation.words import state_word
from reviewdeck.reading.agents import agents_called
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck_tui.proposal.diff import present
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.proposal.evidence import Facts, Past
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.proposal.redaction import redacted, redacted_line, texts_of

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class ProposalView:
    """One proposal as the deck shows it."""

    id: str
    digest: str | None
    """The digest that a decision names; None for what cannot be approved as it is."""
    document: DiffDocument
    facts: Facts
    redacted: DiffDocument | None = None
    """The document without its secrets; None if it has none."""

    redaction: Redaction = NOTHING
    """The redaction of all its texts."""

    is_judged_again: bool = False
    """Whether the backlog was still being evaluated, so that the queue may show an old state."""

    def lines(self, pane: Pane, now: datetime, *, secrets: bool, votes: str = "") -> Iterator[Line]:
        """The lines of one pane, redacted unless secrets are shown; `votes` says who voted."""
        lines = self.facts.lines(pane, now, votes)
        return lines if secrets else (redacted_line(line, self.redaction) for line in lines)

    def visible_document(self, *, secrets: bool) -> DiffDocument:
        """The document to show, redacted unless secrets are shown."""
        return self.document if secrets or self.redacted is None else self.redacted


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared view, and the live revisions that it was made from."""

    look: ProposalView
    revisions: Mapping[str, Revision]

    def is_live(self, snapshot: Snapshot) -> bool:
        """Whether these revisions are still live."""
        return all(
            snapshot.document(path).revision == revision
            for path, revision in self.revisions.items()
        )


def view_open(engine: Engine, item: QueueItem, evaluator: Evaluator, now: datetime) -> Prepared:
    """The view of an open proposal, against the live texts."""
    evaluation = evaluator.evaluate(engine.ledger.proposal(item.id))
    facts = facts_of(engine, item, evaluation)
    agents = agents_called(engine.home_by_id(item.home).home.readers)
    document = present(
        evaluation,
        budget=evaluator.snapshot.budget,
        authors=facts.authors(now),
        live_author=facts.live_author,
        reading=lambda change: reading_notes(change, evaluator.snapshot, agents),
    )
    if evaluation.proposal.outside and engine.authority.signs and is_grave(evaluation.findings):
        # Keeping it writes nothing, so the summary has no diff of it.
        document = with_code(document, evaluation.digest or "")
    look = _make_view(evaluation.digest, document, facts)
    revisions = {path: evaluator.snapshot.document(path).revision for path in evaluation.paths}
    return Prepared(look, revisions)


def with_code(document: DiffDocument, digest: str) -> DiffDocument:
    """A document with the code of a digest at its end."""
    notice = Notice(f"The code of this change is {code_of(digest)}.", Tone.OPEN)
    return replace(document, sections=(*document.sections, Section("", (notice,))))


def facts_of(engine: Engine, item: QueueItem, evaluation: Evaluation) -> Facts:
    """The evidence about an open proposal."""
    # The stored judgement may be older than this evaluation.
    past = replace(_past_of(engine, item, evaluation.paths), judgement=evaluation.judgement)
    outcome = evaluation.staged.outcome
    if isinstance(outcome, Conflict):
        parts = engine.blame(outcome.path, item.home)
        past = replace(
            past,
            blamed=parts,
            sources=authors_of_observations(engine, (part.added_by for part in parts)),
        )
    turns = engine.source_turns(evaluation.proposal)
    needs = operators_needed(engine, evaluation)
    return Facts(item, evaluation.proposal, evaluation, past, turns, needs)


def view_decided(engine: Engine, item: QueueItem) -> ProposalView:
    """The view of a decided proposal: what it wrote, from the bytes in the ledger."""
    proposal = engine.ledger.proposal(item.id)
    operations = [
        operation for operation in engine.operations(limit=1_000) if operation.proposal == item.id
    ]
    snapshot = engine.home_by_id(item.home).home.snapshot()
    plan = Plan(item.home, ())
    if operations:
        plan = _plan_of(engine, operations[0].id, proposal)
    evaluation = Evaluation(
        StagedProposal(proposal, Ready(plan), item.findings),
        Judgement(AutoApply(item.state.value)),
        (),
        tuple(change.path for change in plan.changes),
    )
    past = _past_of(engine, item, evaluation.paths)
    written = replace(past, operations=tuple(operations))
    facts = Facts(item, proposal, None, written, engine.source_turns(proposal))
    if not operations:
        section = Section(item.target, (Notice(f"Nothing was written: {state_word(item.state)}."),))
        return _make_view(None, DiffDocument(item.id, item.target, (section,)), facts)
    return _make_view(None, present(evaluation, budget=snapshot.budget), facts)


def view_unreadable(item: QueueItem) -> ProposalView:
    """The view of a record that cannot be read."""
    section = Section(item.source or item.target, (Notice(item.reason),), "? cannot be read")
    document = DiffDocument(item.id, item.target, (section,))
    return _make_view(None, document, Facts(item, None, None, Past()))


def _make_view(digest: str | None, document: DiffDocument, facts: Facts) -> ProposalView:
    redaction = Redaction((*texts_of(document), *facts.texts()))
    return ProposalView(
        facts.item.id, digest, document, facts, redacted(document, redaction), redaction
    )


def _past_of(engine: Engine, item: QueueItem, paths: Sequence[str]) -> Past:
    ledger = engine.ledger
    return Past(
        judgement=engine.ledger.judgement(item.id),
        decisions=ledger.decisions(item.id),
        notes=ledger.notes(item.id),
        observations=tuple(o for path in paths for o in ledger.observations(item.home, path)),
    )


def _plan_of(engine: Engine, operation: str, proposal: Proposal) -> Plan:
    stored = engine.ledger.operation(operation)
    content = engine.ledger.content
    changes = tuple(
        Change(change.path, content(change.before), content(change.after), change.mode, change.tree)
        for change in stored.changes
    )
    return Plan(stored.home, (Step(proposal.id, proposal.payload_sha, changes),))
