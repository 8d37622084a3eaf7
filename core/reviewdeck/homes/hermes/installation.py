"""Plans the file changes that install reviewdeck into a Hermes home, or remove it.

Both gates are switched on in `config.yaml`, the plugin is copied to `plugins/reviewdeck/`, a
pointer names the program for it, and a record stores the original settings. A plan is a list of
files with their bytes before and after. Hermes' own Python environment is never touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents import hermes as shipped
from reviewdeck.agents.hermes.kit import items
from reviewdeck.errors import BadInput
from reviewdeck.files import OURS
from reviewdeck.files.folder import read_tree
from reviewdeck.files.reads import directory_beneath, explain, open_directory
from reviewdeck.files.steps import Steps
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.hermes.config import CONFIG
from reviewdeck.homes.hermes.config_edits import (
    HERMES_OWN,
    PLUGIN,
    add_settings,
    changed_settings,
    gates_in,
    is_disabled,
    is_enabled,
    remove_settings,
    set_gates,
)
from reviewdeck.homes.hermes.layout import PLUGIN as FOLDER
from reviewdeck.homes.hermes.layout import RECORD
from reviewdeck.homes.installer import (
    CACHE,
    PRIVATE,
    TEMPORARY,
    FileChange,
    HomePlan,
    SettingsFile,
    is_program,
    json_bytes,
    plan_of,
    read_file,
    read_settings,
    sum_of,
    unusable,
    what_stays,
)
from reviewdeck.homes.strict_json import Malformed, load_object

POINTER: Final = f"{OURS}/plugin.json"
SHIPPED: Final = Path(shipped.__file__).parent
"""The plugin that is shipped with this program."""

TERMINAL: Final = "terminal.py"
"""The part of the plugin that is in every version that notes the calls of all tools that write."""
ASK: Final = "ask"
"""The value of `terminal` in the plugin's settings with which Hermes asks in its own terminal."""

_PUBLIC: Final = 0o644
_FOLDERS: Final = (OURS, "plugins", FOLDER)
_MANIFEST: Final = "plugin.yaml"


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """The settings of the plugin."""

    command: tuple[str, ...]
    """The command that starts reviewdeck."""
    spool: str | None = None
    """The folder for recorded turns; None to record none."""
    reviewer: Mapping[str, Any] | None = None
    """The settings of our reviewer; None to keep Hermes' own."""
    asks: bool = False
    """Whether Hermes asks in its own terminal; else it stages a memory there too."""

    def as_json(self, home: Path) -> dict[str, Any]:
        """The content of the plugin's settings file."""
        settings = {"v": 1, "command": [*self.command], "home": str(home)}
        settings |= {} if self.spool is None else {"spool": self.spool}
        settings |= {"terminal": ASK} if self.asks else {}
        return settings | ({} if self.reviewer is None else {"reviewer": dict(self.reviewer)})


class PluginState(StrEnum):
    """The plugin in a home compared with the shipped one."""

    ABSENT = "absent"
    CURRENT = "current"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Installation(SettingsFile):
    """The current state of an installation in a home."""

    plugin: Mapping[str, bytes] = field(default_factory=dict)
    pointer: bytes | None = None
    folders: frozenset[str] = frozenset()
    """The existing ones of our folders."""

    @property
    def recorded(self) -> Mapping[str, str]:
        """SHA-256 of each file of the plugin that was installed, by its path in its folder."""
        return self.record.more["plugin"] if self.record else {}

    @property
    def made(self) -> tuple[str, ...]:
        """The folders that the installation created."""
        folders = self.record.more.get("folders") if self.record else None
        return tuple(name for name in _FOLDERS if isinstance(folders, list) and name in folders)

    @property
    def without_plugin(self) -> str | None:
        """`config.yaml` without our settings. Raises BadInput."""
        record = self.record
        if record is None:
            return self.text
        before = record.before or ""
        return self.base(lambda text: remove_settings(text, before), lambda text: not text.strip())


def shipped_plugin(folder: Path | None = None) -> dict[str, bytes]:
    """The files of the shipped plugin, by their paths in its folder."""
    root = folder or SHIPPED
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and CACHE not in path.parts
    }


def read_installation(home: Path, kernel: Kernel | None = None) -> Installation:
    """Reads the installation in a home. Raises BadInput for an unreadable file or folder."""
    kernel = kernel or Kernel()
    with open_directory(home) as top:
        plugin = _plugin_files(kernel, home, top)
        pointer = read_file(home, top, POINTER)
        folders = frozenset(name for name in _FOLDERS if _is_folder(kernel, home, top, name))
    installed = read_settings(
        Installation, home, CONFIG, RECORD, "config", plugin, pointer, folders
    )
    has_plugin = installed.record and isinstance(installed.record.more.get("plugin"), dict)
    return installed if has_plugin else replace(installed, record=None)


def plan_install(
    installed: Installation, settings: PluginSettings, plugin: Mapping[str, bytes]
) -> HomePlan:
    """The plan of an installation. Raises BadInput, HomeReadOnly."""
    installed.check_writable()
    _check_foreign(installed)
    text = installed.text or ""
    if plugin and is_disabled(text):
        raise BadInput(
            f"{installed.home}: plugins.disabled names {PLUGIN}, and that wins.",
            hint=f"Nothing was changed. First: `hermes plugins enable {PLUGIN}`.",
        )
    base = installed.without_plugin
    config = add_settings(text, plugin=bool(plugin))
    folders = _FOLDERS if plugin else (OURS,)
    made = [name for name in folders if name in installed.made or name not in installed.folders]
    sums = {path: sum_of(data) for path, data in plugin.items()}
    pointer = json_bytes(settings.as_json(installed.home))
    changes = [
        installed.record_change(base, config, plugin=sums, folders=made),
        *_plugin_changes(installed, plugin),
        FileChange(POINTER, installed.pointer, pointer, PRIVATE),
        installed.change(config),
    ]
    removed = [change.path for change in changes if change.after is None]
    return plan_of(installed.home, changes, _folders_of(removed), programs=FOLDER)


def plan_gates(installed: Installation, *, is_on: bool, parts: Collection[str]) -> HomePlan:
    """The plan that turns gates on or off. Raises BadInput, HomeReadOnly."""
    installed.check_writable()
    text = installed.text or ""
    config = set_gates(text, is_on=is_on, parts=parts)
    return plan_of(installed.home, [] if config == text else [installed.change(config)])


def plan_uninstall(installed: Installation, plugin: Mapping[str, bytes]) -> HomePlan:
    """The plan that removes reviewdeck from a home. Raises BadInput, HomeReadOnly."""
    installed.check_writable()
    config, remaining = installed.without_plugin, list[str]()
    if installed.record is not None:
        remaining += _changed_since(installed.record.before or "", config or "")
    elif config is not None:
        config = remove_settings(config, add_settings("", plugin=False))
        remaining = ["The earlier settings are not known: both gates are left as they are."]
    shipped_sums = {path: sum_of(data) for path, data in plugin.items()}
    sums = installed.recorded if installed.record else shipped_sums
    removed = [path for path, data in installed.plugin.items() if sum_of(data) == sums.get(path)]
    remaining += [
        f"{FOLDER}/{path} was changed by somebody: it stays."
        for path in sorted(installed.plugin.keys() - removed)
    ]
    changes = [
        installed.change(config),
        FileChange(POINTER, installed.pointer, None, PRIVATE),
        *(_removal(path, installed.plugin[path]) for path in removed),
        installed.record_removal(),
    ]
    files = [f"{FOLDER}/{path}" for path in (*removed, *plugin)]
    folders = _folders_of(files, (OURS, FOLDER, *installed.made))
    remaining += what_stays(installed.home, changes)
    return plan_of(installed.home, changes, folders, remaining, FOLDER)


def _changed_since(before: str, after: str) -> Iterator[str]:
    """The sentence that names what `config.yaml` keeps of what others changed since."""
    changed = changed_settings(before, after)
    own = [name for name in changed if name in HERMES_OWN]
    others = [name for name in changed if name not in HERMES_OWN]
    if own:
        yield f"{CONFIG} keeps what Hermes itself wrote since: {', '.join(own)}."
    if others:
        yield f"{CONFIG} keeps what Hermes or you changed since: {', '.join(others)}."
    if before != after and not changed:
        yield f"{CONFIG} has other bytes than before, and the same settings: Hermes rewrote it."


def _folders_of(files: Sequence[str], also: Sequence[str] = ()) -> tuple[str, ...]:
    """The plugin's folders that may be empty without these files, deepest first."""
    parents = {
        str(folder)
        for path in files
        for folder in Path(path).parents
        if folder.is_relative_to(FOLDER)
    }
    return tuple(sorted({*parents, *also}, key=lambda name: (-name.count("/"), name)))


def plugin_state(installed: Installation, plugin: Mapping[str, bytes]) -> PluginState:
    """Whether the plugin is in the home, and equal to the shipped one."""
    if not installed.plugin:
        return PluginState.ABSENT
    return PluginState.CURRENT if installed.plugin == plugin else PluginState.OTHER


def describe_installation(installed: Installation, plugin: Mapping[str, bytes]) -> dict[str, Any]:
    """The state of an installation for display. Raises BadInput for unreadable settings."""
    text = installed.text or ""
    memory, skills = gates_in(text)
    return {
        "home": str(installed.home),
        "memory_gate": memory,
        "skills_gate": skills,
        "plugin": plugin_state(installed, plugin).value,
        "plugin_version": version_of(installed.plugin),
        "enabled": is_enabled(text),
        "disabled": is_disabled(text),
        "program": _program(installed),
        "reviewer": (reviewer_of(installed) or {}).get("mode"),
        "asks_in_terminal": memory and not _stages_in_terminal(installed, plugin),
        "recorded": installed.record is not None,
    }


def is_complete(standing: Mapping[str, Any]) -> bool:
    """Whether an installation is complete."""
    gates = standing["memory_gate"] and standing["skills_gate"]
    plugin = standing["plugin"] == PluginState.CURRENT.value and standing["enabled"]
    return bool(gates and plugin and standing["program"])


def version_of(plugin: Mapping[str, bytes]) -> str | None:
    """The version in a plugin's manifest."""
    for line in plugin.get(_MANIFEST, b"").decode("utf-8", "replace").splitlines():
        if line.startswith("version:"):
            return line.partition(":")[2].strip()[:40]
    return None


def _pointer(installed: Installation) -> Mapping[str, Any]:
    """The plugin's settings; empty where they cannot be read."""
    try:
        return load_object(installed.pointer or b"")
    except Malformed:
        return {}


def _program(installed: Installation) -> str | None:
    """The program that the plugin starts; None when it is not executable."""
    first = next(iter(items(_pointer(installed).get("command"))), None)
    return first if is_program(first) else None


def reviewer_of(installed: Installation) -> Mapping[str, Any] | None:
    """The settings of our reviewer in a home; None where Hermes' own reviews."""
    reviewer = _pointer(installed).get("reviewer")
    return reviewer if isinstance(reviewer, dict) else None


def asks_in_terminal(installed: Installation) -> bool:
    """Whether the plugin is set to let Hermes ask in its own terminal."""
    return _pointer(installed).get("terminal") == ASK


def _stages_in_terminal(installed: Installation, shipped: Mapping[str, bytes]) -> bool:
    is_able = installed.plugin == shipped or TERMINAL in installed.plugin
    is_loaded = bool(installed.plugin) and is_able and is_enabled(installed.text or "")
    return is_loaded and not asks_in_terminal(installed)


def _plugin_changes(installed: Installation, plugin: Mapping[str, bytes]) -> Iterator[FileChange]:
    """The manifest comes last: without it Hermes loads nothing of a half-written plugin."""
    for path in sorted(plugin, key=lambda path: (path == _MANIFEST, path)):
        yield FileChange(f"{FOLDER}/{path}", installed.plugin.get(path), plugin[path], _PUBLIC)
    for path in sorted(installed.plugin.keys() - plugin.keys()):
        if plugin and installed.recorded.get(path) == sum_of(installed.plugin[path]):
            yield _removal(path, installed.plugin[path])


def _removal(path: str, data: bytes) -> FileChange:
    return FileChange(f"{FOLDER}/{path}", data, None, _PUBLIC)


def _check_foreign(installed: Installation) -> None:
    """Raises BadInput when another plugin has our folder's name."""
    manifest = installed.plugin.get(_MANIFEST, b"").decode("utf-8", "replace")
    is_ours = any(line.strip() == f"name: {PLUGIN}" for line in manifest.splitlines())
    if installed.plugin and installed.record is None and not is_ours:
        raise BadInput(
            f"{installed.home / FOLDER} is there already, and is not reviewdeck's plugin.",
            hint="Nothing was changed. Move it away first.",
        )


def _is_folder(kernel: Kernel, home: Path, top: int, path: str) -> bool:
    try:
        with directory_beneath(kernel, top, tuple(path.split("/"))):
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unusable(home / path, explain(error)) from None


def _plugin_files(kernel: Kernel, home: Path, top: int) -> dict[str, bytes]:
    """Every file of the plugin's folder, without compiled ones."""
    parent, _, name = FOLDER.rpartition("/")
    steps = Steps(kernel, lambda _: None)
    try:
        with directory_beneath(kernel, top, (parent,)) as directory:
            files = read_tree(steps, NameIn(directory, name))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unusable(home / FOLDER, explain(error)) from None
    contents = {}
    for path, file in files.items():
        if not {CACHE, TEMPORARY} & {*path.split("/")}:
            if file.data is None:
                raise unusable(home / FOLDER / path, file.problem or "is gone")
            contents[path] = file.data
    return contents
