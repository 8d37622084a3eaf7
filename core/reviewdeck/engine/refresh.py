"""Bringing the stored evaluations of a home up to date.

A proposal is dirty when it has no key, or when the key of its evaluation is not what an evaluation
now would be made from. Dirty ones are evaluated again, whole; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from reviewdeck.engine.evaluate import (
    AUTO_APPLY,
    NOTHING_LEFT,
    OTHER_RULES,
    Evaluation,
    EvaluationKey,
    Evaluator,
    Look,
)
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.model import Actor, ActorKind, QueueItem, State
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.settings import OutsideMode
from reviewdeck.ports import Home, Ledger, Progress, Staging

AT_ONCE = 200
"""How many proposals are read and evaluated before they are stored."""

NAMED = 100
"""How many of those that moved an event of the log names."""

UNSETTLED = "~"
"""Stands before the stamp of a home of which all is known but who wrote what is live."""

FEW = 100
"""Who looks at more than so many proposals keeps nobody from writing meanwhile."""

REVIEWDECK = Actor(ActorKind.OUTSIDE, "reviewdeck")
"""For what we only noticed."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One proposal that stands otherwise than it did."""

    proposal: str
    before: State
    after: State
    because: str

    @property
    def is_grave(self) -> bool:
        """Whether it is more than another result of the same kind."""
        return self.before is not self.after


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What one pass over the open proposals came to."""

    evaluated: tuple[str, ...] = ()
    automatic: Mapping[str, str] = field(default_factory=dict)
    """Those of them that are plainly safe, with the rule that says so."""
    moved: tuple[Moved, ...] = ()


def refresh(
    home: Home,
    ledger: Ledger,
    at: datetime,
    progress: Progress | None = None,
    *,
    policy: Policy = BUILT_IN,
    look: Look | None = None,
    stamp: str | None = None,
    end: Callable[[], None] | None = None,
) -> Refreshed:
    """Evaluates what is new, and again what was evaluated from something that is not so any more.

    The stamp is what the home's had been before it was looked at: it is stored with the
    evaluations, and a home that has it still is left alone. `end` ends the transaction in which
    this is called, where it is one: when more is to be looked at than a few proposals.
    """
    one = _Pass(Evaluator(home, ledger, policy, look), home, ledger, progress)
    refreshed = one.run(at, stamp, end)
    _list_only(ledger, refreshed.evaluated, policy)
    return refreshed


LEARNT = "it would have gone in by itself: listed with what was learnt"
REPORTED = "reported, and kept as it is: `[outside] mode` says so"


def _list_only(ledger: Ledger, evaluated: Sequence[str], policy: Policy) -> None:
    """What was changed without us and waits for nobody: it is listed with what was learnt."""
    is_reported = policy.settings.outside is OutsideMode.REPORT
    for ids in _parts(evaluated):
        for item in ledger.items(ids):
            if item.state is not State.LIVE:
                continue
            if item.reason == NOTHING_LEFT:
                ledger.drop(item.id, NOTHING_LEFT)
            elif is_reported or item.verdict == AUTO_APPLY:
                ledger.drop(item.id, REPORTED if is_reported else LEARNT)


class _Pass:
    """One pass over the open proposals of a home."""

    def __init__(
        self, evaluator: Evaluator, home: Home, ledger: Ledger, progress: Progress | None
    ) -> None:
        self._evaluator = evaluator
        self._home = home
        self._ledger = ledger
        self._progress = progress
        self._begun = ledger.begin_refresh(home.id)
        self._last = ledger.keys(home.id)
        """Every proposal that waits, oldest first."""
        self._done = 0
        self._keys: dict[str, str] = {}
        """What is not in it is evaluated again by the next pass."""
        self._evaluated: list[str] = []
        self._automatic: dict[str, str] = {}
        self._moved: list[Moved] = []
        self._stagings: list[Staging] = []
        """What is not stored yet: the last ones are, together with the keys."""

    def run(self, at: datetime, stamp: str | None, end: Callable[[], None] | None) -> Refreshed:
        """Everything in order."""
        if stamp is not None and self._is_at_rest(stamp):
            return Refreshed()
        new = [id for id, key in self._last.items() if key is None or id in self._begun.arrived]
        others = self._last.keys() - frozenset(new)
        if stamp is not None and self._is_at_rest(UNSETTLED + stamp):
            others = set(self._known_better())
        self._index(new)
        if end is not None and len(new) > FEW:
            end()
        for ids in _parts(new):
            self._evaluate_new(ids)
        if end is not None and len(self._last) > FEW:
            self._store()
            end()
        for ids in _parts(id for id in self._last if id in others):
            self._evaluate_dirty(ids)
        # While the conversation behind a proposal is not known for good, no look is fresh enough.
        if stamp is not None and not self._is_settled():
            has_keys = len(self._keys) == len(self._evaluated)
            stamp = UNSETTLED + stamp if has_keys else None
        if self._ledger.end_refresh(self._begun, self._keys, self._stagings, stamp):
            self._report(at)
        return Refreshed(tuple(self._evaluated), self._automatic, tuple(self._moved))

    def _is_settled(self) -> bool:
        """Whether nothing that waits may still be known better."""
        left = (text or "" for id, text in self._last.items() if id not in self._keys)
        keys = map(EvaluationKey.from_text, (*self._keys.values(), *left))
        is_known = len(self._keys) == len(self._evaluated)
        return is_known and not any(key is not None and key.heard for key in keys)

    def _known_better(self) -> Iterator[str]:
        """Those of which a conversation may tell more by now."""
        keys = {id: EvaluationKey.from_text(text or "") for id, text in self._last.items()}
        open_still = {id: key for id, key in keys.items() if key is not None and key.heard}
        for ids in _parts(open_still):
            for proposal in self._ledger.proposals(ids):
                if not self._evaluator.has_heard(proposal, open_still[proposal.id]):
                    yield proposal.id

    def _is_at_rest(self, stamp: str) -> bool:
        """Whether neither home nor queue moved since the last pass, and the same program asks."""
        return (
            not self._begun.has_moved
            and self._ledger.stamp(self._home.id) == stamp
            and all(key and self._is_current(key) for key in self._last.values())
        )

    def _is_current(self, text: str) -> bool:
        """Whether it is the key of an evaluation by the same program and policy."""
        key = EvaluationKey.from_text(text)
        return key is not None and key.rules == self._evaluator.rules

    def _index(self, new: Iterable[str]) -> None:
        """Makes what is new known to the others, and lets go of what is decided."""
        for ids in _parts(self._ledger.unindexed(tuple(new))):
            arrived = self._ledger.proposals(ids)
            texts = [subject for proposal in arrived for subject in indexed_of(proposal)]
            self._ledger.index(self._home.id, texts, ())
        if self._begun.gone:
            self._ledger.index(self._home.id, (), self._begun.gone)

    def _evaluate_new(self, ids: list[str]) -> None:
        new = [(proposal, None) for proposal in self._ledger.proposals(ids)]
        for evaluation in self._evaluator.evaluate_dirty(new):
            self._keep(evaluation)
        self._go_on(len(ids))

    def _evaluate_dirty(self, ids: list[str]) -> None:
        keys = {id: EvaluationKey.from_text(self._last[id] or "") for id in ids}
        proposals = [(proposal, keys[proposal.id]) for proposal in self._ledger.proposals(ids)]
        dirty = [
            (self._keep(evaluation), self._why(evaluation, keys[evaluation.proposal.id]))
            for evaluation in self._evaluator.evaluate_dirty(proposals)
        ]
        before = {item.id: item for item in self._ledger.items([one.proposal for one, _ in dirty])}
        for staging, because in dirty:
            if (moved := _moved(before[staging.proposal], staging, because)) is not None:
                self._moved.append(moved)
        self._go_on(len(ids))

    def _why(self, evaluation: Evaluation, last: EvaluationKey | None) -> str:
        if last is None or last.rules != self._evaluator.rules:
            return OTHER_RULES
        return "" if evaluation.key is None else evaluation.key.why_not(last)

    def _keep(self, evaluation: Evaluation) -> Staging:
        """Keeps what is stored of it, and lets go of its documents as they are and would be."""
        id = evaluation.proposal.id
        self._evaluated.append(id)
        if evaluation.key is not None:
            self._keys[id] = evaluation.key.to_text()
        if evaluation.is_automatic:
            self._automatic[id] = evaluation.rule
        staging = evaluation.as_staging()
        self._stagings.append(staging)
        return staging

    def _go_on(self, amount: int) -> None:
        if len(self._stagings) >= AT_ONCE:
            self._store()
        self._done += amount
        if self._progress is not None:
            self._progress(self._done, len(self._last))

    def _store(self) -> None:
        self._ledger.stage(self._stagings)
        self._stagings = []

    def _report(self, at: datetime) -> None:
        """The log names what moved, and why: looking again is no news by itself."""
        grave = [one for one in self._moved if one.is_grave]
        if not grave:
            return
        named = [[one.proposal, one.before, one.after, one.because] for one in grave[:NAMED]]
        detail: dict[str, object] = {"amount": len(grave), "moved": named}
        home = self._home.id
        self._ledger.append(
            "restaged", home=home, subject=home, actor=REVIEWDECK, at=at, detail=detail
        )


def _moved(before: QueueItem, now: Staging, because: str) -> Moved | None:
    stood = (before.state, before.verdict, before.digest)
    if stood == (now.state, now.verdict, now.digest):
        return None
    if before.state is State.DEFERRED and before.digest == now.digest:
        return None
    return Moved(before.id, before.state, now.state, because)


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(ids)
    while part := list(islice(iterator, AT_ONCE)):
        yield part
