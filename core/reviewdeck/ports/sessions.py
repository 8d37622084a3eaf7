"""Turns of sessions: the sink that stores them and the reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from reviewdeck.model import SessionMode, Transcript, Turn, TurnBatch


class TurnSink(Protocol):
    """Stores turns. The same batch twice is stored once, so a replay after a crash is exact."""

    @property
    def mode(self) -> SessionMode:
        """Whether it is sent new turns or whole transcripts."""

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Stores these batches, durably, in this order.

        A turn is known by its transcript and its number. Appended, one that is there already
        stays as it is. Replaced, a transcript is what it had before the batch's first turn,
        followed by the batch. Raises ReviewdeckError or OSError when it cannot now.
        """

    def close(self) -> None: ...


class TurnReader(Protocol):
    """Reads the turns of sessions."""

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The transcripts of a session, oldest first. Empty for one that nobody recorded."""

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a transcript, those before this number; in order."""


class Turns(TurnReader, Protocol):
    """The turns stored by our recorder."""

    def has_turns(self, home: str) -> bool:
        """Whether any session of this home was recorded and is still stored."""
