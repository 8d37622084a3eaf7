"""The operator's own text: what an editor opens, and what becomes of what it leaves. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from reviewdeck.cli.changes import merged_sides
from reviewdeck.deciding import document_for
from reviewdeck.examination import Examined
from reviewdeck.model import Conflict, Ready
from reviewdeck.ports import Snapshot
from reviewdeck.text.conflicts import Clean, Conflicted
from reviewdeck.text.markers import UnreadableMarkers, parse, render
from reviewdeck.upkeep import shown_digest


@dataclass(frozen=True, slots=True)
class OwnText:
    """What an editor opens."""

    proposal: str
    document: str
    text: str
    digest: str
    """What a draft of it names."""
    conflict: Conflicted | None = None
    """What the markers in the text stand for; None for a text without."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A text that cannot be drafted yet, and why."""

    text: str
    why: str


def own_text_of(examined: Examined, snapshot: Snapshot) -> OwnText:
    """A conflict with markers; else the text as proposed; else what is live. Raises BadInput."""
    outcome = examined.staged.outcome
    path = _document(examined)
    digest = shown_digest(examined, path, snapshot)
    id = examined.proposal.id
    if isinstance(outcome, Conflict):
        sides = merged_sides(outcome, examined.proposal)
        if sides is not None:
            return OwnText(id, path, render(sides), digest, sides)
        return OwnText(id, path, _decoded(outcome.proposed or outcome.live), digest)
    if isinstance(outcome, Ready):
        after = next(change.after for change in outcome.plan.changes if change.path == path)
        return OwnText(id, path, _decoded(after), digest)
    return OwnText(id, path, _decoded(snapshot.document(path).data), digest)


def finished(own: OwnText, edited: str) -> str | Unfinished:
    """The text that can be drafted, or why there is none yet."""
    if own.conflict is None:
        return edited
    try:
        merged = parse(edited, own.conflict)
    except UnreadableMarkers as error:
        return Unfinished(edited, str(error))
    match merged:
        case Clean(text):
            return text
        case Conflicted() as open_one:
            amount = len(open_one.hunks)
            places = "1 place is" if amount == 1 else f"{amount} places are"
            return Unfinished(edited, f"{places} still between markers: kept, not drafted.")


def _document(examined: Examined) -> str:
    """The document that the text is for: of several, the first that changes."""
    outcome = examined.staged.outcome
    if isinstance(outcome, Ready) and outcome.plan.changes:
        changed = [change for change in outcome.plan.changes if change.after is not None]
        return (changed or outcome.plan.changes)[0].path
    if not isinstance(outcome, Conflict | Ready) and len(examined.paths) > 1:
        return examined.paths[0]
    return document_for(examined, None)


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", errors="replace")
