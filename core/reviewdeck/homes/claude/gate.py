"""The gate as it is in this environment: what it covers, and what switches it off.

Claude Code has more switches than a file shows: `--bare`, `--safe-mode`, `--settings` and a program
that embeds it leave nothing to be found here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.claude.hook.roots import Root
from reviewdeck.homes.claude.hook.switches import MARK, our_handlers, switched_off_by, variables_set
from reviewdeck.homes.claude.installation import InstalledGate
from reviewdeck.homes.claude.settings import FILE, FOLDER, GovernedRoot, entries, with_gate

MANAGED: Final = Path("/etc/claude-code/managed-settings.json")
"""Settings of this machine's administrator."""
FAILS_CLOSED: Final = (2, 1, 295)
"""The version of Claude Code that refuses a call when a hook that should look at it fails."""
_PROJECTS: Final = 500
"""Repositories that Claude Code knows of, which are looked at."""
_LARGEST: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ClaudeGate:
    """What is true of the gate."""

    config: Path
    roots: tuple[GovernedRoot, ...]
    """The folders that it stands before; none where it is not installed."""
    is_current: bool
    """Whether every entry is there, as this program writes them."""
    version: str | None
    """Of Claude Code; None where it is not found."""
    off: tuple[str, ...]
    """What switches it off, and where: a sentence each."""
    weak: tuple[str, ...]
    """What it does not do: a sentence each."""

    @property
    def is_whole(self) -> bool:
        """Whether it stands before what it was put before, and nothing switches it off."""
        return bool(self.roots) and self.is_current and not self.off


def roots_for(
    config: Path, projects: Sequence[Path], user_home: Path, known: Sequence[GovernedRoot] = ()
) -> tuple[GovernedRoot, ...]:
    """The folders that the gate is to stand before, with a memory that was moved elsewhere."""
    wanted = [GovernedRoot("config", config), *known]
    wanted += [GovernedRoot("project", project) for project in projects]
    for root in list(dict.fromkeys(wanted)):
        for file in settings_files(root):
            moved = _memory_in(settings_of(file), user_home)
            if moved is not None and not _covers(wanted, moved):
                wanted.append(GovernedRoot("memory", moved))
    return tuple(dict.fromkeys(wanted))


def settings_files(root: GovernedRoot) -> tuple[Path, ...]:
    """The settings files that hold for sessions with this folder."""
    folder = root.path / ".claude" if root.layout == "project" else root.path
    names = () if root.layout == "memory" else ("settings.json", "settings.local.json")
    return tuple(folder / name for name in names)


def gate_of(
    found: InstalledGate,
    env: Mapping[str, str],
    user_home: Path,
    *,
    version: str | None,
    here: Path | None = None,
    managed: Path = MANAGED,
) -> ClaudeGate:
    """The gate of Claude Code's folder. Raises BadInput for settings that cannot be read."""
    roots = found.roots
    handlers = our_handlers(found.settings)
    wanted = entries(sys.executable, FOLDER, roots)
    is_current = bool(roots) and with_gate(found.text, wanted) == found.text
    off = [*_missing(handlers)] if roots else []
    files = [(managed, "managed"), (found.config / FILE, "user")]
    for root in _repositories(found.config, env, user_home, here):
        files += [(file, "project") for file in settings_files(root)]
    for file, scope in files:
        off += _switches(file, scope, roots, user_home)
    off += [f"the variable {name} is set here" for name in variables_set(env)]
    weak = [*_untrusted(found.config, env, user_home, roots)]
    if version is not None and _numbers(version) < FAILS_CLOSED:
        needed = ".".join(map(str, FAILS_CLOSED))
        said = f"Claude Code {version} lets a write through when the gate fails: {needed} does not"
        weak.append(said)
    return ClaudeGate(found.config, roots, is_current, version, tuple(off), tuple(weak))


def claude_version(env: Mapping[str, str]) -> str | None:
    """The version of the Claude Code that would be started; None where there is none."""
    # Nothing of the folder that we happen to be in, which may be anybody's.
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
    found = re.match(r"\d+\.\d+\.\d+", done.stdout)
    return found[0] if found else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _missing(handlers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Programs that the entries name and that are not there."""
    for python in dict.fromkeys(str(one.get("command")) for one in handlers):
        if not os.access(python, os.X_OK):
            yield f"its Python is gone: {python}"
    for folder in dict.fromkeys(_folder_in(one["args"]) for one in handlers):
        if not (folder / "hook" / "gate.py").is_file():
            yield f"its program is gone: {folder}"


def _folder_in(arguments: Sequence[Any]) -> Path:
    """Where an entry finds the gate: what stands before our mark."""
    return Path(str(arguments[max(arguments.index(MARK) - 1, 0)]))


def _switches(
    file: Path, scope: str, roots: Sequence[GovernedRoot], user_home: Path
) -> Iterator[str]:
    """What a settings file switches off."""
    try:
        settings = settings_of(file)
    except BadInput as error:
        if scope != "project":  # Of a repository's, Claude Code then takes nothing.
            yield error.message.rstrip(".")
        return
    for key in switched_off_by(settings, scope):
        yield f"{file} sets {key}"
    moved = _memory_in(settings, user_home)
    if roots and moved is not None and not _covers(roots, moved):
        yield f"{file} moves the memory to {moved}, which is not covered"


def settings_of(file: Path) -> Mapping[str, Any]:
    """What a settings file says; nothing where there is none. Raises BadInput."""
    try:
        if file.stat().st_size > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST:,} bytes.")
        known = json.loads(file.read_bytes().strip() or b"{}")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise BadInput(f"{file} is not JSON that can be read: its hooks do not run.") from None
    return known if isinstance(known, dict) else {}


def _memory_in(settings: Mapping[str, Any], user_home: Path) -> Path | None:
    named = settings.get("autoMemoryDirectory")
    if not isinstance(named, str):
        return None
    moved = user_home / named[2:] if named.startswith("~/") else Path(named)
    return moved if moved.is_absolute() else None


def _covers(roots: Sequence[GovernedRoot], memory: Path) -> bool:
    index = str(memory / "MEMORY.md")
    return any(Root(root.layout, str(root.path)).covers(index) for root in roots)


def _repositories(
    config: Path, env: Mapping[str, str], user_home: Path, here: Path | None
) -> list[GovernedRoot]:
    """The repositories that Claude Code was used in, and the one that somebody is in."""
    above = () if here is None else (here, *here.parents)
    around = [folder for folder in above if (folder / ".claude").is_dir() and folder != user_home]
    known = [Path(path) for path in _projects(config, env, user_home) if path.startswith("/")]
    places = dict.fromkeys((*around[:1], *known[:_PROJECTS]))
    return [GovernedRoot("project", place) for place in places if place != user_home]


def _untrusted(
    config: Path, env: Mapping[str, str], user_home: Path, roots: Sequence[GovernedRoot]
) -> Iterator[str]:
    """Governed repositories in which no hook runs until somebody says that they are trusted."""
    projects = _projects(config, env, user_home)
    for root in roots:
        if root.layout == "project":
            known = projects.get(str(root.path))
            if not isinstance(known, dict) or known.get("hasTrustDialogAccepted") is not True:
                yield f"{root.path} is not trusted yet: no hook runs there before that"


def _projects(config: Path, env: Mapping[str, str], user_home: Path) -> Mapping[str, Any]:
    moved = env.get("CLAUDE_CONFIG_DIR", "").strip()
    file = (config if moved else user_home) / ".claude.json"
    try:
        known = settings_of(file).get("projects")
    except BadInput:
        return {}
    return known if isinstance(known, dict) else {}
