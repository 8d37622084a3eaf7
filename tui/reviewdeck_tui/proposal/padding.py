"""Long runs of blank added lines, folded into one line that gives their number."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Fold, Line, Section

MANY = 20
"""Blank lines from which a run is folded: padding pushes what follows out of sight."""


def without_padding(section: Section) -> Section:
    """The section with its padding folded; conflicts and flags keep their lines."""
    lines: list[Line] = []
    places: dict[int, int] = {}
    at = 0
    for is_blank, run in groupby(section.lines, _is_blank):
        members = list(run)
        rows = tuple(line for line in members if isinstance(line, Row))
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
        conflicts=tuple(places[place] for place in section.conflicts if place in places),
        flags={places[place]: marks for place, marks in section.flags.items() if place in places},
    )


def _is_blank(line: Line) -> bool:
    return isinstance(line, Row) and line.kind is RowKind.ADDED and not (line.right or "").strip()
