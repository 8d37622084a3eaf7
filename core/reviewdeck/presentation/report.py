"""The report on some homes over a period: one value, of which each form and the deck shows all.

Rows are read from the ledger a page at a time. A `Report` holds so many of each section and counts
the others; `every_row` gives all of them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import date, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from reviewdeck.engine.changes import each_change
from reviewdeck.ledger.blobs import chunks
from reviewdeck.model import ABSENT, ActorKind, Marks, QueueItem, State, Verb
from reviewdeck.model.changes import DocumentChanges
from reviewdeck.model.ledger import Filter
from reviewdeck.presentation.changes import OPERATORS_OWN, LearnedTotals
from reviewdeck.presentation.proposal_words import creation_time
from reviewdeck.presentation.report_rows import (
    Learned,
    ReportRow,
    Stopped,
    Subject,
    Waiting,
    learned_in,
    rows_of,
    rule_sentence,
)
from reviewdeck.presentation.sections import section_of_item
from reviewdeck.presentation.situation import Budget, budgets_of
from reviewdeck.presentation.words import age_words, count, home_words, inert, one_line
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.ledger.decided import DecisionTally

T = TypeVar("T", bound=Subject)

MOST: Final = 200
"""Rows of one section that a page shows: more are for a program."""
MOST_BARS: Final = 42
"""Periods of the chart."""
_PAGE: Final = 500
_OPEN: Final = tuple(state for state in State if state.is_open)
_VERBS: Final[Mapping[Verb, str]] = {
    Verb.APPROVE: "approved",
    Verb.MERGE: "changed",
    Verb.REJECT: "rejected",
    Verb.SUPERSEDE: "rejected",
    Verb.DEFER: "deferred",
    Verb.KEEP: "kept",
    Verb.CLAIM: "kept",
    Verb.REOPEN: "reopened",
    Verb.VOTE: "voted for",
    Verb.WITHDRAW: "withdrew the vote about",
}


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One section."""

    rows: tuple[ReportRow, ...]
    total: int
    """How many there are, with those that are not among the rows."""

    @property
    def left_out(self) -> int:
        return self.total - len(self.rows)


NONE: Final = ReportPart((), 0)


@dataclass(frozen=True, slots=True)
class Memory:
    """How full one memory is, in its agent's own unit."""

    home: str
    """The id of its home."""
    label: str
    used: int
    limit: int
    unit: str
    """In the plural: characters, lines, bytes."""

    @property
    def share(self) -> float:
        """The part of the limit that is used; 1.0 is full."""
        return self.used / self.limit if self.limit > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Decider:
    """A person or a rule, and what they decided in the period."""

    name: str
    is_person: bool
    standing: str
    """How a person's identity was established; empty for a rule."""
    amounts: Mapping[str, int]
    """By word: approved, changed, rejected, undone, …"""

    @property
    def total(self) -> int:
        return sum(self.amounts.values())


@dataclass(slots=True)
class Days:
    """What was decided and what arrived on some days, in the time zone of who reads."""

    first: date
    last: date
    automatic: int = 0
    accepted: int = 0
    """By a person, changed or not."""
    rejected: int = 0
    arrived: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What happened to some homes since a moment, and what waits now."""

    since: datetime
    until: datetime
    homes: Mapping[str, str]
    """The names of the homes, by id."""
    learned: ReportPart
    stopped: ReportPart
    waiting: ReportPart
    totals: LearnedTotals
    memories: tuple[Memory, ...]
    deciders: tuple[Decider, ...]
    """The busiest first."""
    days: tuple[Days, ...]
    """The chart: equal periods, oldest first."""
    oldest: datetime | None
    """Since when the oldest undecided proposal waits."""
    refused: int
    """How many of what was stopped the policy refused."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened and nothing waits."""
        return not (self.learned.total or self.stopped.total or self.waiting.total)


def report_of(engine: Engine, since: datetime, now: datetime, most: int = MOST) -> Report:
    """The report on all homes of an engine."""
    with engine.ledger.at_once():
        facts = facts_of(engine, since, now)
        learned = _keep(_learned(engine, since, facts.totals), most, _order_of_learned)
        stopped = _keep(_stopped(engine, since), most, _order_of_stopped)
        waiting = _keep(_waiting(engine, since), most, _order_of_waiting)
        return replace(
            facts,
            learned=ReportPart(
                tuple(rows_of(engine, _by_document(learned.subjects))), learned.total
            ),
            stopped=ReportPart(tuple(rows_of(engine, stopped.subjects)), stopped.total),
            waiting=ReportPart(tuple(rows_of(engine, waiting.subjects)), waiting.total),
        )


def facts_of(engine: Engine, since: datetime, now: datetime) -> Report:
    """The report without its rows: their totals are 0."""
    deciders, days = _decisions(engine, since, now)
    return Report(
        since=since,
        until=now,
        homes=_names(engine),
        learned=NONE,
        stopped=NONE,
        waiting=NONE,
        totals=LearnedTotals(),
        memories=memories_of(engine),
        deciders=deciders,
        days=days,
        oldest=engine.ledger.counts(engine.home_ids).oldest_open,
        refused=sum(1 for _ in _refused(engine, since)),
    )


def _names(engine: Engine) -> dict[str, str]:
    """The names of the homes by id; where two have one, with their paths."""
    names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
    amounts = Counter(names.values())
    return {
        home.id: inert(f"{name} {home.where}" if amounts[name] > 1 else name)
        for home, name in zip(engine.homes, names.values(), strict=True)
    }


def every_row(engine: Engine, since: datetime, totals: LearnedTotals) -> Iterator[ReportRow]:
    """All rows, section by section: what was learned, what was stopped, what waits.

    What was learned is added to `totals` meanwhile.
    """
    subjects: Iterable[Subject] = chain(
        _learned(engine, since, totals), _stopped(engine, since), _waiting(engine, since)
    )
    return rows_of(engine, subjects)


def memories_of(engine: Engine) -> tuple[Memory, ...]:
    """The memories with a limit, as they are now."""
    return tuple(_memory(home.id, budget) for home in engine.homes for budget in budgets_of(home))


def _memory(home: str, budget: Budget) -> Memory:
    allowance = budget.allowance
    return Memory(home, one_line(budget.label), allowance.used, allowance.limit, allowance.unit)


# Reading, a page at a time.


def _learned(engine: Engine, since: datetime, totals: LearnedTotals) -> Iterator[Learned]:
    for home in engine.homes:
        waiting: dict[str, str] = {
            change.after: proposal.id
            for proposal in engine.ledger.outside(home.id)
            for change in proposal.outside
        }
        for document in each_change(engine.ledger, home, Marks(since).of, rows=False):
            if _is_archive(document):
                continue
            totals.add(document)
            yield from learned_in(document, waiting)


def _is_archive(document: DocumentChanges) -> bool:
    """Whether an approved removal moved a skill there: the row of its old place says so."""
    return (
        "/.archive/" in document.document
        and document.before == ABSENT
        and all(change.by.operation for change in document.changes)
    )


def _stopped(engine: Engine, since: datetime) -> Iterator[Stopped]:
    for item in _refused(engine, since):
        yield Stopped(item, None)
    for decisions in chunks(engine.ledger.rejections(engine.home_ids, since)):
        items = engine.ledger.items([decision.proposal for decision in decisions])
        yield from map(Stopped, items, decisions)


def _refused(engine: Engine, since: datetime) -> Iterator[QueueItem]:
    pages = _pages(engine, (State.REFUSED,))
    return (item for item in pages if creation_time(item) >= since)


def _waiting(engine: Engine, since: datetime) -> Iterator[Waiting]:
    for item in _pages(engine, _OPEN):
        if item.state is not State.REFUSED or creation_time(item) < since:
            yield Waiting(item)


def _pages(engine: Engine, states: tuple[State, ...]) -> Iterator[QueueItem]:
    after = None
    while page := engine.ledger.page(Filter(engine.home_ids, states), after=after, limit=_PAGE):
        yield from page
        after = page[-1].position


class _Kept(NamedTuple, Generic[T]):
    subjects: list[T]
    total: int


def _keep(
    subjects: Iterator[T], most: int, order: Callable[[T], tuple[int | str, ...]]
) -> _Kept[T]:
    """The first so many in this order, and how many there are."""
    total = 0

    def counted() -> Iterator[T]:
        nonlocal total
        for subject in subjects:
            total += 1
            yield subject

    kept = heapq.nsmallest(most, counted(), key=order)
    return _Kept(kept, total)


def _micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _order_of_learned(subject: Learned) -> tuple[int | str, ...]:
    return (-_micros(subject.by.at),)


def _order_of_stopped(subject: Stopped) -> tuple[int | str, ...]:
    decision = subject.decision
    if decision is None:
        return (0, -_micros(creation_time(subject.item)))
    return (1 if decision.actor.kind is ActorKind.POLICY else 2, -_micros(decision.at))


def _order_of_waiting(subject: Waiting) -> tuple[int | str, ...]:
    return (int(section_of_item(subject.item)), -subject.item.position)


def _by_document(subjects: Iterable[Learned]) -> list[Learned]:
    """Memories before other documents, each document together, its newest row first."""

    def place(subject: Learned) -> tuple[str, bool, str]:
        document = subject.document
        return document.home, not document.is_memory, document.document

    return sorted(subjects, key=place)


# Counting.


@dataclass(slots=True)
class _Counts:
    """The decisions while they are counted."""

    by_actor: dict[tuple[bool, str, str], Counter[str]] = field(default_factory=dict)
    by_day: dict[date, Days] = field(default_factory=dict)

    def day(self, at: datetime) -> Days:
        day = at.astimezone().date()
        return self.by_day.setdefault(day, Days(day, day))

    def add(self, tally: DecisionTally) -> None:
        actor, amount = tally.actor, tally.amount
        is_person = actor.kind is not ActorKind.POLICY
        who = (
            is_person,
            inert(actor.name) if is_person else rule_sentence(actor.name),
            inert(actor.tier) if is_person else "",
        )
        word = OPERATORS_OWN.get(tally.action) or _VERBS[tally.verb]
        if not is_person and word != "rejected":
            word = "applied"
        self.by_actor.setdefault(who, Counter())[word] += amount
        if tally.action in OPERATORS_OWN:
            return
        day = self.day(tally.at)
        if word == "rejected":
            day.rejected += amount
        elif not is_person:
            day.automatic += amount
        elif word in ("approved", "changed", "kept"):
            day.accepted += amount


def _decisions(
    engine: Engine, since: datetime, now: datetime
) -> tuple[tuple[Decider, ...], tuple[Days, ...]]:
    counts = _Counts()
    for tally in engine.ledger.tallies(engine.home_ids, since):
        counts.add(tally)
    for at, amount in engine.ledger.arrivals(engine.home_ids, since, tuple(OPERATORS_OWN)):
        counts.day(at).arrived += amount
    deciders = (
        Decider(name, is_person, standing, dict(amounts))
        for (is_person, name, standing), amounts in counts.by_actor.items()
    )
    busiest = sorted(deciders, key=lambda decider: (-decider.total, decider.name))
    return tuple(busiest), _periods(counts.by_day, since, now)


def _periods(by_day: Mapping[date, Days], since: datetime, now: datetime) -> tuple[Days, ...]:
    """Equal periods of whole days up to today; those before anything happened are left out."""
    last = now.astimezone().date()
    first = since.astimezone().date()
    if (last - first).days >= MOST_BARS:
        first = max(first, min(by_day, default=last))
    length = -(-((last - first).days + 1) // MOST_BARS)
    amount = -(-((last - first).days + 1) // length)
    first = last - timedelta(days=amount * length - 1)
    periods = [
        Days(start := first + timedelta(days=at * length), start + timedelta(days=length - 1))
        for at in range(amount)
    ]
    for day, counted in by_day.items():
        at = (day - first).days // length
        if 0 <= at < amount:
            period = periods[at]
            period.automatic += counted.automatic
            period.accepted += counted.accepted
            period.rejected += counted.rejected
            period.arrived += counted.arrived
    return tuple(periods)


# In sentences.


def period_words(report: Report) -> str:
    """The period, in words: ``22 November to 29 November 2026``."""
    since, until = report.since.astimezone(), report.until.astimezone()
    if since.date() == until.date():
        return f"{until.day} {until:%B %Y}, since {since:%H:%M}"
    year = f" {since.year}" if since.year != until.year else ""
    return f"{since.day} {since:%B}{year} to {until.day} {until:%B %Y}"


def summary_sentences(report: Report) -> tuple[str, ...]:
    """The report in a few sentences, for somebody who reads nothing else."""
    if report.is_empty:
        return ("Nothing was learned, nothing was stopped, and nothing waits.",)
    learned = str(report.totals)
    sentences = [f"The agent learned {learned}." if learned else "The agent learned nothing new."]
    sentences.append(_stopped_sentence(report))
    sentences.append(_waiting_sentence(report))
    return tuple(sentences)


def _stopped_sentence(report: Report) -> str:
    total, refused = report.stopped.total, report.refused
    if not total:
        return "Nothing was stopped."
    verb = "was" if total == 1 else "were"
    among = ""
    if refused:
        among = f", {refused} of them by the policy" if refused < total else " by the policy"
    return f"{count(total, 'proposal')} {verb} stopped{among}."


def _waiting_sentence(report: Report) -> str:
    """How many an operator has to decide on, as `auto` counts them: what the policy stopped too."""
    waiting, refused = report.waiting.total, report.refused
    if not waiting + refused:
        return "Nothing waits for a decision."
    age = f", the oldest for {age_words(report.oldest, report.until)}" if report.oldest else ""
    if not waiting:
        verb = "waits" if refused == 1 else "wait"
        return f"Only the {refused:,} that the policy stopped {verb} for a decision{age}."
    words = f"{count(waiting, 'proposal')} {'waits' if waiting == 1 else 'wait'} for a decision"
    if refused:
        words += f", and so {'does' if refused == 1 else 'do'} the {refused:,} that the policy"
        words += f" stopped: {waiting + refused:,} in all"
    return f"{words}{age}."
