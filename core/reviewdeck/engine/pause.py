"""Pausing and resuming automatic decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.model import Actor
from reviewdeck.ports.authority import Attest, unattested

if TYPE_CHECKING:
    from reviewdeck.engine.context import EngineContext
    from reviewdeck.engine.view import View
    from reviewdeck.ports import LedgerReader

_PIN = "paused"


def pause(context: EngineContext) -> bool:
    """Pauses automatic decisions; False when they were paused already.

    Anybody may: a pause is never dangerous. So nobody signs for one.
    """
    return _set(context, context.actor, unattested, is_paused=True)


def resume(context: EngineContext) -> bool:
    """Resumes automatic decisions; False when they were not paused. Raises NotPermitted."""
    return _set(context, context.operator(), context.authority.attest, is_paused=False)


def why_paused(ledger: LedgerReader) -> str | None:
    """Why nothing is applied automatically; None when it is not paused."""
    by = ledger.pinned(_PIN)
    return f"{by} paused it: `reviewdeck resume` starts it again" if by else None


def why_nothing_is_automatic(view: View) -> str | None:
    """Why nothing may be applied automatically now; None when it may."""
    return why_paused(view.ledger) or view.authority.why_nothing_is_automatic(view.policy().mark)


def _set(context: EngineContext, actor: Actor, attest: Attest, *, is_paused: bool) -> bool:
    if bool(context.ledger.pinned(_PIN)) == is_paused:
        return False
    context.ledger.pin(_PIN, actor.name if is_paused else "")
    event = "paused" if is_paused else "resumed"
    context.ledger.append(
        event,
        home="",
        subject="automatic",
        actor=actor,
        at=context.now(),
        attest=attest,
    )
    return True
