"""The text that the editor opens for the operator's own version. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from reviewdeck.engine.decidable import document_for
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.holding import shown_digest
from reviewdeck.errors import BadInput
from reviewdeck.model import Conflict, MemoryAdd, QueueItem, Ready, Verb
from reviewdeck.model.votes import Vote
from reviewdeck.ports import Snapshot


@dataclass(frozen=True, slots=True)
class EditorText:
    """The text that the editor opens."""

    proposal: str
    document: str
    text: str
    digest: str
    """The digest that a draft of it names."""
    is_offered: bool = False
    """Whether it has other words than the proposed ones: then it may be taken as it is."""


def voted_text(votes: Iterable[Vote], names: Container[str], item: QueueItem) -> EditorText | None:
    """The text that another operator voted for, if their vote still counts."""
    for vote in votes:
        is_theirs = vote.verb is Verb.MERGE and vote.operator not in names
        if is_theirs and vote.text is not None and vote.is_for(item.digest):
            return EditorText(
                item.id, vote.document or "", vote.text, item.digest or "", is_offered=True
            )
    return None


def own_text_of(evaluation: Evaluation, snapshot: Snapshot) -> EditorText:
    """The proposed text, else the live one. Raises BadInput for a conflict, which needs a merge."""
    outcome = evaluation.staged.outcome
    path = _document(evaluation)
    digest = shown_digest(evaluation, path, snapshot)
    id = evaluation.proposal.id
    if isinstance(outcome, Conflict):
        raise BadInput("It is a conflict now: m opens its merge, e its text.")
    if isinstance(outcome, Ready):
        after = next(change.after for change in outcome.plan.changes if change.path == path)
        proposed = _decode(after)
        offered = _with_own_sentence(evaluation, proposed)
        return EditorText(id, path, offered or proposed, digest, bool(offered))
    return EditorText(id, path, _decode(snapshot.document(path).data), digest)


def _with_own_sentence(evaluation: Evaluation, text: str) -> str:
    """The text with the closest typed sentence for an entry that nobody typed so; else empty."""
    marks, closest = evaluation.judgement.marks, evaluation.judgement.closest
    match evaluation.proposal.edits:
        case (MemoryAdd(content=entry),) if closest and marks is not None:
            before, found, after = text.rpartition(entry)
            if marks.is_in_other_words and found:
                own = f"{before}{closest}{after}"
                return own if own != text else ""
    return ""


def _document(evaluation: Evaluation) -> str:
    """The document that the text is for: of several, the first that changes."""
    outcome = evaluation.staged.outcome
    if isinstance(outcome, Ready) and outcome.plan.changes:
        written = [change for change in outcome.plan.changes if change.after is not None]
        return (written or outcome.plan.changes)[0].path
    if not isinstance(outcome, Conflict | Ready) and len(evaluation.paths) > 1:
        return evaluation.paths[0]
    return document_for(evaluation, None)


def _decode(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", errors="replace")
