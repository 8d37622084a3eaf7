"""One document, three versions: what its author saw, what is live, what the author wants.

The rules in order: what the author saw is live (or nothing better is known), or the edit only
adds - do the edit on the live text; otherwise do the edit on what the author saw and merge the two
changes; where they meet, it is a clash, and a clash is a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from reviewdeck.model import Base, BaseSource, Dead, DeadReason, Document, Kind, Proposal
from reviewdeck.text.merge import Clean, Conflicted, merge, merge_memory, merge_skill


@dataclass(frozen=True, slots=True)
class Settled:
    """What the document becomes."""

    text: str | None
    """None when it goes away."""
    merged: bool = False
    """Whether somebody else's change was kept beside the author's."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Both sides changed the same thing."""

    base: bytes | None
    proposed: bytes | None
    reason: str
    base_known: bool = True


Outcome: TypeAlias = Settled | Clash | Dead

Rewrite: TypeAlias = Callable[[str | None], str | Dead | None]
"""From the text that an author looks at to the text that the author wants; None is "no file"."""

Merge: TypeAlias = Callable[[str | None, str, str], Clean | Conflicted]
"""base, ours, theirs."""


@dataclass(frozen=True, slots=True)
class RebaseRequest:
    """One document's part of an edit, ready to be settled."""

    live: Document
    base: Base | None
    rewrite: Rewrite
    merge: Merge
    is_addition: bool = False
    """It only adds an entry: whatever else changed, it can be added to what is live."""
    absent_is_empty: bool = False
    """For memories: no file and an empty file are the same."""


def settle(request: RebaseRequest) -> Outcome:
    """What the document becomes, or why that is not for us to say."""
    if request.live.problem is not None:
        return Dead(DeadReason.UNREADABLE, f"{request.live.path}: {request.live.problem}")
    base = request.base
    if base is None or base.revision == request.live.revision:
        return _on_live(request)
    if request.is_addition:
        added = _on_live(request)
        return replace(added, merged=True) if isinstance(added, Settled) else added
    if not base.has_text:
        return _on_changed_live(request)
    return _three_way(request, base)


def merge_for(proposal: Proposal, path: str) -> Merge:
    """How documents of this kind merge: memories by entry, Markdown by line and structure."""
    if proposal.kind is Kind.MEMORY:
        return merge_memory
    return merge_skill if path.endswith(".md") else _merge_lines


def _merge_lines(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    return merge(base or "", ours, theirs)


def _on_live(request: RebaseRequest) -> Outcome:
    wanted = request.rewrite(_text(request, request.live.data))
    if isinstance(wanted, Dead):
        return wanted
    if _bytes(wanted) == request.live.data:
        return Dead(DeadReason.ALREADY_THERE, f"{request.live.path} already says so.")
    return Settled(wanted)


def _on_changed_live(request: RebaseRequest) -> Outcome:
    """The document changed since, and what it was then is not known."""
    outcome = _on_live(request)
    if isinstance(outcome, Settled):
        return Clash(
            base=None,
            proposed=_bytes(outcome.text),
            reason="It changed after this was proposed, and the text its author saw is not known.",
            base_known=False,
        )
    return outcome


def _three_way(request: RebaseRequest, base: Base) -> Outcome:
    wanted = request.rewrite(_text(request, base.data))
    if isinstance(wanted, Dead):
        # A base that we only presume is no proof of what the author saw.
        return wanted if base.source is BaseSource.GIVEN else _on_live(request)
    live, before = _text(request, request.live.data), _text(request, base.data)
    if wanted == live:
        return Dead(DeadReason.ALREADY_THERE, f"{request.live.path} already says so.")
    if live is None or wanted is None or before is None:
        return Clash(base.data, _bytes(wanted), _existence_clash(live, wanted))
    match request.merge(before, live, wanted):
        case Clean(text) if text == live:
            return Dead(DeadReason.ALREADY_THERE, f"{request.live.path} already says so.")
        case Clean(text):
            return Settled(text, merged=True)
        case Conflicted():
            return Clash(base.data, _bytes(wanted), "It was changed since, in the same place.")


def _existence_clash(live: str | None, wanted: str | None) -> str:
    if live is None:
        return "The file was removed since."
    if wanted is None:
        return "The file that it removes was changed since."
    return "The file was created since, with other content."


def _text(request: RebaseRequest, data: bytes | None) -> str | None:
    if data is None:
        return "" if request.absent_is_empty else None
    return data.decode("utf-8")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")
