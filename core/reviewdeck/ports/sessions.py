"""Where turns go, and where they are read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from reviewdeck.model import SessionMode, Transcript, Turn, TurnBatch


class TurnSink(Protocol):
    """Keeps turns. The same batch twice is kept once: that makes a replay after a crash exact."""

    @property
    def mode(self) -> SessionMode:
        """What it wants to be sent."""
        ...

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Keeps these, durably, in this order.

        A turn is known by its transcript and its number. Appended, one that is there already
        stays as it is. Replaced, a transcript is what it had before the batch's first turn,
        followed by the batch. Raises ReviewdeckError or OSError when it cannot now.
        """
        ...

    def close(self) -> None:
        """Lets go of what it holds."""
        ...


class TurnReader(Protocol):
    """The turns of sessions, whatever keeps them."""

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The transcripts of a session, oldest first. Empty for one that nobody recorded."""
        ...

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a transcript, those before this number; in order."""
        ...


class Turns(TurnReader, Protocol):
    """What our recorder kept."""

    def has_turns(self, home: str) -> bool:
        """Whether any session of this home was ever recorded, as far as that is still kept."""
        ...
