"""A report as one page: no script, nothing that is loaded, every text escaped by the template."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TextIO

from jinja2 import Environment, StrictUndefined

from reviewdeck.cli.next_steps import options_of
from reviewdeck.cli.options import Options
from reviewdeck.cli.program_name import NAME
from reviewdeck.cli.report.charts import HEIGHT, WIDTH, decisions_chart, shares
from reviewdeck.presentation.report import (
    Memory,
    Report,
    ReportPart,
    period_words,
    summary_sentences,
)
from reviewdeck.presentation.report_rows import ReportRow
from reviewdeck.presentation.sections import TITLES
from reviewdeck.presentation.words import count, inert

_HERE: Final = Path(__file__).parent
_MOST_LINES: Final = 8
"""Lines of a change that the page shows."""
_NEARLY_FULL: Final = 0.9
_WORDS: Final = {title.name: title.words for title in TITLES.values()}


def write_html(report: Report, options: Options, out: TextIO) -> None:
    """Writes the page, part by part."""
    style = _HERE.joinpath("page.css").read_text("utf-8")
    source = _HERE.joinpath("page.html").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(source)
    out.writelines(page.generate(_values(report, options, style)))


def _values(report: Report, options: Options, style: str) -> dict[str, Any]:
    most = max((decider.total for decider in report.deciders), default=0)
    return {
        "report": report,
        "style": style,
        "style_hash": b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        "period": period_words(report),
        "homes": ", ".join(report.homes.values()),
        "has_homes": len(report.homes) > 1,
        "sentences": summary_sentences(report),
        "made": _moment(report.until),
        "chart": decisions_chart(report.days),
        "width": WIDTH,
        "height": HEIGHT,
        "deciders": [(decider, shares(decider, most)) for decider in report.deciders],
        "fullest": max(report.memories, key=lambda memory: memory.share, default=None),
        "level": _level,
        "groups": _groups,
        "words": _WORDS,
        "lines": _lines,
        "moment": _moment,
        "count": count,
        "command": short_command,
        "where": inert(options_of(options)),
    }


def short_command(row: ReportRow) -> str:
    """The command of a row, without the home and the ledger: a page says once which those are."""
    return " ".join((NAME, *row.command))


def _groups(part: ReportPart) -> list[tuple[str, str, list[ReportRow]]]:
    grouped = groupby(part.rows, key=lambda row: (row.home, row.group))
    return [(home, name, [*rows]) for (home, name), rows in grouped]


def _lines(row: ReportRow) -> tuple[Sequence[tuple[str, str]], int]:
    """The changed lines with their sign, and how many are left out."""
    lines = [("removed", line) for line in row.before.split("\n") if row.before]
    lines += [("added", line) for line in row.after.split("\n") if row.after]
    return lines[:_MOST_LINES], max(0, len(lines) - _MOST_LINES)


def _level(memory: Memory) -> str:
    """The class of a memory that is over its limit, nearly full, or neither."""
    if memory.share > 1:
        return "over"
    return "near" if memory.share >= _NEARLY_FULL else "fine"


def _moment(at: datetime) -> str:
    local = at.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"
