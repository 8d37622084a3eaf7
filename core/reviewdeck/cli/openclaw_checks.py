"""The checks of `doctor` on the gate before OpenClaw, where it is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from reviewdeck.cli.doctor import DoctorCheck, Level
from reviewdeck.homes.openclaw.gate import OpenClawGate, gate_of
from reviewdeck.homes.openclaw.state import default_state, state_of
from reviewdeck.locations import user_home_of

_NAME: Final = "openclaw"


def check_openclaw(homes: Sequence[Path]) -> Iterator[DoctorCheck]:
    """Whether the gate is in place, in OpenClaw's folder of state and in those of these homes."""
    user_home = user_home_of(os.environ)
    states = (default_state(os.environ, user_home), *(state_of(home, {}, home) for home in homes))
    for state in dict.fromkeys(path.resolve() for path in states if path.is_dir()):
        gate = gate_of(state, user_home)
        if gate.is_installed or gate.off:
            yield from _check_gate(gate)


def _check_gate(gate: OpenClawGate) -> Iterator[DoctorCheck]:
    again = f"reviewdeck openclaw install --home {gate.state}"
    for sentence in gate.off:
        hint = "Writes there are not reviewed first; reviewdeck sees them afterwards."
        yield DoctorCheck(_NAME, Level.BAD, f"the gate is off here: {sentence}", hint)
    if not gate.off and not gate.is_current:
        message = f"the gate of {gate.state} has another version, or was changed"
        yield DoctorCheck(_NAME, Level.WARN, message, again)
    elif not gate.off:
        message = f"the gate reviews writes to {', '.join(map(str, gate.homes))}"
        yield DoctorCheck(_NAME, Level.OK, message)
    for sentence in gate.weak:
        yield DoctorCheck(_NAME, Level.WARN, sentence, again)
