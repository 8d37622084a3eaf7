"""Plans the file changes that install reviewdeck into a Hermes home, or remove it.

Both gates are switched on in `config.yaml`, the plugin is copied to `plugins/reviewdeck/`, a
pointer names the program for it, and a record stores the original settings. A plan is a list of
files with their bytes before and after. Hermes' own Python environment is never touched.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents import hermes as shipped
from reviewdeck.errors import BadInput, HomeReadOnly
from reviewdeck.files.folder import read_tree
from reviewdeck.files.reads import (
    OURS,
    FileRead,
    directory_beneath,
    explain,
    open_directory,
    read_place,
)
from reviewdeck.files.steps import Steps
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.file_changes import CACHE, TEMPORARY, FileChange, HomePlan
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
from reviewdeck.homes.hermes.plugin_traces import FOLDER, RECORD, TERMINAL
from reviewdeck.homes.strict_json import Malformed, load_object

POINTER: Final = f"{OURS}/plugin.json"
SHIPPED: Final = Path(shipped.__file__).parent
"""The plugin that is shipped with this program."""

ASK: Final = "ask"
"""The value of `terminal` in the plugin's settings with which Hermes asks in its own terminal."""

_PRIVATE, _PUBLIC = 0o600, 0o644
_MANIFEST: Final = "plugin.yaml"


@dataclass(frozen=True, slots=True)
class Record:
    """The record of an installation."""

    before: str | None
    """The original `config.yaml`; None without one."""
    after: str
    """SHA-256 of the installed `config.yaml`."""
    plugin: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each file of the plugin, by its path in the plugin's folder."""
    folders: tuple[str, ...] = ()
    """The folders that the installation created."""


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
class Installation:
    """The current state of an installation in a home."""

    home: Path
    config: FileRead
    text: str | None
    """The text of `config.yaml`; None without one."""
    plugin: Mapping[str, bytes]
    pointer: bytes | None
    stored: bytes | None
    record: Record | None
    folders: frozenset[str]
    """The existing ones of our folders."""


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
        config = read_place(NameIn(top, CONFIG))
        if config.problem is not None:
            raise _unusable(home, CONFIG, config.problem)
        plugin = _plugin_files(kernel, home, top)
        pointer, stored = (_read(kernel, home, top, path) for path in (POINTER, RECORD))
        folders = frozenset(
            name for name in (OURS, "plugins", FOLDER) if _is_folder(kernel, home, top, name)
        )
    return Installation(
        home,
        config,
        None if config.data is None else _text(home, config.data),
        plugin,
        pointer,
        stored,
        _record(stored),
        folders,
    )


def plan_install(
    installed: Installation, settings: PluginSettings, plugin: Mapping[str, bytes]
) -> HomePlan:
    """The plan of an installation. Raises BadInput, HomeReadOnly."""
    _check_writable(installed)
    _check_foreign(installed)
    text = installed.text or ""
    if plugin and is_disabled(text):
        raise BadInput(
            f"{installed.home}: plugins.disabled names {PLUGIN}, and that wins.",
            hint=f"Nothing was changed. First: `hermes plugins enable {PLUGIN}`.",
        )
    base = _base(installed)
    config = add_settings(text, plugin=bool(plugin)).encode()
    folders = (OURS, "plugins", FOLDER) if plugin else (OURS,)
    before = installed.record.folders if installed.record else ()
    record = Record(
        base,
        _sum(config),
        {path: _sum(data) for path, data in plugin.items()},
        tuple(name for name in folders if name in before or name not in installed.folders),
    )
    changes = [
        FileChange(RECORD, installed.stored, _record_bytes(record), _PRIVATE),
        *_plugin_changes(installed, plugin),
        FileChange(POINTER, installed.pointer, _json(settings.as_json(installed.home)), _PRIVATE),
        FileChange(CONFIG, installed.config.data, config, installed.config.mode or _PRIVATE),
    ]
    changes = [change for change in changes if change.before != change.after]
    removed = [change.path for change in changes if change.after is None]
    return HomePlan(installed.home, tuple(changes), _folders_of(removed), programs=FOLDER)


def plan_gates(installed: Installation, *, is_on: bool, parts: Collection[str]) -> HomePlan:
    """The plan that turns gates on or off. Raises BadInput, HomeReadOnly."""
    _check_writable(installed)
    text = installed.text or ""
    config = set_gates(text, is_on=is_on, parts=parts)
    mode = installed.config.mode or _PRIVATE
    change = FileChange(CONFIG, installed.config.data, config.encode(), mode)
    return HomePlan(installed.home, () if config == text else (change,))


def plan_uninstall(installed: Installation, plugin: Mapping[str, bytes]) -> HomePlan:
    """The plan that removes reviewdeck from a home. Raises BadInput, HomeReadOnly."""
    _check_writable(installed)
    record, remaining = installed.record, []
    config = installed.config.data
    if record is None and installed.text is not None:
        config = remove_settings(installed.text, add_settings("", plugin=False)).encode()
        remaining = ["The earlier settings are not known: both gates are left as they are."]
    elif record is not None:
        base = _base(installed)
        config = None if base is None else base.encode()
        remaining += _changed_since(record.before or "", base or "")
    shipped_sums = record.plugin if record else {path: _sum(data) for path, data in plugin.items()}
    removed = [
        path for path, data in installed.plugin.items() if _sum(data) == shipped_sums.get(path)
    ]
    remaining += [
        f"{FOLDER}/{path} was changed by somebody: it stays."
        for path in sorted(installed.plugin.keys() - removed)
    ]
    changes = [
        FileChange(CONFIG, installed.config.data, config, installed.config.mode or _PRIVATE),
        FileChange(POINTER, installed.pointer, None, _PRIVATE),
        *(
            FileChange(f"{FOLDER}/{path}", installed.plugin[path], None, _PUBLIC)
            for path in removed
        ),
        FileChange(RECORD, installed.stored, None, _PRIVATE),
    ]
    changes = [change for change in changes if change.before != change.after]
    files = [f"{FOLDER}/{path}" for path in (*removed, *plugin)]
    folders = (OURS, FOLDER, *(record.folders if record else ()))
    return HomePlan(
        installed.home, tuple(changes), _folders_of(files, folders), tuple(remaining), FOLDER
    )


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
        "program": _program(installed.pointer),
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


def _program(pointer: bytes | None) -> str | None:
    """The program that the plugin starts; None when it is not executable."""
    try:
        command = load_object(pointer or b"").get("command")
    except Malformed:
        return None
    first = command[0] if isinstance(command, list) and command else None
    return first if isinstance(first, str) and os.access(first, os.X_OK) else None


def reviewer_of(installed: Installation) -> Mapping[str, Any] | None:
    """The settings of our reviewer in a home; None where Hermes' own reviews."""
    try:
        reviewer = load_object(installed.pointer or b"").get("reviewer")
    except Malformed:
        return None
    return reviewer if isinstance(reviewer, dict) else None


def asks_in_terminal(installed: Installation) -> bool:
    """Whether the plugin is set to let Hermes ask in its own terminal."""
    try:
        return load_object(installed.pointer or b"").get("terminal") == ASK
    except Malformed:
        return False


def _stages_in_terminal(installed: Installation, shipped: Mapping[str, bytes]) -> bool:
    is_able = installed.plugin == shipped or TERMINAL in installed.plugin
    is_loaded = bool(installed.plugin) and is_able and is_enabled(installed.text or "")
    return is_loaded and not asks_in_terminal(installed)


def _base(installed: Installation) -> str | None:
    """`config.yaml` without our settings: the original bytes if nobody changed it since."""
    record = installed.record
    if record is None or installed.text is None:
        return installed.text
    if _sum(installed.text.encode()) == record.after:
        return record.before
    text = remove_settings(installed.text, record.before or "")
    return text if text.strip() or record.before is not None else None


def _plugin_changes(installed: Installation, plugin: Mapping[str, bytes]) -> Iterator[FileChange]:
    """The manifest comes last: without it Hermes loads nothing of a half-written plugin."""
    for path in sorted(plugin, key=lambda path: (path == _MANIFEST, path)):
        yield FileChange(f"{FOLDER}/{path}", installed.plugin.get(path), plugin[path], _PUBLIC)
    recorded = installed.record.plugin if installed.record else {}
    for path in sorted(installed.plugin.keys() - plugin.keys()):
        if plugin and recorded.get(path) == _sum(installed.plugin[path]):
            yield FileChange(f"{FOLDER}/{path}", installed.plugin[path], None, _PUBLIC)


def _check_writable(installed: Installation) -> None:
    is_closed = installed.config.mode is not None and not installed.config.mode & 0o200
    if is_closed or not os.access(installed.home, os.W_OK | os.X_OK):
        subject = CONFIG if is_closed else "the home"
        raise HomeReadOnly(f"{installed.home}: {subject} is read-only.")


def _check_foreign(installed: Installation) -> None:
    """Raises BadInput when another plugin has our folder's name."""
    manifest = installed.plugin.get(_MANIFEST, b"").decode("utf-8", "replace")
    is_ours = any(line.strip() == f"name: {PLUGIN}" for line in manifest.splitlines())
    if installed.plugin and installed.record is None and not is_ours:
        raise BadInput(
            f"{installed.home / FOLDER} is there already, and is not reviewdeck's plugin.",
            hint="Nothing was changed. Move it away first.",
        )


def _unusable(home: Path, path: str, problem: str) -> BadInput:
    return BadInput(f"{home / path} {problem}.", hint="Nothing was changed.")


def _text(home: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unusable(home, CONFIG, "is not UTF-8") from None


def _read(kernel: Kernel, home: Path, top: int, path: str) -> bytes | None:
    *parts, name = path.split("/")
    try:
        with directory_beneath(kernel, top, tuple(parts)) as directory:
            file = read_place(NameIn(directory, name))
    except FileNotFoundError:
        return None
    except OSError as error:
        file = FileRead(problem=explain(error))
    if file.problem is not None:
        raise _unusable(home, path, file.problem)
    return file.data


def _is_folder(kernel: Kernel, home: Path, top: int, path: str) -> bool:
    try:
        with directory_beneath(kernel, top, tuple(path.split("/"))):
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unusable(home, path, explain(error)) from None


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
        raise _unusable(home, FOLDER, explain(error)) from None
    contents = {}
    for path, file in files.items():
        if not {CACHE, TEMPORARY} & {*path.split("/")}:
            if file.data is None:
                raise _unusable(home, f"{FOLDER}/{path}", file.problem or "is gone")
            contents[path] = file.data
    return contents


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _record_bytes(record: Record) -> bytes:
    config = {"before": record.before, "after": record.after}
    plugin, folders = dict(record.plugin), [*record.folders]
    return _json({"v": 1, "config": config, "plugin": plugin, "folders": folders})


def _record(data: bytes | None) -> Record | None:
    """The record; None when it is malformed: the agent can write this file."""
    try:
        raw = load_object(data or b"")
    except Malformed:
        return None
    config, plugin = raw.get("config"), raw.get("plugin")
    folders = raw.get("folders")
    if not isinstance(config, dict) or not isinstance(plugin, dict) or raw.get("v") != 1:
        return None
    before, after = config.get("before"), config.get("after")
    if not isinstance(before, str | None) or not isinstance(after, str):
        return None
    own_folders = (OURS, "plugins", FOLDER)
    return Record(
        before,
        after,
        {path: sum for path, sum in plugin.items() if isinstance(sum, str)},
        tuple(name for name in own_folders if isinstance(folders, list) and name in folders),
    )
