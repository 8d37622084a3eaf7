"""The checks of `doctor` on the gates before agents, where they are installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewdeck.cli.doctor import DoctorCheck, Level
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.gated import gate as hooks
from reviewdeck.homes.gated.gate import GateState, version_on_path
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.installation import GateInstallation, read_installation
from reviewdeck.homes.hooked import HOOKED
from reviewdeck.homes.openclaw import gate as plugin
from reviewdeck.homes.openclaw.state import default_state, state_of
from reviewdeck.locations import user_home_of


def check_gates_of_hooks(homes: Sequence[Path]) -> Iterator[DoctorCheck]:
    """Whether each agent's gate is in place, in these homes and in the agent's own folder."""
    for agent in HOOKED:
        yield from check_agent(agent, homes)


def check_agent(agent: HookedAgent, homes: Sequence[Path]) -> Iterator[DoctorCheck]:
    """Whether one agent's gate is in place."""
    own = default_config(os.environ, user_home_of(os.environ), agent.key)
    for config in dict.fromkeys(path.resolve() for path in (own, *homes) if path.is_dir()):
        try:
            installed = read_installation(config, agent)
            if not installed.roots and installed.record is None:
                continue
            gate = current_gate(installed)
        except ReviewdeckError as error:
            if (config / "settings.json").exists() and agent.layout_of(config) == agent.config:
                yield DoctorCheck(agent.key, Level.WARN, error.message, error.hint)
            continue
        yield from _check_gate(gate)


def current_gate(installed: GateInstallation) -> GateState:
    """The gate as a session started in the working directory would have it. Raises BadInput."""
    env, version = os.environ, version_on_path(os.environ, installed.agent)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        here = None  # It was deleted, and no session starts there.
    return hooks.gate_of(installed, env, user_home_of(env), version=version, here=here)


def _check_gate(gate: GateState) -> Iterator[DoctorCheck]:
    name = gate.agent.key
    again = f"reviewdeck {name} install --home {gate.config}"
    if not gate.roots:
        message = f"the gate is gone from {gate.config}: writes are seen only afterwards"
        yield DoctorCheck(name, Level.BAD, message, again)
    elif not gate.is_current:
        message = f"the gate of {gate.config} has another version, or was changed"
        yield DoctorCheck(name, Level.WARN, message, again)
    elif not gate.off:
        of = f" of {gate.agent.name} {gate.version}" if gate.version else ""
        roots = ", ".join(str(root.path) for root in gate.roots)
        message = f"the gate reviews writes{of} to {roots}, at its hooks {', '.join(gate.hooks)}"
        yield DoctorCheck(name, Level.OK, message)
    yield from _gaps(name, gate.off, gate.weak)


def check_openclaw(homes: Sequence[Path]) -> Iterator[DoctorCheck]:
    """Whether the gate is in place, in OpenClaw's folder of state and in those of these homes."""
    name, user_home = "openclaw", user_home_of(os.environ)
    states = (default_state(os.environ, user_home), *(state_of(home, {}, home) for home in homes))
    for state in dict.fromkeys(path.resolve() for path in states if path.is_dir()):
        gate = plugin.gate_of(state, user_home)
        if not gate.is_installed and not gate.off:
            continue
        again = f"reviewdeck {name} install --home {gate.state}"
        if not gate.off and not gate.is_current:
            message = f"the gate of {gate.state} has another version, or was changed"
            yield DoctorCheck(name, Level.WARN, message, again)
        elif not gate.off:
            message = f"the gate reviews writes to {', '.join(map(str, gate.homes))}"
            yield DoctorCheck(name, Level.OK, message)
        yield from _gaps(name, gate.off, gate.weak, again)


def _gaps(
    name: str, off: Sequence[str], weak: Sequence[str], again: str = ""
) -> Iterator[DoctorCheck]:
    for sentence in off:
        hint = "Writes there are not reviewed first; reviewdeck sees them afterwards."
        yield DoctorCheck(name, Level.BAD, f"the gate is off here: {sentence}", hint)
    for sentence in weak:
        yield DoctorCheck(name, Level.WARN, sentence, again)
