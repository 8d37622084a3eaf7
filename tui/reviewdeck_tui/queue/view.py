"""The proposals that a lane shows, in which order. Pure: items in, rows out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.model import Allowance, Draft, Kind, QueueItem, Severity, State, Verb, gravity_of
from reviewdeck.model.ledger import Sight
from reviewdeck.presentation.checks import failing_words
from reviewdeck.presentation.hosts import NO_WORKERS, Workers
from reviewdeck.presentation.proposal_words import (
    creation_time,
    gist,
    glyph_of,
    is_dangerous,
    undone_words,
)
from reviewdeck.presentation.sections import TITLES, QueueSection
from reviewdeck.presentation.words import GLYPHS, age_of, kind_word, origin_word
from reviewdeck.text.redact import redact
from reviewdeck_tui.queue.items import ItemStore, QueueItems, Slice, Sort
from reviewdeck_tui.queue.people import NOBODY_ELSE, People
from reviewdeck_tui.widgets.rows import Heading, QueueRow, Rows


class Lane(StrEnum):
    """A part of the queue."""

    DECIDE = "Decide"
    APPLIED = "Applied"
    DRAFTS = "Drafts"
    ALL = "All"


@dataclass(frozen=True, slots=True)
class QueueView:
    """The part of the backlog that the operator wants to see."""

    lane: Lane = Lane.DECIDE
    conflicts_only: bool = False
    home: str | None = None
    """None for all homes."""
    sort: Sort = Sort.RISK
    matches: frozenset[str] | None = None
    """The ids that the filter matches; None without a filter."""
    unfolds: bool = False
    """Whether what is outdated is listed among what is to decide."""

    @property
    def may_fold(self) -> bool:
        """Whether this view leaves out what is outdated: no filter asks for it."""
        is_whole = self.matches is None and not self.conflicts_only
        return self.lane is Lane.DECIDE and self.sort is Sort.RISK and is_whole


@dataclass(frozen=True, slots=True)
class Backlog:
    """The backlog at one moment."""

    store: ItemStore = field(default_factory=ItemStore)
    drafts: Mapping[str, Draft] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    """Home id to its name for people."""
    budgets: Mapping[str, Sequence[tuple[str, Allowance]]] = field(default_factory=dict)
    """Home id to the name and allowance of each of its memories."""
    states: Mapping[State, int] = field(default_factory=dict)
    draft_count: int = 0
    dangerous: int = 0
    """The number of live outside changes with a grave finding."""
    unseen: int = 0
    """The number of the agent's changes that nobody has seen."""
    unseen_in: Mapping[str, int] = field(default_factory=dict)
    """The same by home id."""
    oldest: datetime | None = None
    """The time of the oldest open proposal."""
    direct: Mapping[str, str] = field(default_factory=dict)
    """Home id to the sentence that its agent writes without staging; read only where no proposal
    is open."""
    is_first_run: bool = False
    standing: str = ""
    """The authorisation of decisions, in words; empty until it is known."""
    sights: Mapping[str, Sight] = field(default_factory=dict)
    """Of the homes of other machines, when they were last looked at, by home."""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """Home id to the name of its machine, in a ledger that several share."""
    workers: Workers = NO_WORKERS
    """Which machines of such a ledger do their work."""
    people: People = NOBODY_ELSE
    """What other operators do."""
    notice: str = ""
    """What the strip says while there is no message: that nothing can be decided here."""
    is_complete: bool = False
    """False while only the first page is read."""

    @property
    def applicable_count(self) -> int:
        """The number of drafts without those that another operator's decision overtook."""
        if not self.is_complete:
            return self.draft_count
        return sum(id not in self.people.overtaken for id in self.drafts)

    def home_of(self, item: QueueItem) -> str:
        """The name of a proposal's home if there are several; else empty."""
        return self.homes.get(item.home, item.home) if len(self.homes) > 1 else ""


LETTERS: Final = {
    Verb.APPROVE: "A",
    Verb.MERGE: "M",
    Verb.REJECT: "R",
    Verb.DEFER: "D",
    Verb.SUPERSEDE: "S",
    Verb.CLAIM: "C",
}
UNREAD: Final = "not read: the ledger does not answer"
_STATES: Final = {sign: state for state, sign in reversed(GLYPHS.items())}
"""The state whose colour a sign has."""
WAITING: Final = frozenset(state for state in State if state.is_open) - {State.DEFERRED}
TO_DECIDE: Final = frozenset({State.READY, State.CONFLICT, State.LIVE})
"""What can be approved, kept or reverted: the head names apart what was stopped, a heading what is
outdated or unreadable."""
WRITTEN: Final = frozenset({State.APPLIED, State.APPLYING})


def arrange(backlog: Backlog, view: QueueView) -> QueueItems:
    """The items of a lane in their order."""
    states = {Lane.DECIDE: WAITING, Lane.APPLIED: WRITTEN}.get(view.lane, frozenset(State))
    if view.conflicts_only:
        states &= {State.CONFLICT}
    drafted = (frozenset(backlog.drafts),) if view.lane is Lane.DRAFTS else ()
    matches = () if view.matches is None else (view.matches,)
    part = Slice(states, view.home, drafted + matches)
    whole = backlog.store.lane(view.sort, part)
    if not view.may_fold or view.unfolds:
        return whole
    folded = backlog.store.lane(view.sort, part._replace(folds=True))
    # One line would save nothing, and where nothing else waits it is in nobody's way.
    return folded if folded and len(whole) - len(folded) > 1 else whole


def headings_of(
    items: QueueItems, backlog: Backlog, view: QueueView, key: Callable[[str], str]
) -> list[Heading]:
    """The headings over the sections of a lane that is sorted by risk; `key` names an action's."""
    if view.sort is not Sort.RISK or view.lane not in (Lane.DECIDE, Lane.ALL):
        return []
    shown, place, headings = items.section_counts, 0, list[Heading]()
    whole = arrange(backlog, replace(view, unfolds=True)).section_counts
    for section, amount in whole.items():
        title = TITLES[section]
        words = title.words
        if section is QueueSection.OUTDATED and view.may_fold and len(whole) > 1 < amount:
            fold = "hides" if section in shown else "shows"
            words += f" · {key('fold')} {fold}, {key('dismiss_dead')} dismisses them"
        headings.append(Heading(place, f"{title.name} {amount}", words, _STATES[title.sign]))
        place += shown.get(section, 0)
    return headings


def warm(backlog: Backlog, is_over: Callable[[], bool]) -> None:
    """Computes what later keys need: orders, lanes and the amounts in their sections."""
    for lane in (Lane.ALL, Lane.DECIDE):
        for sort in Sort:
            if not is_over():
                view = QueueView(lane=lane, sort=sort)
                headings_of(arrange(backlog, view), backlog, view, str)


def rows_of(items: QueueItems, backlog: Backlog, now: datetime) -> Rows:
    """A row for each item, made on demand."""
    has_homes = len(backlog.homes) > 1

    def row(place: int) -> QueueRow:
        item = items.at(place)
        if item is None:
            return _missing_row(items.ids[place], UNREAD if backlog.store.is_cut_off else "gone")
        return _row(item, backlog, now, backlog.store.cluster_size(item.id), many=has_homes)

    return Rows(items.ids, row, has_homes=has_homes, place_of=items.place_of)


def rows_for(ids: Sequence[str], backlog: Backlog, now: datetime) -> list[QueueRow]:
    """A row for each of these proposals that is still in the store, in this order."""
    has_homes = len(backlog.homes) > 1
    items = filter(None, map(backlog.store.get, ids))
    return [_row(item, backlog, now, 1, many=has_homes) for item in items]


def is_flagged(item: QueueItem) -> bool:
    """Whether a finding asks for a second look."""
    return gravity_of(item.findings) >= Severity.MEDIUM.rank


def counted_in(backlog: Backlog, home: str | None) -> Backlog:
    """The backlog with the counts of one home, or as it is."""
    if home is None or not backlog.is_complete:
        return backlog
    store, counts = backlog.store, backlog.store.counts_in(home)
    drafted = {id: store.outlines[id].home for id in backlog.drafts if id in store.outlines}
    return replace(
        backlog,
        states=counts.by_state,
        drafts={id: draft for id, draft in backlog.drafts.items() if drafted.get(id) == home},
        dangerous=counts.dangerous,
        oldest=counts.oldest_open,
        unseen=backlog.unseen_in.get(home, 0),
    )


def undrafted(backlog: Backlog) -> Counter[State]:
    """The number of proposals in each state, without those that have a draft."""
    left = Counter(backlog.states)
    left.subtract(filter(None, map(backlog.store.state_of, backlog.drafts)))
    return left


def lane_counts(backlog: Backlog) -> dict[Lane, int]:
    """The number beside each lane's name; beside *Decide* that of the head."""
    left, drafts = undrafted(backlog), len(backlog.drafts)
    waiting = sum(left[state] for state in TO_DECIDE)
    return {
        Lane.DECIDE: waiting if backlog.is_complete else waiting - backlog.draft_count,
        Lane.APPLIED: sum(backlog.states.get(state, 0) for state in WRITTEN),
        Lane.DRAFTS: drafts if backlog.is_complete else backlog.draft_count,
        Lane.ALL: sum(backlog.states.values()),
    }


def _row(item: QueueItem, backlog: Backlog, now: datetime, cluster: int, *, many: bool) -> QueueRow:
    draft = backlog.drafts.get(item.id)
    return QueueRow(
        id=item.id,
        glyph=glyph_of(item),
        state=item.state.value,
        kind=item.action,
        target=_target(item),
        gist=_gist(item, now),
        origin=origin_word(item.origin),
        age=age_of(creation_time(item), now),
        cluster=cluster if item.state.is_open else 1,
        draft=LETTERS[draft.verb] if draft else "",
        marked=False,
        home=backlog.homes.get(item.home, item.home) if many else "",
        dangerous=is_dangerous(item),
        checks=(*backlog.people.tags(item.id), *failing_words(item.checks))
        if item.state.is_open
        else (),
    )


def _missing_row(id: str, why: str) -> QueueRow:
    """The row of a proposal that left the ledger, or cannot be read, since the queue was read."""
    return QueueRow(
        id=id,
        glyph="/",
        state=State.ELSEWHERE.value,
        kind="",
        target="",
        gist=why,
        origin="",
        age="",
        cluster=1,
        draft="",
        marked=False,
        home="",
        dangerous=False,
    )


def _target(item: QueueItem) -> str:
    match item.kind:
        case Kind.MEMORY:
            return item.target.upper()
        case Kind.SKILLS:
            return "skill"
        case Kind.DOCUMENTS:
            return kind_word(item.kind)


def _gist(item: QueueItem, now: datetime) -> str:
    """The gist, else the reason of the state; for a skill, its name first."""
    words = gist(item) or redact(item.reason)
    if undone_note := undone_words(item, now):
        words = f"{undone_note}: {words}"
    if item.kind is Kind.MEMORY:
        return words
    name = redact(item.target)
    words = words.replace(f" of the skill '{name}'", "")
    return f"{name}: {words}"
