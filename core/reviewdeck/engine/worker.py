"""The worker of one host: what its homes show, and what was decided elsewhere.

It is the watch, which also asks the ledger: at intervals, and at once when the ledger has news. It
refuses a ledger that lacks lines of the log which this host saw: an older copy, or a server that is
no longer the one that operators use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.recovery import report_again
from reviewdeck.engine.watch import Watch, WatchEvent, recoveries
from reviewdeck.files.host_notes import HostNotesFile

BEAT: Final = 30.0
"""Seconds between two reports that this worker is alive."""


class Worker(Watch):
    """Watches some homes, and asks the ledger what was decided for them."""

    def __init__(
        self,
        open_engine: Callable[[], Engine],
        identity: Callable[[], object],
        now: Callable[[], datetime],
        *,
        notes: HostNotesFile,
        version: str,
        pause: Callable[[], float],
    ) -> None:
        """`pause` gives the seconds until the ledger is asked again: not the same for all hosts."""
        super().__init__(open_engine, identity, now)
        self._notes = notes
        self._version = version
        self._pause_of_asking = pause
        self._next_question = 0.0
        self._next_beat = 0.0
        self._reported: str | None = None
        self._is_connected = False
        """Whether it was compared with this ledger what this host had told it."""
        self.reached: float | None = None
        """When the ledger last answered, by the clock of `turn`; None while it never did."""

    def expect_news(self) -> None:
        """Asks the ledger at the next turn."""
        self._next_question = 0.0

    def open(self) -> None:
        super().open()
        self._next_question = self._next_beat = 0.0
        self._is_connected = False

    def turn(self, moment: float, is_over: Callable[[], bool]) -> Iterator[WatchEvent]:
        for happening in super().turn(moment, is_over):
            self.expect_news()  # What was reported just now is remembered at the next turn.
            yield happening

    def _ask(self, moment: float) -> Iterator[WatchEvent]:
        engine = self.engine
        if engine is None or moment < self._next_question:
            return
        self._next_question = moment + self._pause_of_asking()
        ledger, notes = engine.ledger, self._notes.read()
        ids = [open_home.home.id for open_home in engine.here]
        if not self._is_connected:
            ledger.require(notes.heads)
            for open_home in engine.here:
                yield from recoveries(engine, open_home, report_again(engine, open_home))
            self._is_connected = True
        for home in ledger.homes_with_work(ids):
            self.mark_dirty(engine.home(home).where, is_record=False)
        # Another worker of this host may watch other homes.
        if (heads := {**notes.heads, **ledger.heads(["", *ids])}) != notes.heads:
            self._notes.write(replace(notes, heads=heads))
        ledger.require(heads)
        self._report(engine, moment)
        self.reached = moment

    def _report(self, engine: Engine, moment: float) -> None:
        """Says that this host is alive, at intervals, and at once when that changed."""
        problem = " ".join(home.problem for home in self._homes.values() if home.problem)
        is_due = moment >= self._next_beat or problem != self._reported
        if engine.machine is not None and is_due:
            engine.ledger.note_host(engine.machine.name, self._version, problem)
            self._next_beat, self._reported = moment + BEAT, problem
