"""What others wrote, noted before anything of ours comes after it: so credit is exact.

A look at a home and a batch that is written there may cross each other. What was looked at counts
only as long as the ledger still knows of the document what it knew before the look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.engine.direct import record_outside
from reviewdeck.engine.similarity import removed
from reviewdeck.model import (
    ABSENT,
    Actor,
    ActorKind,
    Cause,
    Kind,
    Likeness,
    Observation,
    Revision,
    executes_otherwise,
)
from reviewdeck.ports import Ledger

OUTSIDE = Actor(ActorKind.OUTSIDE, "outside review")


@dataclass(frozen=True, slots=True)
class Live:
    """One document as it was found."""

    path: str
    revision: Revision
    data: bytes | None
    kind: Kind
    index: str | None = None
    """The document that lists it, a line with its file's name."""
    mode: int | None = None
    """Its permission bits, where it is a file of a skill and they are known."""


def note_outside(
    ledger: Ledger,
    home: str,
    found: Iterable[Live],
    known: Mapping[str, Observation],
    at: datetime,
    *,
    is_ours: bool = False,
) -> tuple[tuple[Observation, ...], bool]:
    """Stores each document that is not as we last knew it, with its bytes and what went out of it.

    `known` is what the ledger said before the documents were looked at. With `is_ours` the locks of
    these documents are held: whatever batch is open there is not being written. Gives what was
    stored, and whether that is everything that differs.
    """
    every = tuple(found)
    if modes := _learnt_modes(every, known):
        ledger.learn_modes(home, modes)
        learnt = {path: replace(known[path], mode=mode) for path, (_, mode) in modes.items()}
        known = {**known, **learnt}
    moved = {live.path: live for live in every if _is_news(live, known)}
    if not moved:
        return (), True
    # A file that appears in a home that we know was made by somebody, outside review; a home that
    # was empty when it was first looked at is known as well.
    is_known = bool(known) or ledger.stamp(home) is not None
    cause = Cause.OUTSIDE if is_known else Cause.SEEN
    seen = [
        Observation(home, path, live.revision, at, cause, actor=OUTSIDE, mode=live.mode)
        for path, live in moved.items()
    ]
    contents = [live.data for live in moved.values() if live.data is not None]
    kinds = {path: live.kind for path, live in moved.items()}
    indexes = {path: live.index for path, live in moved.items() if live.index is not None}
    with ledger.together():
        stored = ledger.observe(seen, contents, known=known, is_ours=is_ours)
        record_outside(ledger, home, stored, known, kinds, indexes)
    if gone := _removed(ledger, moved, stored, known):
        ledger.remember(home, gone, at)
    return stored, len(stored) == len(seen)


def _is_news(live: Live, known: Mapping[str, Observation]) -> bool:
    last = known.get(live.path)
    if last is None:
        return live.revision != ABSENT
    return live.revision != last.revision or executes_otherwise(last.mode, live.mode)


def _learnt_modes(
    found: Iterable[Live], known: Mapping[str, Observation]
) -> dict[str, tuple[Revision, int]]:
    """Modes of which the ledger knows nothing: that one becomes known is no news."""
    return {
        live.path: (live.revision, live.mode)
        for live in found
        if live.mode is not None
        and (last := known.get(live.path)) is not None
        and last.mode is None
        and last.revision == live.revision
    }


def _removed(
    ledger: Ledger,
    moved: Mapping[str, Live],
    stored: Iterable[Observation],
    known: Mapping[str, Observation],
) -> list[Likeness]:
    """Texts that were there and are not any more: they must not come back unseen."""
    found: list[Likeness] = []
    for one in stored:
        if (last := known.get(one.path)) is not None:
            live = moved[one.path]
            then = ledger.content(last.revision)
            found += removed(one.path, then, live.data, is_memory=live.kind is Kind.MEMORY)
    return found
