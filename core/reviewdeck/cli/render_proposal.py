"""One proposal as lines: everything that is known of it, or its diff."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from rich.text import Text

from reviewdeck.cli.next_steps import next_commands
from reviewdeck.cli.options import Options
from reviewdeck.cli.render_diff import Pen, conflict_lines, document_lines
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Conflict, Dead, Severity
from reviewdeck.presentation.checks import evidence_lines, ticks
from reviewdeck.presentation.document_diff import (
    changed_documents,
    conflict_view,
    operation_documents,
)
from reviewdeck.presentation.inspection import (
    Inspection,
    base_words,
    last_observation_of,
    likeness_words,
    observation_words,
    origin_summary,
    record_words,
    side_captions,
)
from reviewdeck.presentation.proposal_words import (
    creation_time,
    decision_words,
    glyph_of,
    note_author,
    note_text,
    operation_words,
    quoted_summary,
    request_line,
    told_once,
)
from reviewdeck.presentation.requests import edit_parts
from reviewdeck.presentation.turns import TextRole, excerpt, labelled_turns
from reviewdeck.presentation.votes import vote_words
from reviewdeck.presentation.words import STYLES, age_of, count, inert, one_line, state_word
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import Redaction

_MAX_LINES: Final = 12
"""Lines of a text that `show` prints at most; `diff` prints all."""
_MAX_CHARACTERS: Final = 2_000
"""Characters of a message that `show` prints at most."""
_SEVERITY: Final = {
    Severity.INFO: "dim",
    Severity.LOW: "",
    Severity.MEDIUM: "yellow",
    Severity.HIGH: "red",
    Severity.CRITICAL: "bold red",
}


def show_lines(
    inspected: Inspection, options: Options, now: datetime, redaction: Redaction
) -> Iterator[Text]:
    """Everything that is known of a proposal, and the commands that decide on it."""
    item, redacted = inspected.item, redaction.text
    yield _headline(inspected)
    yield _field("what", redacted(request_line(item)))
    if inspected.reason:
        yield _field("why", redacted(inspected.reason))
    if inspected.needs > 1:
        yield _field("votes", vote_words(inspected.votes, inspected.digest))
    yield _field("verdict", inspected.verdict or "none")
    yield from _checks(inspected, redaction)
    yield _field(
        "from",
        f"{origin_summary(item, inspected.proposal)} ({age_of(creation_time(item), now)} ago)",
    )
    yield _field("record", record_words(item, inspected.proposal))
    if claim := quoted_summary(item):
        yield _field("claim", redacted(claim))
    if inspected.proposal is not None and inspected.proposal.provenance:
        provenance = inspected.proposal.provenance.items()
        entries = (f"{redacted(name)}: {redacted(value)}" for name, value in provenance)
        yield _field("made", ", ".join(entries))
    if inspected.proposal is not None and inspected.proposal.unknown_keys:
        yield _field("ignored", ", ".join(map(redacted, inspected.proposal.unknown_keys)))
    yield from finding_lines(inspected, redaction)
    yield from (_field("reading", redaction.text(note)) for note in inspected.reading)
    yield from _requests(inspected, redaction, at_most=_MAX_LINES)
    yield from _evidence(inspected, redaction)
    yield from _turns(inspected, redaction)
    yield from _history(inspected, redaction)
    yield from _digest(inspected)
    yield from command_lines(inspected, options)


def diff_lines(
    inspected: Inspection, contents: Ledger, redaction: Redaction, *, coloured: bool
) -> Iterator[Text]:
    """What a proposal does to each document, and the digest that a decision on it names."""
    yield _headline(inspected)
    pen = Pen(coloured)
    outcome = inspected.evaluation.staged.outcome if inspected.evaluation is not None else None
    if outcome is not None:
        yield _field("why", redaction.text(inspected.reason))
    if outcome is None:
        for document in operation_documents(inspected.operations, contents, inspected.snapshot):
            yield from document_lines(document.redacted(redaction), pen, is_written=True)
    elif isinstance(outcome, Conflict) and inspected.proposal is not None:
        view = conflict_view(outcome, inspected.proposal, inspected.snapshot).redacted(redaction)
        captions = side_captions(inspected, outcome)
        yield from conflict_lines(
            view,
            pen,
            captions,
            lambda text: observation_words(last_observation_of(inspected.blame, text)),
        )
    elif isinstance(outcome, Dead):
        yield from _requests(inspected, redaction)
        if outcome.candidate is not None:
            yield Text("nearest live text", style="cyan")
            yield from _quote_lines(redaction.text(outcome.candidate))
    else:
        is_live = inspected.proposal is not None and bool(inspected.proposal.outside)
        for document in changed_documents(outcome, inspected.snapshot, inspected.readers):
            yield from document_lines(document.redacted(redaction), pen, is_written=is_live)
    if inspected.code is not None:
        yield Text(f"code      {inspected.code}  (asked for when this is approved)", style="bold")
    yield from _digest(inspected)


def _headline(inspected: Inspection) -> Text:
    item, glyph = inspected.item, glyph_of(inspected.item)
    text = Text().append(f"{item.id}  ", style="bold")
    text.append(f"{glyph} {state_word(inspected.state)}", style=STYLES[glyph])
    text.append(f"  {item.kind.value}", style="dim")
    if item.source_id:
        text.append(f"  ({one_line(item.source_id)} in Hermes)", style="dim")
    return text


def _field(name: str, value: str) -> Text:
    return Text().append(f"{name:<9} ", style="dim").append(inert(value))


def _checks(inspected: Inspection, redaction: Redaction) -> Iterator[Text]:
    judgement = inspected.judgement
    if judgement is None or judgement.marks is None:
        return
    yield _field("checks", ticks(judgement.marks))
    for label, text in evidence_lines(judgement):
        yield _field(label, redaction.text(text))


def finding_lines(inspected: Inspection, redaction: Redaction) -> Iterator[Text]:
    """Its findings, with what they quote."""
    for finding, quotes in told_once(inspected.findings):
        text = Text().append(f"  {finding.severity.value:<8} ", style=_SEVERITY[finding.severity])
        yield text.append(f"{inert(redaction.text(finding.message))}  ").append(
            f"[{one_line(finding.code)}]", style="dim"
        )
        for quote in quotes:
            yield from _quote_lines(redaction.text(quote), "           | ")


def _requests(
    inspected: Inspection, redaction: Redaction, at_most: int | None = None
) -> Iterator[Text]:
    for edit in inspected.proposal.edits if inspected.proposal is not None else ():
        for label, text in edit_parts(edit):
            yield Text(inert(redaction.text(label)), style="cyan")
            if text:
                yield from _quote_lines(redaction.text(text), at_most=at_most)


def _evidence(inspected: Inspection, redaction: Redaction) -> Iterator[Text]:
    evaluation = inspected.evaluation
    if evaluation is None:
        return
    for path in evaluation.paths:
        base = evaluation.proposal.bases.get(path)
        source = "not known" if base is None else base_words(base.source)
        yield _field(
            "base", f"{one_line(path)}: {source}" + (f", {base.revision[:12]}" if base else "")
        )
    for alike in evaluation.similar:
        yield _field("alike", f"{likeness_words(alike)}, {one_line(alike.where)}")
        yield from _quote_lines(redaction.text(alike.text), "           | ")


def _turns(inspected: Inspection, redaction: Redaction) -> Iterator[Text]:
    if inspected.source_turns is None:
        return
    call = inspected.proposal.tool_call if inspected.proposal is not None else None
    for part in labelled_turns(inspected.source_turns, call):
        if part.weight is TextRole.NOTE:
            yield _field(part.label, redaction.text(part.text))
        elif part.weight in {TextRole.LED, TextRole.HEAD}:
            style = "bold cyan" if part.weight is TextRole.LED else "cyan"
            yield Text(part.label, style=style).append(f"  {inert(redaction.text(part.text))}")
        else:
            is_untrusted = part.weight is TextRole.UNTRUSTED
            yield Text(
                f"    {inert(redaction.text(part.label))}",
                style="yellow" if is_untrusted else "dim",
            )
            lines, omitted = excerpt(redaction.text(part.text), _MAX_LINES, _MAX_CHARACTERS)
            yield from _quote_lines("\n".join(lines), "      | ")
            if omitted:
                note = f"      ... {count(omitted, 'more character')}: see show --json"
                yield Text(note, style="dim")


def _history(inspected: Inspection, redaction: Redaction) -> Iterator[Text]:
    for decision in inspected.decisions:
        reason = f": {redaction.text(decision.reason)}" if decision.reason else ""
        yield _field("decided", f"{decision_words(decision)}{reason}")
        if decision.policy:
            yield _field("judged by", decision.policy)
    for note in inspected.notes:
        yield _field("note", f"{note_author(note)}: {redaction.text(note_text(note))}")
    for operation in inspected.operations:
        yield _field("wrote", operation_words(operation))


def _digest(inspected: Inspection) -> Iterator[Text]:
    if inspected.digest is not None:
        yield Text(f"digest    {inspected.digest}", style="bold")
    else:
        for path, revision in inspected.revisions.items():
            yield Text(f"revision  {revision}  {one_line(path)}", style="bold")


def command_lines(inspected: Inspection, options: Options) -> Iterator[Text]:
    """The commands that decide on it."""
    for next_command in next_commands(inspected, options):
        lead = f"{next_command.purpose:<9} " if next_command.purpose else "  "
        yield Text(f"{lead}{visible(next_command.line)}", style="green")


def _quote_lines(text: str, sign: str = "  | ", at_most: int | None = None) -> Iterator[Text]:
    lines = visible(text).split("\n")
    for line in lines[:at_most]:
        yield Text(f"{sign}{line}")
    if at_most is not None and len(lines) > at_most:
        yield Text(f"  ... {count(len(lines) - at_most, 'more line')}: see its diff", style="dim")
