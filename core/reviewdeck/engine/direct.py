"""What was written without us, put before an operator: one change for each document and each skill.

A document that changed together with its line in an index is one change with it. The bytes are
revisions that the ledger has, since everything that is seen is kept. What goes on while nobody has
reviewed it becomes one change from where it began.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.engine.evaluate import NOTHING_LEFT
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
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
from reviewdeck.planning.skills import SKILL_FILE
from reviewdeck.ports import Ledger

WENT_ON = "it went on changing: that is one change with what came after"
ENDED = frozenset({WENT_ON, NOTHING_LEFT})
STANDS = (State.LIVE, State.DEFERRED, State.KEPT, State.ELSEWHERE)
"""Where a change may stand that is still what is live."""
_SUMMARY = "changed outside review"


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is reviewed as one: a document, or a skill with all its files."""

    path: str
    """The document, or the directory of the skill."""
    kind: Kind

    @property
    def is_skill(self) -> bool:
        """Whether it is all files of a skill."""
        return self.kind is Kind.SKILLS

    @property
    def name(self) -> str:
        """What an operator calls it."""
        name = self.path.rpartition("/")[2]
        return name if self.is_skill else name.removesuffix(".md").lower()


def record_outside(
    ledger: Ledger,
    home: str,
    stored: Sequence[Observation],
    known: Mapping[str, Observation],
    kinds: Mapping[str, Kind],
    indexes: Mapping[str, str],
) -> None:
    """Puts what was just seen to have changed before an operator. In the caller's transaction."""
    news = [one for one in stored if one.cause is Cause.OUTSIDE]
    if not news:
        return
    heads = _heads({*known, *(one.path for one in stored)})
    listed = _listed(ledger, news, known, indexes)
    units: dict[_Unit, list[Observation]] = {}
    for one in news:
        path = listed.get(one.path, one.path)
        units.setdefault(_unit_of(path, heads, kinds[one.path]), []).append(one)
    waiting = ledger.outside(home)
    added = []
    for unit, seen in _moves_joined(units, known):
        steps = [_step(one, known) for one in seen]
        began, first = seen[0].at, list[DirectChange]()
        before = [one for one in waiting if _goes_on(one, unit, steps)]
        for earlier in before:
            began = min(began, earlier.created_at or began)
            first = _joined(first, earlier.outside)
        whole = _joined(first, steps)
        for earlier in before:
            ledger.clear_draft(earlier.id)
            ledger.drop(earlier.id, WENT_ON if whole else NOTHING_LEFT)
        if whole:
            added.append(_proposal(ledger, home, unit, whole, began, seen[-1].at))
    ledger.add(added, {})


def _unit_of(path: str, heads: frozenset[str], kind: Kind) -> _Unit:
    if kind is not Kind.SKILLS:
        return _Unit(path, kind)
    above = path.rpartition("/")[0]
    directory = above
    while directory and directory not in heads:
        directory = directory.rpartition("/")[0]
    # A file below no skill that anybody knows: what it stands in comes closest to one.
    return _Unit(directory or above, kind)


def _listed(
    ledger: Ledger,
    news: Sequence[Observation],
    known: Mapping[str, Observation],
    indexes: Mapping[str, str],
) -> dict[str, str]:
    """By document, the index in which a line came or went that names it."""
    moved = {one.path: one for one in news}
    lines: dict[str, frozenset[str]] = {}
    found: dict[str, str] = {}
    for path in moved:
        index = indexes.get(path, path)
        if index == path or index not in moved:
            continue
        if index not in lines:
            was, now = _last(index, known), moved[index].revision
            lines[index] = _lines(ledger, was) ^ _lines(ledger, now)
        name = re.escape(posixpath.relpath(path, posixpath.dirname(index)))
        names = re.compile(rf"(?:^|[^\w./-])(?:\./)?{name}(?!\w)")
        if any(map(names.search, lines[index])):
            found[path] = index
    return found


def _lines(ledger: Ledger, revision: Revision) -> frozenset[str]:
    return frozenset((ledger.content(revision) or b"").decode("utf-8", "replace").splitlines())


def _heads(paths: Iterable[str]) -> frozenset[str]:
    """The directories of all skills that are or were."""
    end = f"/{SKILL_FILE}"
    return frozenset(path.removesuffix(end) for path in paths if path.endswith(end))


def _moves_joined(
    units: Mapping[_Unit, list[Observation]], known: Mapping[str, Observation]
) -> list[tuple[_Unit, list[Observation]]]:
    """Each unit with what was seen of it; a skill that was renamed is one with what it became."""
    gone = {
        _signature(unit, [(one.path, _last(one.path, known)) for one in seen]): unit
        for unit, seen in units.items()
        if unit.is_skill and all(one.revision == ABSENT for one in seen)
    }
    joined: list[tuple[_Unit, list[Observation]]] = []
    moved: set[_Unit] = set()
    for unit, seen in units.items():
        is_new = unit.is_skill and all(_last(one.path, known) == ABSENT for one in seen)
        signature = _signature(unit, [(one.path, one.revision) for one in seen])
        if is_new and (was := gone.pop(signature, None)) is not None:
            joined.append((unit, [*units[was], *seen]))
            moved.add(was)
        else:
            joined.append((unit, seen))
    return [(unit, seen) for unit, seen in joined if unit not in moved]


def _signature(unit: _Unit, files: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The files of a skill and what is in them, wherever it stands."""
    return frozenset((path.removeprefix(unit.path), revision) for path, revision in files)


def _last(path: str, known: Mapping[str, Observation]) -> Revision:
    return ABSENT if (seen := known.get(path)) is None else seen.revision


def _step(one: Observation, known: Mapping[str, Observation]) -> DirectChange:
    was = None if (last := known.get(one.path)) is None else last.mode
    return DirectChange(one.path, _last(one.path, known), one.revision, _modes(was, one.mode))


def _modes(before: int | None, after: int | None) -> tuple[int, int] | None:
    """Both, where who may execute it differs."""
    if before is None or after is None or not executes_otherwise(before, after):
        return None
    return before, after


def _goes_on(earlier: Proposal, unit: _Unit, steps: Sequence[DirectChange]) -> bool:
    """Whether these steps begin where a change of the same thing ended."""
    ends = {one.path: one.after for one in earlier.outside}
    paths = {unit.path, *(one.path for one in steps)}
    is_same = any(
        path in paths or (unit.is_skill and path.startswith(f"{unit.path}/")) for path in ends
    )
    return is_same and all(ends.get(one.path, one.before) == one.before for one in steps)


def _joined(first: Sequence[DirectChange], then: Sequence[DirectChange]) -> list[DirectChange]:
    """Both as one, without what is as it was."""
    whole = {one.path: one for one in first}
    for one in then:
        earlier = whole.get(one.path, one)
        modes = earlier.modes or one.modes
        if earlier.modes and one.modes:
            modes = _modes(earlier.modes[0], one.modes[1])
        whole[one.path] = replace(one, before=earlier.before, modes=modes)
    return [one for one in whole.values() if one.before != one.after or one.modes]


def _proposal(
    ledger: Ledger,
    home: str,
    unit: _Unit,
    changes: Sequence[DirectChange],
    began: datetime,
    at: datetime,
) -> Proposal:
    said = repr(
        (
            home,
            [(one.path, one.before, one.after, *(one.modes or ())) for one in changes],
            began.isoformat(),
        )
    )
    payload = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    exact = [
        Change(one.path, ledger.content(one.before), ledger.content(one.after)) for one in changes
    ]
    listed = [] if unit.is_skill else [one.path for one in changes if one.path != unit.path]
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


def put_back(ledger: Ledger, undone: Operation, by: str, at: datetime) -> None:
    """Puts changes outside review before an operator again whose end is undone.

    They are live again: the operation had taken one back, or restored what was before them.
    """
    ended = {change.path: change.before for change in undone.changes}
    changes = {
        change.id: change for change in ledger.dropped_outside(undone.home, NOTHING_LEFT, ended)
    }
    taken_back = ledger.proposal(undone.proposal).takes_back
    if taken_back is not None:
        changes[taken_back] = ledger.proposal(taken_back)
    again = []
    for id, change in sorted(changes.items()):
        payload = hashlib.sha256(f"live again:{id}:{by}".encode()).hexdigest()
        again.append(replace(change, id=payload[:12], payload_sha=payload, ingested_at=at))
    ledger.add(again, {})
