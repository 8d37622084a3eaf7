"""The result of staging one edit, and the findings that several kinds of edits share."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.model import (
    Base,
    BaseSource,
    Change,
    Conflict,
    Dead,
    Document,
    Effect,
    Finding,
    Proposal,
    Severity,
)
from reviewdeck.planning.losses import lost_rules
from reviewdeck.planning.rebase import Clash
from reviewdeck.ports import Snapshot
from reviewdeck.text.lines import decoded
from reviewdeck.values import dataclass

BASE_UNKNOWN = "base-unknown"
"""Code of the finding that the text that the author saw is not on record."""
LOST_TEXT = "lost-text"
"""Code of the finding that a text is lost which nothing replaces."""
MOST_LOST = 8
"""Lost rules of one document that get a finding each."""
LARGE_DELETION = "large-deletion"
"""Code of the finding for a proposal that removes most of a file."""


@dataclass(frozen=True, slots=True)
class EditResult:
    """The changes of one edit, or a conflict, or the reason why it cannot be applied."""

    changes: tuple[Change, ...] = ()
    effects: tuple[Effect, ...] = ()
    findings: tuple[Finding, ...] = ()
    outcome: Conflict | Dead | None = None
    """None when `changes` are the result."""


def conflict_of(
    clash: Clash, proposal: Proposal, live: Document, *, effects: tuple[Effect, ...] = ()
) -> Conflict:
    """The conflict that a clash over one document makes of a proposal."""
    return Conflict(
        home=proposal.home,
        proposal=proposal.id,
        payload_sha=proposal.payload_sha,
        path=live.path,
        base=clash.base,
        live=live.data,
        proposed=clash.proposed,
        reason=clash.reason,
        base_known=clash.base_known,
        effects=effects,
        mode=live.mode,
        link=live.link,
    )


def links_of(changes: Sequence[Change], snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """The changed documents that are links, each with the file that its bytes go to."""
    ends = ((change.path, snapshot.document(change.path).link) for change in changes)
    return tuple((path, link) for path, link in ends if link is not None)


def base_findings(base: Base | None, live: Document, *, is_addition: bool) -> tuple[Finding, ...]:
    """A finding where the text that the author saw is not on record."""
    if not live.exists or (base is not None and base.source is BaseSource.GIVEN):
        return ()
    if base is not None and base.source is BaseSource.RECORDED:
        return ()
    return (
        Finding(
            BASE_UNKNOWN,
            Severity.INFO if is_addition else Severity.LOW,
            f"The record has no base version; {live.path} may have changed before reviewdeck"
            " started watching.",
        ),
    )


def merged_finding(path: str) -> Finding:
    """The finding that a concurrent change was merged with this one."""
    return Finding(
        "merged",
        Severity.INFO,
        f"{path} changed after this was proposed; both changes fit side by side.",
    )


def shrink_finding(live: Document, after: bytes) -> tuple[Finding, ...]:
    """The finding that the document loses at least half of its lines."""
    before = live.data or b""
    lines, remaining = before.count(b"\n"), after.count(b"\n")
    if lines < 20 or remaining * 2 > lines:
        return ()
    message = f"{live.path} shrinks from {lines} to {remaining} lines."
    return (Finding(LARGE_DELETION, Severity.HIGH, message),)


def lost_findings(live: Document, after: bytes | None) -> tuple[Finding, ...]:
    """The findings that a rewritten document no longer says something, one for each such rule."""
    lost = lost_rules(live.path, decoded(live.data), decoded(after))
    findings = [
        Finding(LOST_TEXT, Severity.MEDIUM, f"{live.path} loses this.", quote=rule)
        for rule in lost[:MOST_LOST]
    ]
    if more := len(lost) - MOST_LOST:
        message = f"{live.path} loses {more} more."
        findings += [Finding(LOST_TEXT, Severity.MEDIUM, message)] * (more > 0)
    return tuple(findings)
