"""Rebases an edit of one document onto the live text.

The rules in order: if the author saw the live text (or no base is known), or the edit only adds,
apply the edit to the live text; otherwise apply it to the text the author saw and merge the two
changes; where they overlap, the result is a clash, which is a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from reviewdeck.model import Base, BaseSource, Dead, DeadReason, Document, Kind, Proposal
from reviewdeck.text.conflicts import Clean, Conflicted
from reviewdeck.text.merge import merge, merge_memory, merge_skill
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Rebased:
    """The new text of the document."""

    text: str | None
    """None when it is removed."""
    merged: bool = False
    """Whether a concurrent change was merged with the author's."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Both sides changed the same thing."""

    base: bytes | None
    proposed: bytes | None
    reason: str
    base_known: bool = True


RebaseOutcome: TypeAlias = Rebased | Clash | Dead

Rewrite: TypeAlias = Callable[[str | None], str | Dead | None]
"""Applies an edit to a text; None stands for "no file"."""

Merge: TypeAlias = Callable[[str | None, str, str], Clean | Conflicted]
"""base, ours, theirs."""


@dataclass(frozen=True, slots=True)
class RebaseRequest:
    """An edit of one document, and the versions to rebase it from and to."""

    live: Document
    base: Base | None
    rewrite: Rewrite
    merge: Merge
    is_addition: bool = False
    """The edit only adds an entry, which is possible on any live text."""
    absent_is_empty: bool = False
    """For memories: no file and an empty file are the same."""


def rebase(request: RebaseRequest) -> RebaseOutcome:
    """The new text, a clash for the operator to resolve, or the reason why there is neither."""
    if request.live.problem is not None:
        return Dead(DeadReason.UNREADABLE, f"{request.live.path}: {request.live.problem}")
    base = request.base
    if base is None or base.revision == request.live.revision:
        return _apply_to_live(request)
    if request.is_addition:
        added = _apply_to_live(request)
        return replace(added, merged=True) if isinstance(added, Rebased) else added
    if not base.has_text:
        return _clash_without_base(request)
    return _three_way(request, base)


def merge_for(proposal: Proposal, path: str) -> Merge:
    """How documents of this kind merge: memories by entry, Markdown by line and structure."""
    if proposal.kind is Kind.MEMORY:
        return merge_memory
    return merge_skill if path.endswith(".md") else _merge_lines


def _merge_lines(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    return merge(base or "", ours, theirs)


def _apply_to_live(request: RebaseRequest) -> RebaseOutcome:
    proposed = request.rewrite(_text(request, request.live.data))
    if isinstance(proposed, Dead):
        return proposed
    if _bytes(proposed) == request.live.data:
        return _no_change(request)
    return Rebased(proposed)


def _no_change(request: RebaseRequest) -> Dead:
    message = f"Nothing would change in {request.live.path}."
    return Dead(DeadReason.ALREADY_THERE, message)


def _clash_without_base(request: RebaseRequest) -> RebaseOutcome:
    """A clash without a base: the document changed, and the earlier text is not known."""
    outcome = _apply_to_live(request)
    if isinstance(outcome, Rebased):
        return Clash(
            base=None,
            proposed=_bytes(outcome.text),
            reason="It changed after this was proposed, and the text its author saw is not known.",
            base_known=False,
        )
    return outcome


def _three_way(request: RebaseRequest, base: Base) -> RebaseOutcome:
    proposed = request.rewrite(_text(request, base.data))
    if isinstance(proposed, Dead):
        # A presumed base is no proof of what the author saw.
        return proposed if base.source is BaseSource.GIVEN else _apply_to_live(request)
    live, before = _text(request, request.live.data), _text(request, base.data)
    if proposed == live:
        return _no_change(request)
    if live is None or proposed is None or before is None:
        return Clash(base.data, _bytes(proposed), _existence_clash(live, proposed))
    match request.merge(before, live, proposed):
        case Clean(text) if text == live:
            return _no_change(request)
        case Clean(text):
            return Rebased(text, merged=True)
        case Conflicted():
            return Clash(base.data, _bytes(proposed), "It was changed since, in the same place.")


def _existence_clash(live: str | None, proposed: str | None) -> str:
    if live is None:
        return "The file was removed since."
    if proposed is None:
        return "The file that it removes was changed since."
    return "The file was created since, with other content."


def _text(request: RebaseRequest, data: bytes | None) -> str | None:
    if data is None:
        return "" if request.absent_is_empty else None
    return data.decode("utf-8")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")
