"""Bringing the stored evaluations of a home up to date.

A proposal is dirty when it has no key, or when the key of its evaluation is not what an evaluation
now would be made from. Dirty ones are evaluated again; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field
from datetime import datetime
from functools import partial
from itertools import islice

from reviewdeck.engine.ahead import MOST_AHEAD, Ahead
from reviewdeck.engine.bases import touched_skills
from reviewdeck.engine.evaluate import Evaluator, Look
from reviewdeck.engine.evaluation import NOTHING_LEFT, OTHER_RULES, Evaluation, EvaluationKey
from reviewdeck.engine.home_look import Asked
from reviewdeck.engine.inputs import Concerned, Past, concerned, questions
from reviewdeck.engine.remote_home import RemoteHome
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.ledger.database import ALL
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import AUTO_APPLY, Actor, ActorKind, AutoApply, Proposal, State
from reviewdeck.model.ledger import LastEvaluation, RefreshStart, Staging
from reviewdeck.planning.skills import check_name_in
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.settings import OutsideMode
from reviewdeck.ports import Home, Progress
from reviewdeck.values import dataclass

AT_ONCE = 200
"""How many proposals are read and evaluated before they are stored."""

NAMED = 100
"""The most state changes that one event of the log lists."""

UNSETTLED = "~"
"""Prefix of the stamp of a home where only the writers of live changes are unsettled."""

FEW = 100
"""A pass over more proposals than this ends its transaction first, so that others can write."""

REVIEWDECK = Actor(ActorKind.OUTSIDE, "reviewdeck")
"""The actor of events that nobody caused."""


@dataclass(frozen=True, slots=True)
class StateChange:
    """One proposal whose stored evaluation changed."""

    proposal: str
    before: State
    after: State
    because: str

    @property
    def is_grave(self) -> bool:
        """Whether its state changed, not only its verdict or digest."""
        return self.before is not self.after


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The result of one pass over the open proposals."""

    evaluated: tuple[str, ...] = ()
    automatic: Mapping[str, AutoApply] = field(default_factory=dict)
    """Those that may be applied automatically, with what allows it."""
    moved: tuple[StateChange, ...] = ()


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
    keep: Callable[[Asked], None] | None = None,
) -> Refreshed:
    """Evaluates new proposals, and again those whose inputs changed.

    The stamp is the home's before it was read: it is stored with the
    evaluations, and a home that still has it is skipped. `end` commits the surrounding
    transaction, if there is one, once a pass looks at more than a few proposals. `keep` stores the
    look for other machines with the end of the pass.
    """
    if isinstance(home, RemoteHome):
        return Refreshed()  # The machine that has it makes the pass.
    refresh_pass = _Pass(Evaluator(home, ledger, policy, look), home, ledger, progress, keep)
    refresh_pass.begin()
    refreshed = refresh_pass.run(at, stamp, end)
    _drop_listed(ledger, refresh_pass.live, policy)
    return refreshed


def refresh_beside(
    home: Home,
    ledger: Ledger,
    at: datetime,
    decided: Sequence[str],
    *,
    policy: Policy = BUILT_IN,
    look: Look | None = None,
) -> None:
    """Evaluates again what a decision on these proposals concerns.

    In a short queue that is everything. In a long one it is what is about the same entries and
    skills: the next pass evaluates the rest, since the home or the queue is another one now.
    """
    if isinstance(home, RemoteHome):
        return  # As above.
    with ledger.together(home.id) as end:
        # Before anything is asked, so that the answers hold to the end of the pass.
        ledger.unindex(home.id, decided, FEW)
        refresh_pass = _Pass(Evaluator(home, ledger, policy, look), home, ledger)
        if refresh_pass.begin(FEW + 1, decided) <= FEW:
            refresh_pass.run(at, None, end)
            _drop_listed(ledger, refresh_pass.live, policy)
        elif related := ledger.related(home.id, decided, FEW):
            refresh_pass.run_some(at, related)


LEARNT = "it would have been applied automatically: listed among the changes"
REPORTED = "reported and kept, by `[outside] mode`"


def _drop_listed(ledger: Ledger, live: Sequence[str], policy: Policy) -> None:
    """Takes those changes outside review out of the queue that no operator has to decide."""
    is_reported = policy.settings.outside is OutsideMode.REPORT
    for ids in _parts(live):
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
        self,
        evaluator: Evaluator,
        home: Home,
        ledger: Ledger,
        progress: Progress | None = None,
        keep: Callable[[Asked], None] | None = None,
    ) -> None:
        self._keep = keep
        self._asked: tuple[set[str], set[str]] = set(), set()
        """The documents and skills that the evaluated proposals ask for."""
        self._evaluator = evaluator
        self._home = home
        self._ledger = ledger
        self._progress = progress
        self._begun: RefreshStart
        self._stamp: str | None = None
        """The home's, as the last pass left it."""
        self._unindexed: Collection[str] = ()
        """Proposals that left the queue, and of which the index has no text any more."""
        self._proposals = Ahead(lambda ids: {one.id: one for one in ledger.proposals(ids)})
        self._last: Mapping[str, LastEvaluation] = {}
        """The proposals that the pass looks at, oldest first."""
        self._known: Mapping[str, EvaluationKey | None] = {}
        """Their keys."""
        self.live: list[str] = []
        """The changes outside review that it evaluated."""
        self._done = 0
        self._keys: dict[str, EvaluationKey] = {}
        """Proposals without a key are evaluated again by the next pass."""
        self._evaluated: list[str] = []
        self._automatic: dict[str, AutoApply] = {}
        self._moved: list[StateChange] = []
        self._stagings: list[Staging] = []
        """The stagings not stored yet; the last of them are stored together with the keys."""

    def begin(self, most: int = ALL, decided: Collection[str] = ()) -> int:
        """Looks at the queue, or at so much of it, and gives how much that is.

        Of what was decided just now no text is in the index any more, unless more than that waits.
        """
        ledger, home = self._ledger, self._home.id
        begin = partial(ledger.begin_refresh, home)
        read, read_stamp = partial(ledger.last_evaluations, home, most), partial(ledger.stamp, home)
        with ledger.at_once():
            ledger.foresee((begin, read, read_stamp, *self._questions_about(decided)))
            self._begun, self._stamp = begin(), read_stamp()
            self._look_at(read())
        self._unindexed = decided if len(self._last) < most else ()
        return len(self._last)

    def run(self, at: datetime, stamp: str | None, end: Callable[[], None] | None) -> Refreshed:
        """Runs the pass over the whole queue, once it has begun."""
        begun = self._begun
        if stamp is not None and self._is_at_rest(begun, stamp):
            if self._keep is not None:  # A pause is in no stamp, and a copied ledger has no look.
                self._keep(self._all_asked())
            return Refreshed()
        new = [id for id, one in self._last.items() if one.key is None or id in begun.arrived]
        dirty = self._index_and_compare(new)
        compared = {*dirty.evaluated, *dirty.planned}.difference(new)
        to_compare = [id for id in self._last if id in compared]
        if end is not None and len(new) > FEW:
            end()
        self._evaluate_each(new, to_compare, dirty.planned, end)
        # While the conversation behind a proposal may still be found, the home is looked at again.
        if stamp is not None and not self._is_settled():
            has_keys = len(self._keys) == len(self._evaluated)
            stamp = UNSETTLED + stamp if has_keys else None
        keys = {id: key.to_text() for id, key in self._keys.items()}
        inputs = self._evaluator.inputs({**self._known, **self._keys}).to_text()
        with nullcontext() if self._keep is None else self._ledger.together(self._home.id):
            is_last = self._ledger.end_refresh(begun, keys, self._stagings, stamp, inputs)
            if is_last and self._keep is not None:
                self._keep(self._all_asked())
        if is_last:
            self._report(at)
        return Refreshed(tuple(self._evaluated), self._automatic, tuple(self._moved))

    def _evaluate_each(
        self,
        new: Sequence[str],
        others: Sequence[str],
        planned: Collection[str],
        end: Callable[[], None] | None,
    ) -> None:
        """Evaluates the new ones, and those of the others whose inputs changed."""
        if len(new) + len(others) <= MOST_AHEAD:
            self._ledger.foresee(self._questions_of_evaluating(new, others, planned))
        for ids in _parts(new):
            self._evaluate_new(ids)
        if end is not None and len(self._last) > FEW:
            self._store()
            end()
        for ids in _parts(others):
            self._evaluate_dirty(ids, [id for id in ids if id in planned])

    def _index_and_compare(self, new: Sequence[str]) -> Concerned:
        """Brings the index up to date, and gives what a difference concerns, the new ones apart."""
        ledger, begun = self._ledger, self._begun
        # What does not depend on the index is asked before that is another one.
        keys, seen = self._known, self._proposals.see

        def read() -> Past | None:
            return Past.read(self._evaluator, ledger, begun, keys, seen)

        ledger.foresee((read, *self._questions_about(begun.departed)))
        are_others = len(new) < len(self._last)
        past = read() if are_others else None
        self._index(new)
        if not are_others:
            return Concerned(())
        return concerned(self._evaluator, ledger, begun, keys, past)

    def _questions_about(self, departed: Collection[str]) -> Iterator[Callable[[], object]]:
        """What the pass asks the ledger first; these left the queue."""
        ledger, home = self._ledger, self._home.id
        yield from questions(ledger, home, departed)
        yield partial(ledger.unindexed, home)
        yield self._expect_few

    def _expect_few(self) -> None:
        few = self._ledger.few_proposals(self._home.id, MOST_AHEAD)
        self._proposals.know({proposal.id: proposal for proposal in few})

    def _questions_of_evaluating(
        self, new: Sequence[str], others: Sequence[str], planned: Collection[str]
    ) -> Iterator[Callable[[], object]]:
        """What evaluating these asks the ledger; of the others, those planned are judged."""
        yield partial(self._ledger.passes, self._home.id)
        arrived = self._proposals.see(new).values()
        yield from self._evaluator.questions([(proposal, None) for proposal in arrived])
        yield from self._questions_of_comparing(others, planned)

    def _questions_of_comparing(
        self, ids: Sequence[str], planned: Collection[str]
    ) -> Iterator[Callable[[], object]]:
        """What comparing these asks the ledger."""
        yield partial(self._ledger.judgements, [id for id in ids if id in planned])
        known = [(proposal, self._known[id]) for id, proposal in self._proposals.see(ids).items()]
        yield from self._evaluator.questions(known, planned)

    def run_some(self, at: datetime, last: Mapping[str, LastEvaluation]) -> None:
        """Evaluates these again where their inputs changed, for a pass over all to follow."""
        self._look_at(last)
        self._index(())
        self._evaluate_dirty(list(last), ())
        self._store()
        self._report(at)

    def _all_asked(self) -> Asked:
        """What the proposals that wait ask of the home."""
        keys = [key for key in {**self._known, **self._keys}.values() if key is not None]
        paths, skills = self._asked
        return Asked(
            paths.union(*(key.documents for key in keys)),
            skills.union(*(key.skills for key in keys)),
        )

    def _plain_skills(self, proposal: Proposal) -> Iterator[str]:
        snapshot = self._evaluator.snapshot
        for name in touched_skills(proposal.edits):
            if check_name_in(name, snapshot) is None:
                yield name

    def _look_at(self, last: Mapping[str, LastEvaluation]) -> None:
        self._last = last
        self._known = {id: EvaluationKey.from_text(one.key or "") for id, one in last.items()}

    def _is_settled(self) -> bool:
        """Whether no pending proposal's origin may still become better known."""
        is_known = len(self._keys) == len(self._evaluated)
        keys = {**self._known, **self._keys}.values()
        return is_known and not any(key is not None and key.conversations for key in keys)

    def _is_at_rest(self, begun: RefreshStart, stamp: str) -> bool:
        """Whether home, queue, program and policy are those of the last pass.

        Then only the conversations behind its proposals may be others.
        """
        rules, last = self._evaluator.rules, self._stamp
        return (
            not begun.has_moved
            and last in (stamp, UNSETTLED + stamp)
            and all(key is not None and key.rules == rules for key in self._known.values())
            and (last == stamp or not any(self._evaluator.heard_anew(self._known)))
        )

    def _index(self, new: Sequence[str]) -> None:
        unindexed = self._ledger.unindexed(self._home.id) if new else frozenset()
        for ids in _parts(id for id in new if id in unindexed):
            arrived = self._proposals.see(ids).values()
            texts = [subject for proposal in arrived for subject in indexed_of(proposal)]
            self._ledger.index(self._home.id, texts)
        if departed := self._begun.departed.difference(self._unindexed):
            self._ledger.unindex(self._home.id, departed)

    def _evaluate_new(self, ids: list[str]) -> None:
        new = [(proposal, None) for proposal in self._proposals.take(ids).values()]
        for evaluation in self._evaluator.evaluate_dirty(new):
            self._collect(evaluation)
        self._advance(len(ids))

    def _evaluate_dirty(self, ids: list[str], planned: Collection[str]) -> None:
        """Evaluates these; of the planned ones only documents changed."""
        self._proposals.expect(ids)
        self._ledger.foresee(self._questions_of_comparing(ids, planned))
        judged = self._ledger.judgements(planned)
        taken = self._proposals.take(ids).values()
        proposals = [(one, self._known[one.id]) for one in taken]
        for evaluation in self._evaluator.evaluate_dirty(proposals, judged):
            staging, because = self._collect(evaluation), self._reason(evaluation)
            if (move := _state_change(self._last[staging.proposal], staging, because)) is not None:
                self._moved.append(move)
        self._advance(len(ids))

    def _reason(self, evaluation: Evaluation) -> str:
        last = self._known[evaluation.proposal.id]
        if last is None or last.rules != self._evaluator.rules:
            return OTHER_RULES
        return "" if evaluation.key is None else evaluation.key.why_not(last)

    def _collect(self, evaluation: Evaluation) -> Staging:
        """Collects the part that is stored; the documents themselves are released."""
        id = evaluation.proposal.id
        self._evaluated.append(id)
        if evaluation.key is not None:
            self._keys[id] = evaluation.key
        if evaluation.proposal.outside:
            self.live.append(id)
        if self._keep is not None:
            self._asked[0].update(evaluation.paths)
            self._asked[1].update(self._plain_skills(evaluation.proposal))
        if isinstance(evaluation.judgement.verdict, AutoApply):
            self._automatic[id] = evaluation.judgement.verdict
        staging = evaluation.as_staging()
        self._stagings.append(staging)
        return staging

    def _advance(self, amount: int) -> None:
        if len(self._stagings) >= AT_ONCE:
            self._store()
        self._done += amount
        if self._progress is not None:
            self._progress(self._done, len(self._last))

    def _store(self) -> None:
        self._ledger.stage(self._stagings)
        self._stagings = []

    def _report(self, at: datetime) -> None:
        grave = [change for change in self._moved if change.is_grave]
        if not grave:
            return
        moved = [
            [change.proposal, change.before, change.after, change.because]
            for change in grave[:NAMED]
        ]
        detail: dict[str, object] = {"amount": len(grave), "moved": moved}
        home = self._home.id
        self._ledger.append(
            "restaged", home=home, subject=home, actor=REVIEWDECK, at=at, detail=detail
        )


def _state_change(before: LastEvaluation, now: Staging, because: str) -> StateChange | None:
    last = (before.state, before.verdict, before.digest)
    if last == (now.state, now.verdict, now.digest):
        return None
    if before.state is State.DEFERRED and before.digest == now.digest:
        return None  # It stays deferred: the ledger stores it so (`ledger/proposal_rows`).
    return StateChange(now.proposal, before.state, now.state, because)


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(ids)
    while part := list(islice(iterator, AT_ONCE)):
        yield part
