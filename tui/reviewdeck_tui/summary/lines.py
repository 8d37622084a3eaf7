"""The lines of the summary. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reviewdeck.engine.decide import CommitReport, Committed
from reviewdeck.engine.holding import LeftOutReason
from reviewdeck.engine.summary import DraftedDocument
from reviewdeck.model import Operation, OperationState, QueueItem, Verb
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import redact
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.summary.preview import SummaryPreview

Coverage = Callable[[str], float | None]
"""The part of a proposal's diff that was painted; None if it never was."""

MOST_LOST = 8
_AWAITS = "1 OF 2: WAITING FOR ANOTHER OPERATOR"
_LEFT_OUT = {
    LeftOutReason.CLASHES: "conflicts       ",
    LeftOutReason.OVERTAKEN: "overtaken, kept ",
    LeftOutReason.AWAITED: "waits, kept     ",
}
_WORDS = {
    Verb.APPROVE: "approve",
    Verb.MERGE: "own text",
    Verb.REJECT: "reject",
    Verb.DEFER: "deferred",
    Verb.SUPERSEDE: "superseded",
    Verb.CLAIM: "claimed",
    Verb.VOTE: "1 of 2",
    Verb.KEEP: "keep",
}


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of the list: a document, a draft for it, or a draft that writes nothing."""

    line: Line
    document: int | None
    """The number of its composed diff."""
    proposals: tuple[str, ...]
    """The drafts that are dropped with this line."""


def entries_of(preview: SummaryPreview, homes: Mapping[str, str]) -> list[SummaryLine]:
    """The decisions, line by line."""
    lines: list[SummaryLine] = []
    summary = preview.summary
    for number, document in enumerate(summary.documents):
        lines.append(SummaryLine(_document_line(document, homes), number, document.proposals))
        merges = {
            draft.proposal for part in summary.parts for draft in part.drafts if draft.document
        }
        for id in document.proposals:
            verb = Verb.MERGE if id in merges else Verb.APPROVE
            lines.append(SummaryLine(_draft_line(preview.names[id], verb, ""), number, (id,)))
    if summary.votes:
        lines.append(SummaryLine(((_AWAITS, "strong"),), None, ()))
    number = len(summary.documents)
    for part in summary.votes:
        (draft,) = part.drafts
        words = "own text" if draft.document else ""
        line = _draft_line(preview.names[draft.proposal], Verb.VOTE, words)
        for document in part.documents:
            lines.append(SummaryLine(_document_line(document, homes), number, document.proposals))
            lines.append(SummaryLine(line, number, (draft.proposal,)))
            number += 1
        if not part.documents:
            lines.append(SummaryLine(line, None, (draft.proposal,)))
    if summary.quiet:
        lines.append(SummaryLine((("WRITES NOTHING", "strong"),), None, ()))
    for draft in summary.quiet:
        reason = draft.reason
        if draft.verb is Verb.SUPERSEDE:
            reason = f"to {request_line(preview.names[reason])}" if reason in preview.names else ""
        line = _draft_line(preview.names[draft.proposal], draft.verb, reason)
        lines.append(SummaryLine(line, None, (draft.proposal,)))
    return lines


def headline(preview: SummaryPreview) -> str:
    """``WRITES 3 documents, 7 drafts``; what other machines are to write is approved here."""
    summary = preview.summary
    writing_count, votes = sum(len(part.drafts) for part in summary.parts), len(summary.votes)
    here = sum(document.home not in preview.machines for document in summary.documents)
    there = len(summary.documents) - here
    clauses = [f"WRITES {count(here, 'document')}"] if here or not there else []
    clauses += [f"APPROVES {count(there, 'document')} for {_machines(preview)}"] if there else []
    sentence = f"{', '.join(clauses)}, {count(writing_count, 'draft')}"
    if votes:
        is_all = not writing_count
        sentence = (
            f"VOTES FOR {votes}, writes nothing" if is_all else f"{sentence}; votes for {votes}"
        )
    if not (summary.documents or votes):
        sentence = f"DECIDES {len(summary.quiet)}, writes nothing"
    elif summary.quiet:
        sentence += f"; decides {len(summary.quiet)} more"
    return sentence if summary.amount else "Nothing is left to decide."


def _machines(preview: SummaryPreview) -> str:
    """The machines that are to write, by name if there are few."""
    found = (preview.machines.get(document.home) for document in preview.summary.documents)
    names = [*dict.fromkeys(map(one_line, filter(None, found)))]
    return " and ".join(names) if len(names) < 3 else count(len(names), "machine")


def warning_lines(preview: SummaryPreview, coverage: Coverage) -> Iterator[Line]:
    """The warnings: what deserves a second look."""
    summary = preview.summary
    yield from _loss_warnings(preview)
    for document in summary.shown:
        if document.room is not None and document.room.after > document.room.limit:
            yield ("  ! over budget    ", "dangerous"), (document.path, "text")
    for id in (id for document in summary.shown for id in document.proposals):
        yield from _unpainted_warning(preview.names[id], coverage(id))
    for draft in summary.rebased:
        words = request_line(preview.names[draft.proposal])
        yield (
            ("  ~ carried over   ", "flag"),
            ("only its document changed: ", "quiet"),
            (words, "text"),
        )
    for left_out in summary.left_out:
        word = _LEFT_OUT.get(left_out.fate, "draft dropped   ")
        words = request_line(preview.names[left_out.draft.proposal])
        yield (f"  ~ {word} ", "flag"), (f"{words}  ", "text"), (left_out.message, "quiet")
    for superseded in summary.superseded:
        yield (
            ("  ~ superseded     ", "flag"),
            (f"{request_line(preview.names[superseded.proposal])}  ", "text"),
            (f"by {request_line(preview.names[superseded.by])}", "quiet"),
        )


def _loss_warnings(preview: SummaryPreview) -> Iterator[Line]:
    for path, words in preview.lost[:MOST_LOST]:
        yield (
            ("  - lost           ", "lost"),
            (f"{_short(path)}  ", "quiet"),
            (f'"{words}"', "text"),
        )
    if (more := len(preview.lost) - MOST_LOST) > 0:
        yield ("  - lost           ", "lost"), (f"and {more} more, in the diff below", "text")
    for document in preview.summary.shown:
        if document.change.after is None:
            yield ("  - deleted        ", "lost"), (document.path, "text")
    if replaced := _replaced_count(preview):
        words = f"{count(replaced, 'entry or line', 'entries or lines')} replaced or moved"
        yield ("    for the rest   ", "quiet"), (words, "quiet")


def _short(path: str) -> str:
    return "/".join(path.split("/")[-2:])


def _replaced_count(preview: SummaryPreview) -> int:
    """The removed entries and lines of texts that stay, without those that are named as lost."""
    lost = [" ".join(words.split()) for _, words in preview.lost]
    removed = [
        line
        for document in preview.summary.shown
        if document.change.after is not None
        for text in document.removed
        if (line := " ".join(text.split()).lstrip("-*+ "))
    ]
    return sum(not any(words in line or line in words for words in lost) for line in removed)


def outcome_lines(
    report: CommitReport, names: Mapping[str, QueueItem], machines: Mapping[str, str]
) -> Iterator[Line]:
    """The outcome of each draft: first what was not done.

    `machines` has the names of those that have yet to write what is approved, by home.
    """
    for failed in report.failed:
        yield (
            ("  ! not done  ", "dangerous"),
            (f"{request_line(names[failed.proposal])}  ", "text"),
            (redact(f"{failed.error.message} It is still a draft."), "flag"),
        )
    for committed in report.committed:
        lead = f"  = {_WORDS[committed.verb]:<9} "
        yield (
            (lead, "ready"),
            (request_line(names[committed.proposal]), "text"),
            (_became_words(committed, machines), "quiet"),
        )
        if committed.warning is not None:
            yield ("  ! ", "flag"), (redact(committed.warning.message), "flag")


def _became_words(committed: Committed, machines: Mapping[str, str]) -> str:
    if committed.verb is Verb.VOTE:
        return "  waiting for another operator"
    match committed.result:
        case Operation(state=OperationState.INTENT, home=home):
            return f"  approved, waiting for {one_line(machines.get(home, home))}"
        case Operation(id=id):
            return f"  operation {id}"
        case _:
            return ""


def _unpainted_warning(item: QueueItem, painted: float | None) -> Iterator[Line]:
    if painted is not None and painted < 1.0:
        share = f"{max(1, round((1 - painted) * 100))}% not shown whole: "
        yield ("  ? not seen fully ", "flag"), (share, "quiet"), (request_line(item), "text")


def _document_line(document: DraftedDocument, homes: Mapping[str, str]) -> Line:
    home = f"{homes.get(document.home, '')}: " if len(homes) > 1 else ""
    budget = document.room
    if budget is not None:
        size = f"{budget.before} -> {budget.after} of {budget.limit}"
    elif document.change.after is None:
        size = "deleted"
    else:
        size = (
            "new"
            if document.change.before is None
            else f"-{len(document.removed)} +{document.added} lines"
        )
    size = f"{size}, {became}" if (became := document.change.became) else size
    drafts = count(len(document.proposals), "draft")
    return (f"{home}{document.path}  ", "strong"), (f"{drafts}  ", "quiet"), (size, "text")


def _draft_line(item: QueueItem, verb: Verb, reason: str) -> Line:
    reason_words = f"  ({reason})" if reason else ""
    return (
        (f"   {_WORDS[verb]:<9} ", "draft"),
        (request_line(item), "text"),
        (reason_words, "quiet"),
    )
