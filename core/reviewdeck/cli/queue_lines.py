"""Queue items as rows of a page."""

from __future__ import annotations

from reviewdeck.cli.queue_page import Line
from reviewdeck.model import QueueItem
from reviewdeck.policy.allowance import ALLOWANCE
from reviewdeck.presentation.proposal_words import creation_time, finding_count, glyph_of


def line_of(item: QueueItem) -> Line:
    """A queue item as a row of the page."""
    return Line(
        id=item.id,
        home=item.home,
        state=item.state.value,
        kind=item.kind.value,
        action=item.action,
        target=item.target,
        gist=item.gist,
        reason=item.reason,
        origin=item.origin,
        findings=finding_count(item.findings),
        glyph=glyph_of(item),
        postponed=postponed_of(item),
        made=creation_time(item),
    )


def postponed_of(item: QueueItem) -> tuple[str, ...]:
    """The allowances that hold it back, each with when it is available again."""
    return tuple(finding.message for finding in item.findings if finding.code == ALLOWANCE)
