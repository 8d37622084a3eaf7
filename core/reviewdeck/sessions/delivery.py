"""Bringing batches to a sink, again and again where it fails, without ever giving up a turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Batch
from reviewdeck.ports import Probe, TurnSink
from reviewdeck.sessions.buffering import joined

PAUSES: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each further attempt; the last one before all that follow."""
STRIKES: Final = 3
"""Attempts at a batch that fails for a reason of its own, before it no longer blocks the way."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How the way to the sink fares."""

    retained: int = 0
    """Turns that it took since the start."""
    failures: int = 0
    """Attempts in a row that failed; 0 when all is well."""
    problem: str = ""
    """What the last of them failed for."""
    set_aside: int = 0
    """Turns that it could not take for a reason of their own: kept for the next start."""


class Delivery:
    """One sink. A busy or missing one is waited for; a batch that it cannot take is set aside."""

    def __init__(
        self,
        sink: TurnSink,
        *,
        set_aside: Callable[[Batch], None],
        giving_up: threading.Event,
        pauses: Sequence[float] = PAUSES,
        probe: Probe = lambda step: None,
    ) -> None:
        self._sink = sink
        self._set_aside = set_aside
        self._giving_up = giving_up
        self._pauses = pauses
        self._probe = probe
        self.progress = Progress()

    def bring(self, batches: Sequence[Batch]) -> bool:
        """Everything of this is in the sink, or set aside; False when it was told to give up."""
        wanted = joined(batches)
        strikes = 0
        while wanted and (problem := self._attempt(wanted)):
            strikes += not isinstance(problem, ReviewdeckError | OSError)
            if strikes >= STRIKES and len(wanted) > 1:
                return all([self.bring([batch]) for batch in wanted])
            if strikes >= STRIKES:
                self._leave(wanted[0])
                return True
            if self._giving_up.wait(self._pause()):
                return False
        return True

    def _attempt(self, batches: Sequence[Batch]) -> Exception | None:
        now = self.progress
        try:
            self._probe("retaining")
            self._sink.retain(batches)
        except Exception as problem:  # noqa: BLE001 - whatever a sink raises must not end the writer
            said = f"{type(problem).__name__}: {problem}"
            self.progress = replace(now, failures=now.failures + 1, problem=said)
            return problem
        self._probe("retained")
        amount = sum(len(batch.turns) for batch in batches)
        self.progress = replace(now, retained=now.retained + amount, failures=0, problem="")
        return None

    def _leave(self, batch: Batch) -> None:
        self._set_aside(batch)
        amount = self.progress.set_aside + len(batch.turns)
        self.progress = replace(self.progress, failures=0, set_aside=amount)

    def _pause(self) -> float:
        return self._pauses[min(self.progress.failures, len(self._pauses)) - 1]
