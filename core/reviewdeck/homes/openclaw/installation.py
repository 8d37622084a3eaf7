"""Plans the file changes that install the gate in OpenClaw's folder of state, or remove it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.agents.gated.switches import MARK
from reviewdeck.agents.hermes.kit import items, members, parsed, path_text
from reviewdeck.files.reads import open_directory
from reviewdeck.homes.gated.marks import plan_marks, removed_notes
from reviewdeck.homes.gated.settings import FOLDER
from reviewdeck.homes.installer import (
    PRIVATE,
    FileChange,
    HomePlan,
    SettingsFile,
    json_bytes,
    plan_of,
    read_file,
    read_settings,
    what_stays,
)
from reviewdeck.homes.openclaw.layout import WORKSHOP, WORKSPACE
from reviewdeck.homes.openclaw.settings import (
    add_plugin,
    loads_plugin,
    parse_settings,
    remove_plugin,
)
from reviewdeck.homes.openclaw.state import CONFIG, RECORD

OURS: Final = ours_in(WORKSPACE)
PLACE: Final = f"{OURS}/plugin"
"""Our plugin's folder there: a copy, so that it blocks writes where reviewdeck is gone."""
GATE: Final = f"{PLACE}/gate.json"
"""What the plugin asks, and the folders of the agents."""
START: Final = (
    "import sys; sys.path.append(sys.argv[1]); from reviewdeck.agents.openclaw.gate import main;"
    " main()"
)
_NAMES: Final = ("index.mjs", "openclaw.plugin.json", "package.json")
_FOLDERS: Final = (PLACE, OURS, OURS.partition("/")[0])
"""Our folders, deepest first."""


@dataclass(frozen=True, slots=True)
class PluginInstallation(SettingsFile):
    """The current state of an installation in OpenClaw's folder of state."""

    programs: Mapping[str, bytes | None]
    """The files of our plugin there, by their paths."""

    @property
    def folder(self) -> str:
        """Our plugin's folder, as OpenClaw's settings name it."""
        return str(self.home / PLACE)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The parsed settings. Raises BadInput."""
        return parse_settings(self.text)

    @property
    def workspaces(self) -> Mapping[str, Path]:
        """The workspaces that the gate covers, by agent; none where it is not installed."""
        return self._folders("workspaces")

    @property
    def workshops(self) -> Mapping[str, Path]:
        """The agents' own folders that the gate covers, by agent."""
        return self._folders("workshops")

    @property
    def homes(self) -> tuple[Path, ...]:
        """All that the gate covers, each once."""
        return tuple(dict.fromkeys((*self.workspaces.values(), *self.workshops.values())))

    def _folders(self, name: str) -> Mapping[str, Path]:
        told = members(members(parsed(self.programs[GATE])).get(name))
        return {agent: Path(path) for agent in told if (path := path_text(told[agent]))}

    @property
    def is_current(self) -> bool:
        """Whether every file and entry is as this program writes it. Raises BadInput."""
        expected = _programs(self.workspaces, self.workshops)
        return self.programs == expected and loads_plugin(self.settings, self.folder)

    @property
    def without_plugin(self) -> str | None:
        """`openclaw.json` without our entries. Raises BadInput."""
        before = self.record.before if self.record else None
        return self.base(lambda text: remove_plugin(text, before, self.folder), _is_empty)


def _is_empty(text: str) -> bool:
    return not parse_settings(text)


def read_installation(state: Path) -> PluginInstallation:
    """Reads the installation in OpenClaw's folder. Raises BadInput for an unreadable file."""
    with open_directory(state) as top:
        programs = {path: read_file(state, top, path) for path in _programs({}, {})}
    return read_settings(PluginInstallation, state, CONFIG, RECORD, "settings", programs)


def plan_install(
    installed: PluginInstallation, workspaces: Mapping[str, Path], workshops: Mapping[str, Path]
) -> tuple[HomePlan, ...]:
    """The plans that make the gate cover these folders. Raises BadInput, HomeReadOnly."""
    installed.check_writable()
    before = installed.without_plugin
    is_there = loads_plugin(installed.settings, installed.folder)
    after = add_plugin(installed.text if is_there else before, installed.folder)
    changes = [
        FileChange(path, installed.programs[path], data, PRIVATE)
        for path, data in _programs(workspaces, workshops).items()
    ]
    roots = _roots(workspaces, workshops)
    noted = installed.record_change(before, after, roots=roots)
    plan = plan_of(installed.home, [*changes, noted, installed.change(after)])
    parts = (root.partition(":") for root in roots)
    places = ((layout, Path(path)) for layout, _, path in parts)
    return (plan, *(plan_marks(path, layout) for layout, path in places if path.is_dir()))


def plan_uninstall(installed: PluginInstallation) -> tuple[HomePlan, ...]:
    """The plans that remove the gate: the entries first, then its files.

    Raises BadInput, HomeReadOnly.
    """
    installed.check_writable()
    state, record = installed.home, installed.record
    roots = {str(path) for path in installed.homes}
    noted = items(record.more.get("roots") if record else None)
    roots |= {path for _, _, path in (str(root).partition(":") for root in noted) if path}
    removed = [FileChange(path, data, None, PRIVATE) for path, data in installed.programs.items()]
    plans = [
        plan_of(state, [installed.change(installed.without_plugin)]),
        plan_of(state, [*removed, installed.record_removal()], _FOLDERS),
        *(
            plan_of(home, gone, _FOLDERS[1:], what_stays(home, gone))
            for home in map(Path, sorted(roots))
            if home.is_dir()
            for gone in [removed_notes(home, "openclaw")]
        ),
    ]
    return tuple(plan for plan in plans if plan.changes or plan.remarks)


def _roots(workspaces: Mapping[str, Path], workshops: Mapping[str, Path]) -> list[str]:
    """The folders as the gate's arguments, each once."""
    roots = [f"{WORKSPACE}:{path}" for path in workspaces.values()]
    roots += [f"{WORKSHOP}:{path}" for path in workshops.values()]
    return [*dict.fromkeys(roots)]


def _programs(workspaces: Mapping[str, Path], workshops: Mapping[str, Path]) -> dict[str, bytes]:
    """The files of our plugin: the shipped ones, and what this machine's one asks."""
    shipped = files("reviewdeck.agents.openclaw") / "plugin"
    programs = {f"{PLACE}/{name}": (shipped / name).read_bytes() for name in _NAMES}
    command = [sys.executable, "-I", "-S", "-c", START, str(FOLDER), MARK]
    told = {
        "command": [*command, *_roots(workspaces, workshops)],
        "workspaces": {agent: str(path) for agent, path in workspaces.items()},
        "workshops": {agent: str(path) for agent, path in workshops.items()},
    }
    return programs | {GATE: json_bytes(told)}
