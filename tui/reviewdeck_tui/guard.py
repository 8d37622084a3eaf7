"""When a decision key may be obeyed. Pure: the clock is handed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from reviewdeck_tui.sightings import PaintedDiff, PaintedDiffs

REPEAT: Final = 0.4
"""Seconds within which a decision key that is pressed again is taken for the same press."""


class Guard:
    """Remembers what was painted, what changed since, and which key was the last."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: tuple[str, float] = ("", float("-inf"))
        self._sightings: dict[str, PaintedDiff] = {}
        self._merged: dict[str, float] = {}
        self._held: str | None = None

    def is_repeat(self, action: str) -> bool:
        """Whether this is the same decision key again, too soon to be meant."""
        now = self._clock()
        name, at = self._last
        self._last = (action, now)
        return name == action and now - at < REPEAT

    def painted(self, id: str, digest: str | None, fraction: float) -> None:
        """The diff of this proposal, as it is under this digest, is on the screen."""
        before = self._sightings.pop(id, None)
        if before is not None and before.digest != digest:
            self._merged.pop(id, None)
        self._sightings[id] = PaintedDiff(digest, fraction).joined(before)

    def merged(self, id: str, fraction: float) -> None:
        """A merge of this proposal is drafted: what counts is how much of its result was seen."""
        self._merged[id] = fraction

    def is_seen(self, id: str, digest: str | None) -> bool:
        """Whether the diff of this proposal, as it is now, was on the screen."""
        found = self._sightings.get(id)
        return found is not None and found.digest == digest

    def is_seen_whole(self, id: str, digest: str | None) -> bool:
        """Whether all that its diff changes was on the screen, from its beginning to its end."""
        return self.is_seen(id, digest) and self._sightings[id].fraction >= 1.0

    def coverage(self, id: str) -> float | None:
        """How much of the diff was on the screen, 0 to 1; None when it never was.

        Of a merge it is how much of the result was.
        """
        if id in self._merged:
            return self._merged[id]
        found = self._sightings.get(id)
        return found.fraction if found is not None else None

    @property
    def sightings(self) -> PaintedDiffs:
        """Everything that was painted, as it is now; the newest last."""
        return dict(self._sightings)

    def remember(self, earlier: PaintedDiffs) -> None:
        """Takes over what was painted in earlier sessions; what this one painted is newer."""
        now = {id: one.joined(earlier.get(id)) for id, one in self._sightings.items()}
        before = {id: one for id, one in earlier.items() if id not in now}
        self._sightings = before | now

    def hold(self, id: str) -> None:
        """This proposal changed under the cursor: decision keys wait for a movement key."""
        self._held = id

    def moved(self) -> None:
        """A movement key was pressed."""
        self._held = None

    def is_held(self, id: str) -> bool:
        """Whether decisions on this proposal wait for a movement key."""
        return self._held == id
