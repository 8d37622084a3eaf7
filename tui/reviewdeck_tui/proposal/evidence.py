"""Why, Evidence, History: what is known of a proposal, as lines. Pure, and not yet made inert."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.source_turns import Behind
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
from reviewdeck.presentation.changes import Author, talk_words, who_words
from reviewdeck.presentation.checks import (
    QUESTIONS,
    currency_lines,
    evidence_lines,
    origin_lines,
)
from reviewdeck.presentation.inspection import (
    asked_by,
    base_words,
    brought_by,
    brought_live,
    record_words,
)
from reviewdeck.presentation.proposal_words import at_local, claim_of, note_text
from reviewdeck.presentation.requests import requested
from reviewdeck.presentation.turns import Labelled, Weight, glimpse, spoken
from reviewdeck.presentation.words import age_of, count
from reviewdeck_tui.proposal.panes import Line, Ours, Pane

MOST_HISTORY: Final = 40
MOST_LINES: Final = 6
MOST_SAID: Final = 600
"""Lines and characters of a message that are shown; `reviewdeck show` has more."""
SHORT: Final = 9
"""Characters of a label that stands in the line of what it labels."""


@dataclass(frozen=True, slots=True)
class Past:
    """What happened to a proposal and to its documents."""

    decisions: tuple[Decision, ...] = ()
    observations: tuple[Observation, ...] = ()
    operations: tuple[Operation, ...] = ()
    notes: tuple[Event, ...] = ()
    blamed: tuple[Blamed, ...] = ()
    """Who brought each part of a conflict's document."""
    sources: Mapping[str, Author] = field(default_factory=dict)
    """Where the proposals came from that brought them."""
    judgement: Judgement | None = None
    """What the six checks answered when it was judged last."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that is known of one proposal."""

    item: QueueItem
    proposal: Proposal | None
    evaluation: Evaluation | None
    past: Past
    behind: Behind | None = None
    """The turns that led to it, where it names a session."""

    def authors(self, now: datetime) -> dict[str, str]:
        """Who brought what is live and what is proposed, in words, for the head of a diff."""
        outcome = self.evaluation.staged.outcome if self.evaluation is not None else None
        path = outcome.path if isinstance(outcome, Conflict) else None
        seen = [one for one in self.past.observations if path in (None, one.path)]
        latest = seen[-1] if seen else None
        return {
            "base": "what the agent saw",
            "live": brought_by(latest),
            "proposed": asked_by(self.item, self.proposal),
        }

    def live_author(self, text: str) -> str:
        """Who brought a text that is live in a conflict's document, and when; empty: unknown."""
        by = brought_live(self.past.blamed, text)
        return _live_words(by, self.past.sources) if by is not None else ""

    def lines(self, pane: Pane, now: datetime) -> Iterator[Line]:
        """One pane."""
        match pane:
            case Pane.WHY:
                return self._why()
            case Pane.EVIDENCE:
                return self._evidence(now)
            case Pane.HISTORY:
                return self._history()

    def request(self) -> str:
        """What it asks for, in full."""
        edits = self.proposal.edits if self.proposal is not None else ()
        asked = (f"{label}\n{text}".rstrip() for edit in edits for label, text in requested(edit))
        return "\n".join(asked) or self.item.gist

    def texts(self) -> Iterator[str]:
        """Every text of others that the panes quote, whole."""
        yield self.item.summary
        yield from (finding.quote or finding.message for finding in self.item.findings)
        if self.proposal is not None:
            yield from (text for edit in self.proposal.edits for _, text in requested(edit))
        if self.behind is not None:
            yield from (one.text for one in spoken(self.behind, None, newest_first=True))
        if self.evaluation is not None:
            yield from (finding.quote or finding.message for finding in self.evaluation.findings)
        if self.judgement is not None:
            yield from (text for _, text in evidence_lines(self.judgement))
        if self.evaluation is not None:
            yield from (alike.text for alike in self.evaluation.alike)

    @property
    def judgement(self) -> Judgement | None:
        """What the six checks answer now, or answered when it was decided."""
        return self.evaluation.judgement if self.evaluation is not None else self.past.judgement

    def _checks(self) -> Iterator[Line]:
        """The six answers in one line."""
        marks = self.judgement.marks if self.judgement is not None else None
        if marks is not None:
            told = [(name, marks.says(name)) for name in QUESTIONS]
            parts = [
                (f" {'✓' if ok else '✗'} {QUESTIONS[name]} ", "quiet" if ok else "flag")
                for name, ok in told
            ]
            yield ((" ", ""), *parts)

    def _why(self) -> Iterator[Line]:
        yield from self._checks()
        findings = self.item.findings
        if self.evaluation is not None:
            capped = (one for one in findings if one.code == ALLOWANCE)
            findings = (*self.evaluation.findings, *capped)
        if not findings:
            yield ((" ", ""), (self.item.reason or "Nothing speaks against it.", "text"))
        # What is said of several words is said once, with the words.
        said: dict[tuple[str, str], dict[str, Finding]] = {}
        for finding in findings:
            said.setdefault((finding.code, finding.message), {})[finding.quote or ""] = finding
        for quoted in said.values():
            yield _finding(next(iter(quoted.values())))
            for quote in filter(None, quoted):
                yield ((" " * 12, ""), (f"\u201c{quote}\u201d", "quiet"))

    def _evidence(self, now: datetime) -> Iterator[Line]:
        item = self.item
        age = f" ({age_of(item.created_at, now)} ago)" if item.created_at is not None else ""
        yield _field("from", Ours(f"{asked_by(item, self.proposal)}{age}"))
        if self.judgement is not None:
            yield from (_field(label, text) for label, text in origin_lines(self.judgement))
        yield from self._turns()
        if self.judgement is not None:
            yield from (_field(label, text) for label, text in currency_lines(self.judgement))
        yield from self._alike_and_based()
        yield from self._record()

    def _record(self) -> Iterator[Line]:
        """Where it lies, by which id, and what its author says of it."""
        item = self.item
        if claim := claim_of(item):
            yield _field("claim", claim)
        if self.proposal is not None and self.proposal.model:
            yield _field("model", self.proposal.model)
        if self.proposal is not None and (made := self.proposal.provenance):
            known = (made.get(name, "") for name in ("tool_name", "platform", "prompt_version"))
            yield _field("made", ", ".join(one for one in known if one))
        yield _field("record", record_words(item, self.proposal))
        theirs = (f", {item.source_id} in Hermes", "text") if item.source_id else ("", "")
        yield *_field("id", Ours(item.id)), theirs

    def _turns(self) -> Iterator[Line]:
        if self.behind is None:
            return
        call = self.proposal.tool_call if self.proposal is not None else None
        for one in spoken(self.behind, call, newest_first=True):
            if one.weight is Weight.NOTE:
                yield _field(one.label, one.text)
            else:
                yield from _spoken(one)

    def _alike_and_based(self) -> Iterator[Line]:
        if self.evaluation is None:
            return
        for path in self.evaluation.paths:
            base = self.evaluation.proposal.bases.get(path)
            said = "what its author saw is not known" if base is None else base_words(base.source)
            yield _field("base", f"{path}: {said}")
        for alike in self.evaluation.alike:
            kind = "the same" if alike.exact else f"{alike.score:.0f}% alike"
            yield _field("alike", f"{kind}, {alike.relation.value}, {alike.where}")
            yield (("            ", ""), (f"\u201c{alike.text}\u201d", "quiet"))

    def _history(self) -> Iterator[Line]:
        for operation in self.past.operations:
            back = f", taken back by {operation.undone_by}" if operation.undone_by else ""
            yield _field("wrote", Ours(f"operation {operation.id}, {operation.state.value}{back}"))
        for decision in self.past.decisions:
            why = f": {decision.reason}" if decision.reason else ""
            who = f"{decision.verb.value} by {decision.actor.name}, {at_local(decision.at)}"
            yield *_field("decided", Ours(who)), (why, "text")
        for note in self.past.notes:
            said = f"by {note.actor.name}, {at_local(note.at)}"
            yield *_field("note", Ours(said)), (f": {note_text(note)}", "text")
        for seen in reversed(self.past.observations[-MOST_HISTORY:]):
            yield _field(seen.path.rpartition("/")[2], Ours(brought_by(seen)))
        past = self.past
        if not (past.decisions or past.observations or past.operations or past.notes):
            yield (("  Nothing is recorded yet.", "quiet"),)


def _live_words(by: Observation, known: Mapping[str, Author]) -> str:
    match by.cause:
        case Cause.SEEN:
            return brought_by(by)
        case Cause.OUTSIDE:
            return f"{who_words(by, known)}, seen {at_local(by.at)}"
        case Cause.OPERATION:
            said = [talk_words(by, known), who_words(by, known), at_local(by.at)]
            return ", ".join([*filter(None, said), f"operation {by.operation}"])


_TONES: Final = {Weight.LED: "heading", Weight.HEAD: "quiet", Weight.UNTRUSTED: "flag"}


def _spoken(one: Labelled) -> Iterator[Line]:
    """A head in one line; what was said in a few, each behind its label."""
    tone = _TONES.get(one.weight, "quiet")
    if one.weight in {Weight.LED, Weight.HEAD}:
        yield ((f"  {one.label}  ", tone), (one.text, tone))
        return
    shown, left = glimpse(one.text, MOST_LINES, MOST_SAID)
    lead = f"      {one.label:<9} "
    if len(one.label) > SHORT:
        yield ((lead.rstrip(), tone),)
        lead = " " * 8
    for line in shown:
        yield ((lead, tone), (line, "text" if one.weight is Weight.PLAIN else "quiet"))
        lead = " " * len(lead)
    if left:
        yield (("        ", ""), (f"... {count(left, 'more character')}", "quiet"))


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
