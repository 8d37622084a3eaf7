"""Taking the turns of conversations without making an agent wait, and losing none of them."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from reviewdeck.errors import BadInput
from reviewdeck.model import Batch, Began, Lineage
from reviewdeck.ports import Clock, NewId, Probe, TurnSink
from reviewdeck.sessions.codec import Opening, line_of
from reviewdeck.sessions.conversation import Conversation, Way
from reviewdeck.sessions.delivery import PAUSES, Delivery, Progress
from reviewdeck.sessions.leftovers import put_aside
from reviewdeck.sessions.prefetch import Forgetful
from reviewdeck.sessions.segments import left_behind
from reviewdeck.sessions.spool import Limits, Spool
from reviewdeck.sessions.writer import LINGER, Writer

DRAIN: Final = 5.0
"""Seconds for which closing waits for the sink."""


def _quiet(step: str) -> None:
    """The probe of everyday use."""


@dataclass(frozen=True, slots=True)
class Pace:
    """When a recorder does what."""

    retain_every_n_turns: int = 1
    """Turns of a session that go to the sink together."""
    linger: float = LINGER
    """Seconds between a turn and its transaction, for others to join it."""
    pauses: Sequence[float] = PAUSES
    """Seconds between attempts at a sink that fails."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Condition:
    """How a recorder fares."""

    waiting: int
    """Bytes in its spool."""
    progress: Progress


class Recorder:
    """One spool, one writer, one sink; as many conversations as an agent has.

    `record` returns as soon as the turn is in the spool, which outlives the process. Everything
    else happens in the writer's thread, which starts with the first turn.
    """

    def __init__(
        self,
        folder: Path,
        sink: TurnSink,
        *,
        now: Clock,
        new_id: NewId,
        pace: Pace | None = None,
        probe: Probe = _quiet,
    ) -> None:
        self._pace = pace or Pace()
        if self._pace.retain_every_n_turns < 1:
            raise BadInput("A batch has at least one turn.")
        self._now = now
        self._new_id = new_id
        self._folder = folder
        self._probe = probe
        self._giving_up = threading.Event()
        self._door = threading.Lock()
        self._is_closed = False
        self._is_drained = False
        self._is_registered = False
        self._spool = Spool(folder, self._new_document(), self._pace.limits)
        self._delivery = Delivery(
            sink,
            set_aside=self._set_aside,
            giving_up=self._giving_up,
            pauses=self._pace.pauses,
            probe=probe,
        )
        self._writer = Writer(
            self._spool,
            folder,
            sink,
            self._delivery,
            giving_up=self._giving_up,
            linger=self._pace.linger,
            probe=probe,
        )
        if left_behind(folder):
            self._wake()

    @property
    def condition(self) -> Condition:
        """How it fares: what waits, what fails."""
        return Condition(self._spool.waiting, self._delivery.progress)

    def begin(
        self,
        session: str,
        *,
        parent: str | None = None,
        began: Began = Began.NEW,
        home: str = "",
        platform: str = "",
        prefetch: Forgetful | None = None,
    ) -> Conversation:
        """A conversation, from this session on. Raises BadInput for a blank id."""
        if not session.strip():
            raise BadInput("A session needs an id.")
        lineage = Lineage(session, parent, began)
        pace = self._pace.retain_every_n_turns
        way = Way(self._put, self._new_document, self._now, pace)
        return Conversation(way, lineage, home=home, platform=platform, prefetch=prefetch)

    def drain(self, bound: float = DRAIN) -> bool:
        """Waits until all full batches are in the sink; False when that takes too long."""
        return not self._writer.is_started or self._writer.reach(self._spool.written, bound)

    def close(self, bound: float = DRAIN) -> bool:
        """Brings everything to the sink, partial batches included; False when time ran out.

        What is left then is in the spool, and so is what is recorded later: the next recorder of
        this folder brings it over. A second call does nothing more.
        """
        with self._door:
            if not self._is_closed:
                self._is_closed = True
                atexit.unregister(self.close)
                self._spool.seal()
                self._is_drained = self._writer.close(bound)
            return self._is_drained

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _new_document(self) -> str:
        """A name for a transcript: long enough that two of them are never the same."""
        return self._new_id() + self._new_id()

    def _put(self, opening: Opening, line: bytes) -> None:
        """Into the spool. Raises SpoolFull, SpoolUnavailable."""
        self._spool.append(opening.document, lambda: line_of(opening), line)
        self._probe("spooled")
        self._wake()

    def _wake(self) -> None:
        if self._is_closed:
            return
        if not self._is_registered:
            self._is_registered = True
            # A daemon thread still runs at that time, and has to: others are joined before.
            atexit.register(self.close)
        self._writer.wake()

    def _set_aside(self, batch: Batch) -> None:
        put_aside(self._folder, self._new_document, batch)
