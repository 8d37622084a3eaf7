"""Changes that were made outside review: which of them Hermes' own work accounts for.

The agent's own records are read. Anyone with this account can forge them: they separate
ordinary work from changes that nothing accounts for, and prove no author.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from reviewdeck.engine.archives import SKILL_DOCUMENT, archive_of
from reviewdeck.engine.bases import touched_paths
from reviewdeck.engine.outside import LIVE_STATES
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
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
from reviewdeck.model.ledger import Filter
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Home, Snapshot
from reviewdeck.text import entries
from reviewdeck.values import dataclass

MOST_TRIED: Final = 8
"""The most proposals about one document that are tried as approved elsewhere."""
_MOST_VANISHED: Final = 200
_MOST_ALLOWED: Final = 200
_UNDECIDED: Final = tuple(state for state in State if state is State.ELSEWHERE or state.is_open)
"""States of a proposal that was decided elsewhere, whether a pass noticed it or not."""


def allowed_writes(ledger: Ledger, home: str) -> dict[tuple[str, Revision], str]:
    """By document and revision, the sessions in whose terminal a person allowed a late change."""
    allowed: dict[tuple[str, Revision], str] = {}
    items = ledger.page(Filter((home,), LIVE_STATES), limit=_MOST_ALLOWED)
    outside = [item.id for item in items if item.action == OUTSIDE]
    judgements = ledger.judgements(outside)
    for id in outside:
        origin = judgements[id].origin if id in judgements else None
        if origin is not None and origin.is_approved and origin.sessions:
            changes = ledger.proposal(id).outside
            allowed |= {(change.path, change.after): origin.sessions[0] for change in changes}
    return allowed


class Explanations:
    """The agent's own records that account for changes outside review in one home."""

    def __init__(self, ledger: Ledger, home: Home, snapshot: Snapshot) -> None:
        self._ledger = ledger
        self._home = home
        self._snapshot = snapshot

    def of(self, path: str) -> str | None:
        """The explanation of a document's changes outside review; None unless all have one."""
        observations = self._ledger.observations(self._home.id, path)
        live = self._snapshot.document(path).revision
        explanations = [
            self.of_change(move) for move in _unreviewed_moves(path, observations, live)
        ]
        if not explanations or None in explanations:
            return None
        return "; ".join(dict.fromkeys(account for account in explanations if account))

    def of_change(self, move: DirectChange) -> str | None:
        """The explanation of one change; None where there is none."""
        if move.modes:  # The agent's records do not say who may execute a file.
            return None
        if by := self._find_deletion(move) or self._find_approvals(move):
            ids = ", ".join(proposal.source_id or proposal.id for proposal in by)
            return f"approved in Hermes ({ids})"
        if (session := self._allowed.get((move.path, move.after))) is not None:
            return f"approved in Hermes (session {session})"
        archive = None
        if move.after == ABSENT:
            archive = archive_of(self._home, self._snapshot, move.path, move.before)
        return None if archive is None else f"archived by Hermes' curator, to {archive}"

    def _find_deletion(self, move: DirectChange) -> list[Proposal]:
        """The proposal that deleted a skill: it cannot be planned any more."""
        match = SKILL_DOCUMENT.fullmatch(move.path)
        if match is None or move.after != ABSENT:
            return []
        deletions = [proposal for proposal in self._vanished if _deletes(proposal, match[2])]
        return deletions[-1:] if self._snapshot.skill(match[2]) is None else []

    def _find_approvals(self, move: DirectChange) -> list[Proposal]:
        """The proposals decided elsewhere whose combined result is exactly this change."""
        before, after = self._content(move.path, move.before), self._content(move.path, move.after)
        is_kept = (before is not None or move.before == ABSENT) and (
            after is not None or move.after == ABSENT
        )
        candidates = self._by_document.get(move.path, [])[-MOST_TRIED:] if is_kept else []
        return _search(candidates, _DocumentState(move.path, before, self._snapshot), after) or []

    def _content(self, path: str, revision: Revision) -> bytes | None:
        if revision == ABSENT:
            return None
        live = self._snapshot.document(path)
        return live.data if live.revision == revision else self._ledger.content(revision)

    @cached_property
    def _vanished(self) -> list[Proposal]:
        """The proposals whose records vanished without our decision, oldest first."""
        sources = {record.source for record in self._home.scan()}
        items = self._ledger.page(Filter((self._home.id,), _UNDECIDED), limit=_MOST_VANISHED)
        vanished = [entry.id for entry in items if entry.source and entry.source not in sources]
        proposals = [self._ledger.proposal(id) for id in vanished]
        return sorted(
            proposals,
            key=lambda proposal: proposal.created_at.timestamp() if proposal.created_at else 0.0,
        )

    @cached_property
    def _allowed(self) -> Mapping[tuple[str, Revision], str]:
        return allowed_writes(self._ledger, self._home.id)

    @cached_property
    def _by_document(self) -> dict[str, list[Proposal]]:
        by_path: dict[str, list[Proposal]] = {}
        for proposal in self._vanished:
            for path in touched_paths(proposal, self._snapshot):
                by_path.setdefault(path, []).append(proposal)
        return by_path


def _deletes(proposal: Proposal, skill: str) -> bool:
    return any(isinstance(edit, SkillDelete) and edit.name == skill for edit in proposal.edits)


def _unreviewed_moves(
    path: str, observations: Sequence[Observation], live: Revision
) -> Iterator[DirectChange]:
    before: Revision = ABSENT
    start: Revision | None = None
    for observation in observations:
        if observation.cause is Cause.OUTSIDE:
            start = before if start is None else start
        elif start is not None:
            yield DirectChange(path, start, before)
            start = None
        before = observation.revision
    if live != before and observations:
        start, before = (before if start is None else start), live
    if start is not None and start != before:
        yield DirectChange(path, start, before)


@dataclass(frozen=True, slots=True)
class _DocumentState:
    """A document as it may have been at some moment, in an otherwise unchanged home."""

    path: str
    data: bytes | None
    snapshot: Snapshot

    def after_proposal(self, proposal: Proposal) -> _DocumentState | None:
        """The document after a proposal; None where it cannot be applied to it."""
        live = self.snapshot.document(self.path).data
        overlay = Overlay(self.snapshot, [Change(self.path, live, self.data)])
        outcome = stage(replace(proposal, bases={}), overlay).outcome
        if not isinstance(outcome, Ready):
            return None
        changed = [change for change in outcome.plan.changes if change.path == self.path]
        return replace(self, data=changed[0].after) if changed else None

    def is_like(self, data: bytes | None) -> bool:
        """Whether both are the same document; a memory is compared by its entries."""
        if self.data is None or data is None or not self.snapshot.has_entries(self.path):
            return self.data == data
        return _entries(self.data) == _entries(data)


def _entries(data: bytes) -> list[str]:
    return list(dict.fromkeys(entries.parse(data.decode("utf-8", "replace"))))


def _search(
    candidates: Sequence[Proposal], text: _DocumentState, goal: bytes | None
) -> list[Proposal] | None:
    """The candidates that lead, in this order, from a text to the goal; None for none."""
    if text.is_like(goal):
        return []
    for number, proposal in enumerate(candidates):
        after = text.after_proposal(proposal)
        if after is not None:
            remaining = _search(candidates[number + 1 :], after, goal)
            if remaining is not None:
                return [proposal, *remaining]
    return None
