"""`reviewdeck gemini`: installs, inspects and removes the gate before what Gemini CLI writes."""

from __future__ import annotations

from reviewdeck.cli import gate_commands
from reviewdeck.cli.consent import DryRun, Yes
from reviewdeck.cli.gate_commands import Project
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.homes.gemini.agent import GEMINI


def install(
    *,
    project: Project = (),
    yes: Yes = False,
    dry_run: DryRun = False,
    options: Options = DEFAULTS,
) -> int:
    """Install the gate for Gemini CLI's writes to memory, instructions and skills.

    Shows every change of settings.json, and asks. Run it again to update the gate.
    """
    return gate_commands.install(GEMINI, project, options, yes=yes, dry_run=dry_run)


def uninstall(
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    options: Options = DEFAULTS,
) -> int:
    """Remove the gate from Gemini CLI's settings. Waiting proposals are kept.

    Changes that somebody else made since are kept.
    """
    return gate_commands.uninstall(GEMINI, options, yes=yes, dry_run=dry_run)


def status(*, options: Options = DEFAULTS) -> int:
    """Check the gate, and what switches it off. The exit code is 1 when something does."""
    return gate_commands.status(GEMINI, options)
