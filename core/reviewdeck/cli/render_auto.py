"""The report of one pass of `auto`, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.queue_page import id_length
from reviewdeck.cli.render_queue import group_by_reason, reasons_table
from reviewdeck.cli.render_status import UNRECORDED, budget_line
from reviewdeck.engine.auto import AutoReport
from reviewdeck.model import OriginClass, QueueItem
from reviewdeck.presentation.proposal_words import is_in_other_words, request_line
from reviewdeck.presentation.situation import Budget
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.inert import visible


def report_lines(
    report: AutoReport,
    budgets: Sequence[Budget],
    options: Options,
    now: datetime,
    *,
    dry_run: bool,
) -> Iterator[RenderableType]:
    """The whole report, top to bottom."""
    yield from _applied(report, dry_run=dry_run)
    yield from _rejected(report, dry_run=dry_run)
    for item in report.elsewhere:
        yield _line("/ decided elsewhere", item, 8, "dim")
    closest = dict(report.closest_sentences)
    for number, group in enumerate(group_by_reason((*report.held, *report.refused, *report.dead))):
        yield Text()
        yield Text(f"{group.title} ({len(group.items)})", style="bold")
        yield reasons_table(group.items, now, closest, headed=number == 0)
    if budgets:
        yield Text()
    for budget in budgets:
        yield budget_line(budget)
    yield Text()
    yield from _closing(report, options, dry_run=dry_run)


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


def _closing(report: AutoReport, options: Options, *, dry_run: bool) -> Iterator[Text]:
    waiting = report.waiting
    amount = f"{waiting} waiting for you." if waiting else ""
    if dry_run and report.applied:
        yield _hint("Nothing was changed. To apply:", command(options, "auto"))
    if waiting:
        first = group_by_reason((*report.held, *report.refused, *report.dead))[0].items[0]
        yield _hint(f"{amount} Start with:", command(options, "diff", first.id))
    elif not dry_run:
        yield Text("Nothing is waiting for you.")
    if any(map(is_in_other_words, report.held)):
        yield Text("In other words: O in the deck shows all; a approves, e takes your sentence.")
    if report.applied and not dry_run:
        yield _hint("What the agent learned:", command(options, "since"))


def _hint(label: str, command_line: str) -> Text:
    return Text(f"{label} ").append(visible(command_line), style="green")
