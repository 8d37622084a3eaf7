"""Showing what is about to be changed outside of the ledger, and asking whether to go on."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.options import FLAG, Options
from reviewdeck.cli.output import say
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.authorisation import admitted
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted
from reviewdeck.policy.redact import redact
from reviewdeck.terminal import ask

Yes: TypeAlias = Annotated[bool, FLAG, Parameter(help="Do it without asking.")]
DryRun: TypeAlias = Annotated[
    bool, FLAG, Parameter(help="Show what would be changed, and change nothing.")
]


def check_caller(settings: Settings, options: Options, *, yes: bool, dry_run: bool) -> None:
    """Raises DescendsFromAgent below a known agent, UsageProblem where nobody could be asked."""
    admitted(settings.ancestry(), settings.agents)
    if options.json and not (yes or dry_run):
        raise UsageProblem("With --json nobody is asked.", hint="Add --yes or --dry-run.")


def is_wanted(*, yes: bool) -> bool:
    """Whether somebody says yes. Raises NotPermitted where there is nobody to ask."""
    if yes:
        return True
    try:
        answer = ask("Do this? [y/N] ")
    except NotPermitted as error:
        raise NotPermitted(error.message, hint="Nothing was changed. --yes does not ask.") from None
    if answer.strip().lower() in {"y", "yes"}:
        return True
    say("Nothing was changed.")
    return False


def show_change(path: str, before: str | None, after: str | None) -> None:
    """One file as a diff, secrets covered."""
    from reviewdeck.text.diff import unified, unified_lines

    say(f"{path}{' (new)' if before is None else ' (removed)' if after is None else ''}")
    for line in unified_lines(unified(redact(before or ""), redact(after or ""))):
        say(f"  {line}")
