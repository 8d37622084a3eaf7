"""The gate in this environment: the folders that it covers, and the settings that switch it off.

Some switches leave no trace in a file: `--bare`, `--safe-mode`, `--settings`, or a program that
embeds Claude Code.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.claude.roots import Root
from reviewdeck.agents.claude.switches import MARK, our_handlers, switched_off_by, variables_set
from reviewdeck.agents.hermes.kit import members
from reviewdeck.errors import BadInput
from reviewdeck.homes.claude.governed import claude_json
from reviewdeck.homes.claude.imports import link_caution, links_out
from reviewdeck.homes.claude.installation import GateInstallation
from reviewdeck.homes.claude.settings import FILE, FOLDER, PROGRAMS, GovernedRoot, add_gate, entries

MANAGED: Final = Path("/etc/claude-code/managed-settings.json")
"""Settings of this machine's administrator."""
FAILS_CLOSED: Final = (2, 1, 295)
"""The first version of Claude Code that refuses a call when its hook fails."""
_PROJECTS: Final = 500
"""The most repositories of Claude Code's list that are checked."""
_LARGEST: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ClaudeGate:
    """The state of the gate."""

    config: Path
    roots: tuple[GovernedRoot, ...]
    """The folders that it covers; none where it is not installed."""
    is_current: bool
    """Whether every entry is present as this program writes it."""
    version: str | None
    """The version of Claude Code; None where it is not found."""
    off: tuple[str, ...]
    """One sentence for each setting that switches it off, with the place."""
    weak: tuple[str, ...]
    """One sentence for each weakness."""

    @property
    def is_complete(self) -> bool:
        """Whether it is installed, current, and not switched off."""
        return bool(self.roots) and self.is_current and not self.off


def roots_for(
    config: Path,
    projects: Sequence[Path],
    user_home: Path,
    known_roots: Sequence[GovernedRoot] = (),
) -> tuple[GovernedRoot, ...]:
    """The folders for the gate to cover, with memories that settings move elsewhere."""
    roots = [GovernedRoot("config", config), *known_roots]
    roots += [GovernedRoot("project", project) for project in projects]
    for root in list(dict.fromkeys(roots)):
        for file in settings_files(root):
            moved = _memory_in(settings_of(file), user_home)
            if moved is not None and not _covers(roots, moved):
                roots.append(GovernedRoot("memory", moved))
    return tuple(dict.fromkeys(roots))


def settings_files(root: GovernedRoot) -> tuple[Path, ...]:
    """The settings files that apply to sessions in this folder."""
    folder = root.path / ".claude" if root.layout == "project" else root.path
    names = () if root.layout == "memory" else ("settings.json", "settings.local.json")
    return tuple(folder / name for name in names)


def gate_of(
    installed: GateInstallation,
    env: Mapping[str, str],
    user_home: Path,
    *,
    version: str | None,
    here: Path | None = None,
    managed: Path = MANAGED,
) -> ClaudeGate:
    """The gate of Claude Code's folder. Raises BadInput for settings that cannot be read."""
    roots = installed.roots
    handlers = our_handlers(installed.settings)
    expected = entries(sys.executable, FOLDER, roots)
    is_current = bool(roots) and add_gate(installed.text, expected) == installed.text
    off = [*_missing(handlers)] if roots else []
    files = [(managed, "managed"), (installed.home / FILE, "user")]
    for root in _repositories(env, user_home, here):
        files += [(file, "project") for file in settings_files(root)]
    for file, scope in files:
        off += _switches(file, scope, roots, user_home)
    off += [f"the variable {name} is set here" for name in variables_set(env)]
    weak = [*_untrusted(env, user_home, roots)]
    for root in roots:
        links = links_out(root.layout, root.path)
        weak += [f"{root.path}: {link_caution(path, target)}" for path, target in links]
    if version is not None and tuple(map(int, version.split("."))) < FAILS_CLOSED:
        needed = ".".join(map(str, FAILS_CLOSED))
        sentence = (
            f"Claude Code {version} lets a write through when the gate fails: {needed} does not"
        )
        weak.append(sentence)
    return ClaudeGate(installed.home, roots, is_current, version, tuple(off), tuple(weak))


def claude_version(env: Mapping[str, str]) -> str | None:
    """The version of the Claude Code on the path; None where there is none."""
    # Relative entries are skipped: the current folder may be anybody's.
    places = [place for place in env.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()]
    program = shutil.which("claude", path=os.pathsep.join(places)) if places else None
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the user's own program, found as a shell finds it
            [program, "--version"],
            capture_output=True,
            timeout=10,
            check=False,
            text=True,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    match = re.match(r"\d+\.\d+\.\d+", done.stdout)
    return match[0] if match else None


def _missing(handlers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Programs of the entries that do not exist."""
    for python in dict.fromkeys(str(handler.get("command")) for handler in handlers):
        if not os.access(python, os.X_OK):
            yield f"its Python is gone: {python}"
    for folder in dict.fromkeys(_folder_in(handler["args"]) for handler in handlers):
        if not any((folder / program).is_file() for program in PROGRAMS):
            yield f"its program is gone: {folder}"


def _folder_in(arguments: Sequence[Any]) -> Path:
    """The gate's folder in an entry: the argument before our mark."""
    return Path(str(arguments[max(arguments.index(MARK) - 1, 0)]))


def _switches(
    file: Path, scope: str, roots: Sequence[GovernedRoot], user_home: Path
) -> Iterator[str]:
    """The settings of a file that switch the gate off."""
    try:
        settings = settings_of(file)
    except BadInput as error:
        if scope != "project":  # Claude Code ignores an unreadable one of a repository.
            yield error.message.rstrip(".")
        return
    for key in switched_off_by(settings, scope):
        yield f"{file} sets {key}"
    moved = _memory_in(settings, user_home)
    if roots and moved is not None and not _covers(roots, moved):
        yield f"{file} moves the memory to {moved}, which is not covered"


def settings_of(file: Path) -> Mapping[str, Any]:
    """The settings of a file; empty where there is none. Raises BadInput."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{file} is not a plain file.")
        if status.st_size > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST:,} bytes.")
        settings = json.loads(file.read_bytes().strip() or b"{}")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise BadInput(f"{file} is not JSON that can be read: its hooks do not run.") from None
    return members(settings)


def _memory_in(settings: Mapping[str, Any], user_home: Path) -> Path | None:
    setting = settings.get("autoMemoryDirectory")
    if not isinstance(setting, str):
        return None
    moved = user_home / setting[2:] if setting.startswith("~/") else Path(setting)
    return moved if moved.is_absolute() else None


def _covers(roots: Sequence[GovernedRoot], memory: Path) -> bool:
    index = str(memory / "MEMORY.md")
    return any(Root(root.layout, str(root.path)).covers(index) for root in roots)


def _repositories(
    env: Mapping[str, str], user_home: Path, current_folder: Path | None
) -> list[GovernedRoot]:
    """The repositories in which Claude Code was used, and the current one."""
    ancestors = () if current_folder is None else (current_folder, *current_folder.parents)
    enclosing = [
        folder for folder in ancestors if (folder / ".claude").is_dir() and folder != user_home
    ]
    used = [Path(path) for path in _projects(env, user_home) if path.startswith("/")]
    places = dict.fromkeys((*enclosing[:1], *used[:_PROJECTS]))
    return [GovernedRoot("project", place) for place in places if place != user_home]


def _untrusted(
    env: Mapping[str, str], user_home: Path, roots: Sequence[GovernedRoot]
) -> Iterator[str]:
    """Governed repositories that are not trusted yet: no hook runs in them."""
    projects = _projects(env, user_home)
    for root in roots:
        if root.layout == "project":
            project = projects.get(str(root.path))
            if not isinstance(project, dict) or project.get("hasTrustDialogAccepted") is not True:
                yield f"{root.path} is not trusted yet: no hook runs there before that"


def _projects(env: Mapping[str, str], user_home: Path) -> Mapping[str, Any]:
    try:
        return members(settings_of(claude_json(env, user_home)).get("projects"))
    except BadInput:
        return {}
