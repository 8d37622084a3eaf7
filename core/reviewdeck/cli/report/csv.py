"""A report as one table for a spreadsheet: every row, a line each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.report import Report
from reviewdeck.presentation.report_rows import ReportRow
from reviewdeck.presentation.words import inert

COLUMNS: Final = (
    *("section", "at", "home", "group", "document", "change", "sentence", "user_said"),
    *("is_closest", "source", "reason", "by", "before", "after", "proposal", "operation"),
    *("command", "does"),
)
_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠]")  # what a spreadsheet may run


def write_csv(rows: Iterable[ReportRow], facts: Report, options: Options, out: TextIO) -> None:
    """Writes all rows as they come, then a line for each memory and each decider."""
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([inert_cell(cell) for cell in _cells(row, facts, options)])
    for facts_cells in _facts(facts):
        writer.writerow([inert_cell(facts_cells.get(name, "")) for name in COLUMNS])


def _cells(row: ReportRow, facts: Report, options: Options) -> Iterator[str]:
    own = {
        "at": moment_json(row.at) or "",
        "home": facts.homes.get(row.home, ""),
        "is_closest": "yes" if row.is_closest else "",
        "command": inert(command(options, *row.command)),
    }
    return (own[name] if name in own else str(getattr(row, name)) for name in COLUMNS)


def _facts(facts: Report) -> Iterator[dict[str, str]]:
    at = moment_json(facts.until) or ""
    for memory in facts.memories:
        size = f"{memory.used:,} of {memory.limit:,} {memory.unit}"
        home = facts.homes.get(memory.home, "")
        yield {
            "section": "memory",
            "at": at,
            "home": home,
            "document": memory.label,
            "sentence": size,
        }
    for decider in facts.deciders:
        amounts = ", ".join(f"{amount} {word}" for word, amount in decider.amounts.items())
        yield {"section": "decided", "at": at, "sentence": amounts, "by": decider.name}


def inert_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe before what may begin one."""
    return f"'{text}" if _FORMULA.match(text) else text
