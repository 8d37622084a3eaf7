"""Installs, inspects and removes the gate before what an agent with hooks writes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.consent import carry_out, check_caller
from reviewdeck.cli.gate_checks import current_gate
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import answer, say
from reviewdeck.cli.session import settings_of
from reviewdeck.errors import BadInput
from reviewdeck.homes.gated import installation
from reviewdeck.homes.gated.gate import GateState, roots_for
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.installation import GateInstallation, read_installation
from reviewdeck.homes.gated.layout import pending_in
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.kinds import recognised_kind
from reviewdeck.locations import user_home_of
from reviewdeck.presentation.words import count
from reviewdeck.user_service import UnitFile

Project = Annotated[
    tuple[Path, ...],
    Parameter(
        help="A repository whose instructions, rules and skills are reviewed too; may be given more"
        " than once.",
    ),
]


def say_what_applies(homes: Sequence[Path]) -> None:
    """Says how safe additions get into these homes by themselves, unless the service does it."""
    watched = UnitFile.of(os.environ, user_home_of(os.environ)).watched().homes
    if not {str(home.resolve()) for home in homes} <= {*watched}:
        say(
            "To let in by itself what is plainly safe: `reviewdeck service install --all-profiles`,"
        )
        say("or `reviewdeck auto --all-profiles` now and then.")


def install_gate(
    agent: HookedAgent,
    projects: Sequence[Path] = (),
    *,
    yes: bool,
    dry_run: bool,
    options: Options,
) -> Sequence[Path]:
    """Shows every change, asks, and makes them; the homes behind the gate, if it was changed."""
    installed = _installed_gate(agent, options, yes=yes, dry_run=dry_run)
    _check_kind(agent, installed.home)
    governed = [root for root in installed.roots if root.layout != agent.config]
    folders = [_folder(path) for path in projects]
    roots = roots_for(agent, installed.home, folders, user_home_of(os.environ), governed)
    plans = [
        installation.plan_install(installed, roots),
        *installation.plan_layouts(agent, roots),
    ]
    plans = [plan for plan in plans if plan.changes]
    if not carry_out(plans, options, yes=yes, dry_run=dry_run):
        return ()
    say("Done. The gate reviews every session that starts from now on.")
    for line in _lines(current_gate(read_installation(installed.home, agent))):
        say(line)
    return [root.path for root in roots]


def commands_of(
    agent: HookedAgent,
) -> tuple[Callable[..., int], Callable[..., int], Callable[..., int]]:
    """The commands `install`, `uninstall` and `status` of an agent."""

    def install(
        *,
        project: Project = (),
        yes: Yes = False,
        dry_run: DryRun = False,
        options: Options = DEFAULTS,
    ) -> int:
        homes = install_gate(agent, project, yes=yes, dry_run=dry_run, options=options)
        say_what_applies(homes)
        return 0

    def uninstall(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
        installed = _installed_gate(agent, options, yes=yes, dry_run=dry_run)
        if carry_out(installation.plan_uninstall(installed), options, yes=yes, dry_run=dry_run):
            say("Done. Waiting proposals and past decisions are kept.")
        return 0

    def status(*, options: Options = DEFAULTS) -> int:
        gate = current_gate(read_installation(_config(agent, options), agent))
        answer(options, _as_json(gate), *_lines(gate))
        return 0 if gate.is_complete else 1

    # What `--help` says of each.
    install.__doc__ = (
        f"Install the gate for {agent.name}'s writes to memory, instructions and skills.\n\n"
        "Shows every change of settings.json, and asks. Run it again to update the gate."
    )
    uninstall.__doc__ = (
        f"Remove the gate from {agent.name}'s settings. Waiting proposals are kept.\n\n"
        "Changes that somebody else made since are kept."
    )
    status.__doc__ = (
        "Check the gate, and what switches it off. The exit code is 1 when something does."
    )
    return install, uninstall, status


def _lines(gate: GateState) -> Iterator[str]:
    yield f"== {gate.config}"
    none = f"none: reviewdeck {gate.agent.key} install"
    current = "as this program writes them" if gate.is_current else "another version, or changed"
    yield f"entries:  {current if gate.roots else none}"
    yield f"version:  {gate.version or f'{gate.agent.name} is not on the PATH'}"
    if gate.hooks:
        yield f"hooks:    {', '.join(gate.hooks)}"
    for root in gate.roots:
        yield f"reviewed: {root.path} ({root.layout}), {count(_waiting(root), 'record')} waiting"
    for sentence in gate.off:
        yield f"OFF:      {sentence}"
    for sentence in gate.weak:
        yield f"note:     {sentence}"


def _as_json(gate: GateState) -> dict[str, Any]:
    roots = [
        {"layout": root.layout, "path": str(root.path), "waiting": _waiting(root)}
        for root in gate.roots
    ]
    return {
        "config": str(gate.config),
        "current": gate.is_current,
        "version": gate.version,
        "hooks": [*gate.hooks],
        "roots": roots,
        "off": [*gate.off],
        "notes": [*gate.weak],
    }


def _waiting(root: GovernedRoot) -> int:
    folders = (root.path / folder for folder in pending_in(root.layout))
    return sum(len([*folder.glob("*.json")]) for folder in folders)


def _installed_gate(
    agent: HookedAgent, options: Options, *, yes: bool, dry_run: bool
) -> GateInstallation:
    """The gate in an agent's folder, for a command that changes it: no agent may run one."""
    config = _config(agent, options)
    settings = settings_of(replace(options, home=(config,)))
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    installed = read_installation(config, agent)
    if installed.is_of_another:
        raise BadInput(f"The gate in {config} is not {agent.name}'s.", hint="Nothing was changed.")
    return installed


def _config(agent: HookedAgent, options: Options) -> Path:
    """The agent's own folder: the one that the options name, or its default."""
    if len(options.home) > 1:
        raise BadInput(f"Name one folder of {agent.name} at a time.")
    folder = options.home[0] if options.home else None
    config = folder or default_config(os.environ, user_home_of(os.environ), agent.key)
    path = Path(os.path.abspath(config.expanduser()))  # noqa: PTH100 - links stay as they are named
    if not path.is_dir():
        raise BadInput(
            f"There is no folder of {agent.name} at {path}.",
            hint=f"Start {agent.name} once, or name its folder: --home.",
        )
    return path


def _check_kind(agent: HookedAgent, config: Path) -> None:
    """Raises BadInput for a folder that is plainly not the agent's own."""
    kind = recognised_kind(config)
    if kind is None:
        return  # It may be new.
    if kind.name != agent.key or agent.layout_of(config) != agent.config:
        raise BadInput(
            f"{config} is not {agent.name}'s own folder.",
            hint="Nothing was changed. Name a repository with --project.",
        )


def _folder(path: Path) -> Path:
    """A repository named on the command line. Raises BadInput."""
    folder = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - as above
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a directory.")
    return folder
