"""One proposal for a person: everything that is known, or what it does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from rich.text import Text

from reviewdeck.cli.next_steps import next_commands
from reviewdeck.cli.options import Options
from reviewdeck.cli.render_diff import Pen, conflict_lines, document_lines
from reviewdeck.model import Conflict, Dead, Finding, Severity
from reviewdeck.policy.redact import Redaction
from reviewdeck.ports import RevisionReader
from reviewdeck.presentation.checks import evidence_lines, ticks
from reviewdeck.presentation.document_diff import (
    changed_documents,
    conflict_view,
    written_documents,
)
from reviewdeck.presentation.inspection import (
    Inspected,
    asked_by,
    base_words,
    brought_by,
    brought_live,
    record_words,
    sides_known,
)
from reviewdeck.presentation.proposal_words import (
    at_local,
    claim_of,
    glyph_of,
    made_at,
    note_text,
    wanted,
)
from reviewdeck.presentation.requests import requested
from reviewdeck.presentation.turns import Weight, glimpse, spoken
from reviewdeck.presentation.words import STYLES, age_of, count, inert, one_line
from reviewdeck.text.inert import visible

_GLIMPSE: Final = 12
"""Lines of a text that `show` prints; `diff` prints all."""
_MOST: Final = 2_000
"""Characters of a message of a turn that `show` prints."""
_SEVERITY: Final = {
    Severity.INFO: "dim",
    Severity.LOW: "",
    Severity.MEDIUM: "yellow",
    Severity.HIGH: "red",
    Severity.CRITICAL: "bold red",
}


def show_lines(
    found: Inspected, options: Options, now: datetime, redaction: Redaction
) -> Iterator[Text]:
    """Everything that is known of a proposal, and what can be done."""
    item, redacted = found.item, redaction.text
    yield _headline(found)
    yield _field("what", redacted(wanted(item)))
    if found.reason:
        yield _field("why", redacted(found.reason))
    yield _field("verdict", found.verdict or "none")
    yield from _checks(found, redaction)
    yield _field("from", f"{asked_by(item, found.proposal)} ({age_of(made_at(item), now)} ago)")
    yield _field("source", record_words(item, found.proposal))
    if claim := claim_of(item):
        yield _field("claim", redacted(claim))
    if found.proposal is not None and found.proposal.provenance:
        known = found.proposal.provenance.items()
        said = (f"{redacted(name)}: {redacted(value)}" for name, value in known)
        yield _field("made", ", ".join(said))
    if found.proposal is not None and found.proposal.unknown_keys:
        yield _field("ignored", ", ".join(map(redacted, found.proposal.unknown_keys)))
    yield from _findings(found, redaction)
    yield from _requests(found, redaction, at_most=_GLIMPSE)
    yield from _evidence(found, redaction)
    yield from _turns(found, redaction)
    yield from _past(found, redaction)
    yield from _ending(found, options)


def diff_lines(
    found: Inspected,
    contents: RevisionReader,
    options: Options,
    redaction: Redaction,
    *,
    coloured: bool,
) -> Iterator[Text]:
    """What a proposal does, and the digest that stands for it."""
    yield _headline(found)
    pen = Pen(coloured)
    outcome = found.evaluation.staged.outcome if found.evaluation is not None else None
    if outcome is None:
        for document in written_documents(found.operations, contents, found.snapshot):
            yield from document_lines(document.redacted(redaction), pen)
    elif isinstance(outcome, Conflict) and found.proposal is not None:
        yield _field("why", redaction.text(outcome.reason))
        view = conflict_view(outcome, found.proposal, found.snapshot).redacted(redaction)
        known = sides_known(found, outcome)
        yield from conflict_lines(
            view, pen, known, lambda text: brought_by(brought_live(found.blamed, text))
        )
    elif isinstance(outcome, Dead):
        yield _field("why", redaction.text(outcome.message))
        yield from _requests(found, redaction)
        if outcome.candidate is not None:
            yield Text("nearest thing that is there", style="cyan")
            yield from _quoted(redaction.text(outcome.candidate))
    else:
        yield _field("why", redaction.text(found.reason))
        for document in changed_documents(outcome, found.snapshot):
            yield from document_lines(document.redacted(redaction), pen)
    if found.code is not None:
        yield Text(f"code      {found.code}  (asked for when this is approved)", style="bold")
    yield from _ending(found, options)


def _headline(found: Inspected) -> Text:
    item, glyph = found.item, glyph_of(found.item)
    said = Text().append(f"{item.id}  ", style="bold")
    said.append(f"{glyph} {found.state.value}", style=STYLES[glyph])
    said.append(f"  {item.kind.value}", style="dim")
    if item.source_id:
        said.append(f"  ({one_line(item.source_id)} in Hermes)", style="dim")
    return said


def _field(name: str, value: str) -> Text:
    return Text().append(f"{name:<9} ", style="dim").append(inert(value))


def _checks(found: Inspected, redaction: Redaction) -> Iterator[Text]:
    judgement = found.judgement
    if judgement is None or judgement.marks is None:
        return
    yield _field("checks", ticks(judgement.marks))
    for label, text in evidence_lines(judgement):
        yield _field(label, redaction.text(text))


def _findings(found: Inspected, redaction: Redaction) -> Iterator[Text]:
    for finding in found.findings:
        yield from _finding(finding, redaction)


def _finding(finding: Finding, redaction: Redaction) -> Iterator[Text]:
    said = Text().append(f"  {finding.severity.value:<8} ", style=_SEVERITY[finding.severity])
    yield said.append(f"{inert(redaction.text(finding.message))}  ").append(
        f"[{one_line(finding.code)}]", style="dim"
    )
    if finding.quote:
        yield from _quoted(redaction.text(finding.quote), "           | ")


def _requests(found: Inspected, redaction: Redaction, at_most: int | None = None) -> Iterator[Text]:
    for edit in found.proposal.edits if found.proposal is not None else ():
        for label, text in requested(edit):
            yield Text(inert(redaction.text(label)), style="cyan")
            if text:
                yield from _quoted(redaction.text(text), at_most=at_most)


def _evidence(found: Inspected, redaction: Redaction) -> Iterator[Text]:
    evaluation = found.evaluation
    if evaluation is None:
        return
    for path in evaluation.paths:
        base = evaluation.proposal.bases.get(path)
        said = "not known" if base is None else base_words(base.source)
        yield _field(
            "base", f"{one_line(path)}: {said}" + (f", {base.revision[:12]}" if base else "")
        )
    for alike in evaluation.alike:
        kind = "the same" if alike.exact else f"{alike.score:.0f}% alike"
        yield _field("alike", f"{kind}, {alike.relation.value}, {one_line(alike.where)}")
        yield from _quoted(redaction.text(alike.text), "           | ")


def _turns(found: Inspected, redaction: Redaction) -> Iterator[Text]:
    if found.behind is None:
        return
    call = found.proposal.tool_call if found.proposal is not None else None
    for one in spoken(found.behind, call):
        if one.weight is Weight.NOTE:
            yield _field(one.label, redaction.text(one.text))
        elif one.weight in {Weight.LED, Weight.HEAD}:
            style = "bold cyan" if one.weight is Weight.LED else "cyan"
            yield Text(one.label, style=style).append(f"  {inert(redaction.text(one.text))}")
        else:
            is_untrusted = one.weight is Weight.UNTRUSTED
            yield Text(
                f"    {inert(redaction.text(one.label))}", style="yellow" if is_untrusted else "dim"
            )
            shown, left = glimpse(redaction.text(one.text), _GLIMPSE, _MOST)
            yield from _quoted("\n".join(shown), "      | ")
            if left:
                said = f"      ... {count(left, 'more character')}: see show --json"
                yield Text(said, style="dim")


def _past(found: Inspected, redaction: Redaction) -> Iterator[Text]:
    for decision in found.decisions:
        why = f": {redaction.text(decision.reason)}" if decision.reason else ""
        said = f"{decision.verb.value} by {decision.actor.name}, {at_local(decision.at)}{why}"
        yield _field("decided", said)
        if decision.policy:
            yield _field("judged by", decision.policy)
    for note in found.notes:
        text = redaction.text(note_text(note))
        yield _field("note", f"by {note.actor.name}, {at_local(note.at)}: {text}")
    for operation in found.operations:
        taken_back = f", taken back by {operation.undone_by}" if operation.undone_by else ""
        yield _field("wrote", f"operation {operation.id}, {operation.state.value}{taken_back}")


def _ending(found: Inspected, options: Options) -> Iterator[Text]:
    if found.digest is not None:
        yield Text(f"digest    {found.digest}", style="bold")
    else:
        for path, revision in found.revisions.items():
            yield Text(f"revision  {revision}  {one_line(path)}", style="bold")
    for line in next_commands(found, options):
        yield Text(f"  {visible(line)}", style="green")


def _quoted(text: str, sign: str = "  | ", at_most: int | None = None) -> Iterator[Text]:
    lines = visible(text).split("\n")
    for line in lines[:at_most]:
        yield Text(f"{sign}{line}")
    if at_most is not None and len(lines) > at_most:
        yield Text(f"  ... {count(len(lines) - at_most, 'more line')}: see its diff", style="dim")
