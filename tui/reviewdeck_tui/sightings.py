"""The painted part of each proposal's diff, in this session and in earlier ones. Pure values.

A sighting holds for one digest: a diff with another one was never seen. Malformed stored values
count as not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

MOST_SIGHTINGS: Final = 2_000
"""Proposals whose sighting is stored: the newest ones."""


@dataclass(frozen=True, slots=True)
class PaintedDiff:
    """The painted part of one diff."""

    digest: str | None
    """The digest that a decision would name; None for what cannot be approved as it is."""
    fraction: float
    """The painted part of the changed lines, 0 to 1."""

    def joined(self, other: PaintedDiff | None) -> PaintedDiff:
        """This sighting joined with another one of the same digest."""
        if other is None or other.digest != self.digest:
            return self
        return PaintedDiff(self.digest, max(self.fraction, other.fraction))


PaintedDiffs: TypeAlias = Mapping[str, PaintedDiff]
"""By proposal, the newest last."""


def as_json(sightings: PaintedDiffs) -> list[list[Any]]:
    """The stored form of the newest ones. Those without a digest could not be matched later."""
    with_digest = (
        (id, diff) for id, diff in reversed(list(sightings.items())) if diff.digest is not None
    )
    rows = [[id, diff.digest, diff.fraction] for id, diff in islice(with_digest, MOST_SIGHTINGS)]
    return rows[::-1]


def sightings_of(raw: Any) -> dict[str, PaintedDiff]:
    """The stored sightings, without malformed ones and without ids that are there twice."""
    sightings: dict[str, PaintedDiff] = {}
    duplicates: set[str] = set()
    for id, diff in _readable(raw):
        duplicates |= {id} & sightings.keys()
        sightings[id] = diff
    unique = [(id, diff) for id, diff in sightings.items() if id not in duplicates]
    return dict(unique[-MOST_SIGHTINGS:])


def _readable(raw: Any) -> Iterator[tuple[str, PaintedDiff]]:
    for row in raw if isinstance(raw, list) else ():
        match row:
            case [str(id), str(digest), float() | int() as fraction] if (
                digest and not isinstance(fraction, bool) and 0 <= fraction <= 1
            ):
                yield id, PaintedDiff(digest, float(fraction))
