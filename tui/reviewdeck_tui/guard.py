"""When a decision key may be obeyed. Pure: the clock is handed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

REPEAT: Final = 0.4
"""Seconds within which a decision key that is pressed again is taken for the same press."""


class Guard:
    """Remembers what was painted, what changed since, and which key was the last."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: tuple[str, float] = ("", float("-inf"))
        self._painted: dict[str, str | None] = {}
        self._coverage: dict[str, float] = {}
        self._held: str | None = None

    def is_repeat(self, action: str) -> bool:
        """Whether this is the same decision key again, too soon to be meant."""
        now = self._clock()
        name, at = self._last
        self._last = (action, now)
        return name == action and now - at < REPEAT

    def painted(self, id: str, digest: str | None, fraction: float) -> None:
        """The diff of this proposal, as it is under this digest, is on the screen."""
        if self._painted.get(id, "") != digest:
            self._coverage[id] = 0.0
        self._painted[id] = digest
        self._coverage[id] = max(fraction, self._coverage[id])

    def is_seen(self, id: str, digest: str | None) -> bool:
        """Whether the diff of this proposal, as it is now, was on the screen."""
        return id in self._painted and self._painted[id] == digest

    def coverage(self, id: str) -> float | None:
        """How much of the diff was on the screen, 0 to 1; None when it never was."""
        return self._coverage.get(id)

    def hold(self, id: str) -> None:
        """This proposal changed under the cursor: decision keys wait for a movement key."""
        self._held = id

    def moved(self) -> None:
        """A movement key was pressed."""
        self._held = None

    def is_held(self, id: str) -> bool:
        """Whether decisions on this proposal wait for a movement key."""
        return self._held == id
