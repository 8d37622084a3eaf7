"""`reviewdeck auto`, once or with `--watch`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.exit_codes import DONE, FAILED, WAITING
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import end_interrupted_runs, open_engine, settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.cli.watch_loop import Watching, watch_homes
from reviewdeck.clock import utc_now
from reviewdeck.delivery import deliver
from reviewdeck.engine.auto import AutoReport
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.notices import Notices
from reviewdeck.errors import Busy, NotDecidable, StaleBase
from reviewdeck.model import QueueItem
from reviewdeck.ports import Progress
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.situation import budgets_of, direct_writes_warning
from reviewdeck.presentation.words import home_words, inert
from reviewdeck.terminal import warn

_TRANSIENT = (Busy, NotDecidable, StaleBase)
"""Errors that the next run may not meet: the proposal stays in the queue."""


def auto(
    *,
    dry_run: Annotated[
        bool, Parameter(help="Show what would be applied, and change nothing.")
    ] = False,
    watch: Annotated[
        bool,
        Parameter(
            help="Keep running and apply safe additions as they arrive, until SIGTERM or Ctrl-C."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Apply the additions that pass all six checks, and report the rest.

    The exit code is 3 while proposals are waiting, else 0. With --watch it is 0.
    """
    if watch:
        return _stay(options, dry_run=dry_run)
    with open_engine(options) as engine:
        if not dry_run:
            end_interrupted_runs(engine)
        with progress_bar(options) as progress:
            report = engine.auto(dry_run=dry_run, progress=progress)
        if not dry_run:
            Notices(deliver).turn(engine, moved=True)
        if options.json:
            print_json(report_json(engine, report))
        else:
            print_report(engine, report, options, dry_run=dry_run)
    for reason in dict.fromkeys(report.suspended):
        warn(f"reviewdeck: automatic approval is off: {reason}")
    for problem in report.problems:
        warn(f"reviewdeck: {problem}")
    return _exit_code(report)


def _stay(options: Options, *, dry_run: bool) -> int:
    if dry_run:
        raise UsageProblem("--watch and --dry-run exclude each other.", hint="Choose one of them.")

    return watch_homes(Watching(settings_of(options), options))


def report_json(engine: Engine, report: AutoReport) -> dict[str, Any]:
    """The results of one pass."""
    now = utc_now()
    operations = {
        operation.proposal: operation.id
        for operation in engine.operations(limit=2 * len(report.applied) + 100)
    }
    failed = {failure.proposal: failure.error for failure in report.failures}

    def as_json(items: Sequence[QueueItem]) -> list[dict[str, Any]]:
        entries = [item_json(item, now) for item in items]
        support, closest = dict(report.sentences), dict(report.closest_sentences)
        agent_words = dict(report.agent_words)
        for item in entries:
            item["operation"] = operations.get(item["id"])
            item["said"] = support.get(item["id"])
            item["agent_words"] = agent_words.get(item["id"])
            item["closest"] = closest.get(item["id"])
            if error := failed.get(item["id"]):
                item["failure"] = {"code": error.code, "message": error.message}
        return entries

    return {
        "applied": as_json(report.applied),
        "held": as_json(report.held),
        "refused": as_json(report.refused),
        "dead": as_json(report.dead),
        "elsewhere": as_json(report.elsewhere),
        "rejected": as_json(report.rejected),
        "suspended": list(dict.fromkeys(report.suspended)),
    }


def print_report(engine: Engine, report: AutoReport, options: Options, *, dry_run: bool) -> None:
    """Prints what was applied, what is waiting and why, memory sizes, and what to do next."""
    from rich.text import Text

    from reviewdeck.cli.render_auto import report_lines

    screen, homes = console(options), [opened.home for opened in engine.open_homes]
    for home in homes:
        if len(homes) > 1:
            screen.print(
                Text(inert(f"== {home_words(home.name, home.kind)}  {home.where}"), style="bold")
            )
        of_home, budgets = _restricted_to(report, home.id), budgets_of(home)
        for part in report_lines(of_home, budgets, options, utc_now(), dry_run=dry_run):
            screen.print(part, soft_wrap=isinstance(part, Text))
        if direct := direct_writes_warning(engine.ledger, home, utc_now()):
            screen.print(Text(inert(direct), style="yellow"), soft_wrap=True)
    for failure in report.failures:
        warn(f"reviewdeck: {failure.proposal} was not applied. {failure.error.message}")


def _restricted_to(report: AutoReport, home: str) -> AutoReport:
    def ours(items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        return tuple(item for item in items if item.home == home)

    return replace(
        report,
        applied=ours(report.applied),
        held=ours(report.held),
        refused=ours(report.refused),
        dead=ours(report.dead),
        elsewhere=ours(report.elsewhere),
        rejected=ours(report.rejected),
    )


@contextmanager
def progress_bar(options: Options) -> Iterator[Progress | None]:
    """A progress bar on the terminal during a long pass; it is removed before the report."""
    if options.json or not sys.stderr.isatty() or not sys.stdout.isatty():
        yield None
        return
    from rich.progress import Progress as Bars

    with Bars(console=console(options, sys.stderr), transient=True) as bars:
        task = bars.add_task("reading the home", total=None)
        yield lambda done, amount: bars.update(task, completed=done, total=amount)


def _exit_code(report: AutoReport) -> int:
    if any(not isinstance(failure.error, _TRANSIENT) for failure in report.failures):
        return FAILED
    return WAITING if report.waiting else DONE
