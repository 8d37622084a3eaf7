"""Settling a conflict with one of its sides."""

from __future__ import annotations

from reviewdeck.cli.changes import merged_sides
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.errors import NotDecidable
from reviewdeck.model import Conflict
from reviewdeck.text.conflicts import Clean, Conflicted, Take, combined, resolve

_TAKES = {
    "base": Take.BASE,
    "live": Take.OURS,
    "proposed": Take.THEIRS,
    "words": Take.WORDS,
}


def take_side(examined: Evaluation, side: str) -> str | None:
    """The whole document with every clash settled in favour of one side; None when it goes away.

    What both sides did elsewhere in the document stays merged. Raises NotDecidable.
    """
    conflict = examined.staged.outcome
    if not isinstance(conflict, Conflict):
        raise NotDecidable(
            f"{examined.proposal.id} is not a conflict: it has no sides to take.",
            hint="Give your own text with --file.",
        )
    if side == "base" and not conflict.base_known:
        raise NotDecidable("What the agent saw is not known: there is no base to take.")
    merged = merged_sides(conflict, examined.proposal)
    if side == "words" and not _combines(merged):
        raise NotDecidable(
            "Both sides changed the same words somewhere: they do not make one text.",
            hint=f"`reviewdeck diff {examined.proposal.id}` shows what they do; give your own text"
            " with --file.",
        )
    text = _whole(conflict, side)
    if merged is not None:
        settled = resolve(merged, dict.fromkeys(range(len(merged.hunks)), _TAKES[side]))
        text = settled.text if isinstance(settled, Clean) else text
    if text == _whole(conflict, "live"):
        raise NotDecidable(
            f"With that, {conflict.path} stays as it is: there is nothing to apply.",
            hint=f"`reviewdeck reject {examined.proposal.id} --reason TEXT` says so for good.",
        )
    return text


def _combines(merged: Conflicted | None) -> bool:
    """Whether at each place of a memory the sides changed different words."""
    return merged is not None and bool(merged.joint) and all(map(combined, merged.hunks))


def _whole(conflict: Conflict, side: str) -> str | None:
    texts = {"base": conflict.base, "live": conflict.live, "proposed": conflict.proposed}
    data = texts.get(side)
    return None if data is None else data.decode("utf-8", errors="replace")
