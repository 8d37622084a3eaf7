"""A report as one JSON object for programs: every row, written as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import groupby
from typing import Any, Final, TextIO

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.report import Report, ReportPart, summary_sentences
from reviewdeck.presentation.report_rows import ReportRow, ReportSection
from reviewdeck.text.inert import json_escaped

_FIELDS: Final = tuple(field.name for field in fields(ReportRow) if field.name != "section")


def write_json(rows: Iterable[ReportRow], facts: Report, options: Options, out: TextIO) -> None:
    """Writes the object, one row a line and the summary last: only then it is known."""
    out.write("{\n")
    for name, value in _facts(facts):
        out.write(f'  "{name}": {_text(value)},\n')
    groups = groupby(rows, lambda row: row.section)
    group = next(groups, None)
    totals = dict.fromkeys(ReportSection, 0)
    for section in ReportSection:
        out.write(f'  "{section}": [')
        if group is not None and group[0] is section:
            for row in group[1]:
                lead = "," if totals[section] else ""
                out.write(f"{lead}\n    {_text(_row_json(row, options))}")
                totals[section] += 1
            group = next(groups, None)
        out.write("\n  ],\n" if totals[section] else "],\n")
    learned, stopped, waiting = (ReportPart((), totals[section]) for section in ReportSection)
    summary = summary_sentences(replace(facts, learned=learned, stopped=stopped, waiting=waiting))
    out.write(f'  "summary": {_text([*summary])}\n}}\n')


def _facts(facts: Report) -> Iterator[tuple[str, Any]]:
    yield "since", moment_json(facts.since)
    yield "until", moment_json(facts.until)
    yield "homes", [{"home": home, "name": name} for home, name in facts.homes.items()]
    yield (
        "memory",
        [
            {
                "home": memory.home,
                "document": memory.label,
                "used": memory.used,
                "limit": memory.limit,
                "unit": memory.unit,
            }
            for memory in facts.memories
        ],
    )
    yield (
        "decided",
        [
            {
                "by": decider.name,
                "person": decider.is_person,
                "standing": decider.standing or None,
                "amounts": dict(decider.amounts),
            }
            for decider in facts.deciders
        ],
    )
    yield (
        "days",
        [
            {
                "first": days.first.isoformat(),
                "last": days.last.isoformat(),
                "automatic": days.automatic,
                "accepted": days.accepted,
                "rejected": days.rejected,
                "arrived": days.arrived,
            }
            for days in facts.days
        ],
    )


def _row_json(row: ReportRow, options: Options) -> dict[str, Any]:
    cells = {name: getattr(row, name) for name in _FIELDS}
    return cells | {"at": moment_json(row.at), "command": command(options, *row.command)}


def _text(value: object) -> str:
    return json_escaped(json.dumps(value, ensure_ascii=False))
