"""The report of one pass of `auto`, as lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import stretched_table
from reviewdeck.cli.queue_page import id_length
from reviewdeck.cli.render_status import UNRECORDED, budget_line
from reviewdeck.engine.auto import AutoReport
from reviewdeck.model import OriginClass, QueueItem, gravity_of
from reviewdeck.presentation.proposal_words import (
    closest_words,
    creation_time,
    finding_count,
    is_in_other_words,
    request_line,
)
from reviewdeck.presentation.sections import TITLES, QueueSection, Title, section_of_item
from reviewdeck.presentation.situation import Budget
from reviewdeck.presentation.words import age_of, count, kind_word, one_line
from reviewdeck.text.inert import visible


def report_lines(
    report: AutoReport, budgets: Sequence[Budget], options: Options, now: datetime, *, dry_run: bool
) -> Iterator[RenderableType]:
    """The whole report, top to bottom."""
    yield from _applied(report, dry_run=dry_run)
    yield from _rejected(report, dry_run=dry_run)
    for item in report.elsewhere:
        yield _line("/ decided elsewhere", item, 8, "dim")
    closest = dict(report.closest_sentences)
    sections = _by_section((*report.held, *report.refused, *report.dead))
    for number, (title, items) in enumerate(sections):
        yield Text()
        yield Text(f"{title} ({len(items)})", style="bold")
        yield _reasons_table(items, now, closest, headed=number == 0)
    if budgets:
        yield Text()
    for budget in budgets:
        yield budget_line(budget)
    yield Text()
    if dry_run and report.applied:
        yield _hint("Nothing was changed. To apply:", command(options, "auto"))
    if report.waiting:
        first = sections[0][1][0]
        yield _hint(
            f"{report.waiting} waiting for you. Start with:", command(options, "diff", first.id)
        )
    elif not dry_run:
        yield Text("Nothing is waiting for you.")
    if any(map(is_in_other_words, report.held)):
        yield Text("In other words: O in the deck shows all; a approves, e takes your sentence.")
    if report.applied and not dry_run:
        yield _hint("What the agent learned:", command(options, "since"))


def _applied(report: AutoReport, *, dry_run: bool) -> Iterator[RenderableType]:
    items, support = report.applied, dict(report.sentences)
    agent_words = dict(report.agent_words)
    if not items:
        yield Text("Nothing would be applied." if dry_run else "Nothing was applied.")
        return
    amount = count(len(items), "proposal")
    yield Text(f"Would apply {amount}:" if dry_run else f"Applied {amount}:", style="bold")
    length = id_length(item.id for item in items)
    for item in items:
        yield _line("+", item, length, "green")
        if words := agent_words.get(item.id):
            yield _note(f"in your own words; the agent's: “{one_line(words)}”", length)
        elif sentence := support.get(item.id):
            yield _note(f"you said: “{one_line(sentence)}”", length)
    if any(_is_unrecorded(item) for item in items):
        yield Text(f"On form alone: {UNRECORDED}.", style="dim")


def _rejected(report: AutoReport, *, dry_run: bool) -> Iterator[RenderableType]:
    if not report.rejected:
        return
    amount = count(len(report.rejected), "proposal")
    did = "Would reject" if dry_run else "Rejected"
    yield Text(f"{did} {amount}, by rules of yours (`reviewdeck reopen` takes one back):", "bold")
    length = id_length(item.id for item in report.rejected)
    for item in report.rejected:
        yield _line("-", item, length, "red")
        yield _note(one_line(item.reason), length)


def _note(words: str, indent: int) -> Group:
    note = Text(f"  {' ' * indent}  {words}", style="dim")
    note.no_wrap, note.overflow = True, "ellipsis"
    return Group(note)


def _is_unrecorded(item: QueueItem) -> bool:
    return item.checks is not None and item.checks.origin is OriginClass.UNRECORDED


def _line(sign: str, item: QueueItem, length: int, style: str) -> Group:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{sign} {item.id[:length]}  ", style=style)
    line.append(request_line(item))
    return Group(line)  # By itself it would be joined with others, and would wrap.


def _hint(label: str, command_line: str) -> Text:
    return Text(f"{label} ").append(visible(command_line), style="green")


_IN_OTHER_WORDS = Title("+", "In other words", "not as you typed it")


def _by_section(items: Iterable[QueueItem]) -> list[tuple[str, list[QueueItem]]]:
    """Title and proposals of each section, the gravest first; what nobody typed so by itself."""
    groups = defaultdict[tuple[QueueSection, bool], list[QueueItem]](list)
    for item in items:
        section = section_of_item(item)
        is_to_decide = section is QueueSection.TO_DECIDE
        groups[section, is_to_decide and not is_in_other_words(item)].append(item)
    sections = []
    for (section, is_plain), group in sorted(groups.items()):
        is_typed = section is not QueueSection.TO_DECIDE or is_plain
        title = TITLES[section] if is_typed else _IN_OTHER_WORDS
        group.sort(key=lambda item: (-gravity_of(item.findings), item.position))
        sections.append((f"{title.sign} {title.name}: {title.words}", group))
    return sections


def _reasons_table(
    items: Sequence[QueueItem], now: datetime, closest: Mapping[str, str], *, headed: bool
) -> Table:
    """Two lines a proposal: what it would do, and why it waits or what was typed instead of it."""
    length = id_length(item.id for item in items)
    table = stretched_table()
    table.show_header = headed
    table.add_column("id", no_wrap=True, width=length)
    table.add_column("kind", no_wrap=True, width=6)
    table.add_column("gist and reason", ratio=1, overflow="fold")
    table.add_column("age", no_wrap=True, justify="right", width=3)
    table.add_column("f", no_wrap=True, justify="right", width=2)
    for item in items:
        why = closest_words(closest.get(item.id, "")) if is_in_other_words(item) else item.reason
        summary = Group(
            Text(request_line(item), no_wrap=True, overflow="ellipsis"),
            Text(one_line(why), style="dim"),
        )
        table.add_row(
            Text(item.id[:length]),
            Text(kind_word(item.kind.value)),
            summary,
            Text(age_of(creation_time(item), now)),
            Text(str(finding_count(item.findings) or "")),
        )
    return table
