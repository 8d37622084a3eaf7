"""One proposal with all that is known of it, for `show`, `diff`, `policy explain` and the deck."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import code_of, is_grave
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.source_turns import SourceTurns
from reviewdeck.model import (
    BaseSource,
    Conflict,
    Decision,
    Event,
    Finding,
    Judgement,
    Likeness,
    Observation,
    Operation,
    Proposal,
    QueueItem,
    Ready,
    Revision,
    State,
)
from reviewdeck.model.votes import Vote
from reviewdeck.policy.allowance import ALLOWANCE
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.reading import reading_notes
from reviewdeck.presentation.requests import edit_parts
from reviewdeck.presentation.votes import open_votes, operators_needed
from reviewdeck.presentation.words import inert, one_line, origin_word
from reviewdeck.reading.agents import agents_called
from reviewdeck.text.entries import parse
from reviewdeck.text.redact import Redaction, redact
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Inspection:
    """One proposal with its evaluation, its decisions and its operations."""

    item: QueueItem
    proposal: Proposal | None
    """None for a record that could not be read."""
    evaluation: Evaluation | None
    """None if it is decided already, or could not be read."""
    decisions: tuple[Decision, ...]
    operations: tuple[Operation, ...]
    notes: tuple[Event, ...]
    snapshot: Snapshot
    readers: tuple[str, ...]
    """The agents whose models are given its documents."""
    blame: tuple[Blamed, ...] = ()
    """For a conflict: who added each part of its document."""
    code: str | None = None
    """The confirmation code of a grave decision, where decisions are signed."""
    source_turns: SourceTurns | None = None
    """The turns that led to it, if they were asked for and its session is known."""
    votes: tuple[Vote, ...] = ()
    """The operators' approvals so far, where two have to approve it."""
    needs: int = 1
    """How many operators have to approve it."""
    stored: Judgement | None = None
    """For a decided proposal: the judgement at that time."""

    @property
    def judgement(self) -> Judgement | None:
        """The answers of the six checks now, or when it was decided."""
        return self.stored if self.evaluation is None else self.evaluation.judgement

    @property
    def verdict(self) -> str | None:
        """auto-apply, review or refuse; None if it was never judged."""
        return self.item.verdict if self.evaluation is None else self.evaluation.verdict

    @property
    def state(self) -> State:
        if self.item.state is State.DEFERRED or self.evaluation is None:
            return self.item.state
        return self.evaluation.state

    @property
    def reason(self) -> str:
        if self.allowance is not None:
            return self.allowance.message
        return self.item.reason if self.evaluation is None else self.evaluation.reason

    @property
    def allowance(self) -> Finding | None:
        """The finding that its allowance is used up, if all checks pass; from the last `auto`."""
        if self.evaluation is None or not self.evaluation.is_automatic:
            return None
        return next((finding for finding in self.item.findings if finding.code == ALLOWANCE), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, a used up allowance included."""
        if self.evaluation is None:
            return self.item.findings
        return (*self.evaluation.findings, *([] if self.allowance is None else [self.allowance]))

    @property
    def digest(self) -> str | None:
        """The digest that a decision has to name."""
        return self.item.digest if self.evaluation is None else self.evaluation.digest

    @property
    def reading(self) -> tuple[str, ...]:
        """Where its changes are not for the model what they are in the files."""
        outcome = self.evaluation.staged.outcome if self.evaluation is not None else None
        changes = outcome.plan.changes if isinstance(outcome, Ready) else ()
        agents = agents_called(self.readers)
        return tuple(
            note for change in changes for note in reading_notes(change, self.snapshot, agents)
        )

    @property
    def revisions(self) -> dict[str, Revision]:
        """The revisions of its documents now: what a merge of a dead proposal names."""
        paths = self.evaluation.plain_paths if self.evaluation is not None else ()
        return {path: self.snapshot.document(path).revision for path in paths}


def inspect(engine: Engine, id: str, *, with_turns: bool = False) -> Inspection:
    """Collects everything about one proposal; `with_turns`, its conversation too.

    Raises UnknownId, HomeUnavailable.
    """
    with engine.ledger.at_once():
        return _inspect(engine, id, with_turns=with_turns)


def _inspect(engine: Engine, id: str, *, with_turns: bool) -> Inspection:
    item, ledger = engine.find(id), engine.ledger
    asked = (ledger.decisions, ledger.proposal, ledger.notes, ledger.evaluation_key)
    ledger.foresee((*(partial(ask, item.id) for ask in asked), partial(ledger.judgement, item.id)))
    home = engine.home(item.home)
    is_readable = item.state is not State.QUARANTINED
    decisions = engine.ledger.decisions(item.id)
    past = engine.ledger.operations(home=item.home) if decisions else ()
    evaluation = engine.recall(item.id) if is_readable and item.state.is_open else None
    outcome = evaluation.staged.outcome if evaluation is not None else None
    proposal = engine.ledger.proposal(item.id) if is_readable else None
    needs, votes = _quorum(engine, item, evaluation)
    return Inspection(
        item=item,
        proposal=proposal,
        evaluation=evaluation,
        decisions=decisions,
        operations=tuple(operation for operation in past if operation.proposal == item.id),
        notes=engine.ledger.notes(item.id),
        snapshot=home.snapshot(),
        readers=home.readers,
        blame=engine.blame(outcome.path, item.home) if isinstance(outcome, Conflict) else (),
        code=_confirmation_code(engine, evaluation),
        source_turns=engine.source_turns(proposal) if with_turns and proposal is not None else None,
        votes=votes,
        needs=needs,
        stored=engine.ledger.judgement(item.id) if evaluation is None else None,
    )


def _quorum(
    engine: Engine, item: QueueItem, evaluation: Evaluation | None
) -> tuple[int, tuple[Vote, ...]]:
    if evaluation is None:
        return 1, ()
    votes = open_votes(engine).get(item.id, ())
    return max(operators_needed(engine, evaluation), 2 if votes else 1), votes


def redaction_of(inspected: Inspection, *, is_off: bool) -> Redaction:
    """The redaction of the secrets in a proposal and in the texts that it would replace."""
    edits = inspected.proposal.edits if inspected.proposal is not None else ()
    texts = [text for edit in edits for _, text in edit_parts(edit)]
    outcome = inspected.evaluation.staged.outcome if inspected.evaluation is not None else None
    contents: list[bytes | None] = []
    if isinstance(outcome, Ready):
        contents = [
            data for change in outcome.plan.changes for data in (change.before, change.after)
        ]
    elif isinstance(outcome, Conflict):
        contents = [outcome.base, outcome.live, outcome.proposed]
    texts += [data.decode("utf-8", errors="replace") for data in contents if data is not None]
    return Redaction(texts, is_off=is_off)


def _confirmation_code(engine: Engine, evaluation: Evaluation | None) -> str | None:
    if evaluation is None or evaluation.digest is None or not engine.authority.signs:
        return None
    return code_of(evaluation.digest) if is_grave(evaluation.findings) else None


_BASE_WORDS = {
    BaseSource.GIVEN: "as recorded by the agent",
    BaseSource.RECORDED: "as recorded at that time",
    BaseSource.FIRST_SEEN: "as first seen; it may have changed before",
    BaseSource.UNKNOWN: "not known",
}


def base_words(source: BaseSource) -> str:
    """How well the text that the author saw is known."""
    return _BASE_WORDS[source]


def likeness_words(alike: Likeness) -> str:
    """How like a text is, and whose it is."""
    likeness = "the same" if alike.exact else f"{alike.score:.0f}% alike"
    return f"{likeness}, {alike.relation.value}"


def last_observation_of(blamed: Sequence[Blamed], text: str) -> Observation | None:
    """The last observation that added part of a live text of a conflict's document.

    If no part of the document is in the text, the last that added any part.
    """
    parts = {*parse(text), *text.splitlines()}
    matching = [part.added_by for part in blamed if part.text.strip() and part.text in parts]
    observations = matching or [part.added_by for part in blamed]
    return max(observations, key=lambda observation: observation.at, default=None)


def side_captions(inspected: Inspection, conflict: Conflict) -> dict[str, str]:
    """Captions for the base and the proposed side of a conflict."""
    proposal = (
        inspected.evaluation.proposal if inspected.evaluation is not None else inspected.proposal
    )
    base = proposal.bases.get(conflict.path) if proposal is not None else None
    base_caption = "what the agent saw is not known"
    if conflict.base_known and base is not None:
        base_caption = f"what the agent saw, {base_words(base.source)}"
    return {"base": base_caption, "proposed": origin_summary(inspected.item, proposal)}


def observation_words(observation: Observation | None) -> str:
    """Who made a document what it is, and when, in words."""
    if observation is None:
        return "never looked at before"
    at = local_time(observation.at)
    match observation.cause.value:
        case "seen":
            return f"as first seen, {at}"
        case "outside":
            claimant = observation.claimant
            claim = f"written by {inert(claimant.name)} (claimed)" if claimant else ""
            who = claim or "changed outside review"
            return f"{who}, seen {at}"
        case _:
            name = observation.actor.name if observation.actor else "somebody"
            return f"by {name}, {at}, operation {observation.operation}"


def record_words(item: QueueItem, proposal: Proposal | None) -> str:
    """The file that a proposal came from, or who made it without one."""
    if item.source is not None:
        return redact(item.source)
    if item.origin.startswith("mcp:"):
        return "none: proposed over MCP"
    if proposal is not None and proposal.outside:
        paths = (redact(observation.path) for observation in proposal.outside)
        return f"none: {', '.join(paths)} changed"
    is_ours = proposal is not None and bool(proposal.provenance)
    return "none: made by a review" if is_ours else "none: made by an operator"


def origin_summary(item: QueueItem, proposal: Proposal | None) -> str:
    """Who made a proposal, in which conversation, and when."""
    parts = [origin_word(item.origin)]
    if proposal is not None and proposal.session:
        parts.append(f"session {one_line(proposal.session)}")
    if proposal is not None and proposal.turn:
        parts.append(f"turn {one_line(proposal.turn)}")
    if item.created_at is not None:
        parts.append(local_time(item.created_at))
    return ", ".join(parts)
