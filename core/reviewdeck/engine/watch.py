"""Staying with some homes: a headless pass whenever one has moved, for months.

Nothing is kept here that the ledger does not have too: who starts again goes on where the last one
stopped. What fails is tried again, ever more rarely, and never ends the watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from reviewdeck.engine.auto import AutoReport, all_in, run_auto
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.deck import Deck
from reviewdeck.engine.recovery import Recovered, flaw_of, recover
from reviewdeck.errors import LedgerUnavailable, ReviewdeckError
from reviewdeck.model import Cause, Observation, QueueItem, State
from reviewdeck.policy_location import stamped
from reviewdeck.ports import OpenHome

PATIENCE = 60.0
"""Seconds between two tries at the most."""
SAFETY = 30.0
"""Seconds between two looks at a home of which nothing was heard."""

_OPEN = tuple(state for state in State if state.is_open)
_UNENDED = ("busy", "stuck")


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened: one line of what the watch says."""

    at: datetime
    name: str
    """started, watching, recovered, applied, waiting, elsewhere, outside, not-applied, unreadable,
    suspended, failed, mended, reopened or stopped."""
    home: str = ""
    subject: str = ""
    """A proposal, a document or a batch."""
    detail: dict[str, object] = field(default_factory=dict)


def pause_after(failures: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return min(PATIENCE, 2.0 ** min(failures - 1, 10))


class HomeWatch:
    """One home: what is due, what is known, and how often it failed."""

    def __init__(self, context: EngineContext, one: OpenHome) -> None:
        self._context = context
        self._one = one
        self._home = one.home.id
        self._stirred = True
        self._failures = 0
        self._not_before = 0.0
        self._is_blocked = False
        self._next_look = 0.0
        self._is_deaf = False
        self._frees: datetime | None = None
        self._problems: frozenset[str] = frozenset()
        self._suspended: frozenset[str] = frozenset()
        self._refused: dict[str, str] = {}
        self._waiting = {item.id: item.state for item in all_in(context, self._home, *_OPEN)}
        self._latest = context.ledger.latest(self._home)

    @property
    def waiting(self) -> int:
        """How many proposals of this home wait for somebody."""
        return len(self._waiting)

    def stir(self, *, is_record: bool) -> None:
        """Something moved. A new record does not wait until what failed is tried again."""
        self._stirred = True
        if is_record and not self._is_blocked:
            self._not_before = 0.0

    def was_deaf(self) -> bool:
        """Whether something had moved and nothing was heard of it, since this was asked last."""
        was, self._is_deaf = self._is_deaf, False
        return was

    def turn(self, moment: float) -> Iterator[Happening]:
        """Does what is due at this moment of a clock that never jumps."""
        if moment < self._not_before or not self._is_due(moment):
            return
        self._stirred = False
        try:
            happened, is_done = self._pass()
        except ReviewdeckError as error:
            yield self._failed(moment, error.code, error.message)
            if isinstance(error, LedgerUnavailable):
                raise
        except Exception as error:  # noqa: BLE001 - a watch outlives any mistake, and says so
            yield self._failed(moment, "error", f"{type(error).__name__} in reviewdeck itself.")
        else:
            yield from happened
            yield from self._went(moment, is_done=is_done)

    def _is_due(self, moment: float) -> bool:
        if self._frees is not None and self._context.now() >= self._frees:
            return True
        if not self._stirred and moment >= self._next_look:
            self._next_look = moment + SAFETY
            known = self._context.ledger.stamp(self._home)
            stamp = self._one.home.stamp(self._one.home.documents())
            self._is_deaf = known != stamped(stamp, self._context.policy().mark)
            return self._is_deaf
        return self._stirred

    def _failed(self, moment: float, code: str, message: str) -> Happening:
        self._stirred = self._is_blocked = True
        self._failures += 1
        pause = pause_after(self._failures)
        self._not_before = moment + pause
        return self._happening("failed", code=code, message=message, again_in=pause)

    def _went(self, moment: float, *, is_done: bool) -> Iterator[Happening]:
        if self._is_blocked:
            yield self._happening("mended")
        self._is_blocked = False
        if is_done:
            self._failures, self._not_before = 0, 0.0
            return
        self._stirred = True
        self._failures += 1
        self._not_before = moment + pause_after(self._failures)

    def _pass(self) -> tuple[list[Happening], bool]:
        """One pass, and whether all of it could be done."""
        context, one = self._context, self._one
        endings = recover(
            self._home, one.writer, context.ledger, context.now, flaw_of(context, one)
        )
        report = run_auto(context, one, dry_run=False)
        self._frees = min(report.frees, default=None)
        latest = context.ledger.latest(self._home)
        happened = [
            *self._recoveries(endings),
            *self._outside(latest),
            *self._applied(report),
            *self._queue(report),
            *self._failures_of(report),
        ]
        self._latest = latest
        if report.applied:
            self._failures = 0  # some of it went in: the rest need not wait long
        unended = any(ending.ending in _UNENDED for ending in endings)
        return happened, not (report.failures or unended)

    def _recoveries(self, endings: Iterable[Recovered]) -> Iterator[Happening]:
        for one in endings:
            said = {"proposals": [*one.proposals], "ending": one.ending, "message": one.detail}
            yield self._happening("recovered", one.batch, **said)

    def _outside(self, latest: dict[str, Observation]) -> Iterator[Happening]:
        """Documents that are now as nobody's decision left them."""
        for path, seen in sorted(latest.items()):
            if seen.cause is Cause.OUTSIDE and seen != self._latest.get(path):
                yield self._happening("outside", path, revision=seen.revision)

    def _applied(self, report: AutoReport) -> Iterator[Happening]:
        count = 2 * len(report.applied) + 20 if report.applied else 0
        recent = self._context.ledger.operations(home=self._home, limit=count) if count else ()
        wrote = {operation.proposal: operation for operation in reversed(recent)}
        for item in report.applied:
            operation = wrote.get(item.id)
            extra = {"operation": operation.id, "rule": operation.actor.name} if operation else {}
            yield self._happening("applied", item.id, **_words(item), **extra)

    def _queue(self, report: AutoReport) -> Iterator[Happening]:
        """What waits for somebody and did not before, or waits for another reason."""
        waiting = [*report.held, *report.refused, *report.dead]
        for item in waiting:
            if self._waiting.get(item.id) is not item.state:
                yield self._happening("waiting", item.id, **_words(item), reason=item.reason)
        for item in report.elsewhere:
            yield self._happening("elsewhere", item.id, **_words(item))
        self._waiting = {item.id: item.state for item in waiting}

    def _failures_of(self, report: AutoReport) -> Iterator[Happening]:
        refused = {one.proposal: one.error.message for one in report.failures}
        for one in report.failures:
            if self._refused.get(one.proposal) != one.error.message:
                said = {"code": one.error.code, "message": one.error.message}
                yield self._happening("not-applied", one.proposal, **said)
        self._refused = refused
        for problem in sorted(set(report.problems) - self._problems):
            yield self._happening("unreadable", message=problem)
        self._problems = frozenset(report.problems)
        for why in sorted(set(report.suspended) - self._suspended):
            yield self._happening("suspended", message=why)
        self._suspended = frozenset(report.suspended)

    def _happening(self, name: str, subject: str = "", **detail: object) -> Happening:
        return Happening(self._context.now(), name, self._home, subject, detail)


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
    """Some homes and one ledger, which is opened again when it is another one."""

    def __init__(
        self,
        open_deck: Callable[[], Deck],
        identity: Callable[[], object],
        now: Callable[[], datetime],
    ) -> None:
        self._open_deck = open_deck
        self._identity = identity
        self._now = now
        self._failures = 0
        self._not_before = 0.0
        self._deck: Deck | None = None
        self._homes: dict[str, HomeWatch] = {}
        self._known: object = None

    @property
    def context(self) -> EngineContext | None:
        """What it works with; None while the ledger cannot be opened."""
        return None if self._deck is None else self._deck.context

    @property
    def waiting(self) -> int:
        """How many proposals wait for somebody."""
        return sum(home.waiting for home in self._homes.values())

    def open(self) -> None:
        """Opens the ledger and the homes. Raises what that raises."""
        self.close()
        deck = self._open_deck()
        try:
            self._homes = {
                one.home.where: HomeWatch(deck.context, one) for one in deck.context.homes
            }
        except BaseException:
            deck.close()
            raise
        self._deck, self._known = deck, self._identity()

    def close(self) -> None:
        """Lets go of the ledger."""
        if self._deck is not None:
            self._deck.close()
        self._deck, self._homes = None, {}

    def stir(self, home: str, *, is_record: bool) -> None:
        """Something moved in the home at this path."""
        if home in self._homes:
            self._homes[home].stir(is_record=is_record)

    def was_deaf(self) -> bool:
        """Whether something moved in a home and nothing was heard of it."""
        return any([home.was_deaf() for home in self._homes.values()])

    def turn(self, moment: float, is_over: Callable[[], bool]) -> Iterator[Happening]:
        """Does what is due. Between two homes it looks whether it is over."""
        if self._deck is not None and self._identity() != self._known:
            # Somebody moved the ledger away: what was written to it now would be lost.
            self.close()
        if self._deck is None:
            yield from self._reopen(moment)
        for home in [*self._homes.values()]:
            if is_over():
                return
            try:
                yield from home.turn(moment)
            except LedgerUnavailable:
                self.close()
                self._pause(moment)
                return

    def _reopen(self, moment: float) -> Iterator[Happening]:
        if moment < self._not_before:
            return
        try:
            self.open()
        except ReviewdeckError as error:
            pause = self._pause(moment)
            said = {"code": error.code, "message": error.message, "again_in": pause}
            yield Happening(self._now(), "failed", detail=said)
        else:
            self._failures, self._not_before = 0, 0.0
            yield Happening(self._now(), "reopened")

    def _pause(self, moment: float) -> float:
        self._failures += 1
        pause = pause_after(self._failures)
        self._not_before = moment + pause
        return pause
