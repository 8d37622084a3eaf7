"""Stopping and starting what goes in without an operator."""

from __future__ import annotations

from reviewdeck.engine.context import Desk
from reviewdeck.model import Actor
from reviewdeck.ports import Ledger

_PIN = "paused"


def pause(desk: Desk) -> bool:
    """Stops what goes in without an operator; False when it was stopped before.

    Whoever runs it: to stop is never dangerous.
    """
    return _set(desk, desk.actor, is_paused=True)


def resume(desk: Desk) -> bool:
    """Starts it again; False when nothing was stopped. Raises NotPermitted."""
    return _set(desk, desk.operator(), is_paused=False)


def why_paused(ledger: Ledger) -> str | None:
    """Why nothing goes in by itself; None when nobody stopped it."""
    by = ledger.pinned(_PIN)
    return f"{by} paused it: `reviewdeck resume` starts it again" if by else None


def _set(desk: Desk, actor: Actor, *, is_paused: bool) -> bool:
    if bool(desk.ledger.pinned(_PIN)) == is_paused:
        return False
    desk.ledger.pin(_PIN, actor.name if is_paused else "")
    event = "paused" if is_paused else "resumed"
    desk.ledger.append(
        event,
        home="",
        subject="automatic",
        actor=actor,
        at=desk.now(),
        attest=desk.authority.attest,
    )
    return True
