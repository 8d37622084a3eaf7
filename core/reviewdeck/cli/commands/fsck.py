"""`reviewdeck fsck`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Final

from cyclopts import Parameter

from reviewdeck.cli.exit_codes import DONE, FAILED
from reviewdeck.cli.numbers import whole
from reviewdeck.cli.operators_directory import refuse_agents
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import ledger_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.files.host_journal import unreadable_entries
from reviewdeck.interruption import uninterrupted
from reviewdeck.ledger import retention
from reviewdeck.ledger.inspection import LedgerReport, inspect_ledger
from reviewdeck.ledger.opening import make_backup
from reviewdeck.ledger.place import address_of
from reviewdeck.presentation.words import one_line

DAYS: Final = 90
MOST_DAYS: Final = 36_500


def fsck(
    *,
    backup: Annotated[
        bool, Parameter(help="Make a backup beside the ledger, if it is intact.")
    ] = False,
    prune: Annotated[
        bool,
        Parameter(help="Delete stored texts that nothing needs any more, if the ledger is intact."),
    ] = False,
    keep_days: Annotated[
        int | None,
        Parameter(
            help="With --prune: the minimum age of these texts. By default, 90.",
            converter=whole(1, MOST_DAYS),
        ),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Check the integrity of the ledger, byte by byte.

    The exit code is 1 when something is damaged.
    """
    if keep_days is not None and not prune:
        raise UsageProblem("--keep-days needs --prune.", hint="See `reviewdeck fsck --help`.")
    if prune:
        refuse_agents()  # The pruned texts are evidence: no agent may remove them.
    url = ledger_of(options)
    report, entries = inspect_ledger(url), unreadable_entries(address_of(url).journal)
    copy = _back_up(url) if backup and not report.damage else None
    pruned = _prune(url, keep_days or DAYS) if prune and not report.damage else None
    if options.json:
        print_json(report.as_json() | {"journal": [*entries], "backup": copy, "pruned": pruned})
    else:
        _print(report, entries, copy, pruned)
    return FAILED if report.damage or entries else DONE


def _back_up(url: str) -> str:
    with uninterrupted():
        return str(make_backup(url, utc_now))


def _prune(url: str, days: int) -> dict[str, int]:
    with uninterrupted():
        pruned = retention.prune(url, keep=timedelta(days=days), now=utc_now)
    return {"texts": pruned.texts, "bytes": pruned.size}


def _print(
    report: LedgerReport,
    entries: Sequence[str],
    copy: str | None,
    pruned: dict[str, int] | None,
) -> None:
    say(report.label)
    for line in report.damage:
        say(f"bad  {line}")
    for line in report.advice:
        say(f"->   {line}")
    for file in entries:
        say(f"bad  {one_line(file)}: this entry of the host's journal cannot be read.")
    if entries:
        say("->   `reviewdeck recover` completes these batches from the ledger's copy.")
    if not (report.damage or entries):
        say("ok   The database, the stored texts, the log and the decisions are consistent.")
    if copy is not None:
        say(f"ok   The backup is {copy}.")
    if pruned is not None:
        say(f"ok   {pruned['texts']} texts, {pruned['bytes']:,} bytes, were deleted.")
