"""The ledger as a sink of turns. It is opened by the first batch, in the writer's thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewdeck.model import SessionMode, TurnBatch
from reviewdeck.ports import Clock

if TYPE_CHECKING:
    from reviewdeck.ledger.ledger import Ledger


class LedgerSink:
    """Satisfies `ports.TurnSink`. An agent that records nothing opens no ledger."""

    def __init__(self, url: str, *, now: Clock, mode: SessionMode = SessionMode.APPEND) -> None:
        self._url = url
        self._now = now
        self._mode = mode
        self._ledger: Ledger | None = None

    @property
    def mode(self) -> SessionMode:
        """The ledger is sent new turns only."""
        return self._mode

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Keeps these in one transaction. Raises LedgerUnavailable, Busy."""
        if self._ledger is None:
            from reviewdeck.ledger.opening import open_ledger

            self._ledger = open_ledger(self._url, now=self._now)
        self._ledger.retain(batches)

    def close(self) -> None:
        """Lets go of the database."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None
