"""Allowances for what goes in without an operator, counted from what the journal knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewdeck.desk import Desk
from reviewdeck.model import Finding, QueueItem, Severity
from reviewdeck.policy.allowance import (
    DAY,
    AllowanceRequest,
    AllowanceResult,
    Postponed,
    Spent,
    admit,
)
from reviewdeck.ports import OpenHome

ALLOWANCE = "allowance"
"""The finding that an addition waits because the allowance is used up."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What may go in now, and up to where the journal was counted for that."""

    admission: AllowanceResult
    after: str
    """The newest operation of the home that was counted; empty when there is none."""


def count(desk: Desk, one: OpenHome, candidates: Sequence[str]) -> Counted:
    """Which of these additions go in now, oldest first, and why the others wait."""
    # This comes first: what is begun after this look is noticed when ours is begun.
    newest = desk.ledger.newest_operation(one.home.id)
    if not candidates:
        return Counted(AllowanceResult((), {}), newest)
    now = desk.now()
    lately = desk.ledger.automatic_since(one.home.id, now - DAY)
    sessions = desk.ledger.sessions([*candidates, *(went.proposal for went in lately)])
    spent = [Spent(went.at, sessions.get(went.proposal, ())) for went in lately]
    wanted = [AllowanceRequest(id, sessions.get(id, ())) for id in candidates]
    return Counted(admit(wanted, spent, desk.policy().settings, now), newest)


def with_reason(item: QueueItem, postponed: Postponed) -> QueueItem:
    """The line of the queue, giving the used up allowance as its reason."""
    noted = with_finding(item, postponed)
    return replace(noted, reason=noted.findings[-1].message)


def with_finding(item: QueueItem, postponed: Postponed | None) -> QueueItem:
    """The line of the queue with what an allowance says of it now as its last finding."""
    others = tuple(one for one in item.findings if one.code != ALLOWANCE)
    if postponed is None:
        return replace(item, findings=others)
    message = f"All other checks say yes. {postponed.message}"
    return replace(item, findings=(*others, Finding(ALLOWANCE, Severity.LOW, message)))
