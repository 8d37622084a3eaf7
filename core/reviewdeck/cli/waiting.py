"""Waiting until the machine with a home has written what was approved."""

from __future__ import annotations

import time

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import NotDecidable
from reviewdeck.model import Operation, OperationState
from reviewdeck.presentation.elsewhere import machine_of

_STEP = 1.0
"""Seconds between two looks where the ledger says nothing by itself."""


def wait_until_written(engine: Engine, operation: Operation, until: float) -> Operation:
    """The operation once it is written, or as it is at this moment of the monotonic clock.

    Raises NotDecidable where it could not be written.
    """
    while operation.state is OperationState.INTENT and (left := until - time.monotonic()) > 0:
        engine.ledger.wait_for_news(min(left, _STEP))
        operation = engine.ledger.operation(operation.id)
    if operation.state in (OperationState.INTENT, OperationState.DONE):
        return operation
    machine = machine_of(engine, operation.home) or "this machine"
    raise NotDecidable(
        f"{operation.proposal} was approved, and {machine} could not write it: its document is"
        " another one by now. It is back in the queue.",
        hint=f"`reviewdeck diff {operation.proposal}` shows what it would do now.",
    )
