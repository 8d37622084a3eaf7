"""The one thread that brings turns to their sink: first what was left behind, then what comes."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from reviewdeck.ports import Probe, TurnSink
from reviewdeck.sessions.buffering import Buffers
from reviewdeck.sessions.delivery import Delivery
from reviewdeck.sessions.leftovers import records_of, replay
from reviewdeck.sessions.spool import Spool

LINGER: Final = 0.02
"""Seconds between the first turn of a burst and its transaction."""


class Writer:
    """Drains a spool in order, as long as it lives. Nothing that a sink does ends it."""

    def __init__(
        self,
        spool: Spool,
        folder: Path,
        sink: TurnSink,
        delivery: Delivery,
        *,
        giving_up: threading.Event,
        linger: float,
        probe: Probe,
    ) -> None:
        self._spool = spool
        self._folder = folder
        self._sink = sink
        self._delivery = delivery
        self._giving_up = giving_up
        self._linger = linger
        self._probe = probe
        self._buffers = Buffers(sink.mode)
        self._thread: threading.Thread | None = None
        self._door = threading.Lock()
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._news = threading.Condition()
        self._done = 0

    @property
    def is_started(self) -> bool:
        """Whether there was anything to do so far."""
        return self._thread is not None

    def wake(self) -> None:
        """There is something to do. Starts the thread with the first call."""
        if not self._wanted.is_set():
            self._wanted.set()
        if self._thread is None:
            self._start()

    def reach(self, mark: int, bound: float) -> bool:
        """Waits until this much of the spool went by; False when that takes longer."""
        with self._news:
            return self._news.wait_for(lambda: self._done >= mark, bound)

    def close(self, bound: float) -> bool:
        """Lets it drain what is there for so many seconds; says whether it got to the end."""
        self._closing.set()
        self._wanted.set()
        if self._thread is None:
            self._end()
            return True
        self._thread.join(bound)
        self._giving_up.set()
        return not self._thread.is_alive()

    def _start(self) -> None:
        with self._door:
            if self._thread is None and not self._closing.is_set():
                thread = threading.Thread(target=self._run, name="turn-writer", daemon=True)
                with suppress(RuntimeError):  # The interpreter ends: the spool has it.
                    thread.start()
                    self._thread = thread

    def _run(self) -> None:
        try:
            replay(self._folder, self._delivery, self._sink.mode)
            while self._drain() and not self._closing.is_set():
                self._wait()
            self._drain()  # What came while it was being told to close.
        finally:
            self._end()

    def _wait(self) -> None:
        self._wanted.wait()
        # Turns that come in a burst share a transaction.
        self._closing.wait(self._linger)
        self._wanted.clear()

    def _drain(self) -> bool:
        """Brings over all that is there; False when it gave up, which leaves it in the spool."""
        mark = self._spool.written
        while not self._giving_up.is_set() and (piece := self._spool.take()):
            self._probe("taken")
            batches = self._buffers.feed(records_of(piece.lines))
            if piece.is_last:
                # So that no segment has to be kept for a turn whose batch is not full.
                batches += self._buffers.drain()
            if not self._delivery.bring(batches):
                return False
            if piece.is_last:
                self._spool.release(piece.segment)
                self._probe("released")
        with self._news:
            self._done = mark
            self._news.notify_all()
        return not self._giving_up.is_set()

    def _end(self) -> None:
        self._spool.close()
        self._sink.close()
