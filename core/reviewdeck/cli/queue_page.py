"""One page of the queue as `list` prints it. Loads nothing of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from reviewdeck.cli.columns import UNLIMITED, Cell, Column, cells, table
from reviewdeck.model import OLDER_TEXT, QueueItem
from reviewdeck.policy.allowance import ALLOWANCE
from reviewdeck.presentation.proposal_words import creation_time, finding_count, glyph_of
from reviewdeck.presentation.words import (
    STYLES,
    age_of,
    kind_word,
    one_line,
    origin_word,
    state_word,
)
from reviewdeck.values import dataclass

SHORT: Final = 8
"""Characters of an id that are shown; more where two ids have this prefix in common."""
_ORIGIN_WIDTH: Final = 100
"""Terminal width, in cells, from which a page has a column for the origin."""
_MIN_GIST: Final = 16
"""Cells that the gist should have at least; other columns are dropped for it."""
_DROP_ORDER: Final = ("kind", "f", "target", "home")
_MAX_NAME: Final = 12
"""Cells of the name of a home or an origin, at most."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the queue, and how to print it."""

    items: Sequence[QueueItem]
    names: Mapping[str, str]
    """The names of all homes that are listed, by id."""
    more_after: int | None
    """The position after which the next page begins; None if there is none."""
    if_empty: str
    """The sentence that says that there are none."""
    width: int
    is_coloured: bool
    notes: Sequence[str] = ()
    """Lines below the table: which rows are several changes, and what reverts them."""


def render_page(page: Page, now: datetime) -> str:
    """The page as text: the table, the allowances that hold proposals back, the next position."""
    if not page.items:
        return f"{page.if_empty}\n"
    length = id_length(item.id for item in page.items)
    rows = [_row(item, length, page.names, now) for item in page.items]
    columns = _columns(page, rows)
    shown_cells = ([row[column.head] for column in columns] for row in rows)
    text = table(columns, shown_cells, is_coloured=page.is_coloured)
    text += "".join(f"{line}\n" for line in (*_postponed_lines(page.items), *page.notes))
    if page.more_after is not None:
        text += f"More: --after {page.more_after}\n"
    return text


def _postponed_lines(items: Iterable[QueueItem]) -> list[str]:
    """One line for each allowance that is used up, with how many proposals it holds back."""
    findings = (finding for item in items for finding in item.findings)
    counted = Counter(finding.message for finding in findings if finding.code == ALLOWANCE)
    return [
        f"{amount} waiting for an allowance. {one_line(message)}"
        for message, amount in counted.items()
    ]


def id_length(ids: Iterable[str]) -> int:
    """The shortest length of prefix, at least SHORT, that tells these ids apart."""
    distinct = set(ids)
    longest = max(map(len, distinct), default=SHORT)
    lengths = range(SHORT, longest)
    return next((n for n in lengths if len({id[:n] for id in distinct}) == len(distinct)), longest)


def _row(item: QueueItem, length: int, names: Mapping[str, str], now: datetime) -> dict[str, Cell]:
    glyph = glyph_of(item)
    return {
        "id": Cell(item.id[:length]),
        "home": Cell(one_line(names.get(item.home, item.home))),
        "state": Cell(f"{glyph} {state_word(item.state)}", STYLES[glyph]),
        "kind": Cell(kind_word(item.kind)),
        "target": Cell(one_line(item.target)),
        "gist": Cell(_effect_of(item)),
        "from": Cell(origin_word(item.origin)),
        "age": Cell(age_of(creation_time(item), now)),
        "f": Cell(str(finding_count(item.findings) or "")),
    }


def _effect_of(item: QueueItem) -> str:
    """What it would do; first of all, where it is so, that its author saw an older text."""
    effect = f"{one_line(item.action)}: {one_line(item.gist or item.reason)}"
    return f"older text; {effect}" if item.reason.startswith(OLDER_TEXT) else effect


def _columns(page: Page, rows: Sequence[Mapping[str, Cell]]) -> list[Column]:
    """Columns as wide as their content, up to a bound; the gist takes the remaining width."""

    def widest(head: str, most: int) -> int:
        return min(most, max(cells(head), *(cells(row[head].text) for row in rows)))

    widths = {
        "id": widest("id", page.width),
        "home": widest("home", _MAX_NAME) if len(page.names) > 1 else 0,
        "state": widest("state", page.width),
        "kind": 6,
        "target": widest("target", page.width // 6),
        "gist": 0,
        "from": widest("from", _MAX_NAME) if page.width >= _ORIGIN_WIDTH else 0,
        "age": 3,
        "f": 2,
    }
    widths |= dict.fromkeys(_dropped_columns(widths, page.width), 0)
    room = _gist_width(widths, page.width)
    widths["gist"] = room if page.width < UNLIMITED else widest("gist", room)
    right = {"age", "f"}
    return [Column(head, size, head in right) for head, size in widths.items() if size]


def _gist_width(widths: Mapping[str, int], width: int) -> int:
    """Cells left for the gist, with one cell between two columns."""
    return max(1, width - sum(size + 1 for size in widths.values() if size))


def _dropped_columns(widths: Mapping[str, int], width: int) -> list[str]:
    """The columns to leave out so that the gist has enough cells."""
    dropped: list[str] = []
    for head in _DROP_ORDER:
        if _gist_width({**widths, **dict.fromkeys(dropped, 0)}, width) >= _MIN_GIST:
            break
        dropped.append(head)
    return dropped
