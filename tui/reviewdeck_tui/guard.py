"""The guard of the decision keys. Pure: the clock is passed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from reviewdeck_tui.sightings import PaintedDiff, PaintedDiffs

REPEAT: Final = 0.4
"""Seconds within which the same decision key counts as the same press."""


class Guard:
    """Records which diffs were painted, what changed since, and the last key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: tuple[str, float] = ("", float("-inf"))
        self._sightings: dict[str, PaintedDiff] = {}
        self._merged: dict[str, float] = {}
        self._held: str | None = None

    def is_repeat(self, action: str) -> bool:
        """Whether the same decision key was pressed again, too soon to be meant."""
        now = self._clock()
        name, at = self._last
        self._last = (action, now)
        return name == action and now - at < REPEAT

    def note_painted(self, id: str, digest: str | None, fraction: float) -> None:
        """Records that a proposal's diff under this digest is on the screen."""
        before = self._sightings.pop(id, None)
        if before is not None and before.digest != digest:
            self._merged.pop(id, None)
        self._sightings[id] = PaintedDiff(digest, fraction).joined(before)

    def note_merged(self, id: str, fraction: float) -> None:
        """Records a drafted merge: its coverage is the part of the result that was painted."""
        self._merged[id] = fraction

    def is_seen(self, id: str, digest: str | None) -> bool:
        """Whether the diff of this proposal, as it is now, was painted."""
        sighting = self._sightings.get(id)
        return sighting is not None and sighting.digest == digest

    def is_seen_whole(self, id: str, digest: str | None) -> bool:
        """Whether every changed line of the diff was painted."""
        return self.is_seen(id, digest) and self._sightings[id].fraction >= 1.0

    def coverage(self, id: str) -> float | None:
        """The part of the diff that was painted, 0 to 1; None if it never was.

        For a drafted merge, the part of its result.
        """
        if id in self._merged:
            return self._merged[id]
        sighting = self._sightings.get(id)
        return sighting.fraction if sighting is not None else None

    @property
    def sightings(self) -> PaintedDiffs:
        """All painted diffs, the newest last."""
        return dict(self._sightings)

    def add_earlier(self, earlier: PaintedDiffs) -> None:
        """Adds the diffs painted in earlier sessions; those of this session are newer."""
        merged = {id: sighting.joined(earlier.get(id)) for id, sighting in self._sightings.items()}
        earlier_only = {id: sighting for id, sighting in earlier.items() if id not in merged}
        self._sightings = earlier_only | merged

    def hold(self, id: str) -> None:
        """Blocks decisions on a proposal that changed under the cursor, until a movement key."""
        self._held = id

    def note_moved(self) -> None:
        """Records a movement key."""
        self._held = None

    def is_held(self, id: str) -> bool:
        """Whether decisions on this proposal wait for a movement key."""
        return self._held == id
