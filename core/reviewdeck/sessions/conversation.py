"""One agent's line of sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Lineage, Message, Turn
from reviewdeck.ports import Clock
from reviewdeck.sessions.codec import Flush, Opening, Taken, line_of
from reviewdeck.sessions.prefetch import Forgetful


@dataclass(frozen=True, slots=True)
class Way:
    """How a conversation reaches the spool."""

    put: Callable[[Opening, bytes], None]
    """Adds a line. Raises SpoolFull, SpoolUnavailable."""
    new_document: Callable[[], str]
    now: Clock
    retain_every_n_turns: int


@dataclass(slots=True)
class _Place:
    """The transcript that turns go to, and what was counted in it."""

    opening: Opening
    turns: int = 0
    messages: int = 0
    buffered: int = 0
    is_over: bool = False


class Conversation:
    """What is said goes to the session that it is in. Thread-safe.

    Counters start anew with each switch.
    """

    def __init__(
        self,
        way: Way,
        lineage: Lineage,
        *,
        home: str = "",
        platform: str = "",
        prefetch: Forgetful | None = None,
    ) -> None:
        self._way = way
        self._prefetch = prefetch
        self._lock = threading.Lock()
        self._home = home
        self._platform = platform
        self._place = self._enter(lineage)

    @property
    def session(self) -> str:
        """The session that it is in."""
        return self._place.opening.lineage.session

    @property
    def document(self) -> str:
        """The transcript that its turns go to."""
        return self._place.opening.document

    def record(
        self, messages: Sequence[Message], *, turn: str | None = None, at: datetime | None = None
    ) -> int:
        """Takes a turn and gives its number. Never waits for the sink.

        `turn` is the agent's own name for it. After an end, the session is resumed. Raises
        BadInput for a turn without a message, SpoolFull, SpoolUnavailable; then it was not taken.
        """
        if not messages:
            raise BadInput("A turn has at least one message.")
        with self._lock:
            if self._place.is_over:
                self._place = self._enter(replace(self._place.opening.lineage, began=Began.RESUME))
            place = self._place
            total = place.messages + len(messages)
            is_full = place.buffered + 1 >= self._way.retain_every_n_turns
            taken = Turn(place.turns, at or self._way.now(), tuple(messages), turn)
            line = line_of(Taken(place.opening.document, taken, total, is_full))
            self._way.put(place.opening, line)
            place.turns, place.messages = place.turns + 1, total
            place.buffered = 0 if is_full else place.buffered + 1
            return taken.number

    def flush(self) -> None:
        """Sends a batch on that is not full. Nothing to send is sent nowhere."""
        with self._lock:
            if self._place.buffered:
                self._flush(self._place, is_over=False)

    def end(self) -> None:
        """The session is over: what is buffered goes on. A switch afterwards adds nothing."""
        with self._lock:
            self._leave(self._place)

    def switch(
        self, session: str, *, began: Began = Began.RESET, parent: str | None = None
    ) -> None:
        """The agent goes on in another session, or in the same one anew.

        What is buffered goes on under the old document, with the old lineage and counts. A blank
        id is ignored. Without a `parent`, a reset, a branch and a compression come from the
        session that is left. What a prefetch found for the old session is dropped.
        """
        if not session.strip():
            return
        with self._lock:
            self._leave(self._place)
            if parent is None and began not in {Began.NEW, Began.RESUME}:
                parent = self.session
            self._place = self._enter(Lineage(session, parent, began))
        if self._prefetch is not None:
            self._prefetch.forget()

    def _enter(self, lineage: Lineage) -> _Place:
        document, started = self._way.new_document(), self._way.now()
        return _Place(Opening(document, lineage, self._home, self._platform, started))

    def _leave(self, place: _Place) -> None:
        if place.turns and not place.is_over:
            self._flush(place, is_over=True)
            place.is_over = True

    def _flush(self, place: _Place, *, is_over: bool) -> None:
        self._way.put(place.opening, line_of(Flush(place.opening.document, is_over)))
        place.buffered = 0
