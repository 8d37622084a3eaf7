"""One proposal with all that is known of it: what `show`, `diff` and `policy explain` are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import code_of, is_grave
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.source_turns import Behind
from reviewdeck.model import (
    BaseSource,
    Conflict,
    Decision,
    Event,
    Finding,
    Judgement,
    Observation,
    Operation,
    Proposal,
    QueueItem,
    Ready,
    Revision,
    State,
)
from reviewdeck.policy.allowance import ALLOWANCE
from reviewdeck.policy.redact import Redaction, redact
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.requests import requested
from reviewdeck.presentation.words import inert
from reviewdeck.text.entries import parse

if TYPE_CHECKING:
    from reviewdeck.engine.view import View


@dataclass(frozen=True, slots=True)
class Inspected:
    """One proposal, its past, and how it stands."""

    item: QueueItem
    proposal: Proposal | None
    """None for a record that could not be read."""
    evaluation: Evaluation | None
    """None for what is decided already, or could not be read."""
    decisions: tuple[Decision, ...]
    operations: tuple[Operation, ...]
    notes: tuple[Event, ...]
    snapshot: Snapshot
    blamed: tuple[Blamed, ...] = ()
    """For a conflict: what brought each part of its document."""
    code: str | None = None
    """What a decision of weight asks for, where decisions are signed."""
    behind: Behind | None = None
    """The turns that led to it, where they were asked for and something tells its session."""
    stored: Judgement | None = None
    """For what is decided: the judgement that it was decided by."""

    @property
    def judgement(self) -> Judgement | None:
        """What the six checks answer now, or answered when it was decided."""
        return self.stored if self.evaluation is None else self.evaluation.judgement

    @property
    def verdict(self) -> str | None:
        """auto-apply, review or refuse; None for what nobody judged."""
        return self.item.verdict if self.evaluation is None else self.evaluation.verdict

    @property
    def state(self) -> State:
        """Where it stands now."""
        if self.item.state is State.DEFERRED or self.evaluation is None:
            return self.item.state
        return self.evaluation.state

    @property
    def reason(self) -> str:
        """Why it stands where it stands."""
        if self.allowance is not None:
            return self.allowance.message
        return self.item.reason if self.evaluation is None else self.evaluation.reason

    @property
    def allowance(self) -> Finding | None:
        """That the allowance is used up for what all checks let in, as the last `auto` found it."""
        if self.evaluation is None or not self.evaluation.is_automatic:
            return None
        return next((one for one in self.item.findings if one.code == ALLOWANCE), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything to be careful about, a used up allowance included."""
        if self.evaluation is None:
            return self.item.findings
        return (*self.evaluation.findings, *([] if self.allowance is None else [self.allowance]))

    @property
    def digest(self) -> str | None:
        """What a decision has to name."""
        return self.item.digest if self.evaluation is None else self.evaluation.digest

    @property
    def revisions(self) -> dict[str, Revision]:
        """The documents that it is about, as they are now: what a merge of a dead one names."""
        paths = self.evaluation.plain_paths if self.evaluation is not None else ()
        return {path: self.snapshot.document(path).revision for path in paths}


def inspect(view: View, id: str, *, with_turns: bool = False) -> Inspected:
    """Everything about one proposal; its conversation where that is asked for.

    Raises UnknownId, HomeUnavailable.
    """
    item = view.find(id)
    home = view.home(item.home)
    is_readable = item.state is not State.QUARANTINED
    decisions = view.ledger.decisions(item.id)
    past = view.ledger.operations(home=item.home) if decisions else ()
    evaluation = view.get(item.id) if is_readable and item.state.is_open else None
    outcome = evaluation.staged.outcome if evaluation is not None else None
    proposal = view.ledger.proposal(item.id) if is_readable else None
    return Inspected(
        item=item,
        proposal=proposal,
        evaluation=evaluation,
        decisions=decisions,
        operations=tuple(one for one in past if one.proposal == item.id),
        notes=view.ledger.notes(item.id),
        snapshot=home.snapshot(),
        blamed=view.blame(outcome.path, item.home) if isinstance(outcome, Conflict) else (),
        code=_code(view, evaluation),
        behind=view.behind(proposal) if with_turns and proposal is not None else None,
        stored=view.ledger.judgement(item.id) if evaluation is None else None,
    )


def redaction_of(found: Inspected, *, is_off: bool) -> Redaction:
    """Covers the secrets in one proposal and in what it would replace."""
    edits = found.proposal.edits if found.proposal is not None else ()
    texts = [text for edit in edits for _, text in requested(edit)]
    outcome = found.evaluation.staged.outcome if found.evaluation is not None else None
    shown: list[bytes | None] = []
    if isinstance(outcome, Ready):
        shown = [data for change in outcome.plan.changes for data in (change.before, change.after)]
    elif isinstance(outcome, Conflict):
        shown = [outcome.base, outcome.live, outcome.proposed]
    texts += [data.decode("utf-8", errors="replace") for data in shown if data is not None]
    return Redaction(texts, is_off=is_off)


def _code(view: View, evaluation: Evaluation | None) -> str | None:
    if evaluation is None or evaluation.digest is None or not view.authority.signs:
        return None
    return code_of(evaluation.digest) if is_grave(evaluation.findings) else None


_BASES = {
    BaseSource.GIVEN: "as the record itself says",
    BaseSource.RECORDED: "as recorded at that time",
    BaseSource.FIRST_SEEN: "as first seen; it may have changed before",
    BaseSource.UNKNOWN: "not known",
}


def base_words(source: BaseSource) -> str:
    """How well we know what an author was looking at."""
    return _BASES[source]


def brought_live(blamed: Sequence[Blamed], text: str) -> Observation | None:
    """The last thing that happened to a text that is live in a conflict's document.

    When no part of the document is in it (it is gone, say), the last that happened to any.
    """
    parts = {*parse(text), *text.splitlines()}
    of_it = [one.brought_by for one in blamed if one.text.strip() and one.text in parts]
    every = of_it or [one.brought_by for one in blamed]
    return max(every, key=lambda one: one.at, default=None)


def sides_known(found: Inspected, conflict: Conflict) -> dict[str, str]:
    """What is known of the two sides of a conflict that the agent saw and wanted, in words."""
    proposal = found.evaluation.proposal if found.evaluation is not None else found.proposal
    base = proposal.bases.get(conflict.path) if proposal is not None else None
    seen = "what the agent saw is not known"
    if conflict.base_known and base is not None:
        seen = f"what the agent saw, {base_words(base.source)}"
    return {
        "base": seen,
        "proposed": asked_by(found.item, proposal),
    }


def brought_by(observation: Observation | None) -> str:
    """How a document came to be as it is, in words."""
    from reviewdeck.presentation.proposal_words import at_local

    if observation is None:
        return "never looked at before"
    at = at_local(observation.at)
    match observation.cause.value:
        case "seen":
            return f"as first seen, {at}"
        case "outside":
            by = observation.claimant
            who = f"written by {inert(by.name)} (claimed)" if by else "changed outside review"
            return f"{who}, seen {at}"
        case _:
            name = observation.actor.name if observation.actor else "somebody"
            return f"by {name}, {at}, operation {observation.operation}"


def record_words(item: QueueItem, proposal: Proposal | None) -> str:
    """Which file it came from, or who made it without one."""
    if item.source is not None:
        return redact(item.source)
    if item.origin.startswith("mcp:"):
        return "none: proposed over MCP"
    if proposal is not None and proposal.outside:
        return f"none: {', '.join(redact(one.path) for one in proposal.outside)} changed"
    is_ours = proposal is not None and bool(proposal.provenance)
    return "none: made by a review" if is_ours else "none: made by an operator"


def asked_by(item: QueueItem, proposal: Proposal | None) -> str:
    """Who asked for it and when, in words."""
    from reviewdeck.presentation.proposal_words import at_local
    from reviewdeck.presentation.words import one_line, origin_word

    said = [origin_word(item.origin)]
    if proposal is not None and proposal.session:
        said.append(f"session {one_line(proposal.session)}")
    if proposal is not None and proposal.turn:
        said.append(f"turn {one_line(proposal.turn)}")
    if item.created_at is not None:
        said.append(at_local(item.created_at))
    return ", ".join(said)
