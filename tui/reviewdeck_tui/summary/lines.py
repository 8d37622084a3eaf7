"""What the summary says, as lines. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reviewdeck.engine.draft_upkeep import Fate
from reviewdeck.engine.drafts import CommitReport, Summary, Written
from reviewdeck.model import Operation, QueueItem, Verb
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.proposal_words import wanted
from reviewdeck.presentation.words import count
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.summary.preview import SummaryPreview

Coverage = Callable[[str], float | None]
"""How much of a proposal's diff was on the screen; None when it was not shown."""

MOST_REMOVED = 8
_WORDS = {
    Verb.APPROVE: "approve",
    Verb.MERGE: "own text",
    Verb.REJECT: "reject",
    Verb.DEFER: "deferred",
    Verb.SUPERSEDE: "superseded",
    Verb.CLAIM: "claimed",
}


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of the list: a document, or a draft on it, or a draft that writes nothing."""

    line: Line
    document: int | None
    """Which composed diff belongs to it."""
    proposals: tuple[str, ...]
    """The drafts that dropping this line drops."""


def entries_of(shown: SummaryPreview, homes: Mapping[str, str]) -> list[SummaryLine]:
    """Everything that is decided, line by line."""
    found: list[SummaryLine] = []
    summary = shown.summary
    for number, document in enumerate(summary.documents):
        found.append(SummaryLine(_document_line(document, homes), number, document.proposals))
        merges = {one.proposal.id for p in summary.parts for one in p.wanted if one.document}
        for id in document.proposals:
            verb = Verb.MERGE if id in merges else Verb.APPROVE
            found.append(SummaryLine(_draft_line(shown.names[id], verb, ""), number, (id,)))
    if summary.quiet:
        found.append(SummaryLine((("WRITES NOTHING", "strong"),), None, ()))
    for draft in summary.quiet:
        reason = draft.reason
        if draft.verb is Verb.SUPERSEDE:
            reason = f"to {wanted(shown.names[reason])}" if reason in shown.names else ""
        line = _draft_line(shown.names[draft.proposal], draft.verb, reason)
        found.append(SummaryLine(line, None, (draft.proposal,)))
    return found


def headline(summary: Summary) -> str:
    """``3 documents, 7 drafts``."""
    writing = sum(len(part.wanted) for part in summary.parts)
    said = f"WRITES {count(len(summary.documents), 'document')}, {count(writing, 'draft')}"
    if summary.quiet:
        said += f"; decides {len(summary.quiet)} more"
    return said if summary.amount else "Nothing is left to decide."


def look_again(shown: SummaryPreview, coverage: Coverage) -> Iterator[Line]:
    """Everything that is worth a second look."""
    summary = shown.summary
    removed = [
        (doc.path, said)
        for doc in summary.documents
        for text in doc.removed
        if (said := text.strip())
    ]
    for path, text in removed[:MOST_REMOVED]:
        name = "/".join(path.split("/")[-2:])
        yield ("  - removes text   ", "removed"), (f"{name}  ", "quiet"), (f'"{text}"', "text")
    if len(removed) > MOST_REMOVED:
        yield (("                   ", ""), (f"and {len(removed) - MOST_REMOVED} more", "quiet"))
    for document in summary.documents:
        if document.room is not None and document.room.after > document.room.limit:
            yield ("  ! over budget    ", "dangerous"), (document.path, "text")
    for id in (id for document in summary.documents for id in document.proposals):
        yield from _unseen(shown.names[id], coverage(id))
    for draft in summary.rebased:
        said = wanted(shown.names[draft.proposal])
        yield (
            ("  ~ carried over   ", "flag"),
            ("its document moved, it did not: ", "quiet"),
            (said, "text"),
        )
    for left in summary.left_out:
        word = "moved, taken out" if left.fate is not Fate.CLASHES else "does not fit    "
        said = wanted(shown.names[left.draft.proposal])
        yield (f"  ~ {word} ", "flag"), (f"{said}  ", "text"), (left.message, "quiet")
    for one in summary.superseded:
        yield (
            ("  ~ superseded     ", "flag"),
            (f"{wanted(shown.names[one.proposal])}  ", "text"),
            (f"by {wanted(shown.names[one.by])}", "quiet"),
        )


def outcome_lines(report: CommitReport, names: Mapping[str, QueueItem]) -> Iterator[Line]:
    """How each draft ended."""
    for one in report.committed:
        said = f"  = {_WORDS[one.verb]:<9} "
        tail = f"  operation {one.result.id}" if isinstance(one.result, Operation) else ""
        yield (said, "ready"), (wanted(names[one.proposal]), "text"), (tail, "quiet")
    for failed in report.failed:
        yield (
            ("  ! not done  ", "dangerous"),
            (f"{wanted(names[failed.proposal])}  ", "text"),
            (redact(f"{failed.error.message} It is a draft still."), "flag"),
        )


def _unseen(item: QueueItem, seen: float | None) -> Iterator[Line]:
    if seen is not None and seen < 1.0:
        share = f"{max(1, round((1 - seen) * 100))}% never on screen: "
        yield ("  ? not seen whole ", "flag"), (share, "quiet"), (wanted(item), "text")


def _document_line(document: Written, homes: Mapping[str, str]) -> Line:
    home = f"{homes.get(document.home, '')}: " if len(homes) > 1 else ""
    room = document.room
    if room is not None:
        size = f"{room.before} -> {room.after} of {room.limit}"
    elif document.change.after is None:
        size = "goes away"
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
    why = f"  ({reason})" if reason else ""
    return (f"   {_WORDS[verb]:<9} ", "draft"), (wanted(item), "text"), (why, "quiet")
