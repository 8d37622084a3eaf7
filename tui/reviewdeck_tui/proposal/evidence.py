"""The panes Why, Evidence and History of a proposal, as lines. Pure, and not yet made inert."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.source_turns import SourceTurns
from reviewdeck.model import (
    Cause,
    Conflict,
    Decision,
    Event,
    Finding,
    Judgement,
    Observation,
    Operation,
    Proposal,
    QueueItem,
)
from reviewdeck.policy.allowance import ALLOWANCE
from reviewdeck.presentation.changes import Author, author_words, conversation_words
from reviewdeck.presentation.checks import QUESTIONS, currency_lines, evidence_lines, origin_lines
from reviewdeck.presentation.inspection import (
    base_words,
    last_observation_of,
    likeness_words,
    observation_words,
    origin_summary,
    record_words,
)
from reviewdeck.presentation.proposal_words import (
    decision_words,
    local_time,
    note_author,
    note_text,
    operation_words,
    quoted_summary,
    told_once,
)
from reviewdeck.presentation.requests import edit_parts
from reviewdeck.presentation.turns import LabelledText, TextRole, excerpt, labelled_turns
from reviewdeck.presentation.votes import vote_words
from reviewdeck.presentation.words import age_of, count
from reviewdeck_tui.proposal.panes import Line, Ours, Pane

MOST_HISTORY: Final = 40
MOST_LINES: Final = 6
MOST_CHARACTERS: Final = 600
"""Lines and characters of a message that are shown; `reviewdeck show` prints more."""
SHORT: Final = 9
"""Characters of a label that fits into the line of its text."""


@dataclass(frozen=True, slots=True)
class Past:
    """The history of a proposal and of its documents."""

    decisions: tuple[Decision, ...] = ()
    observations: tuple[Observation, ...] = ()
    operations: tuple[Operation, ...] = ()
    notes: tuple[Event, ...] = ()
    blamed: tuple[Blamed, ...] = ()
    """The author of each part of a conflict's document."""
    sources: Mapping[str, Author] = field(default_factory=dict)
    """The authors of the proposals behind those parts."""
    judgement: Judgement | None = None
    """The answers of the six checks when the proposal was last evaluated."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All evidence about one proposal."""

    item: QueueItem
    proposal: Proposal | None
    evaluation: Evaluation | None
    past: Past
    behind: SourceTurns | None = None
    """The turns that led to it, if it names a session."""
    needs: int = 1
    """How many operators have to approve it."""

    def authors(self, now: datetime) -> dict[str, str]:
        """The authors of the base, the live and the proposed text, for the head of a diff."""
        outcome = self.evaluation.staged.outcome if self.evaluation is not None else None
        path = outcome.path if isinstance(outcome, Conflict) else None
        observations = [
            observation
            for observation in self.past.observations
            if path in (None, observation.path)
        ]
        latest = observations[-1] if observations else None
        return {
            "base": "what the agent saw",
            "live": observation_words(latest),
            "proposed": origin_summary(self.item, self.proposal),
        }

    def live_author(self, text: str) -> str:
        """The author of a live text in a conflict's document, and the time; empty if unknown."""
        observation = last_observation_of(self.past.blamed, text)
        return _live_words(observation, self.past.sources) if observation is not None else ""

    def lines(self, pane: Pane, now: datetime, votes: str = "") -> Iterator[Line]:
        match pane:
            case Pane.WHY:
                return self._why(votes)
            case Pane.EVIDENCE:
                return self._evidence(now)
            case Pane.HISTORY:
                return self._history()

    def request(self) -> str:
        """The request of the proposal, in full."""
        edits = self.proposal.edits if self.proposal is not None else ()
        requests = (
            f"{label}\n{text}".rstrip() for edit in edits for label, text in edit_parts(edit)
        )
        return "\n".join(requests) or self.item.gist

    def texts(self) -> Iterator[str]:
        """Every text of others that the panes quote, in full."""
        yield self.item.summary
        yield from (finding.quote or finding.message for finding in self.item.findings)
        if self.proposal is not None:
            yield from (text for edit in self.proposal.edits for _, text in edit_parts(edit))
        if self.behind is not None:
            yield from (
                utterance.text for utterance in labelled_turns(self.behind, None, newest_first=True)
            )
        if self.evaluation is not None:
            yield from (finding.quote or finding.message for finding in self.evaluation.findings)
        if self.judgement is not None:
            yield from (text for _, text in evidence_lines(self.judgement))
        if self.evaluation is not None:
            yield from (alike.text for alike in self.evaluation.similar)

    @property
    def judgement(self) -> Judgement | None:
        """The answers of the six checks now, or when the proposal was decided."""
        return self.evaluation.judgement if self.evaluation is not None else self.past.judgement

    def _why(self, votes: str) -> Iterator[Line]:
        marks = self.judgement.marks if self.judgement is not None else None
        if marks is not None:
            answers = [(name, marks.says(name)) for name in QUESTIONS]
            parts = [
                (f" {'✓' if ok else '✗'} {QUESTIONS[name]} ", "quiet" if ok else "flag")
                for name, ok in answers
            ]
            yield ((" ", ""), *parts)
        if votes := votes or (vote_words((), None) if self.needs > 1 else ""):
            yield _field("votes", votes)
        findings = self.item.findings
        if self.evaluation is not None:
            allowance_findings = (finding for finding in findings if finding.code == ALLOWANCE)
            findings = (*self.evaluation.findings, *allowance_findings)
        if not findings:
            yield ((" ", ""), (self.item.reason or "No findings.", "text"))
        for finding, quotes in told_once(findings):
            yield _finding(finding)
            for quote in quotes:
                yield ((" " * 12, ""), (f"\u201c{quote}\u201d", "quiet"))

    def _evidence(self, now: datetime) -> Iterator[Line]:
        item = self.item
        age = f" ({age_of(item.created_at, now)} ago)" if item.created_at is not None else ""
        yield _field("from", Ours(f"{origin_summary(item, self.proposal)}{age}"))
        if self.judgement is not None:
            yield from (_field(label, text) for label, text in origin_lines(self.judgement))
        yield from self._turns()
        if self.judgement is not None:
            yield from (_field(label, text) for label, text in currency_lines(self.judgement))
        yield from self._similar_and_bases()
        yield from self._record()

    def _record(self) -> Iterator[Line]:
        """The record's file, id and author's claim."""
        item = self.item
        if claim := quoted_summary(item):
            yield _field("claim", claim)
        if self.proposal is not None and self.proposal.model:
            yield _field("model", self.proposal.model)
        if self.proposal is not None and (provenance := self.proposal.provenance):
            parts = (
                provenance.get(name, "") for name in ("tool_name", "platform", "prompt_version")
            )
            yield _field("made", ", ".join(part for part in parts if part))
        yield _field("record", record_words(item, self.proposal))
        source_words = (f", {item.source_id} in Hermes", "text") if item.source_id else ("", "")
        yield *_field("id", Ours(item.id)), source_words

    def _turns(self) -> Iterator[Line]:
        if self.behind is None:
            return
        call = self.proposal.tool_call if self.proposal is not None else None
        for utterance in labelled_turns(self.behind, call, newest_first=True):
            if utterance.weight is TextRole.NOTE:
                yield _field(utterance.label, utterance.text)
            else:
                yield from _utterance_lines(utterance)

    def _similar_and_bases(self) -> Iterator[Line]:
        if self.evaluation is None:
            return
        for path in self.evaluation.paths:
            base = self.evaluation.proposal.bases.get(path)
            words = "not known" if base is None else base_words(base.source)
            yield _field("base", f"{path}: {words}")
        for alike in self.evaluation.similar:
            yield _field("alike", f"{likeness_words(alike)}, {alike.where}")
            yield (("            ", ""), (f"\u201c{alike.text}\u201d", "quiet"))

    def _history(self) -> Iterator[Line]:
        for operation in self.past.operations:
            yield _field("wrote", Ours(operation_words(operation)))
        for decision in self.past.decisions:
            reason = f": {decision.reason}" if decision.reason else ""
            yield *_field("decided", Ours(decision_words(decision))), (reason, "text")
        for note in self.past.notes:
            yield *_field("note", Ours(note_author(note))), (f": {note_text(note)}", "text")
        for observation in reversed(self.past.observations[-MOST_HISTORY:]):
            yield _field(observation.path.rpartition("/")[2], Ours(observation_words(observation)))
        past = self.past
        if not (past.decisions or past.observations or past.operations or past.notes):
            yield (("  Nothing is recorded yet.", "quiet"),)


def _live_words(observation: Observation, authors: Mapping[str, Author]) -> str:
    match observation.cause:
        case Cause.SEEN:
            return observation_words(observation)
        case Cause.OUTSIDE:
            return f"{author_words(observation, authors)}, seen {local_time(observation.at)}"
        case Cause.OPERATION:
            parts = [
                conversation_words(observation, authors),
                author_words(observation, authors),
                local_time(observation.at),
            ]
            return ", ".join([*filter(None, parts), f"operation {observation.operation}"])


_TONES: Final = {TextRole.LED: "heading", TextRole.HEAD: "quiet", TextRole.UNTRUSTED: "flag"}


def _utterance_lines(utterance: LabelledText) -> Iterator[Line]:
    """The head of a conversation as one line; a message as a few, each behind its label."""
    tone = _TONES.get(utterance.weight, "quiet")
    if utterance.weight in {TextRole.LED, TextRole.HEAD}:
        yield ((f"  {utterance.label}  ", tone), (utterance.text, tone))
        return
    lines, more = excerpt(utterance.text, MOST_LINES, MOST_CHARACTERS)
    lead = f"      {utterance.label:<9} "
    if len(utterance.label) > SHORT:
        yield ((lead.rstrip(), tone),)
        lead = " " * 8
    for line in lines:
        yield ((lead, tone), (line, "text" if utterance.weight is TextRole.PLAIN else "quiet"))
        lead = " " * len(lead)
    if more:
        yield (("        ", ""), (f"... {count(more, 'more character')}", "quiet"))


_SIGNS: Final = {"critical": "!", "high": "!", "medium": "~", "low": ".", "info": "i"}


def _finding(finding: Finding) -> Line:
    severity = finding.severity.value
    tone = (
        "dangerous"
        if finding.severity.rank >= 3
        else "flag"
        if finding.severity.rank == 2
        else "quiet"
    )
    return (
        (f" {_SIGNS[severity]} {severity:<8} ", tone),
        (finding.message, "text"),
        (f"  {finding.code}", "quiet"),
    )


def _field(name: str, value: str) -> Line:
    return ((f"  {name:<9} ", "quiet"), (value, "text"))
