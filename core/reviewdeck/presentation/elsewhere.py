"""What is said of homes on other machines."""

from __future__ import annotations

from reviewdeck.engine.engine import Engine
from reviewdeck.model import Operation, OperationState
from reviewdeck.presentation.words import count, one_line


def machine_of(engine: Engine, home: str) -> str:
    """The name of the machine that has a home; empty for one that is here."""
    sight = engine.home_by_id(home).sight
    return "" if sight is None else one_line(sight.machine)


def logs_read(engine: Engine) -> str | None:
    """Whose log a host may read, in words; None for whoever reads all of it."""
    homes = engine.ledger.homes_read()
    return None if homes is None else f"the logs of {count(len(homes), 'home')} of this host"


def waiting_for(engine: Engine, operation: Operation) -> str:
    """The machine that has yet to write an approved operation; empty for one that is written."""
    is_approved = operation.state is OperationState.INTENT
    return machine_of(engine, operation.home) if is_approved else ""
