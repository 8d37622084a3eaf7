"""`reviewdeck hermes gate`: turns the gates of a Hermes home on or off, and keeps its comments."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from reviewdeck.cli.commands.hermes import check_kind
from reviewdeck.cli.consent import carry_out, check_caller
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import say
from reviewdeck.cli.session import settings_of
from reviewdeck.homes.hermes.installation import plan_gates, read_installation

State = Literal["on", "off"]
Part = Literal["memory", "skills"]


def gate(
    state: Annotated[State, Parameter(help="On stages what the agent writes; off does not.")],
    /,
    *,
    only: Annotated[
        Part | None, Parameter(help="The gate of memories or of skills alone; by default both.")
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    options: Options = DEFAULTS,
) -> int:
    """Turn the gates of a Hermes home on or off in config.yaml, where every other byte stays.

    Shows the change, and asks. Hermes follows it at once.
    """
    settings = settings_of(options)
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    parts: tuple[Part, ...] = ("memory", "skills") if only is None else (only,)
    plans = []
    for home in settings.homes:
        check_kind(home)
        plans.append(plan_gates(read_installation(home), is_on=state == "on", parts=parts))
    if carry_out(plans, options, yes=yes, dry_run=dry_run):
        say("Done.")
    return 0
