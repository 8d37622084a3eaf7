"""`reviewdeck setup`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from reviewdeck.bootstrap import kind_for
from reviewdeck.cli.commands import hermes, openclaw, service
from reviewdeck.cli.commands.service import service_status, service_words
from reviewdeck.cli.consent import check_caller
from reviewdeck.cli.doctor import DoctorCheck, Level, check_gates, doctor_table
from reviewdeck.cli.gate_checks import check_agent, check_openclaw, current_gate
from reviewdeck.cli.gate_commands import install_gate
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import settings_of
from reviewdeck.cli.stale import earlier_programs, stale_parts, stale_service
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.errors import HomeUnavailable, ReviewdeckError
from reviewdeck.homes.gated.gate import version_on_path
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.installation import read_installation as read_gate
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.installation import (
    describe_installation,
    is_complete,
    read_installation,
    shipped_plugin,
)
from reviewdeck.homes.hooked import HOOKED
from reviewdeck.homes.kinds import HomeContext, recognised_kind
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.state import CONFIG, default_state
from reviewdeck.homes.other_agents import OtherAgent, agents_below
from reviewdeck.locations import user_home_of
from reviewdeck.terminal import is_terminal, warn
from reviewdeck.text.redact import redact
from reviewdeck.user_service import UnitFile
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class FoundAgent:
    """One agent of this machine, and what of it is governed."""

    name: str
    path: Path
    checks: tuple[DoctorCheck, ...]
    is_governed: bool
    """Whether its gate is there whole."""
    install: Callable[..., object] | None
    """Puts its gate there, after showing every change; None where there is no gate for it."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "agent": self.name,
            "path": str(self.path),
            "governed": self.is_governed,
            "has_gate": self.install is not None,
            "checks": [check.as_json() for check in self.checks],
        }


def setup(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
    """Each gate shows its changes and asks once; nothing is changed without a yes.

    After an upgrade it replaces what an earlier version installed.
    """
    if options.json and (yes or dry_run):
        raise UsageProblem("--json only shows what is here.", hint="Leave out --yes and --dry-run.")
    settings = _settings(options)
    found = tuple(_found(settings))
    stale = tuple(stale_parts(settings)) if settings is not None else ()
    if options.json:
        agents = [agent.as_json() for agent in found]
        watch = None if settings is None else service_status(settings)
        print_json({"agents": agents, "service": watch, "stale": [*stale]})
        return 0
    _report(found, stale, settings, options)
    offered = [agent for agent in found if agent.install is not None and not _is_done(agent, stale)]
    if offered or (settings is not None and stale_service(settings) is not None):
        offered.append(_service([] if settings is None else settings.homes))
    if not offered:
        say("There is nothing to set up.")
    elif not (yes or dry_run or is_terminal()):
        say("To install the gates: `reviewdeck setup --yes`; --dry-run shows the changes.")
        return 0
    codes = [_install(agent, options, yes=yes, dry_run=dry_run) for agent in offered]
    return max(codes, default=0)


def _report(
    found: Sequence[FoundAgent],
    stale: Sequence[str],
    settings: Settings | None,
    options: Options,
) -> None:
    """Prints what is here, what of it is governed, and what is of an earlier version."""
    for agent in found:
        say(f"== {agent.name}  {agent.path}")
        console(options).print(doctor_table(agent.checks))
    if not found:
        say("No agent was found here. `reviewdeck demo` shows reviewdeck on a sample home.")
    if settings is not None:
        say(service_words(service_status(settings)))
    for sentence in stale:
        say(f"stale: {sentence}")
    if any(earlier_programs()):
        say("Quit these processes and start them again; a service: `reviewdeck service install`.")


def _is_done(agent: FoundAgent, stale: Sequence[str]) -> bool:
    """Whether nothing of this agent is missing or of another version."""
    return agent.is_governed and not any(str(agent.path) in sentence for sentence in stale)


def _install(agent: FoundAgent, options: Options, *, yes: bool, dry_run: bool) -> int:
    say(f"\n== {agent.name}: what would change")
    if agent.install is None:
        return 0
    try:
        agent.install(
            yes=yes, dry_run=dry_run, options=replace(options, home=(agent.path,), profile=())
        )
    except ReviewdeckError as error:
        warn("reviewdeck: " + redact(f"{error.message} {error.hint}".rstrip()))
        return 1
    return 0


def _settings(options: Options) -> Settings | None:
    try:
        return settings_of(options, everywhere=True)
    except HomeUnavailable:
        if options.home or options.profile:
            raise
        return None


def _found(settings: Settings | None) -> Iterator[FoundAgent]:
    """The agents of this machine: those with a gate first."""
    user_home = user_home_of(os.environ)
    for home in settings.homes if settings is not None else ():
        kind = recognised_kind(home)
        if settings is not None and kind is not None and kind.name == "hermes":
            yield _hermes(home, settings)
    for hooked in HOOKED:
        config = default_config(os.environ, user_home, hooked.key)
        if config.is_dir() or version_on_path(os.environ, hooked) is not None:
            yield _hooked(hooked, config)
    state = default_state(os.environ, user_home)
    if (state / CONFIG).is_file():
        yield _openclaw(state, user_home)
    for other, folder in agents_below(user_home):
        if folder != state or not (state / CONFIG).is_file():
            yield FoundAgent(other.name, folder, (_without_gate(other, folder),), False, None)


def _without_gate(agent: OtherAgent, folder: Path) -> DoctorCheck:
    """What can be done for an agent that has no gate of ours."""
    if not agent.documents:
        lock = "`reviewdeck skills lock` approves its folders of skills, `skills verify` compares"
        return DoctorCheck("gates", Level.NOTE, "not governed: nothing is gated", f"{lock} them")
    found = "nothing is gated: changes of its memories, instructions and skills can be watched"
    return DoctorCheck("gates", Level.NOTE, found, f"reviewdeck --home {folder}")


def _service(named: Sequence[Path]) -> FoundAgent:
    """The service, for what it watches already, and every home that is behind a gate by then."""
    unit = UnitFile.of(os.environ, user_home_of(os.environ))

    def install(*, yes: bool, dry_run: bool, options: Options) -> None:
        also = unit.watched()
        chosen = replace(
            options,
            home=(),
            all_profiles=True,
            ledger=options.ledger or also.ledger,
            policy=options.policy or (Path(also.policy) if also.policy else None),
        )
        if dry_run:
            say("It watches every home whose gate is there by then.")
        settings = _settings(chosen)
        if settings is None:
            return
        check_caller(settings, options, yes=yes, dry_run=dry_run)
        homes = dict.fromkeys([*named, *settings.homes])
        governed = tuple(home for home in homes if _is_to_watch(home))
        watched = service.watched_by(replace(settings, homes=governed), also=also)
        if watched.homes:
            service.keep_watched(settings, watched, options, yes=yes, dry_run=dry_run)

    return FoundAgent("The service", unit.path, (), False, install)


def _is_to_watch(home: Path) -> bool:
    """Whether the service is to watch a home: of Hermes' homes, where its gate is there whole."""
    kind = recognised_kind(home)
    if kind is None or kind.name != "hermes":
        return True
    try:
        return is_complete(describe_installation(read_installation(home), shipped_plugin()))
    except ReviewdeckError:
        return False


def _hermes(home: Path, settings: Settings) -> FoundAgent:
    context = HomeContext(settings.env, settings.user_home, utc_now)
    located = kind_for(home, settings).home(home, context)
    checks = tuple(check_gates(located)) if isinstance(located, HermesHome) else ()
    install = partial(hermes.install, without_service=True)
    return FoundAgent("Hermes", home, checks, _is_to_watch(home), install)


def _hooked(agent: HookedAgent, config: Path) -> FoundAgent:
    checks = tuple(check_agent(agent, (config,)))
    try:
        is_governed = current_gate(read_gate(config, agent)).is_complete
    except ReviewdeckError:
        is_governed = False
    if not checks:
        message = f"not governed: what {agent.name} writes is not reviewed"
        hint = f"reviewdeck {agent.key} install --home {config}"
        checks = (DoctorCheck("gates", Level.WARN, message, hint),)
    return FoundAgent(agent.name, config, checks, is_governed, partial(install_gate, agent))


def _openclaw(state: Path, user_home: Path) -> FoundAgent:
    checks = tuple(check_openclaw(()))
    if not checks:
        message = "not governed: what OpenClaw writes is not reviewed"
        hint = f"reviewdeck openclaw install --home {state}"
        checks = (DoctorCheck("gates", Level.WARN, message, hint),)
    is_governed = gate_of(state, user_home).is_complete
    return FoundAgent("OpenClaw", state, checks, is_governed, openclaw.install_gate)
