"""The gate in this environment: the folders that it covers, and the settings that switch it off.

Some switches leave no trace in a file: `--bare`, `--safe-mode`, `--settings`, or a program that
embeds the agent.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.documents import INDEX, SETTINGS
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.switches import MARK, our_handlers, switched_off_by, variables_set
from reviewdeck.errors import BadInput
from reviewdeck.homes.gated.hooked import HookedAgent, settings_of
from reviewdeck.homes.gated.imports import link_caution, links_out
from reviewdeck.homes.gated.installation import GateInstallation
from reviewdeck.homes.gated.settings import FILE, PROGRAMS, GovernedRoot, our_events, words_of
from reviewdeck.homes.installer import is_program

_PROJECTS: Final = 500
"""The most repositories of the agent's own list that are checked."""


@dataclass(frozen=True, slots=True)
class GateState:
    """The state of an agent's gate."""

    agent: HookedAgent
    config: Path
    roots: tuple[GovernedRoot, ...]
    """The folders that it covers; none where it is not installed."""
    is_current: bool
    """Whether every entry is present as this program writes it."""
    version: str | None
    """The agent's version; None where it is not found."""
    hooks: tuple[str, ...]
    """The events at which this version of the agent starts it."""
    off: tuple[str, ...]
    """One sentence for each setting that switches it off, with the place."""
    weak: tuple[str, ...]
    """One sentence for each weakness."""

    @property
    def is_complete(self) -> bool:
        """Whether it is installed, current, and not switched off."""
        return bool(self.roots) and self.is_current and not self.off


def roots_for(
    agent: HookedAgent,
    config: Path,
    projects: Sequence[Path],
    user_home: Path,
    known_roots: Sequence[GovernedRoot] = (),
) -> tuple[GovernedRoot, ...]:
    """The folders for the gate to cover, with memories that settings move elsewhere."""
    roots = [GovernedRoot(agent.config, config), *known_roots]
    roots += [GovernedRoot(agent.project, project) for project in projects]
    for root in list(dict.fromkeys(roots)):
        for file in settings_files(root):
            moved = _memory_in(agent, settings_of(file, comments=agent.reads_comments), user_home)
            if moved is not None and not _covers(roots, moved):
                roots.append(GovernedRoot("memory", moved))
    return tuple(dict.fromkeys(roots))


def settings_files(root: GovernedRoot) -> tuple[Path, ...]:
    """The settings files that apply to sessions in this folder."""
    return tuple(root.path / name for name in SETTINGS[root.layout])


def gate_of(
    installed: GateInstallation,
    env: Mapping[str, str],
    user_home: Path,
    *,
    version: str | None,
    here: Path | None = None,
    managed: Path | None = None,
) -> GateState:
    """The gate of an agent's folder. Raises BadInput for settings that cannot be read."""
    roots, agent = installed.roots, installed.agent
    handlers = our_handlers(installed.settings)
    off = [*_missing(handlers)] if roots else []
    files = [(file, "managed") for file in ([managed] if managed else agent.managed(env))]
    files += [(installed.home / FILE, "user")]
    for root in _repositories(agent, env, user_home, here):
        files += [(file, "project") for file in settings_files(root)]
    for file, scope in files:
        off += _switches(agent, file, scope, roots, user_home)
    off += [f"the variable {name} is set here" for name in variables_set(env, agent.key)]
    weak = [*agent.weaknesses(env, user_home, roots, version)]
    for root in roots:
        links = links_out(root.layout, root.path)
        weak += [f"{root.path}: {link_caution(path, target)}" for path, target in links]
    events = our_events(installed.settings)
    return GateState(
        agent,
        installed.home,
        roots,
        installed.is_current,
        version,
        tuple(event for event in events if agent.has_hook(event, version)),
        tuple(off),
        tuple(weak),
    )


def version_on_path(env: Mapping[str, str], agent: HookedAgent) -> str | None:
    """The version of the agent on the path; None where there is none."""
    # Relative entries are skipped: the current folder may be anybody's.
    places = [place for place in env.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()]
    program = shutil.which(agent.program, path=os.pathsep.join(places)) if places else None
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the user's own program, found as a shell finds it
            [program, "--version"], capture_output=True, timeout=10, check=False, text=True, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    match = re.match(r"\d+\.\d+\.\d+", done.stdout)
    return match[0] if match else None


def _missing(handlers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Programs of the entries that do not exist."""
    for python in dict.fromkeys(_before(words_of(handler), "-I") for handler in handlers):
        if not is_program(python):
            yield f"its Python is gone: {python}"
    for folder in dict.fromkeys(Path(_before(words_of(each), MARK)) for each in handlers):
        if not any((folder / program).is_file() for program in PROGRAMS):
            yield f"its program is gone: {folder}"


def _before(words: Sequence[Any], word: str) -> str:
    """What stands before a word of an entry: the gate's folder before our mark."""
    return str(words[max(words.index(word) - 1, 0)]) if word in words else ""


def _switches(
    agent: HookedAgent, file: Path, scope: str, roots: Sequence[GovernedRoot], user_home: Path
) -> Iterator[str]:
    """The settings of a file that switch the gate off."""
    try:
        settings = settings_of(file, comments=agent.reads_comments)
    except BadInput as error:
        if scope != "project":  # The agent ignores an unreadable one of a repository.
            yield error.message.rstrip(".")
        return
    for key in switched_off_by(settings, agent.key, scope):
        yield f"{file} sets {key}"
    moved = _memory_in(agent, settings, user_home)
    if roots and moved is not None and not _covers(roots, moved):
        yield f"{file} moves the memory to {moved}, which is not covered"


def _memory_in(agent: HookedAgent, settings: Mapping[str, Any], user_home: Path) -> Path | None:
    setting = settings.get(agent.memory_setting)
    if not isinstance(setting, str):
        return None
    moved = user_home / setting[2:] if setting.startswith("~/") else Path(setting)
    return moved if moved.is_absolute() else None


def _covers(roots: Sequence[GovernedRoot], memory: Path) -> bool:
    index = str(memory / INDEX)
    return any(Root(root.layout, str(root.path)).covers(index) for root in roots)


def _repositories(
    agent: HookedAgent, env: Mapping[str, str], user_home: Path, current_folder: Path | None
) -> list[GovernedRoot]:
    """The repositories in which the agent was used, and the current one."""
    ancestors = () if current_folder is None else (current_folder, *current_folder.parents)
    enclosing = [
        folder for folder in ancestors if (folder / agent.folder).is_dir() and folder != user_home
    ]
    used = [Path(path) for path in agent.used_in(env, user_home) if path.startswith("/")]
    places = dict.fromkeys((*enclosing[:1], *used[:_PROJECTS]))
    return [GovernedRoot(agent.project, place) for place in places if place != user_home]
