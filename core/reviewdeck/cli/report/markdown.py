"""A report as Markdown. Everything that is not our own words is code: no reader acts on that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, TextIO

from reviewdeck.cli.next_steps import options_of
from reviewdeck.cli.options import Options
from reviewdeck.cli.program_name import NAME
from reviewdeck.presentation.proposal_words import local_minute
from reviewdeck.presentation.report import Report, ReportPart, period_words, summary_sentences
from reviewdeck.presentation.report_rows import ReportRow
from reviewdeck.presentation.words import count, inert

_TITLES: Final = (
    ("learned", "What was learned", "Nothing was learned in this period."),
    ("stopped", "What was stopped", "Nothing was stopped in this period."),
    ("waiting", "What waits for a decision", "Nothing waits."),
)
_MOST_LINES: Final = 8
_TICKS: Final = re.compile("`+")


def write_markdown(report: Report, options: Options, out: TextIO) -> None:
    """Writes the whole text."""
    for line in _lines(report, options):
        out.write(f"{line}\n")


def _lines(report: Report, options: Options) -> Iterator[str]:
    yield "# What the agent learned"
    yield ""
    homes = ", ".join(code(name) for name in report.homes.values())
    yield f"{period_words(report)} · {homes}"
    yield ""
    yield " ".join(summary_sentences(report))
    for name, title, if_empty in _TITLES:
        part: ReportPart = getattr(report, name)
        yield ""
        yield f"## {title} ({part.total:,})"
        yield from _part(part, report, if_empty)
    yield ""
    yield "## How full the memories are"
    yield ""
    for memory in report.memories:
        label = f"{report.homes.get(memory.home, '')} {memory.label}"
        label = code(memory.label if len(report.homes) == 1 else label)
        yield f"- {label}: {memory.used:,} of {memory.limit:,} {memory.unit} ({memory.share:.0%})"
    yield from () if report.memories else ("No memory of these homes has a limit.",)
    yield ""
    yield "## Who decided"
    yield ""
    for decider in report.deciders:
        amounts = ", ".join(f"{amount:,} {word}" for word, amount in decider.amounts.items())
        kind = "person" if decider.is_person else "rule"
        yield f"- {code(decider.name)} ({kind}): {amounts}"
    yield from () if report.deciders else ("Nobody decided anything in this period.",)
    if where := inert(options_of(options)):
        yield ""
        yield f"Add to each command: {code(where)}"


def _part(part: ReportPart, report: Report, if_empty: str) -> Iterator[str]:
    if not part.rows:
        yield ""
        yield if_empty
    for group, rows in groupby(part.rows, key=lambda row: (row.home, row.group)):
        home = "" if len(report.homes) == 1 else f"{report.homes.get(group[0], '')}: "
        yield ""
        yield f"### {code(home + group[1])}"
        yield ""
        for row in rows:
            yield from _row(row)
    if part.left_out:
        yield ""
        yield f"… and {count(part.left_out, 'more row')}: `{NAME} report --format csv` has all."


def _row(row: ReportRow) -> Iterator[str]:
    yield f"- {code(row.sentence)}"
    if row.user_said:
        label = "closest to it, the user said" if row.is_closest else "the user said"
        yield f"  - {label}: {code(row.user_said)}"
    for label, text in (("why", row.reason), ("source", row.source), ("decided", row.by)):
        if text:
            yield f"  - {label}: {code(text)}"
    yield f"  - {local_minute(row.at)}; {code(' '.join((NAME, *row.command)))} {row.does}"
    if row.before or row.after:
        lines = [f"- {line}" for line in row.before.split("\n") if row.before]
        lines += [f"+ {line}" for line in row.after.split("\n") if row.after]
        yield from _block(lines)


def _block(lines: list[str]) -> Iterator[str]:
    shown = lines[:_MOST_LINES]
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall("\n".join(shown))), default=0))
    yield ""
    yield f"  {fence}diff"
    yield from (f"  {line}" for line in shown)
    yield f"  {fence}"
    yield ""
    if len(shown) < len(lines):
        yield f"  … {count(len(lines) - len(shown), 'more line')}"
        yield ""


def code(text: str) -> str:
    """One line as a code span, whatever is in it."""
    text = " ".join(text.split())
    if not text:
        return ""
    fence = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"
