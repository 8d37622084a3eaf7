"""What was painted of the proposals' diffs, in this session and in earlier ones. Pure values.

A sighting holds for one digest: what has another one was never seen. Anything odd in what was kept
counts as not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

MOST_SIGHTINGS: Final = 2_000
"""Proposals whose sighting is kept; the newest are."""


@dataclass(frozen=True, slots=True)
class PaintedDiff:
    """How much of one diff was on the screen."""

    digest: str | None
    """What a decision on exactly this would name; None for what cannot be approved as it is."""
    fraction: float
    """0 to 1, of what changes."""

    def joined(self, other: PaintedDiff | None) -> PaintedDiff:
        """With what was seen another time, where that was the same."""
        if other is None or other.digest != self.digest:
            return self
        return PaintedDiff(self.digest, max(self.fraction, other.fraction))


PaintedDiffs: TypeAlias = Mapping[str, PaintedDiff]
"""By proposal, the newest last."""


def as_json(sightings: PaintedDiffs) -> list[list[Any]]:
    """The newest of them, as they are kept; what has no digest cannot be told apart later."""
    named = ((id, one) for id, one in reversed(list(sightings.items())) if one.digest is not None)
    kept = [[id, one.digest, one.fraction] for id, one in islice(named, MOST_SIGHTINGS)]
    return kept[::-1]


def sightings_of(raw: Any) -> dict[str, PaintedDiff]:
    """What was kept, without everything that is odd; of what is there twice, nothing."""
    found: dict[str, PaintedDiff] = {}
    odd: set[str] = set()
    for id, one in _readable(raw):
        odd |= {id} & found.keys()
        found[id] = one
    kept = [(id, one) for id, one in found.items() if id not in odd]
    return dict(kept[-MOST_SIGHTINGS:])


def _readable(raw: Any) -> Iterator[tuple[str, PaintedDiff]]:
    for one in raw if isinstance(raw, list) else ():
        match one:
            case [str(id), str(digest), float() | int() as fraction] if (
                digest and not isinstance(fraction, bool) and 0 <= fraction <= 1
            ):
                yield id, PaintedDiff(digest, float(fraction))
