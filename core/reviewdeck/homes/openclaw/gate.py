"""The gate before OpenClaw in this environment: what it covers, and what switches it off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reviewdeck.agents.hermes.kit import items, members, parsed
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.installer import is_program
from reviewdeck.homes.openclaw.installation import GATE, PluginInstallation, read_installation
from reviewdeck.homes.openclaw.settings import loads_plugin, switched_off_by
from reviewdeck.homes.openclaw.state import CONFIG, workshops_in, workspaces_in


@dataclass(frozen=True, slots=True)
class OpenClawGate:
    """The state of the gate."""

    state: Path
    homes: tuple[Path, ...]
    """The workspaces and Workshops that it is told to cover; none where it is not installed."""
    is_current: bool
    """Whether every file and entry is present as this program writes it."""
    off: tuple[str, ...]
    """One sentence for each thing that switches it off."""
    weak: tuple[str, ...]
    """One sentence for each weakness."""

    @property
    def covered(self) -> frozenset[Path]:
        """Their real paths."""
        return frozenset(path.resolve() for path in self.homes)

    @property
    def is_installed(self) -> bool:
        """Whether our plugin is there at all."""
        return bool(self.homes)

    @property
    def is_complete(self) -> bool:
        """Whether it is installed, current, and not switched off."""
        return self.is_installed and self.is_current and not self.off


def gate_of(state: Path, user_home: Path) -> OpenClawGate:
    """The gate of a folder of state; one without workspaces where it is not installed.

    Never raises: settings that cannot be read are a reason why it is off.
    """
    try:
        installed = read_installation(state)
    except (ReviewdeckError, OSError):
        is_there = state.is_dir()
        off = (f"{state / CONFIG} cannot be read",) if is_there else ()
        return OpenClawGate(state, (), False, off, ())
    if not installed.workspaces:
        return OpenClawGate(state, (), False, (), ())
    try:
        return _gate(installed, user_home)
    except ReviewdeckError:
        off = (f"{state / CONFIG} is not plain JSON: whether it loads the plugin is not known",)
        return OpenClawGate(state, installed.homes, False, off, ())


def _gate(installed: PluginInstallation, user_home: Path) -> OpenClawGate:
    settings, state = installed.settings, installed.home
    off = [f"{state / CONFIG} sets {name}" for name in switched_off_by(settings)]
    if not loads_plugin(settings, installed.folder) and not off:
        off.append(f"{state / CONFIG} does not load the plugin")
    covered = {path.resolve() for path in installed.homes}
    weak = [
        f"the agent {agent} works in {path}, which is not covered: "
        f"{'install again' if path.is_absolute() else 'it is no absolute path'}"
        for agent, path in workspaces_in(settings, state, user_home).items()
        if not path.is_absolute() or path.resolve() not in covered
    ]
    weak += [
        f"the Workshop of the agent {agent} in {path} is not covered: install again"
        for agent, path in workshops_in(settings, state, user_home).items()
        if path.is_dir() and path.resolve() not in covered
    ]
    weak += _missing(installed)
    is_current = installed.is_current
    return OpenClawGate(state, installed.homes, is_current, tuple(off), tuple(weak))


def _missing(installed: PluginInstallation) -> Iterator[str]:
    """What of the gate does not exist."""
    command = items(members(parsed(installed.programs[GATE])).get("command"))
    if not command or not is_program(command[0]):
        program = command[0] if command else "none is named"
        yield f"its Python is gone ({program}): every write to a document is blocked"
