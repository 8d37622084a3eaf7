"""One page of the queue as `list` prints it. Loads nothing of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from reviewdeck.cli.columns import Cell, Column, cells, table
from reviewdeck.presentation.words import STYLES, age_of, kind_word, one_line, origin_word

SHORT: Final = 8
"""Characters of an id that a screen shows; a longer prefix is shown where two begin alike."""
_WIDE: Final = 100
"""From so many cells on, a page says who asked."""
_GIST: Final = 16
"""Cells that the gist should have; other columns give way to it, in this order."""
_GIVE_WAY: Final = ("kind", "f", "target", "home")
_MOST: Final = 12
"""Cells of the names of homes and of origins."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a page says of one proposal."""

    id: str
    home: str
    state: str
    kind: str
    action: str
    target: str
    gist: str
    reason: str
    origin: str
    findings: int
    glyph: str
    """One sign: ``!`` for what is dangerous, else the state's."""
    postponed: tuple[str, ...]
    """Which allowance is used up for it, and when it has room again."""
    made: datetime
    position: int


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to print, and how."""

    lines: Sequence[Line]
    names: Mapping[str, str]
    """Every home that was asked for, by its id."""
    limit: int
    is_first: bool
    width: int
    is_coloured: bool

    @property
    def is_empty_queue(self) -> bool:
        """Whether nothing is listed at all."""
        return self.is_first and not self.lines


def page_in_words(page: Page, now: datetime) -> str:
    """The table, what holds some of it back, and where it goes on."""
    if not page.lines:
        return "Nothing is waiting.\n" if page.is_first else "Nothing more.\n"
    length = id_length(line.id for line in page.lines)
    rows = [_row(line, length, page.names, now) for line in page.lines]
    columns = _columns(page, rows)
    shown = ([row[column.head] for column in columns] for row in rows)
    said = table(columns, shown, is_coloured=page.is_coloured)
    said += "".join(
        f"{one}\n" for one in postponed_in_words(c for p in page.lines for c in p.postponed)
    )
    if len(page.lines) == page.limit:
        said += f"More: --after {page.lines[-1].position}\n"
    return said


def postponed_in_words(messages: Iterable[str]) -> list[str]:
    """Which allowances are used up, and for how many."""
    counted = Counter(messages).items()
    return [f"{amount} waiting for room. {one_line(said)}" for said, amount in counted]


def id_length(ids: Iterable[str]) -> int:
    """How much of these ids tells them apart."""
    found = set(ids)
    longest = max(map(len, found), default=SHORT)
    lengths = range(SHORT, longest)
    return next((n for n in lengths if len({id[:n] for id in found}) == len(found)), longest)


def _row(line: Line, length: int, names: Mapping[str, str], now: datetime) -> dict[str, Cell]:
    return {
        "id": Cell(line.id[:length]),
        "home": Cell(one_line(names.get(line.home, line.home))),
        "state": Cell(f"{line.glyph} {line.state}", STYLES[line.glyph]),
        "kind": Cell(kind_word(line.kind)),
        "target": Cell(one_line(line.target)),
        "gist": Cell(f"{one_line(line.action)}: {one_line(line.gist or line.reason)}"),
        "from": Cell(origin_word(line.origin)),
        "age": Cell(age_of(line.made, now)),
        "f": Cell(str(line.findings or "")),
    }


def _columns(page: Page, rows: Sequence[Mapping[str, Cell]]) -> list[Column]:
    """As wide as what is in them, up to a bound; the gist has what the others leave."""

    def widest(head: str, most: int) -> int:
        return min(most, max(cells(head), *(cells(row[head].text) for row in rows)))

    widths = {
        "id": widest("id", page.width),
        "home": widest("home", _MOST) if len(page.names) > 1 else 0,
        "state": widest("state", page.width),
        "kind": 6,
        "target": widest("target", page.width // 6),
        "gist": 0,
        "from": widest("from", _MOST) if page.width >= _WIDE else 0,
        "age": 3,
        "f": 2,
    }
    widths |= dict.fromkeys(_narrow(widths, page.width), 0)
    widths["gist"] = _rest(widths, page.width)
    right = {"age", "f"}
    return [Column(head, size, head in right) for head, size in widths.items() if size]


def _rest(widths: Mapping[str, int], width: int) -> int:
    """Cells that are left for the gist, with one between two columns."""
    return max(1, width - sum(size + 1 for size in widths.values() if size))


def _narrow(widths: Mapping[str, int], width: int) -> list[str]:
    """Which columns give way."""
    gone: list[str] = []
    for head in _GIVE_WAY:
        if _rest({**widths, **dict.fromkeys(gone, 0)}, width) >= _GIST:
            break
        gone.append(head)
    return gone
