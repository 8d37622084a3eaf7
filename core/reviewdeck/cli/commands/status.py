"""`reviewdeck status`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import fresh_engine, ledger_of, settings_of
from reviewdeck.clock import utc_now
from reviewdeck.presentation.hosts import host_healths
from reviewdeck.presentation.situation import combined_json, home_statuses
from reviewdeck.presentation.situation import prompt_line as shortened
from reviewdeck.presentation.words import inert


def status(
    *,
    short: Annotated[bool, Parameter(help="One line, for a prompt or a status bar.")] = False,
    options: Options = DEFAULTS,
) -> int:
    """Show the backlog, how full the memories are, and changes outside review."""
    with fresh_engine(options, everywhere=True) as engine:
        if short and not options.json:
            say(shortened(engine.ledger.counts(engine.home_ids), utc_now()))
            return 0
        situations = home_statuses(engine, ledger_of(options), utc_now())
        hosts = host_healths(engine)
    from reviewdeck.cli.stale import stale_parts  # not for one line, which loads little

    stale = tuple(stale_parts(settings_of(options, everywhere=True, elsewhere=True)))
    if options.json:
        shared = {"hosts": [host.as_json() for host in hosts]} if hosts else {}
        print_json({**combined_json(situations), "stale": [*stale], **shared})
        return 0
    from rich.text import Text

    from reviewdeck.cli.render_status import status_lines

    screen = console(options)
    for number, situation in enumerate(situations):
        if number:
            screen.print()
        is_last = number == len(situations) - 1
        screen.print(status_lines(situation, stale if is_last else ()))
    for host in hosts:
        line = Text(f"\nhost       {inert(host.words)}", "yellow" if host.is_alarming else "")
        screen.print(line, soft_wrap=True, end="")
    if hosts:
        screen.print()
    return 0
