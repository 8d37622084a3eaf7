"""`reviewdeck openclaw`: installs, inspects and removes the gate before what OpenClaw writes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.cli.consent import carry_out, check_caller
from reviewdeck.cli.gate_commands import say_what_applies
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import answer, say
from reviewdeck.cli.session import settings_of
from reviewdeck.errors import BadInput
from reviewdeck.homes.openclaw import installation
from reviewdeck.homes.openclaw.gate import OpenClawGate, gate_of
from reviewdeck.homes.openclaw.installation import PluginInstallation, read_installation
from reviewdeck.homes.openclaw.layout import WORKSPACE
from reviewdeck.homes.openclaw.state import CONFIG, default_state, workshops_in, workspaces_in
from reviewdeck.homes.openclaw.workshop import Workshop
from reviewdeck.locations import user_home_of
from reviewdeck.presentation.words import count


def install(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
    """Install the gate for what OpenClaw writes to its workspaces and Workshops.

    Shows every change of openclaw.json, and asks. Run it again after a new agent or an upgrade.
    """
    say_what_applies(install_gate(yes=yes, dry_run=dry_run, options=options))
    return 0


def install_gate(*, yes: bool, dry_run: bool, options: Options) -> Sequence[Path]:
    """Shows every change, asks, and makes them; the workspaces behind the gate, if it changed."""
    installed = _installed(options, yes=yes, dry_run=dry_run)
    user_home = user_home_of(os.environ)
    named = workspaces_in(installed.settings, installed.home, user_home)
    workspaces = {agent: path for agent, path in named.items() if path.is_absolute()}
    workshops = workshops_in(installed.settings, installed.home, user_home)
    workshops = {agent: path for agent, path in workshops.items() if path.is_absolute()}
    plans = installation.plan_install(installed, workspaces, workshops)
    plans = tuple(plan for plan in plans if plan.changes)
    if not carry_out(plans, options, yes=yes, dry_run=dry_run):
        return ()
    say("Done. A running gateway loads the gate with its settings; new sessions have it.")
    for line in _lines(gate_of(installed.home, user_home)):
        say(line)
    return [*workspaces.values()]


def uninstall(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
    """Remove the gate from OpenClaw's settings. Waiting proposals are kept.

    Changes that somebody else made since are kept.
    """
    installed = _installed(options, yes=yes, dry_run=dry_run)
    if carry_out(installation.plan_uninstall(installed), options, yes=yes, dry_run=dry_run):
        say("Done. Waiting proposals and past decisions are kept.")
    return 0


def status(*, options: Options = DEFAULTS) -> int:
    """Check the gate, and what switches it off. The exit code is 1 when something does."""
    gate = gate_of(_state(options), user_home_of(os.environ))
    answer(options, _as_json(gate), *_lines(gate))
    return 0 if gate.is_complete else 1


def _lines(gate: OpenClawGate) -> Iterator[str]:
    yield f"== {gate.state}"
    current = "as this program writes it" if gate.is_current else "another version, or changed"
    yield f"plugin:   {current if gate.is_installed else 'none: reviewdeck openclaw install'}"
    for home in gate.homes:
        yield f"reviewed: {home}, {count(_waiting(gate, home), 'proposal')} waiting"
    for sentence in gate.off:
        yield f"OFF:      {sentence}"
    for sentence in gate.weak:
        yield f"note:     {sentence}"


def _as_json(gate: OpenClawGate) -> dict[str, Any]:
    return {
        "state": str(gate.state),
        "current": gate.is_current,
        "homes": [{"path": str(path), "waiting": _waiting(gate, path)} for path in gate.homes],
        "off": [*gate.off],
        "notes": [*gate.weak],
    }


def _waiting(gate: OpenClawGate, home: Path) -> int:
    drafts, _ = Workshop(gate.state).count(home)
    return drafts + len([*(home / ours_in(WORKSPACE) / "pending").glob("*.json")])


def _installed(options: Options, *, yes: bool, dry_run: bool) -> PluginInstallation:
    """The gate in OpenClaw's folder, for a command that changes it: no agent may run one."""
    state = _state(options)
    if not (state / CONFIG).is_file():
        raise BadInput(
            f"{state} is not OpenClaw's folder of state: it has no {CONFIG}.",
            hint="Nothing was changed. Run `openclaw onboard` first, or name the folder: --home.",
        )
    settings = settings_of(replace(options, home=(state,)))
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    return read_installation(state)


def _state(options: Options) -> Path:
    """OpenClaw's folder of state: the one that the options name, or its default."""
    if len(options.home) > 1:
        raise BadInput("Name one folder of OpenClaw at a time.")
    folder = options.home[0] if options.home else None
    state = folder or default_state(os.environ, user_home_of(os.environ))
    return Path(os.path.abspath(state.expanduser()))  # noqa: PTH100 - links stay as they are named
