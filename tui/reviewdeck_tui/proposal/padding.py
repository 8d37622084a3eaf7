"""Long runs of blank added lines, shown as one line that says how long they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Fold, Line, Section

MANY = 20
"""Blank lines in a row from which they are folded: padding pushes what follows out of sight."""


def without_padding(section: Section) -> Section:
    """The section with its padding folded; conflicts and flags stay at their lines."""
    lines: list[Line] = []
    places: dict[int, int] = {}
    at = 0
    for is_blank, run in groupby(section.lines, _is_blank):
        members = list(run)
        rows = tuple(one for one in members if isinstance(one, Row))
        if is_blank and len(rows) >= MANY:
            lines.append(Fold(rows, f"{len(rows):,} blank lines"))
        else:
            places.update((at + step, len(lines) + step) for step in range(len(members)))
            lines += members
        at += len(members)
    if len(lines) == len(section.lines):
        return section
    return replace(
        section,
        lines=tuple(lines),
        conflicts=tuple(places[one] for one in section.conflicts if one in places),
        flags={places[one]: marks for one, marks in section.flags.items() if one in places},
    )


def _is_blank(line: Line) -> bool:
    return isinstance(line, Row) and line.kind is RowKind.ADDED and not (line.right or "").strip()
