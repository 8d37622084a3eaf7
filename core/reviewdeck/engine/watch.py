"""Watching some homes: a headless pass whenever one has changed, for months.

All state is in the ledger too: a restart continues where the last watch
stopped. A failure is retried at growing intervals and never ends the watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from reviewdeck.engine.auto import AutoReport, items_in, run_auto
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.errands import run_errands
from reviewdeck.engine.recovery import Recovered, recover
from reviewdeck.engine.stamp import combine_stamp
from reviewdeck.errors import LedgerUnavailable, ReviewdeckError
from reviewdeck.model import Cause, Observation, QueueItem, State
from reviewdeck.ports import OpenHome

PATIENCE = 60.0
"""The most seconds between two attempts."""
SAFETY = 30.0
"""Seconds between two checks of a home without events."""

_OPEN = tuple(state for state in State if state.is_open)


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One event of the watch: one line of its output."""

    at: datetime
    name: str
    """started, watching, written, recovered, applied, waiting, elsewhere, outside, not-applied,
    unreadable, suspended, failed, mended, reopened, review-failed or stopped."""
    home: str = ""
    subject: str = ""
    """A proposal, a document or a batch."""
    detail: dict[str, object] = field(default_factory=dict)


def pause_after(failures: int) -> float:
    """The seconds to wait after this many failures in a row."""
    return min(PATIENCE, 2.0 ** min(failures - 1, 10))


class HomeWatch:
    """The state of one watched home: what is due, what is known, and how often it failed."""

    def __init__(self, engine: Engine, open_home: OpenHome) -> None:
        self._engine = engine
        self._open_home = open_home
        self._home = open_home.home.id
        self._is_dirty = True
        self._failures = 0
        self._not_before = 0.0
        self._is_blocked = False
        self._next_look = 0.0
        self._missed_event = False
        self._frees_at: datetime | None = None
        self._problems: frozenset[str] = frozenset()
        self._suspended: frozenset[str] = frozenset()
        self._endings: frozenset[Recovered] = frozenset()
        self.taken_in = 0
        """How many records and changes were taken in."""
        self.problem = ""
        """What keeps this home from being watched; empty for nothing."""
        self._told = ""
        self._refused: dict[str, str] = {}
        self._waiting = {item.id: item.state for item in items_in(engine, self._home, *_OPEN)}
        self._latest = engine.ledger.latest(self._home)

    @property
    def waiting(self) -> int:
        """The number of open proposals of this home."""
        return len(self._waiting)

    def mark_dirty(self, *, is_record: bool) -> None:
        """Notes that the home changed. A new record does not wait for a failed pass's retry."""
        self._is_dirty = True
        if is_record and not self._is_blocked:
            self._not_before = 0.0

    def missed_events(self) -> bool:
        """Whether a change was missed by the file events since this was last called."""
        was, self._missed_event = self._missed_event, False
        return was

    def turn(self, moment: float) -> Iterator[WatchEvent]:
        """Does what is due at this moment of a clock that never jumps. Raises LedgerUnavailable."""
        if moment < self._not_before or not self._is_due(moment):
            return
        self._is_dirty = False
        try:
            happened, is_done = self._pass()
        except LedgerUnavailable:
            raise
        except ReviewdeckError as error:
            yield from self._note_failure(moment, error.code, error.message, error.hint)
        except Exception as error:  # noqa: BLE001 - a watch outlives any mistake, and says so
            yield from self._note_failure(
                moment, "error", f"{type(error).__name__} in reviewdeck itself."
            )
        else:
            yield from happened
            yield from self._note_success(moment, is_done=is_done)

    def _is_due(self, moment: float) -> bool:
        if self._frees_at is not None and self._engine.now() >= self._frees_at:
            return True
        if not self._is_dirty and moment >= self._next_look:
            self._next_look = moment + SAFETY
            home = self._open_home.home
            current = combine_stamp(home.stamp(home.documents()), self._engine.policy().mark)
            self._missed_event = self._engine.ledger.stamp(self._home) != current
            return self._missed_event
        return self._is_dirty

    def _note_failure(
        self, moment: float, code: str, message: str, hint: str = ""
    ) -> Iterator[WatchEvent]:
        """Puts the next pass off; the same failure is told once."""
        self._is_dirty = self._is_blocked = True
        self._failures += 1
        self.problem = message
        pause = pause_after(self._failures)
        self._not_before = moment + pause
        if message != self._told:
            self._told = message
            said = {"hint": hint} if hint else {}
            yield self._happening("failed", code=code, message=message, again_in=pause, **said)

    def _note_success(self, moment: float, *, is_done: bool) -> Iterator[WatchEvent]:
        if self._is_blocked:
            yield self._happening("mended")
        self._is_blocked, self._told = False, ""
        if is_done:
            self._failures, self._not_before = 0, 0.0
            return
        self._is_dirty = True
        self._failures += 1
        self._not_before = moment + pause_after(self._failures)

    def _pass(self) -> tuple[list[WatchEvent], bool]:
        engine, open_home = self._engine, self._open_home
        endings = recover(engine, open_home)
        stuck = [ending.detail for ending in endings if ending.ending == "stuck"]
        self.problem = stuck[0] if stuck else ""
        if engine.machine is not None:
            run_errands(engine, open_home)
        report = run_auto(engine, open_home, dry_run=False)
        self.taken_in += len(report.arrived)
        self._frees_at = min(report.frees_at, default=None)
        latest = engine.ledger.latest(self._home)
        happened = [
            *self._recoveries(endings),
            *self._outside_changes(latest),
            *self._applications(report),
            *self._queue_changes(report),
            *self._failures_of(report),
        ]
        self._latest = latest
        if report.applied:
            self._failures = 0  # part of it was applied: the others need not wait long
        unended = any(ending.is_unfinished for ending in endings)
        return happened, not (report.failures or unended)

    def _recoveries(self, endings: Iterable[Recovered]) -> Iterator[WatchEvent]:
        known, self._endings = self._endings, frozenset(endings)
        # One is tried again and again, and told once.
        new = (ending for ending in endings if ending not in known)
        yield from recoveries(self._engine, self._open_home, new)

    def _outside_changes(self, latest: dict[str, Observation]) -> Iterator[WatchEvent]:
        for path, observation in sorted(latest.items()):
            if observation.cause is Cause.OUTSIDE and observation != self._latest.get(path):
                yield self._happening("outside", path, revision=observation.revision)

    def _applications(self, report: AutoReport) -> Iterator[WatchEvent]:
        count = 2 * len(report.applied) + 20 if report.applied else 0
        recent = self._engine.ledger.operations(home=self._home, limit=count) if count else ()
        wrote = {operation.proposal: operation for operation in reversed(recent)}
        for item in report.applied:
            operation = wrote.get(item.id)
            extra = {"operation": operation.id, "rule": operation.actor.name} if operation else {}
            yield self._happening("applied", item.id, **_words(item), **extra)

    def _queue_changes(self, report: AutoReport) -> Iterator[WatchEvent]:
        waiting = [*report.held, *report.refused, *report.dead]
        for item in waiting:
            if self._waiting.get(item.id) is not item.state:
                yield self._happening("waiting", item.id, **_words(item), reason=item.reason)
        for item in report.rejected:
            yield self._happening("rejected", item.id, **_words(item), reason=item.reason)
        for item in report.elsewhere:
            yield self._happening("elsewhere", item.id, **_words(item))
        self._waiting = {item.id: item.state for item in waiting}

    def _failures_of(self, report: AutoReport) -> Iterator[WatchEvent]:
        refused = {failure.proposal: failure.error.message for failure in report.failures}
        for failure in report.failures:
            if self._refused.get(failure.proposal) != failure.error.message:
                detail = {"code": failure.error.code, "message": failure.error.message}
                yield self._happening("not-applied", failure.proposal, **detail)
        self._refused = refused
        for problem in sorted(set(report.problems) - self._problems):
            yield self._happening("unreadable", message=problem)
        self._problems = frozenset(report.problems)
        for why in sorted(set(report.suspended) - self._suspended):
            yield self._happening("suspended", message=why)
        self._suspended = frozenset(report.suspended)

    def _happening(self, name: str, subject: str = "", **detail: object) -> WatchEvent:
        return WatchEvent(self._engine.now(), name, self._home, subject, detail)


def recoveries(
    engine: Engine, open_home: OpenHome, endings: Iterable[Recovered]
) -> Iterator[WatchEvent]:
    """The ends of unfinished batches of a home, as events."""
    for ending in endings:
        name, detail = "written", dict[str, object](proposals=[*ending.proposals])
        if ending.was_interrupted:
            name = "recovered"
            detail |= {"ending": ending.ending, "message": ending.detail}
        yield WatchEvent(engine.now(), name, open_home.home.id, ending.batch, detail)


def _words(item: QueueItem) -> dict[str, object]:
    return {
        "kind": item.kind.value,
        "action": item.action,
        "target": item.target,
        "state": item.state.value,
        "source": item.source,
        "gist": item.gist,
    }


class Watch:
    """Watches some homes; the ledger is opened again when its file was replaced."""

    def __init__(
        self,
        open_engine: Callable[[], Engine],
        identity: Callable[[], object],
        now: Callable[[], datetime],
    ) -> None:
        self._open_engine = open_engine
        self._identity = identity
        self._now = now
        self._failures = 0
        self._not_before = 0.0
        self._told = ""
        """Why the ledger could not be used, as it was last told."""
        self._is_lost = False
        """Whether it could not be used the last time."""
        self.engine: Engine | None = None
        """None while the ledger cannot be opened."""
        self._homes: dict[str, HomeWatch] = {}
        self._opened_identity: object = None
        self._taken_in = 0

    @property
    def taken_in(self) -> int:
        """How many records and changes were taken in since the watch began."""
        return self._taken_in + sum(home.taken_in for home in self._homes.values())

    @property
    def waiting(self) -> int:
        """The number of open proposals of all homes."""
        return sum(home.waiting for home in self._homes.values())

    def open(self) -> None:
        """Opens the ledger and the homes. Raises ReviewdeckError."""
        self.close()
        engine = self._open_engine()
        try:
            self._homes = {
                open_home.home.where: HomeWatch(engine, open_home) for open_home in engine.here
            }
        except BaseException:
            engine.close()
            raise
        self.engine, self._opened_identity = engine, self._identity()

    def close(self) -> None:
        if self.engine is not None:
            self.engine.close()
        self._taken_in = self.taken_in
        self.engine, self._homes = None, {}

    def mark_dirty(self, home: str, *, is_record: bool) -> None:
        """Notes that the home at this path changed."""
        if home in self._homes:
            self._homes[home].mark_dirty(is_record=is_record)

    def missed_events(self) -> bool:
        """Whether a change in any home was missed by the file events."""
        return any([home.missed_events() for home in self._homes.values()])

    def turn(self, moment: float, is_over: Callable[[], bool]) -> Iterator[WatchEvent]:
        """Does what is due. Between two homes it looks whether it is over."""
        if self.engine is not None and self._identity() != self._opened_identity:
            # The ledger was moved away: what was written to it now would be lost.
            self.close()
            self._is_lost = True
        if self.engine is None and moment < self._not_before:
            return
        try:
            if self.engine is None:
                self.open()
            yield from self._ask(moment)
            for home in [*self._homes.values()]:
                if is_over():
                    return
                yield from home.turn(moment)
        except ReviewdeckError as error:
            self.close()
            yield from self._failed(moment, error)
        else:
            if self._is_lost:
                # Only now: a ledger on a full disk can be opened, and takes nothing.
                self._is_lost, self._failures, self._told = False, 0, ""
                yield WatchEvent(self._now(), "reopened")

    def _ask(self, moment: float) -> Iterator[WatchEvent]:
        """Asks the ledger for what the homes themselves do not show. Raises LedgerUnavailable."""
        yield from ()

    def _failed(self, moment: float, error: ReviewdeckError) -> Iterator[WatchEvent]:
        """Puts the next attempt off; the same failure is told once."""
        self._is_lost = True
        self._failures += 1
        pause = pause_after(self._failures)
        self._not_before = moment + pause
        if error.message != self._told:
            self._told = error.message
            detail = {"code": error.code, "message": error.message, "again_in": pause}
            if error.hint:
                detail["hint"] = error.hint
            yield WatchEvent(self._now(), "failed", detail=detail)
