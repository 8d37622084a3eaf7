"""`reviewdeck log`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from reviewdeck.cli.items import event_json, operation_json
from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import opened, utc_now
from reviewdeck.cli.usage import UsageProblem


def log(
    *,
    after: Annotated[
        int | None,
        Parameter(help="Only lines with a higher number. By default, the last ones."),
    ] = None,
    limit: Annotated[
        int, Parameter(help="At most so many lines.", validator=Number(gte=1, lte=1_000_000))
    ] = 50,
    verify: Annotated[
        bool,
        FLAG,
        Parameter(
            help="Hold everything that was decided against signatures, counters, the log and the"
            " files. The exit code is 1 when something does not hold together, 4 when all of it"
            " does and documents were changed without review."
        ),
    ] = False,
    head: Annotated[
        bool,
        FLAG,
        Parameter(
            help="Print the end of the log, to be kept elsewhere; signed where decisions are."
        ),
    ] = False,
    anchor: Annotated[
        Path | None,
        Parameter(help="With --verify: a file with an end of the log that was kept elsewhere."),
    ] = None,
    export: Annotated[
        bool, FLAG, Parameter(help="Print the whole log as JSON, one object a line.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """The append-only log of this home, and the operations that can be taken back."""
    if anchor is not None and not verify:
        raise UsageProblem("--anchor goes with --verify.", hint="log --verify --anchor FILE")
    if verify or export or head:
        return _whole(options, anchor, export=export, head=head)
    with opened(options) as deck:
        homes = deck.desk.home_ids
        ours = [event for event in deck.log(after=after or 0) if event.home in homes]
        events = ours[-limit:] if after is None else ours[:limit]
        found = (one for home in homes for one in deck.ledger.operations(home=home, limit=limit))
        operations = sorted(found, key=lambda one: one.started_at, reverse=True)[:limit]
    if options.json:
        print_json(
            {
                "events": [event_json(one) for one in events],
                "operations": [operation_json(one) for one in operations],
            }
        )
        return 0
    if not events:
        say("Nothing has happened yet." if after is None else "Nothing more.")
        return 0
    from reviewdeck.cli.render_history import log_table, operations_table

    screen = console(options)
    screen.print(log_table(events))
    if operations:
        screen.print()
        screen.print(operations_table(operations, utc_now()))
    return 0


def _whole(options: Options, anchor: Path | None, *, export: bool, head: bool) -> int:
    from reviewdeck.cli import verifying

    with opened(options) as deck:
        if head:
            verifying.head(deck)
        elif export:
            verifying.export(deck)
        else:
            return verifying.verify(deck, options, anchor)
    return 0
