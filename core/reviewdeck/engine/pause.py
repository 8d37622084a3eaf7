"""Pausing and resuming automatic decisions."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from reviewdeck.errors import HomeReadOnly, HomeUnavailable, NotPermitted, WriteFailed
from reviewdeck.model import Actor
from reviewdeck.ports.authority import Attest, unattested

if TYPE_CHECKING:
    from reviewdeck.engine.context import EngineContext
    from reviewdeck.ledger.ledger import Ledger
    from reviewdeck.model.ledger import Sight
    from reviewdeck.ports import Home

_PIN = "paused"


def pause(engine: EngineContext) -> bool:
    """Pauses automatic decisions; False when they were paused already.

    Anybody may: a pause is never dangerous. So nobody signs for one. It stands in the homes too,
    and holds there whichever ledger looks.
    """
    with engine.uninterrupted():
        return _set(engine, engine.actor, unattested, is_paused=True)


def resumer(engine: EngineContext) -> Actor:
    """Who resumes: an operator; or whoever may decide on a machine that paused no more than its own
    homes, under that machine's role too. Raises NotPermitted.
    """
    if engine.ledger.machine and not engine.ledger.pinned(_PIN):
        return engine.authority.admit(engine.actor)
    return engine.operator()


def resume(engine: EngineContext) -> bool:
    """Resumes automatic decisions; False when they were not paused. Raises NotPermitted."""
    by = resumer(engine)
    with engine.uninterrupted():
        return _set(engine, by, engine.authority.attest, is_paused=False)


def paused_elsewhere(engine: EngineContext) -> tuple[Sight, ...]:
    """The homes in which somebody paused it on their own machine: only there it is resumed."""
    sights = (each.sight for each in engine.open_homes if each.home.refusals().paused)
    return tuple(sight for sight in sights if sight is not None)


def why_paused(ledger: Ledger, homes: Iterable[Home]) -> str | None:
    """Why nothing is applied automatically to these homes; None when it is not paused."""
    refusals = [home.refusals() for home in homes]
    by = ledger.pinned(_PIN) or next((each.paused for each in refusals if each.paused), "")
    if by:
        return f"{by} paused it: `reviewdeck resume` starts it again"
    unreadable = next((each.unreadable for each in refusals if each.unreadable), "")
    if unreadable:
        return f"what was rejected cannot be read in {unreadable}: correct it or remove it"
    return None


def why_nothing_is_automatic(view: EngineContext, home: Home | None = None) -> str | None:
    """Why nothing may be applied automatically now, to one home or any; None when it may."""
    homes = view.homes if home is None else (home,)
    paused = why_paused(view.ledger, homes)
    return paused or view.authority.why_nothing_is_automatic(view.policy().mark)


def _set(engine: EngineContext, actor: Actor, attest: Attest, *, is_paused: bool) -> bool:
    noted = [
        open_home
        for open_home in engine.here
        if bool(open_home.home.refusals().paused) != is_paused
    ]
    for open_home in noted:
        # The ledger's own pause holds where a home cannot be written; a forbidden write is said.
        with suppress(HomeReadOnly, WriteFailed, HomeUnavailable):
            open_home.writer.note_pause(actor.name if is_paused else "")
            if engine.machine is not None:  # Other machines know a home by its last look.
                engine.intake(open_home.home.id)
    is_hosts_own = is_paused and bool(engine.ledger.machine)  # It cannot speak for the others.
    if is_hosts_own or bool(engine.ledger.pinned(_PIN)) == is_paused:
        return bool(noted)
    try:
        engine.ledger.pin(_PIN, actor.name if is_paused else "")
    except NotPermitted:
        if not (noted and is_paused):
            raise
        return True  # A host's role pauses its own homes, and no others.
    event = "paused" if is_paused else "resumed"
    engine.ledger.append(
        event, home="", subject="automatic", actor=actor, at=engine.now(), attest=attest
    )
    return True
