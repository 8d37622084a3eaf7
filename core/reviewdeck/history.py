"""What happened to a document, who brought each part of it, and what was learnt since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.model import ABSENT, Cause, Observation, Revision
from reviewdeck.ports import Home, Ledger
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import parse


@dataclass(frozen=True, slots=True)
class Blamed:
    """One part of a document and what brought it."""

    text: str
    """A memory entry, or a line."""
    brought_by: Observation
    """Its cause says whether it was there when we first looked."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a composed diff."""

    kind: str
    """added, removed or kept."""
    text: str
    by: Observation
    """What brought it; for a removed one, what took it away."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything that happened to one document since a moment, as one diff."""

    home: str
    document: str
    before: Revision
    after: Revision
    rows: tuple[Row, ...]


Split = Callable[[str], Sequence[str]]


def splitter(home: Home, path: str) -> Split:
    """How a document falls into parts: a memory into entries, everything else into lines."""
    is_memory = home.snapshot().budget(path) is not None
    return parse if is_memory else str.splitlines


def blame(ledger: Ledger, home: Home, path: str) -> tuple[Blamed, ...]:
    """Who brought each part of a document, as we last saw it."""
    parts: list[Blamed] = []
    split = splitter(home, path)
    is_lost = False
    for observation in ledger.observations(home.id, path):
        if _is_lost(ledger, observation):
            parts, is_lost = [], True
            continue
        by = _as_first_seen(observation) if is_lost else observation
        parts, is_lost = _carried(parts, _parts(ledger, observation.revision, split), by), False
    return tuple(parts)


def learnt(ledger: Ledger, home: Home, moment: datetime | None) -> list[Learnt]:
    """One composed, blamed diff for each document that changed after a moment."""
    found: list[Learnt] = []
    for path, latest in sorted(ledger.latest(home.id).items()):
        if moment is not None and latest.at <= moment:
            continue
        divided = _divided(ledger.observations(home.id, path), moment)
        earlier, news = _from_what_is_kept(ledger, *divided)
        if news and (one := _learnt(ledger, home, path, earlier, news)):
            found.append(one)
    return found


def _divided(
    observations: Sequence[Observation], moment: datetime | None
) -> tuple[list[Observation], list[Observation]]:
    """What was known at a moment, and what came after. What our first look found is no news."""
    earlier: list[Observation] = []
    news: list[Observation] = []
    for observation in observations:
        is_news = observation.cause is not Cause.SEEN
        is_later = moment is None or observation.at > moment
        (news if is_news and is_later else earlier).append(observation)
    return earlier, news


def _is_lost(ledger: Ledger, observation: Observation) -> bool:
    """Whether its text is not kept any more."""
    revision = observation.revision
    return revision != ABSENT and ledger.content(revision) is None


def _as_first_seen(observation: Observation) -> Observation:
    """What came before is not kept: which part of it this one brought cannot be told."""
    return replace(observation, cause=Cause.SEEN, operation=None, proposal=None, actor=None)


def _from_what_is_kept(
    ledger: Ledger, earlier: list[Observation], news: list[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """When the text to begin with is gone, the first one that is kept takes its place."""
    while earlier and news and _is_lost(ledger, earlier[-1]):
        earlier = [_as_first_seen(news[0])]
        news = news[1:]
    return earlier, news


def _learnt(
    ledger: Ledger,
    home: Home,
    path: str,
    earlier: Sequence[Observation],
    news: Sequence[Observation],
) -> Learnt | None:
    split = splitter(home, path)
    before = earlier[-1].revision if earlier else ABSENT
    old = [Blamed(text, earlier[-1]) for text in _parts(ledger, before, split)] if earlier else []
    parts, gone = old, dict[str, Observation]()
    for observation in news:
        texts = _parts(ledger, observation.revision, split)
        gone |= {part.text: observation for part in parts if part.text not in set(texts)}
        parts = _carried(parts, texts, observation)
    rows = _rows(old, parts, gone)
    if all(row.kind == "kept" for row in rows):
        return None
    return Learnt(home.id, path, before, news[-1].revision, rows)


def _rows(
    old: Sequence[Blamed], new: Sequence[Blamed], gone: dict[str, Observation]
) -> tuple[Row, ...]:
    rows: list[Row] = []
    at = 0
    last = new[-1].brought_by if new else None
    for hunk in diff([part.text for part in old], [part.text for part in new]):
        rows += [Row("kept", part.text, part.brought_by) for part in old[at : hunk.a_start]]
        for part in old[hunk.a_start : hunk.a_end]:
            rows.append(Row("removed", part.text, gone.get(part.text, last or part.brought_by)))
        rows += [
            Row("added", part.text, part.brought_by) for part in new[hunk.b_start : hunk.b_end]
        ]
        at = hunk.a_end
    return (*rows, *(Row("kept", part.text, part.brought_by) for part in old[at:]))


def _parts(ledger: Ledger, revision: Revision, split: Split) -> Sequence[str]:
    data = ledger.content(revision)
    return split(data.decode("utf-8", errors="replace")) if data else ()


def _carried(
    parts: Sequence[Blamed], texts: Sequence[str], observation: Observation
) -> list[Blamed]:
    """The parts of the next revision: what stayed keeps its author, the rest gets this one."""
    carried: list[Blamed] = []
    at = 0
    for hunk in diff([part.text for part in parts], texts):
        carried += parts[at : hunk.a_start]
        carried += [Blamed(text, observation) for text in texts[hunk.b_start : hunk.b_end]]
        at = hunk.a_end
    return carried + list(parts[at:])
