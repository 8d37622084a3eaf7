"""Staging what is new, and again what a change concerns; everything else stays as it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from reviewdeck.examination import Examined, Examiner, Look, live_kin
from reviewdeck.footing import RULES, document_question, path_in, revision_in
from reviewdeck.likeness import MOST, indexed_of, is_live_text, live_texts, waiting_like
from reviewdeck.model import (
    ABSENT,
    Actor,
    ActorKind,
    Proposal,
    QueueItem,
    Relation,
    Revision,
    State,
)
from reviewdeck.pace import undisturbed
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.ports import ALWAYS, Home, Ledger, Progress, Staging, Subject

AT_ONCE = 1_000
"""How many proposals are examined before they are stored."""

HANDED_ON = 1_000
"""How many proposals are handed on to whoever applies them; the others are read once more."""

NAMED = 100
"""How many of those that moved an event of the log names."""

FEW = 100
"""Who looks at more than so many new ones keeps nobody from writing meanwhile."""

NEW = "it is new"

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
class Restaged:
    """What one pass over the open proposals came to."""

    examined: tuple[str, ...] = ()
    automatic: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, Proposal] = field(default_factory=dict)
    """The first ones of those that are automatic, as they were read."""
    moved: tuple[Moved, ...] = ()
    is_settled: bool = True
    """Whether where everything comes from is known for good."""


def restage(
    home: Home,
    ledger: Ledger,
    at: datetime,
    progress: Progress | None = None,
    *,
    policy: Policy = BUILT_IN,
    look: Look | None = None,
    stamp: str | None = None,
    end: Callable[[], None] | None = None,
) -> Restaged:
    """Examines what is new and what rests on something that is not so any more.

    The stamp is what the home's had been before it was looked at: it is stored with the stagings.
    `end` ends the transaction in which this is called, where it is one: when more is to be looked
    at than a few new proposals.
    """
    examiner = Examiner(home, ledger, policy, look)
    return _Pass(examiner, home, ledger, progress).run(at, stamp, end)


class _Pass:
    """One pass over the open proposals of a home."""

    def __init__(
        self,
        examiner: Examiner,
        home: Home,
        ledger: Ledger,
        progress: Progress | None,
    ) -> None:
        self._progress = progress
        self._home = home
        self._ledger = ledger
        self._round = ledger.begin_round(home.id)
        self._examiner = examiner
        self._examined: dict[str, None] = {}
        self._needs: dict[str, frozenset[str]] = {}
        """What is not in it is looked at again by the next pass."""
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        self._automatic: dict[str, str] = {}
        self._reading: dict[str, Proposal] = {}
        self._handed_on: dict[str, Proposal] = {}
        self._moved: list[Moved] = []
        self._stagings: list[Staging] = []
        """What is not stored yet: the last ones are, together with what they rest on."""
        self._arrived = {one.proposal for one in self._round.stirred if one.is_waiting}
        self._arrived.update(self._round.unstaged)

    def run(self, at: datetime, stamp: str | None, end: Callable[[], None] | None) -> Restaged:
        """Everything in order."""
        footing = self._footing()
        changed = {q for q, answer in self._round.footing.items() if footing.get(q) != answer}
        if self._is_at_rest(footing, changed):
            if stamp is not None and self._ledger.stamp(self._home.id) != stamp:
                self._ledger.set_stamp(self._home.id, stamp)
            return Restaged()
        self._index()
        if end is not None and (changed or len(self._arrived) > FEW):
            end()
        due = self._due(changed)
        partners = self._examine(due)
        self._examine({id: "another one that says nearly the same came" for id in partners})
        asked = {question for needs in self._sets for question in needs}
        footing |= self._examiner.footing.answers(asked)
        # While the conversation behind a proposal is not known for good, no look is fresh enough.
        is_settled = len(self._needs) == len(self._examined)
        stamp = stamp if is_settled else None
        if self._ledger.end_round(self._round, self._needs, footing, self._stagings, stamp):
            self._report(at)
        return Restaged(
            tuple(self._examined),
            self._automatic,
            self._handed_on,
            tuple(self._moved),
            is_settled=is_settled,
        )

    def _is_at_rest(self, footing: Mapping[str, str], changed: Collection[str]) -> bool:
        round = self._round
        has_news = round.stirred or round.remembered or round.unstaged
        return not changed and not has_news and footing.keys() == round.footing.keys()

    def _footing(self) -> dict[str, str]:
        """All questions that matter with their answers now."""
        snapshot = self._examiner.snapshot
        live = {document_question(p) for p in self._examiner.paths if is_live_text(p, snapshot)}
        others = {q for q in self._round.footing if not q.startswith(ALWAYS)}
        return self._examiner.footing.answers({RULES, *live, *others})

    def _index(self) -> None:
        """Makes what is new known to the others, and lets go of what is decided."""
        gone = {one.proposal for one in self._round.stirred if not one.is_waiting}
        for ids in _parts(self._ledger.unindexed(self._arrived), AT_ONCE):
            self._tell(0, len(self._arrived))
            arrived = self._ledger.proposals(ids)
            said = [subject for proposal in arrived for subject in indexed_of(proposal)]
            self._ledger.index(self._home.id, said, ())
        if gone:
            self._ledger.index(self._home.id, (), gone)

    def _due(self, changed: AbstractSet[str]) -> dict[str, str]:
        """Which proposals have to be examined, and why."""
        ledger, home = self._ledger, self._home.id
        if RULES in changed or RULES not in self._round.footing:
            return dict.fromkeys(ledger.waiting(home), "the rules are not the ones of last time")
        due = dict.fromkeys((*self._round.unstaged, *self._arrived_in_order()), NEW)
        documents = {question for question in changed if question.startswith("document ")}
        for questions in (documents, changed - documents):
            for id, question in ledger.needing(home, questions).items():
                due.setdefault(id, _said(question))
        gone = {one.proposal for one in self._round.stirred if not one.is_waiting}
        for id in ledger.kin(gone):
            due.setdefault(id, "another one that says nearly the same was decided")
        for id, because in list(self._resembling(due)):
            due.setdefault(id, because)
        return due

    def _arrived_in_order(self) -> Iterator[str]:
        return (one.proposal for one in self._round.stirred if one.is_waiting)

    def _resembling(self, due: dict[str, str]) -> Iterator[tuple[str, str]]:
        """What is like a text that came or went, in documents it has nothing else to do with."""
        came: list[tuple[Subject, str]] = []
        for path, before, now in self._moved_texts():
            old, new = {one.text for one in before}, {one.text for one in now}
            went = [live_kin(one.text) for one in before if one.text not in new]
            because = f"something in {path} that is like it changed"
            yield from ((id, because) for id in self._ledger.kin(went))
            came += [(one, because) for one in now if one.text not in old]
        news = "something like it was removed or rejected"
        came += [(one, news) for one in self._round.remembered]
        if came and not due.keys() >= set(self._ledger.waiting(self._home.id)):
            yield from self._waiting_like(came)

    def _waiting_like(self, came: Sequence[tuple[Subject, str]]) -> Iterator[tuple[str, str]]:
        self._examiner.expect(len(came))
        for subject, because in came:
            domains = (subject.domain,) if subject.relation is Relation.LIVE else ()
            found = waiting_like(subject.text, domains, self._examiner.others)
            yield from ((id, because) for id in sorted(found))

    def _moved_texts(self) -> Iterator[tuple[str, list[Subject], list[Subject]]]:
        """The documents whose texts are compared, as they were and as they are."""
        snapshot, live = self._examiner.snapshot, defaultdict[str, list[Subject]](list)
        for subject in self._examiner.live:
            live[subject.where].append(subject)
        before = {
            path: answer
            for question, answer in self._round.footing.items()
            if question.startswith(ALWAYS) and (path := path_in(question)) is not None
        }
        for path in sorted(before.keys() | live.keys()):
            answer = before.get(path)
            if answer == self._examiner.footing.answer(document_question(path)):
                continue
            revision = Revision(revision_in(answer)) if answer else ABSENT
            then = live_texts(path, self._ledger.content(revision), snapshot)
            yield path, then, live.get(path, [])

    def _examine(self, due: Mapping[str, str]) -> set[str]:
        """Examines and stores; gives those that something new among them is like."""
        self._examiner.expect(len(due))
        before: dict[str, QueueItem] = {}
        partners: set[str] = set()
        examined = map(self._examiner.examine, self._read(due, before))
        while stagings := self._take_down(examined, before, due, partners):
            self._store(stagings)
            self._tell(len(self._examined), max(len(due), len(self._examined)))
        partners -= self._examined.keys()
        # Who is held for being like so many others already is so for one more.
        return partners - self._ledger.crowded(partners, MOST)

    def _read(self, due: Mapping[str, str], before: dict[str, QueueItem]) -> Iterator[Proposal]:
        """The proposals, some at a time, and how they stand when they are not new."""
        for ids in _parts(due, AT_ONCE):
            known = [id for id in ids if id not in self._arrived]
            before.update((item.id, item) for item in self._ledger.items(known))
            for proposal in self._ledger.proposals(ids):
                self._reading[proposal.id] = proposal
                yield proposal

    def _take_down(
        self,
        examined: Iterator[Examined],
        before: dict[str, QueueItem],
        due: Mapping[str, str],
        partners: set[str],
    ) -> list[Staging]:
        """What some of them come to."""
        stagings: list[Staging] = []
        with undisturbed():
            # One at a time: each holds its documents as they were, are and will be.
            for one in islice(examined, AT_ONCE):
                stagings.append(one.as_staging())
                self._note(one)
                partners |= self._compared(one, before.pop(one.proposal.id, None), due)
        return stagings

    def _tell(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total)

    def _compared(
        self, one: Examined, before: QueueItem | None, due: Mapping[str, str]
    ) -> frozenset[str]:
        """Keeps whether it moved; gives whom it is like when it is new."""
        if before is None:
            return one.partners
        if (moved := _moved(before, one, due[one.proposal.id])) is not None:
            self._moved.append(moved)
        return frozenset()

    def _store(self, stagings: Sequence[Staging]) -> None:
        if len(self._stagings) + len(stagings) > AT_ONCE:
            self._ledger.stage(self._stagings)
            self._stagings = []
        self._stagings += stagings

    def _note(self, examined: Examined) -> None:
        id = examined.proposal.id
        read = self._reading.pop(id)
        self._examined[id] = None
        if examined.is_settled:
            self._needs[id] = self._sets.setdefault(examined.needs, examined.needs)
        if examined.is_automatic:
            self._automatic[id] = examined.rule
            if len(self._handed_on) < HANDED_ON and not read.bases:
                self._handed_on[id] = read

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


def _moved(before: QueueItem, now: Examined, because: str) -> Moved | None:
    stood = (before.state, before.verdict, before.digest)
    if stood == (now.state, now.verdict, now.digest):
        return None
    if before.state is State.DEFERRED and before.digest == now.digest:
        return None
    return Moved(before.id, before.state, now.state, because)


def _said(question: str) -> str:
    """A question whose answer changed, in words for an operator."""
    kind, _, about = question.partition(" ")
    match kind:
        case "document":
            return f"{about} changed"
        case "skill":
            return f"the skill {about} changed"
        case "files":
            return "a file of a skill changed"
        case "budget" | "closed" | "pins" | "new" | "archive":
            return "the settings of the home changed"
        case _:
            return "what the home says already changed"


def _parts(ids: Iterable[str], amount: int) -> Iterator[list[str]]:
    iterator = iter(ids)
    while part := list(islice(iterator, amount)):
        yield part
