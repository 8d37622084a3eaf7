"""The requirements before ``y`` counts: the passphrase, and a code for each change of weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import is_grave
from reviewdeck.errors import Locked
from reviewdeck.model import Verb
from reviewdeck.planning.gist import gist_of_changes
from reviewdeck.presentation.proposal_words import request_line

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.summary import Summary
    from reviewdeck.model import QueueItem
    from reviewdeck_tui.summary.preview import SummaryPreview


@dataclass(frozen=True, slots=True)
class CodedChange:
    """A document whose change needs a code, and the digest that the code is bound to."""

    title: str
    digest: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """The requirements of a commit."""

    is_locked: bool
    codes: tuple[CodedChange, ...]


def requirements_of(engine: Engine, preview: SummaryPreview) -> Requirements:
    """The requirements of this commit. Raises NotPermitted for who may not decide at all."""
    codes = (*(code for code in _codes(preview) if code is not None), *_kept(preview))
    return Requirements(has_to_unlock(engine), codes if engine.authority.signs else ())


def has_to_unlock(engine: Engine) -> bool:
    """Whether the passphrase comes first. Raises NotPermitted for who may not decide at all."""
    try:
        engine.operator()
    except Locked:
        return True
    return False


def with_codes(engine: Engine, preview: SummaryPreview) -> SummaryPreview:
    """The summary with each code at the end of the content that it is bound to."""
    if not engine.authority.signs:
        return preview
    from reviewdeck_tui.proposal.view import (
        with_code,  # loads the rules, which the first page does without
    )

    diffs = tuple(
        diff if code is None else with_code(diff, code.digest)
        for diff, code in zip(preview.diffs, _codes(preview), strict=True)
    )
    return replace(preview, diffs=diffs)


def _codes(preview: SummaryPreview) -> Iterator[CodedChange | None]:
    """The code of each composed diff, in order; a proposal's code is in its last diff."""
    for part in (*preview.summary.parts, *preview.summary.votes):
        last: dict[str, int] = {}
        for place, document in enumerate(part.documents):
            last |= {id: place for id in document.proposals if is_grave(preview.names[id].findings)}
        for place, document in enumerate(part.documents):
            is_last = place in last.values()
            yield CodedChange(document.path, f"{part.digest} {document.path}") if is_last else None


def _kept(preview: SummaryPreview) -> Iterator[CodedChange]:
    """The codes of what stays live: each is at the end of its proposal in the queue."""
    summary = preview.summary
    alone = [draft for part in summary.votes if not part.documents for draft in part.drafts]
    for draft in (*summary.quiet, *alone):
        item = preview.names[draft.proposal]
        if draft.verb in (Verb.APPROVE, Verb.CLAIM) and is_grave(item.findings):
            yield CodedChange(request_line(item), draft.digest or "")


def proposals_of(engine: Engine, summary: Summary) -> dict[str, QueueItem]:
    """The proposals that a summary names."""
    parts = (*summary.parts, *summary.votes)
    ids = {draft.proposal for part in parts for draft in part.drafts}
    ids |= {draft.proposal for draft in (*summary.quiet, *summary.rebased)}
    ids |= {left_out.draft.proposal for left_out in summary.left_out}
    ids |= {id for superseded in summary.superseded for id in (superseded.proposal, superseded.by)}
    items = {id: engine.ledger.item(id) for id in ids}
    for part in parts:
        changes = {step.proposal: step.changes for step in part.composed.plan.steps}
        for draft in part.drafts:
            if draft.document:  # an own text, which the request does not describe
                item = items[draft.proposal]
                edits = part.composed.staged[item.id].proposal.edits
                gist = gist_of_changes(changes[item.id], item.kind, edits)
                items[item.id] = replace(item, gist=gist or item.gist)
    return items
