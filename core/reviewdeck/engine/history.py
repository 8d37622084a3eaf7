"""What happened to a document, and who brought each part of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reviewdeck.model import (
    ABSENT,
    Cause,
    Observation,
    Revision,
    became,
)
from reviewdeck.ports import Home, LedgerReader
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import parse


@dataclass(frozen=True, slots=True)
class Blamed:
    """One part of a document and what brought it."""

    text: str
    """A memory entry, or a line."""
    brought_by: Observation
    """Its cause says whether it was there when we first looked."""


Split = Callable[[str], Sequence[str]]


def splitter(home: Home, path: str) -> Split:
    """How a document falls into parts: a memory into entries, everything else into lines."""
    return split_of(is_memory=home.snapshot().has_entries(path))


def split_of(*, is_memory: bool) -> Split:
    """Into entries, or into lines."""
    return parse if is_memory else str.splitlines


def blame(ledger: LedgerReader, home: Home, path: str) -> tuple[Blamed, ...]:
    """Who brought each part of a document, as we last saw it."""
    parts: list[Blamed] = []
    split = splitter(home, path)
    was_lost = False
    for observation in ledger.observations(home.id, path):
        if is_lost(ledger, observation):
            parts, was_lost = [], True
            continue
        by = as_first_seen(observation) if was_lost else observation
        parts, was_lost = carried(parts, parts_at(ledger, observation.revision, split), by), False
    return tuple(parts)


def modes_told(observations: Sequence[Observation]) -> tuple[str, ...]:
    """For each of a document: that it can be executed since, or no longer; else nothing."""
    said: list[str] = []
    mode: int | None = None
    for one in observations:
        said.append(became(mode, one.mode))
        mode = mode if one.mode is None else one.mode
    return tuple(said)


def is_lost(ledger: LedgerReader, observation: Observation) -> bool:
    """Whether its text is not kept any more."""
    revision = observation.revision
    return revision != ABSENT and ledger.content(revision) is None


def as_first_seen(observation: Observation) -> Observation:
    """What came before is not kept: which part of it this one brought cannot be told."""
    return replace(observation, cause=Cause.SEEN, operation=None, proposal=None, actor=None)


def parts_at(ledger: LedgerReader, revision: Revision, split: Split) -> Sequence[str]:
    """The parts of a document at a revision; none when it was absent or is not kept."""
    data = ledger.content(revision)
    return split(data.decode("utf-8", errors="replace")) if data else ()


def carried(
    parts: Sequence[Blamed], texts: Sequence[str], observation: Observation
) -> list[Blamed]:
    """The parts of the next revision: what stayed keeps its author, the rest gets this one."""
    kept: list[Blamed] = []
    at = 0
    for hunk in diff([part.text for part in parts], texts):
        kept += parts[at : hunk.a_start]
        kept += [Blamed(text, observation) for text in texts[hunk.b_start : hunk.b_end]]
        at = hunk.a_end
    return kept + list(parts[at:])
