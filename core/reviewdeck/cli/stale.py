"""What an earlier version left behind: copies of the plugin and the gate, the service, programs.

It runs nothing, so that `status` can afford it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewdeck.cli.program_name import program_command
from reviewdeck.engine.options import Settings
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.installation import read_installation as read_gate
from reviewdeck.homes.hermes.installation import (
    PluginState,
    plugin_state,
    read_installation,
    shipped_plugin,
)
from reviewdeck.homes.hooked import HOOKED
from reviewdeck.homes.kinds import recognised_kind
from reviewdeck.user_service import UNIT, UnitFile, unit_text

_PROC: Final = Path("/proc")
_RECORD: Final = "reviewdeck-*.dist-info/RECORD"


def stale_parts(settings: Settings) -> Iterator[str]:
    """One sentence for each part that is not of this version."""
    for home in settings.homes:
        kind = recognised_kind(home)
        if kind is not None and kind.name == "hermes" and _is_stale_plugin(home):
            yield f"the plugin in {home} is another version's"
    for agent in HOOKED:
        config = default_config(settings.env, settings.user_home, agent.key)
        if _is_stale_gate(config, agent):
            yield f"the gate of {config} is another version's, or was changed"
    if stale_service(settings) is not None:
        yield f"the service {UNIT} is another version's, or was changed"
    for pid, words in earlier_programs():
        yield f"process {pid} runs since before this version was installed: {words}"


def stale_service(settings: Settings) -> UnitFile | None:
    """The unit of the user's service, where it is not as this version writes it."""
    unit = UnitFile.of(settings.env, settings.user_home)
    text = unit.read()
    return unit if text and text != unit_text(program_command(), unit.watched()) else None


def _is_stale_plugin(home: Path) -> bool:
    try:
        return plugin_state(read_installation(home), shipped_plugin()) is PluginState.OTHER
    except ReviewdeckError:
        return False  # `doctor` says what is wrong with it.


def _is_stale_gate(config: Path, agent: HookedAgent) -> bool:
    try:
        gate = read_gate(config, agent)
        return bool(gate.roots) and not gate.is_current
    except ReviewdeckError:
        return False


def earlier_programs(proc: Path = _PROC) -> Iterator[tuple[int, str]]:
    """Processes of this installation that are older than it, with their command; on Linux."""
    try:
        installed = _installed_at()
        ticks = os.sysconf("SC_CLK_TCK")
        boot = next(
            int(line.split()[1])
            for line in (proc / "stat").read_text().splitlines()
            if line.startswith("btime ")
        )
        pids = sorted(int(one.name) for one in proc.iterdir() if one.name.isdecimal())
    except (OSError, ValueError, StopIteration):
        return
    for pid in pids:
        try:
            command = (proc / str(pid) / "cmdline").read_bytes().split(b"\0")
            if pid == os.getpid() or not _is_ours(command):
                continue
            fields = (proc / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2]
            started = boot + int(fields.split()[19]) / ticks
        except (OSError, ValueError, IndexError):
            continue  # It has ended, or is another account's.
        if started < installed:
            words = b" ".join([b"reviewdeck", *command[2:]]).decode("utf-8", "replace").strip()
            yield pid, words


def _is_ours(command: list[bytes]) -> bool:
    """Whether this Python runs the program `reviewdeck`."""
    if len(command) < 2 or os.fsdecode(command[0]) != sys.executable:
        return False
    return Path(os.fsdecode(command[1])).name == "reviewdeck"


def _installed_at() -> float:
    """When this version was installed. Raises StopIteration where nothing says so."""
    places = (file for folder in sys.path for file in Path(folder).glob(_RECORD))
    return next(places).stat().st_mtime
