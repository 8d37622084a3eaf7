"""Observing documents: outside changes are recorded before our own writes.

Reading a home and writing a batch may overlap. What was read counts only while the ledger's last
observation of the document is still the one from before the read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from reviewdeck.engine.outside import record_outside
from reviewdeck.engine.similarity import removed
from reviewdeck.ledger.ledger import Ledger
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
from reviewdeck.values import dataclass

OUTSIDE = Actor(ActorKind.OUTSIDE, "outside review")


@dataclass(frozen=True, slots=True)
class Live:
    """One document as it was read."""

    path: str
    revision: Revision
    data: bytes | None
    kind: Kind
    index: str | None = None
    """The index document with a line that names this file."""
    mode: int | None = None
    """Its permission bits, where it is a file of a skill and they are known."""
    is_derived: bool = False
    """Whether the agent made it of other documents: a change of it is not reviewed alone."""


def record_observations(
    ledger: Ledger,
    home: str,
    documents: Iterable[Live],
    latest: Mapping[str, Observation],
    at: datetime,
    *,
    is_ours: bool = False,
) -> tuple[tuple[Observation, ...], bool]:
    """Stores an observation of each document that changed, with its bytes and removed texts.

    `latest` are the ledger's observations from before the documents were read. With `is_ours` the
    locks of these documents are held: an open batch is not being written. Gives the stored
    observations, and whether these are all that differ.
    """
    every = tuple(documents)
    if modes := _new_modes(every, latest):
        ledger.learn_modes(home, modes)
        document = {path: replace(latest[path], mode=mode) for path, (_, mode) in modes.items()}
        latest = {**latest, **document}
    moved = {live.path: live for live in every if _has_changed(live, latest)}
    if not moved:
        return (), True
    # A file that appears in a known home was written outside review; a home that
    # was empty at its first intake is known as well.
    is_known = bool(latest) or ledger.stamp(home) is not None
    observations = [
        Observation(
            home,
            path,
            live.revision,
            at,
            Cause.OUTSIDE if is_known and not live.is_derived else Cause.SEEN,
            actor=OUTSIDE,
            mode=live.mode,
        )
        for path, live in moved.items()
    ]
    contents = {live.revision: live.data for live in moved.values() if live.data is not None}
    kinds = {path: live.kind for path, live in moved.items()}
    indexes = {path: live.index for path, live in moved.items() if live.index is not None}
    with ledger.together(home):
        stored = ledger.observe(observations, [*contents.values()], latest=latest, is_ours=is_ours)
        record_outside(ledger, home, stored, latest, kinds, indexes, contents)
    if removals := _removed_texts(ledger, moved, stored, latest):
        ledger.remember(home, removals, at)
    return stored, len(stored) == len(observations)


def _has_changed(live: Live, latest: Mapping[str, Observation]) -> bool:
    last = latest.get(live.path)
    if last is None:
        return live.revision != ABSENT
    return live.revision != last.revision or executes_otherwise(last.mode, live.mode)


def _new_modes(
    documents: Iterable[Live], latest: Mapping[str, Observation]
) -> dict[str, tuple[Revision, int]]:
    """The modes that the ledger does not know yet: learning one is no change."""
    return {
        live.path: (live.revision, live.mode)
        for live in documents
        if live.mode is not None
        and (last := latest.get(live.path)) is not None
        and last.mode is None
        and last.revision == live.revision
    }


def _removed_texts(
    ledger: Ledger,
    moved: Mapping[str, Live],
    stored: Iterable[Observation],
    latest: Mapping[str, Observation],
) -> list[Likeness]:
    """The removed texts: they must not come back unseen."""
    removals: list[Likeness] = []
    for observation in stored:
        if (last := latest.get(observation.path)) is not None:
            live = moved[observation.path]
            then = ledger.content(last.revision)
            removals += removed(
                observation.path, then, live.data, is_memory=live.kind is Kind.MEMORY
            )
    return removals
