"""Which proposals a lane shows, in which order. Pure: items in, rows out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import reduce
from itertools import compress
from typing import Final

from reviewdeck.model import Allowance, Draft, Kind, QueueItem, Severity, State, Verb
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.checks import dense_marks
from reviewdeck.presentation.proposal_words import (
    finding_count,
    gist,
    glyph_of,
    is_dangerous,
    made_at,
    undone_words,
)
from reviewdeck.presentation.words import age_of, kind_word, origin_word
from reviewdeck_tui.queue.columns import CODES, QueueIndex, Sort
from reviewdeck_tui.queue.items import QueueItems, Shelf
from reviewdeck_tui.widgets.rows import QueueRow, Rows


class Lane(StrEnum):
    """A part of the queue."""

    DECIDE = "Decide"
    APPLIED = "Applied"
    DRAFTS = "Drafts"
    ALL = "All"


@dataclass(frozen=True, slots=True)
class Matches:
    """What a filter lets through, of one shelf."""

    shelf: Shelf
    mask: bytes

    def on(self, shelf: Shelf) -> bytes:
        """The same of a shelf that was read since: what is new is left out."""
        if shelf is self.shelf:
            return self.mask
        old = self.shelf.columns.ids
        return _of_ids(shelf.columns, compress(old, self.mask))


@dataclass(frozen=True, slots=True)
class QueueView:
    """What the operator wants to see."""

    lane: Lane = Lane.DECIDE
    conflicts_only: bool = False
    home: str | None = None
    """None for all homes."""
    sort: Sort = Sort.RISK
    matches: Matches | None = None
    """What the filter lets through; None without a filter."""


@dataclass(frozen=True, slots=True)
class Stock:
    """What is known of the queue at one moment."""

    shelf: Shelf = field(default_factory=Shelf)
    drafts: Mapping[str, Draft] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    """Home id to the name that a person calls it."""
    budgets: Mapping[str, Sequence[tuple[str, Allowance]]] = field(default_factory=dict)
    """Home id to (name, used, limit) of its memories."""
    states: Mapping[State, int] = field(default_factory=dict)
    draft_count: int = 0
    dangerous: int = 0
    """How many of those that are live already have a grave finding."""
    unseen: int = 0
    """How much of what the agent learnt nobody has looked at yet."""
    oldest: datetime | None = None
    """Since when the oldest proposal waits."""
    direct: Mapping[str, str] = field(default_factory=dict)
    """Home id to the sentence that its agent writes without staging; looked for where nothing
    waits."""
    is_first_run: bool = False
    standing: str = ""
    """How decisions are established; empty as long as that is not known."""
    is_whole: bool = False
    """False as long as only the first page is read."""

    def home_of(self, item: QueueItem) -> str:
        """The name of a proposal's home where there are several; else nothing."""
        return self.homes.get(item.home, item.home) if len(self.homes) > 1 else ""


LETTERS: Final = {
    Verb.APPROVE: "A",
    Verb.MERGE: "M",
    Verb.REJECT: "R",
    Verb.DEFER: "D",
    Verb.SUPERSEDE: "S",
    Verb.CLAIM: "C",
}
WAITING: Final = frozenset(state for state in State if state.is_open) - {State.DEFERRED}
WRITTEN: Final = frozenset({State.APPLIED, State.APPLYING})


def arrange(stock: Stock, view: QueueView) -> QueueItems:
    """The items of a lane in their order."""
    there = _there(stock, view)
    return QueueItems(stock.shelf, stock.shelf.places(view.sort, there), there)


def warm(stock: Stock, is_over: Callable[[], bool]) -> None:
    """Works out what later keys need: orders, lanes, what a filter looks through."""
    stock.shelf.warm_all(stock.homes, is_over)
    for lane in (Lane.ALL, Lane.DECIDE):
        for sort in Sort:
            if not is_over():
                arrange(stock, QueueView(lane=lane, sort=sort))


def rows_of(shown: QueueItems, stock: Stock, now: datetime) -> Rows:
    """One row per item, each made when it is looked at."""
    many = len(stock.homes) > 1

    def row(place: int) -> QueueRow:
        item = shown.at(place)
        if item is None:
            return _gone(shown.ids[place])
        return _row(item, stock, now, shown.cluster_of(place), many=many)

    return Rows(shown.ids, row, has_homes=many, place_of=shown.place_of)


def rows_for(ids: Sequence[str], stock: Stock, now: datetime) -> list[QueueRow]:
    """One row for each of these proposals that is still known, in this order."""
    many = len(stock.homes) > 1
    shelf = stock.shelf
    return [_row(shelf[id], stock, now, 1, many=many) for id in ids if id in shelf]


def flagged(item: QueueItem) -> bool:
    """Whether anything about it asks for a second look."""
    return any(one.severity.rank >= Severity.MEDIUM.rank for one in item.findings)


def left_to_decide(stock: Stock) -> tuple[int, int]:
    """How many wait without a draft, and how many wait at all."""
    total = sum(stock.states.get(state, 0) for state in WAITING)
    drafted = sum(1 for id in stock.drafts if stock.shelf.state_of(id) in WAITING)
    return total - (drafted if stock.is_whole else stock.draft_count), total


def lane_counts(stock: Stock) -> dict[Lane, int]:
    """What stands behind each lane's name."""
    return {
        Lane.DECIDE: left_to_decide(stock)[0],
        Lane.APPLIED: sum(stock.states.get(state, 0) for state in WRITTEN),
        Lane.DRAFTS: len(stock.drafts) if stock.is_whole else stock.draft_count,
        Lane.ALL: sum(stock.states.values()),
    }


def _there(stock: Stock, view: QueueView) -> bytes:
    """For each place of the shelf, whether it is shown."""
    columns = stock.shelf.columns
    masks = [_of_states(columns, view)]
    if view.lane is Lane.DRAFTS:
        masks.append(_of_ids(columns, stock.drafts))
    if view.home is not None:
        masks.append(columns.of_home(view.home))
    if view.matches is not None:
        masks.append(view.matches.on(stock.shelf))
    return reduce(_both, masks)


def _of_states(columns: QueueIndex, view: QueueView) -> bytes:
    """A byte for each proposal: whether its state belongs to the lane."""
    wanted = {Lane.DECIDE: WAITING, Lane.APPLIED: WRITTEN}.get(view.lane, frozenset(CODES))
    if view.conflicts_only:
        wanted &= {State.CONFLICT}
    table = bytes(code < len(CODES) and CODES[code] in wanted for code in range(256))
    return bytes(columns.states.translate(table))


def _of_ids(columns: QueueIndex, ids: Iterable[str]) -> bytes:
    mask = bytearray(len(columns.ids))
    for id in ids:
        if (place := columns.place_of(id)) is not None:
            mask[place] = 1
    return bytes(mask)


def _both(one: bytes, other: bytes) -> bytes:
    """What is in both, as numbers: byte by byte would take longer than a key may."""
    both = int.from_bytes(one) & int.from_bytes(other)
    return both.to_bytes(len(one))


def _row(item: QueueItem, stock: Stock, now: datetime, cluster: int, *, many: bool) -> QueueRow:
    draft = stock.drafts.get(item.id)
    return QueueRow(
        id=item.id,
        glyph=glyph_of(item),
        state=item.state.value,
        kind=item.action,
        target=_target(item),
        gist=_gist(item, now),
        origin=origin_word(item.origin),
        age=age_of(made_at(item), now),
        findings=finding_count(item.findings),
        cluster=cluster if item.state.is_open else 1,
        draft=LETTERS[draft.verb] if draft else "",
        marked=False,
        home=stock.homes.get(item.home, item.home) if many else "",
        dangerous=is_dangerous(item),
        checks=dense_marks(item.checks) if item.state.is_open else "",
    )


def _gone(id: str) -> QueueRow:
    """What stands for a proposal that left the ledger and the queue has not noticed yet."""
    return QueueRow(
        id=id,
        glyph="/",
        state=State.ELSEWHERE.value,
        kind="",
        target="",
        gist="gone",
        origin="",
        age="",
        findings=0,
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
    """What it wants, else why it stands where it stands; of a skill, its name first."""
    said = gist(item) or redact(item.reason)
    if undone := undone_words(item, now):
        said = f"{undone}: {said}"
    if item.kind is Kind.MEMORY:
        return said
    name = redact(item.target)
    said = said.replace(f" of the skill '{name}'", "")
    return f"{name}: {said}"
