"""`reviewdeck auto`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.items import item_json
from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import console, print_json, warn
from reviewdeck.cli.session import end_interrupted, opened, settings_of, utc_now
from reviewdeck.cli.situation import budgets_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.cli.words import inert
from reviewdeck.errors import Busy, NotDecidable, StaleBase
from reviewdeck.model import QueueItem
from reviewdeck.ports import Progress

if TYPE_CHECKING:
    from reviewdeck.engine.auto import AutoReport
    from reviewdeck.engine.deck import Deck

DONE, FAILED, WAITING = 0, 1, 3
_PASSING = (Busy, NotDecidable, StaleBase)
"""What the next run may well get over: such a proposal simply waits."""


def auto(
    *,
    dry_run: Annotated[
        bool, FLAG, Parameter(help="Say what would be applied, and change nothing.")
    ] = False,
    watch: Annotated[
        bool,
        FLAG,
        Parameter(
            help="Stay, and apply what is plainly safe as it comes, until SIGTERM or Ctrl-C."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Apply what is plainly safe, and report the rest.

    The exit code is 3 when something awaits review, 0 when nothing does. With --watch it is 0.
    """
    if watch:
        return _stay(options, dry_run=dry_run)
    with opened(options) as deck:
        if not dry_run:
            end_interrupted(deck)
        with working(options) as progress:
            report = deck.auto(dry_run=dry_run, progress=progress)
        if options.json:
            print_json(report_json(deck, report))
        else:
            print_report(deck, report, options, dry_run=dry_run)
    for why in dict.fromkeys(report.suspended):
        warn(f"reviewdeck: auto-apply is off: {why}")
    for problem in report.problems:
        warn(f"reviewdeck: {problem}")
    return _exit_code(report)


def _stay(options: Options, *, dry_run: bool) -> int:
    if dry_run:
        raise UsageProblem("--watch and --dry-run do not go together.", hint="Choose one of them.")
    from reviewdeck.cli.staying import stay

    return stay(settings_of(options), options)


def report_json(deck: Deck, report: AutoReport) -> dict[str, Any]:
    """Everything that one pass came to."""
    now = utc_now()
    wrote = {one.proposal: one.id for one in deck.operations(limit=2 * len(report.applied) + 100)}
    failed = {one.proposal: one.error for one in report.failures}

    def as_json(items: Sequence[QueueItem]) -> list[dict[str, Any]]:
        found = [item_json(item, now) for item in items]
        said, closest = dict(report.said), dict(report.closest)
        for item in found:
            item["operation"] = wrote.get(item["id"])
            item["said"] = said.get(item["id"])
            item["closest"] = closest.get(item["id"])
            if error := failed.get(item["id"]):
                item["failure"] = {"code": error.code, "message": error.message}
        return found

    return {
        "applied": as_json(report.applied),
        "held": as_json(report.held),
        "refused": as_json(report.refused),
        "dead": as_json(report.dead),
        "elsewhere": as_json(report.elsewhere),
        "suspended": list(dict.fromkeys(report.suspended)),
    }


def print_report(deck: Deck, report: AutoReport, options: Options, *, dry_run: bool) -> None:
    """What was applied, what waits and why, how full the memories are, what to do next."""
    from rich.text import Text

    from reviewdeck.cli.render_auto import report_lines

    screen, homes = console(options), [one.home for one in deck.desk.homes]
    for home in homes:
        if len(homes) > 1:
            screen.print(Text(inert(f"== {home.name}  {home.where}"), style="bold"))
        ours, budgets = _of_home(report, home.id), budgets_of(home)
        for part in report_lines(ours, budgets, options, utc_now(), dry_run=dry_run):
            screen.print(part, soft_wrap=isinstance(part, Text))
    for failure in report.failures:
        warn(f"reviewdeck: {failure.proposal} was not applied. {failure.error.message}")


def _of_home(report: AutoReport, home: str) -> AutoReport:
    def ours(items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        return tuple(item for item in items if item.home == home)

    return replace(
        report,
        applied=ours(report.applied),
        held=ours(report.held),
        refused=ours(report.refused),
        dead=ours(report.dead),
        elsewhere=ours(report.elsewhere),
    )


@contextmanager
def working(options: Options) -> Iterator[Progress | None]:
    """A bar on the terminal while a long pass runs; it is gone before the report."""
    if options.json or not sys.stderr.isatty() or not sys.stdout.isatty():
        yield None
        return
    from rich.progress import Progress as Bars

    with Bars(console=console(options, sys.stderr), transient=True) as bars:
        task = bars.add_task("reading the home", total=None)
        yield lambda done, amount: bars.update(task, completed=done, total=amount)


def _exit_code(report: AutoReport) -> int:
    if any(not isinstance(failure.error, _PASSING) for failure in report.failures):
        return FAILED
    return WAITING if report.waiting else DONE
