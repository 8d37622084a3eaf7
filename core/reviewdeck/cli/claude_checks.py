"""The checks of `doctor` on the gate before Claude Code, where it is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from reviewdeck.cli.doctor import DoctorCheck, Level
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.claude.gate import ClaudeGate, claude_version, gate_of
from reviewdeck.homes.claude.governed import default_config
from reviewdeck.homes.claude.installation import GateInstallation, read_installation
from reviewdeck.locations import user_home_of

_NAME: Final = "claude"


def check_claude(homes: Sequence[Path]) -> Iterator[DoctorCheck]:
    """Whether the gate is in place, in these homes and in Claude Code's own folder."""
    own = default_config(os.environ, user_home_of(os.environ))
    for config in dict.fromkeys(path.resolve() for path in (own, *homes) if path.is_dir()):
        try:
            installed = read_installation(config)
            if not installed.roots and installed.record is None:
                continue
            gate = current_gate(installed)
        except ReviewdeckError as error:
            if (config / "settings.json").exists():
                yield DoctorCheck(_NAME, Level.WARN, error.message, error.hint)
            continue
        yield from _check_gate(gate)


def current_gate(installed: GateInstallation) -> ClaudeGate:
    """The gate as a session started in the working directory would have it. Raises BadInput."""
    env, version = os.environ, claude_version(os.environ)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        here = None  # It was deleted, and no session starts there.
    return gate_of(installed, env, user_home_of(env), version=version, here=here)


def _check_gate(gate: ClaudeGate) -> Iterator[DoctorCheck]:
    again = f"reviewdeck claude install --home {gate.config}"
    if not gate.roots:
        message = f"the gate is gone from {gate.config}: writes are seen only afterwards"
        yield DoctorCheck(_NAME, Level.BAD, message, again)
    elif not gate.is_current:
        message = f"the gate of {gate.config} has another version, or was changed"
        yield DoctorCheck(_NAME, Level.WARN, message, again)
    elif not gate.off:
        message = f"the gate reviews writes to {', '.join(str(root.path) for root in gate.roots)}"
        yield DoctorCheck(_NAME, Level.OK, message)
    for sentence in gate.off:
        hint = "Writes there are not reviewed first; reviewdeck sees them afterwards."
        yield DoctorCheck(_NAME, Level.BAD, f"the gate is off here: {sentence}", hint)
    for sentence in gate.weak:
        yield DoctorCheck(_NAME, Level.WARN, sentence)
