"""What has to be given before ``y`` counts: a passphrase, and a code for each change of weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import code_of, is_grave
from reviewdeck.errors import Locked
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.drafts import Summary
    from reviewdeck.model import QueueItem
    from reviewdeck_tui.summary.preview import SummaryPreview


@dataclass(frozen=True, slots=True)
class CodedChange:
    """One document whose change carries weight, and what its code is bound to."""

    title: str
    digest: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an operator is asked for."""

    is_locked: bool
    codes: tuple[CodedChange, ...]


def admission(deck: Deck, shown: SummaryPreview) -> Requirements:
    """What this commit asks for. Raises NotPermitted for who may not decide at all."""
    codes = tuple(one for one in _codes(shown) if one is not None)
    return Requirements(has_to_unlock(deck), codes if deck.context.authority.signs else ())


def has_to_unlock(deck: Deck) -> bool:
    """Whether the passphrase comes first. Raises NotPermitted for who may not decide at all."""
    try:
        deck.context.operator()
    except Locked:
        return True
    return False


def coded(deck: Deck, shown: SummaryPreview) -> SummaryPreview:
    """The summary with each code at the end of the whole content that it is bound to."""
    if not deck.context.authority.signs:
        return shown
    diffs = tuple(
        diff if one is None else _with_code(diff, one)
        for diff, one in zip(shown.diffs, _codes(shown), strict=True)
    )
    return replace(shown, diffs=diffs)


def _codes(shown: SummaryPreview) -> Iterator[CodedChange | None]:
    """For each composed diff, in order: a proposal's code stands at the end of its last one."""
    for part in shown.summary.parts:
        last: dict[str, int] = {}
        for place, document in enumerate(part.documents):
            last |= {id: place for id in document.proposals if is_grave(shown.names[id].findings)}
        for place, document in enumerate(part.documents):
            is_last = place in last.values()
            yield CodedChange(document.path, f"{part.digest} {document.path}") if is_last else None


def _with_code(diff: DiffDocument, one: CodedChange) -> DiffDocument:
    said = Notice(f"The code of this change is {code_of(one.digest)}.", Tone.OPEN)
    return replace(diff, sections=(*diff.sections, Section("", (said,))))


def named(deck: Deck, found: Summary) -> dict[str, QueueItem]:
    """Every proposal that a summary speaks of."""
    ids = {one.proposal.id for part in found.parts for one in part.wanted}
    ids |= {draft.proposal for draft in (*found.quiet, *found.rebased)}
    ids |= {left.draft.proposal for left in found.left_out}
    ids |= {id for one in found.superseded for id in (one.proposal, one.by)}
    return {id: deck.ledger.item(id) for id in ids}
