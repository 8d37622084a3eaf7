"""Changes outside review, put before an operator: one per document, one per skill.

A document that changed together with its line in an index is one change with it. The bytes are
revisions that the ledger has, since every observed revision is stored. A change that
continues before anybody reviewed it becomes one change with the earlier one.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from reviewdeck.engine.evaluation import NOTHING_LEFT
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
    SKILL_FILE,
    Cause,
    Change,
    DirectChange,
    Kind,
    Observation,
    Operation,
    Proposal,
    Revision,
    State,
    executes_otherwise,
)
from reviewdeck.planning.outside import edits_of

CONTINUED = "it went on changing: that is one change with what came after"
ENDED_REASONS = frozenset({CONTINUED, NOTHING_LEFT})
LIVE_STATES = (State.LIVE, State.DEFERRED, State.KEPT, State.ELSEWHERE)
"""The states of a change that may still be live."""
_SUMMARY = "changed outside review"


@dataclass(frozen=True, slots=True)
class _Unit:
    """The unit of review: a document, or a skill with all its files."""

    path: str
    """The document, or the directory of the skill."""
    kind: Kind

    @property
    def is_skill(self) -> bool:
        """Whether it is all files of a skill."""
        return self.kind is Kind.SKILLS

    @property
    def name(self) -> str:
        """The name that an operator uses."""
        name = self.path.rpartition("/")[2]
        return name if self.is_skill else name.removesuffix(".md").lower()


def record_outside(
    ledger: Ledger,
    home: str,
    stored: Sequence[Observation],
    latest: Mapping[str, Observation],
    kinds: Mapping[str, Kind],
    indexes: Mapping[str, str],
    contents: Mapping[Revision, bytes],
) -> None:
    """Adds proposals for newly observed changes outside review, in the caller's transaction.

    Of the contents at hand the ledger is not asked for any.
    """
    news = [observation for observation in stored if observation.cause is Cause.OUTSIDE]
    if not news:
        return
    heads = _heads({*latest, *(observation.path for observation in stored)})
    listed = _indexes_of(ledger, news, latest, indexes)
    units: dict[_Unit, list[Observation]] = {}
    for observation in news:
        path = listed.get(observation.path, observation.path)
        units.setdefault(_unit_of(path, heads, kinds[observation.path]), []).append(observation)
    waiting = ledger.outside(home)
    added = []
    for unit, observations in _join_renames(units, latest):
        steps = [_change_of(observation, latest) for observation in observations]
        began, first = observations[0].at, list[DirectChange]()
        before = [proposal for proposal in waiting if _continues(proposal, unit, steps)]
        for earlier in before:
            began = min(began, earlier.created_at or began)
            first = _joined(first, earlier.outside)
        changes = _joined(first, steps)
        for earlier in before:
            ledger.clear_draft(earlier.id)
            ledger.drop(earlier.id, CONTINUED if changes else NOTHING_LEFT)
        if changes:
            ends = {end for change in changes for end in (change.before, change.after)}
            data = {end: contents.get(end) or ledger.content(end) for end in ends}
            added.append(_proposal(home, unit, changes, data, began, observations[-1].at))
    ledger.add(added, {})


def _unit_of(path: str, heads: frozenset[str], kind: Kind) -> _Unit:
    if kind is not Kind.SKILLS:
        return _Unit(path, kind)
    above = path.rpartition("/")[0]
    directory = above
    while directory and directory not in heads:
        directory = directory.rpartition("/")[0]
    # A file below no known skill: its directory comes closest to one.
    return _Unit(directory or above, kind)


def _indexes_of(
    ledger: Ledger,
    news: Sequence[Observation],
    latest: Mapping[str, Observation],
    indexes: Mapping[str, str],
) -> dict[str, str]:
    """By document, the index that gained or lost a line naming it."""
    moved = {observation.path: observation for observation in news}
    lines: dict[str, frozenset[str]] = {}
    index_of: dict[str, str] = {}
    for path in moved:
        index = indexes.get(path, path)
        if index == path or index not in moved:
            continue
        if index not in lines:
            was, now = _last_revision(index, latest), moved[index].revision
            lines[index] = _lines(ledger, was) ^ _lines(ledger, now)
        name = re.escape(posixpath.relpath(path, posixpath.dirname(index)))
        names = re.compile(rf"(?:^|[^\w./-])(?:\./)?{name}(?!\w)")
        if any(map(names.search, lines[index])):
            index_of[path] = index
    return index_of


def _lines(ledger: Ledger, revision: Revision) -> frozenset[str]:
    return frozenset((ledger.content(revision) or b"").decode("utf-8", "replace").splitlines())


def _heads(paths: Iterable[str]) -> frozenset[str]:
    end = f"/{SKILL_FILE}"
    return frozenset(path.removesuffix(end) for path in paths if path.endswith(end))


def _join_renames(
    units: Mapping[_Unit, list[Observation]], latest: Mapping[str, Observation]
) -> list[tuple[_Unit, list[Observation]]]:
    """Each unit with its observations; a renamed skill is joined with its old name."""
    removed = {
        _signature(
            unit,
            [
                (observation.path, _last_revision(observation.path, latest))
                for observation in observations
            ],
        ): unit
        for unit, observations in units.items()
        if unit.is_skill and all(observation.revision == ABSENT for observation in observations)
    }
    joined: list[tuple[_Unit, list[Observation]]] = []
    moved: set[_Unit] = set()
    for unit, observations in units.items():
        is_new = unit.is_skill and all(
            _last_revision(observation.path, latest) == ABSENT for observation in observations
        )
        signature = _signature(
            unit, [(observation.path, observation.revision) for observation in observations]
        )
        if is_new and (was := removed.pop(signature, None)) is not None:
            joined.append((unit, [*units[was], *observations]))
            moved.add(was)
        else:
            joined.append((unit, observations))
    return [(unit, observations) for unit, observations in joined if unit not in moved]


def _signature(unit: _Unit, files: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset((path.removeprefix(unit.path), revision) for path, revision in files)


def _last_revision(path: str, latest: Mapping[str, Observation]) -> Revision:
    return ABSENT if (observation := latest.get(path)) is None else observation.revision


def _change_of(observation: Observation, latest: Mapping[str, Observation]) -> DirectChange:
    was = None if (last := latest.get(observation.path)) is None else last.mode
    return DirectChange(
        observation.path,
        _last_revision(observation.path, latest),
        observation.revision,
        _mode_change(was, observation.mode),
    )


def _mode_change(before: int | None, after: int | None) -> tuple[int, int] | None:
    """Both modes, where they differ in who may execute the file."""
    if before is None or after is None or not executes_otherwise(before, after):
        return None
    return before, after


def _continues(earlier: Proposal, unit: _Unit, steps: Sequence[DirectChange]) -> bool:
    """Whether these steps begin where an earlier change of the same unit ended."""
    ends = {change.path: change.after for change in earlier.outside}
    paths = {unit.path, *(step.path for step in steps)}
    is_same = any(
        path in paths or (unit.is_skill and path.startswith(f"{unit.path}/")) for path in ends
    )
    return is_same and all(ends.get(step.path, step.before) == step.before for step in steps)


def _joined(first: Sequence[DirectChange], then: Sequence[DirectChange]) -> list[DirectChange]:
    """Both as one, without documents that are as they were."""
    by_path = {change.path: change for change in first}
    for change in then:
        earlier = by_path.get(change.path, change)
        modes = earlier.modes or change.modes
        if earlier.modes and change.modes:
            modes = _mode_change(earlier.modes[0], change.modes[1])
        by_path[change.path] = replace(change, before=earlier.before, modes=modes)
    return [change for change in by_path.values() if change.before != change.after or change.modes]


def _proposal(
    home: str,
    unit: _Unit,
    changes: Sequence[DirectChange],
    data: Mapping[Revision, bytes | None],
    began: datetime,
    at: datetime,
) -> Proposal:
    identity = repr(
        (
            home,
            [
                (change.path, change.before, change.after, *(change.modes or ()))
                for change in changes
            ],
            began.isoformat(),
        )
    )
    payload = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    exact = [Change(change.path, data[change.before], data[change.after]) for change in changes]
    listed = (
        [] if unit.is_skill else [change.path for change in changes if change.path != unit.path]
    )
    return Proposal(
        id=payload[:12],
        home=home,
        kind=unit.kind,
        action=OUTSIDE,
        target=_Unit(listed[0], unit.kind).name if len(listed) == 1 else unit.name,
        edits=edits_of(unit.kind, exact, unit.path),
        payload_sha=payload,
        origin=OUTSIDE,
        summary=_SUMMARY,
        created_at=began,
        ingested_at=at,
        outside=tuple(changes),
    )


def questions_of_requeueing(ledger: Ledger, home: str) -> Iterator[Callable[[], object]]:
    """What `requeue_changes` asks the ledger."""
    yield partial(ledger.dropped_outside, home, NOTHING_LEFT, {})
    yield partial(ledger.outside, home)


def requeue_changes(
    ledger: Ledger, undone: Operation, proposal: Proposal, by: str, at: datetime
) -> None:
    """Puts changes outside review before an operator again whose end is undone.

    They are live again: the operation had taken one back, or restored what was before them.
    `proposal` is that of the undone operation.
    """
    ended = {change.path: change.before for change in undone.changes}
    changes = {
        change.id: change for change in ledger.dropped_outside(undone.home, NOTHING_LEFT, ended)
    }
    if (taken_back := proposal.takes_back) is not None:
        changes[taken_back] = ledger.proposal(taken_back)
    # It may have been dropped more than once, or still be pending.
    known = {change.outside for change in ledger.outside(undone.home)}
    again = []
    for id, change in sorted(changes.items()):
        if change.outside in known:
            continue
        known.add(change.outside)
        payload = hashlib.sha256(f"live again:{id}:{by}".encode()).hexdigest()
        again.append(replace(change, id=payload[:12], payload_sha=payload, ingested_at=at))
    ledger.add(again, {})
