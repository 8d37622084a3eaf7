"""Stopping and starting what goes in without an operator."""

from __future__ import annotations

from reviewdeck.engine.context import EngineContext
from reviewdeck.model import Actor
from reviewdeck.ports import Ledger

_PIN = "paused"


def pause(context: EngineContext) -> bool:
    """Stops what goes in without an operator; False when it was stopped before.

    Whoever runs it: to stop is never dangerous.
    """
    return _set(context, context.actor, is_paused=True)


def resume(context: EngineContext) -> bool:
    """Starts it again; False when nothing was stopped. Raises NotPermitted."""
    return _set(context, context.operator(), is_paused=False)


def why_paused(ledger: Ledger) -> str | None:
    """Why nothing goes in by itself; None when nobody stopped it."""
    by = ledger.pinned(_PIN)
    return f"{by} paused it: `reviewdeck resume` starts it again" if by else None


def _set(context: EngineContext, actor: Actor, *, is_paused: bool) -> bool:
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
        attest=context.authority.attest,
    )
    return True
