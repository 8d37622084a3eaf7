"""`reviewdeck fsck`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from reviewdeck.cli.doctor import Wholeness, look_through
from reviewdeck.cli.operators_directory import refuse_agents
from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import ledger_of
from reviewdeck.clock import utc_now

DONE, FAILED = 0, 1


def fsck(
    *,
    backup: Annotated[
        bool, FLAG, Parameter(help="When it is whole, make a copy beside it.")
    ] = False,
    prune: Annotated[
        bool,
        FLAG,
        Parameter(help="When it is whole, let go of stored texts that nothing needs any more."),
    ] = False,
    keep_days: Annotated[
        int, Parameter(help="With --prune: how old they have to be.", validator=Number(gte=1))
    ] = 90,
    options: Options = DEFAULTS,
) -> int:
    """Read the whole ledger and say what in it does not hold together.

    The exit code is 1 when something is damaged.
    """
    if prune:
        refuse_agents()  # What is let go of is evidence: no agent takes it away.
    url = ledger_of(options)
    found = look_through(url)
    copy = _back_up(found) if backup and not found.damage else None
    pruned = _prune(url, keep_days) if prune and not found.damage else None
    if options.json:
        print_json(found.as_json() | {"backup": copy, "pruned": pruned})
    else:
        _tell(found, copy, pruned)
    return FAILED if found.damage else DONE


def _back_up(found: Wholeness) -> str:
    from reviewdeck.ledger.opening import back_up
    from reviewdeck.ledger.versions import HEAD

    return str(back_up(found.path, HEAD, utc_now))


def _prune(url: str, days: int) -> dict[str, int]:
    from datetime import timedelta

    from reviewdeck.ledger.retention import prune

    done = prune(url, keep=timedelta(days=days), now=utc_now)
    return {"texts": done.texts, "bytes": done.size}


def _tell(found: Wholeness, copy: str | None, pruned: dict[str, int] | None) -> None:
    say(f"{found.path}")
    for line in found.damage:
        say(f"bad  {line}")
    for line in found.advice:
        say(f"->   {line}")
    if not found.damage:
        say(
            "ok   The database, the stored texts, the log and what decisions rest on hold together."
        )
    if copy is not None:
        say(f"ok   A copy is kept as {copy}.")
    if pruned is not None:
        say(f"ok   {pruned['texts']} texts, {pruned['bytes']:,} bytes, were let go of.")
