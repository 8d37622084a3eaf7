"""Which proposals a lane shows, in which order. Pure: items in, rows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.cli.words import age_of, gist, glyph_of, is_dangerous, made_at, origin_word
from reviewdeck.model import Draft, Kind, QueueItem, Severity, State, Verb
from reviewdeck_tui.shelf import Shelf, Sort
from reviewdeck_tui.widgets.rows import QueueRow, Rows


class Lane(StrEnum):
    """A part of the queue."""

    DECIDE = "Decide"
    APPLIED = "Applied"
    DRAFTS = "Drafts"
    ALL = "All"


@dataclass(frozen=True, slots=True)
class View:
    """What the operator wants to see."""

    lane: Lane = Lane.DECIDE
    conflicts_only: bool = False
    home: str | None = None
    """None for all homes."""
    sort: Sort = Sort.RISK
    matches: frozenset[str] | None = None
    """The ids that the filter lets through; None without a filter."""


@dataclass(frozen=True, slots=True)
class Stock:
    """What is known of the queue at one moment."""

    shelf: Shelf = field(default_factory=Shelf)
    drafts: Mapping[str, Draft] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    """Home id to the name that a person calls it."""
    budgets: Mapping[str, Sequence[tuple[str, int, int]]] = field(default_factory=dict)
    """Home id to (name, used, limit) of its memories."""
    states: Mapping[State, int] = field(default_factory=dict)
    draft_count: int = 0
    is_first_run: bool = False
    standing: str = ""
    """How decisions are established; empty as long as that is not known."""
    is_whole: bool = False
    """False as long as only the first page is read."""

    def home_of(self, item: QueueItem) -> str:
        """The name of a proposal's home where there are several; else nothing."""
        return self.homes.get(item.home, item.home) if len(self.homes) > 1 else ""

    @property
    def items(self) -> tuple[QueueItem, ...]:
        """Everything that is known, in no order."""
        return self.shelf.items


LETTERS: Final = {Verb.APPROVE: "A", Verb.MERGE: "M", Verb.REJECT: "R", Verb.DEFER: "D"}
WAITING: Final = frozenset(state for state in State if state.is_open) - {State.DEFERRED}
WRITTEN: Final = frozenset({State.APPLIED, State.APPLYING})


def arrange(stock: Stock, view: View) -> list[QueueItem]:
    """The items of a lane in their order."""
    return [item for item in stock.shelf.ordered(view.sort) if _is_shown(item, stock, view)]


def rows_of(items: Sequence[QueueItem], stock: Stock, now: datetime) -> Rows:
    """One row per item, each made when it is looked at."""
    shelf, many = stock.shelf, len(stock.homes) > 1

    def row(place: int) -> QueueRow:
        item = items[place]
        cluster = shelf.amounts.get(shelf.anchors[item.id], 1)
        return _row(item, stock, now, cluster, many=many)

    return Rows([item.id for item in items], row, has_homes=many)


def flagged(item: QueueItem) -> bool:
    """Whether anything about it asks for a second look."""
    return any(one.severity.rank >= Severity.MEDIUM.rank for one in item.findings)


def left_to_decide(stock: Stock) -> tuple[int, int]:
    """How many wait without a draft, and how many wait at all."""
    total = sum(stock.states.get(state, 0) for state in WAITING)
    known = (stock.shelf.by_id.get(id) for id in stock.drafts)
    drafted = sum(1 for item in known if item is not None and item.state in WAITING)
    return total - (drafted if stock.is_whole else stock.draft_count), total


def lane_counts(stock: Stock) -> dict[Lane, int]:
    """What stands behind each lane's name."""
    return {
        Lane.DECIDE: left_to_decide(stock)[0],
        Lane.APPLIED: sum(stock.states.get(state, 0) for state in WRITTEN),
        Lane.DRAFTS: len(stock.drafts) if stock.is_whole else stock.draft_count,
        Lane.ALL: sum(stock.states.values()),
    }


def _is_shown(item: QueueItem, stock: Stock, view: View) -> bool:
    if view.home is not None and item.home != view.home:
        return False
    if view.conflicts_only and item.state is not State.CONFLICT:
        return False
    if view.matches is not None and item.id not in view.matches:
        return False
    match view.lane:
        case Lane.DECIDE:
            return item.state in WAITING
        case Lane.APPLIED:
            return item.state in WRITTEN
        case Lane.DRAFTS:
            return item.id in stock.drafts
        case Lane.ALL:
            return True


def _row(item: QueueItem, stock: Stock, now: datetime, cluster: int, *, many: bool) -> QueueRow:
    draft = stock.drafts.get(item.id)
    return QueueRow(
        id=item.id,
        glyph=glyph_of(item),
        state=item.state.value,
        kind=item.action,
        target=_target(item),
        gist=_gist(item),
        origin=origin_word(item.origin),
        age=age_of(made_at(item), now),
        findings=len(item.findings),
        cluster=cluster if item.state.is_open else 1,
        draft=LETTERS[draft.verb] if draft else "",
        marked=False,
        home=stock.homes.get(item.home, item.home) if many else "",
        dangerous=is_dangerous(item),
    )


def _target(item: QueueItem) -> str:
    return item.target.upper() if item.kind is Kind.MEMORY else "skill"


def _gist(item: QueueItem) -> str:
    """What it wants, else why it stands where it stands; of a skill, its name first."""
    said = gist(item) or item.reason
    if item.kind is Kind.MEMORY:
        return said
    said = said.replace(f" of the skill '{item.target}'", "")
    return f"{item.target}: {said}"
