"""Changes that were made outside review: which of them Hermes' own work accounts for.

What Hermes leaves behind is read, and whoever has this account can leave the same: this tells
ordinary work from what nobody can account for, and is no proof of who did it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from reviewdeck.engine.archives import SKILL_DOCUMENT, archive_of
from reviewdeck.engine.bases import touched_paths
from reviewdeck.model import (
    ABSENT,
    Cause,
    Change,
    DirectChange,
    Observation,
    Proposal,
    Ready,
    Revision,
    SkillDelete,
    State,
)
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Filter, Home, LedgerReader, Snapshot
from reviewdeck.text import entries

MOST_TRIED: Final = 8
"""Proposals about one document of which any may have been approved elsewhere."""
_MOST_ASKED: Final = 200
_UNDECIDED: Final = tuple(state for state in State if state is State.ELSEWHERE or state.is_open)
"""Where a proposal stands that was decided elsewhere, whether we have looked since or not."""


class Accounts:
    """What accounts for changes of one home's documents outside review."""

    def __init__(self, ledger: LedgerReader, home: Home, snapshot: Snapshot) -> None:
        self._ledger = ledger
        self._home = home
        self._snapshot = snapshot

    def of(self, path: str) -> str | None:
        """What accounts for every change of a document outside review; None where nothing does."""
        seen = self._ledger.observations(self._home.id, path)
        live = self._snapshot.document(path).revision
        said = [self.of_change(move) for move in _moves(path, seen, live)]
        if not said or None in said:
            return None
        return "; ".join(dict.fromkeys(one for one in said if one))

    def of_change(self, move: DirectChange) -> str | None:
        """What accounts for one change; None where nothing does."""
        if move.modes:  # Nothing that Hermes keeps says who may execute a file.
            return None
        if by := self._deleted(move) or self._approved(move):
            return f"approved in Hermes ({', '.join(one.source_id or one.id for one in by)})"
        archive = None
        if move.after == ABSENT:
            archive = archive_of(self._home, self._snapshot, move.path, move.before)
        return None if archive is None else f"archived by Hermes' curator, to {archive}"

    def _deleted(self, move: DirectChange) -> list[Proposal]:
        """The proposal that let a skill go as a whole: nothing of it can be planned any more."""
        match = SKILL_DOCUMENT.fullmatch(move.path)
        if match is None or move.after != ABSENT:
            return []
        wanted = [one for one in self._gone if _deletes(one, match[2])]
        return wanted[-1:] if self._snapshot.skill(match[2]) is None else []

    def _approved(self, move: DirectChange) -> list[Proposal]:
        """The proposals decided elsewhere that come to exactly this; none where none do."""
        before, after = self._content(move.path, move.before), self._content(move.path, move.after)
        is_kept = (before is not None or move.before == ABSENT) and (
            after is not None or move.after == ABSENT
        )
        candidates = self._by_document.get(move.path, [])[-MOST_TRIED:] if is_kept else []
        return _search(candidates, _Text(move.path, before, self._snapshot), after) or []

    def _content(self, path: str, revision: Revision) -> bytes | None:
        if revision == ABSENT:
            return None
        live = self._snapshot.document(path)
        return live.data if live.revision == revision else self._ledger.content(revision)

    @cached_property
    def _gone(self) -> list[Proposal]:
        """The proposals whose records are gone without us, oldest first."""
        there = {one.source for one in self._home.scan()}
        items = self._ledger.page(Filter((self._home.id,), _UNDECIDED), limit=_MOST_ASKED)
        gone = [one.id for one in items if one.source and one.source not in there]
        found = [self._ledger.proposal(id) for id in gone]
        return sorted(found, key=lambda one: one.created_at.timestamp() if one.created_at else 0.0)

    @cached_property
    def _by_document(self) -> dict[str, list[Proposal]]:
        by_path: dict[str, list[Proposal]] = {}
        for one in self._gone:
            for path in touched_paths(one, self._snapshot):
                by_path.setdefault(path, []).append(one)
        return by_path


def _deletes(proposal: Proposal, skill: str) -> bool:
    return any(isinstance(edit, SkillDelete) and edit.name == skill for edit in proposal.edits)


def _moves(path: str, seen: Sequence[Observation], live: Revision) -> Iterator[DirectChange]:
    """The stretches of a document's past that nobody here decided, the one up to now included."""
    before: Revision = ABSENT
    start: Revision | None = None
    for one in seen:
        if one.cause is Cause.OUTSIDE:
            start = before if start is None else start
        elif start is not None:
            yield DirectChange(path, start, before)
            start = None
        before = one.revision
    if live != before and seen:
        start, before = (before if start is None else start), live
    if start is not None and start != before:
        yield DirectChange(path, start, before)


@dataclass(frozen=True, slots=True)
class _Text:
    """A document as it may have been at some moment, in a home that is otherwise as it is."""

    path: str
    data: bytes | None
    snapshot: Snapshot

    def with_(self, proposal: Proposal) -> _Text | None:
        """The document after a proposal; None where it cannot be done there."""
        live = self.snapshot.document(self.path).data
        overlay = Overlay(self.snapshot, [Change(self.path, live, self.data)])
        outcome = stage(replace(proposal, bases={}), overlay).outcome
        if not isinstance(outcome, Ready):
            return None
        changed = [one for one in outcome.plan.changes if one.path == self.path]
        return replace(self, data=changed[0].after) if changed else None

    def is_like(self, data: bytes | None) -> bool:
        """Whether Hermes would call it the same: a memory is its entries."""
        if self.data is None or data is None or not self.snapshot.has_entries(self.path):
            return self.data == data
        return _entries(self.data) == _entries(data)


def _entries(data: bytes) -> list[str]:
    return list(dict.fromkeys(entries.parse(data.decode("utf-8", "replace"))))


def _search(
    candidates: Sequence[Proposal], text: _Text, wanted: bytes | None
) -> list[Proposal] | None:
    """Which of these, in this order, lead from one text to another."""
    if text.is_like(wanted):
        return []
    for number, one in enumerate(candidates):
        made = text.with_(one)
        if made is not None:
            rest = _search(candidates[number + 1 :], made, wanted)
            if rest is not None:
                return [one, *rest]
    return None
