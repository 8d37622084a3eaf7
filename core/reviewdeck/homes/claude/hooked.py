"""An agent that starts our gate by a hook in its settings, as Claude Code does; and Claude Code."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.hermes.kit import members
from reviewdeck.errors import BadInput
from reviewdeck.homes.claude.governed import claude_json
from reviewdeck.homes.claude.layout import layout_of
from reviewdeck.homes.claude.settings import Entries, GovernedRoot, entries
from reviewdeck.text.json import load_json

if TYPE_CHECKING:
    from reviewdeck.homes.claude.transcripts import Form

_LARGEST: Final = 4 * 1024 * 1024
# Strings are kept as a unit, an unterminated one too.
_COMMENT: Final = re.compile(rb'("(?:[^"\\]++|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_FAILS_CLOSED: Final = (2, 1, 295)
"""The first version of Claude Code that refuses a call when its hook fails."""
_SEES_SKILLS: Final = (2, 1, 332)
"""The first version that has a hook before the commands in a skill's text."""


@dataclass(frozen=True, slots=True)
class HookedAgent:
    """What differs between the agents whose hooks are those of Claude Code."""

    key: str
    """Its name in our folders and commands: `claude`."""
    name: str
    """Its name for people."""
    config: str
    """The layout of its own folder."""
    project: str
    """The layout of a repository."""
    folder: str
    """The name of its folder in a repository."""
    program: str
    """Its program on the path."""
    projects: str
    """The folder with its transcripts, in its own folder."""
    managed: Callable[[Mapping[str, str]], Sequence[Path]]
    """The settings of this machine's administrator, in an environment."""
    memory_setting: str
    """The setting that moves its memory; empty where none does."""
    layout_of: Callable[[Path], str | None]
    """The layout of a folder by its file names; None when it is not this agent's."""
    entries: Callable[[str, Path, Sequence[GovernedRoot]], Entries]
    """The hooks for its settings, from our Python, our folder, and the folders to cover."""
    form: Callable[[], Form]
    """How its transcripts are read."""
    used_in: Callable[[Mapping[str, str], Path], Iterator[str]]
    """The repositories in which it was used, from the environment and the user's folder."""
    weaknesses: Callable[
        [Mapping[str, str], Path, Sequence[GovernedRoot], str | None], Iterator[str]
    ]
    """One sentence for each weakness of a gate over these folders, in this version."""
    reads_comments: bool = False
    """Whether it reads settings with comments as if they had none."""


def settings_of(file: Path, *, comments: bool = False) -> Mapping[str, Any]:
    """The settings of a file; empty where there is none. Raises BadInput."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{file} is not a plain file.")
        if status.st_size > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST:,} bytes.")
        data = file.read_bytes()
        data = _COMMENT.sub(rb"\1", data) if comments else data
        settings = load_json(data.strip() or b"{}")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise BadInput(f"{file} is not JSON that can be read: its hooks do not run.") from None
    return members(settings)


def managed_by(prefix: str, usual: str) -> Callable[[Mapping[str, str]], Sequence[Path]]:
    """The settings and the defaults of an administrator, which variables may name."""

    def find(env: Mapping[str, str]) -> Sequence[Path]:
        settings = Path(env.get(f"{prefix}_SYSTEM_SETTINGS_PATH") or usual)
        defaults = env.get(f"{prefix}_SYSTEM_DEFAULTS_PATH")
        return settings, Path(defaults or settings.with_name("system-defaults.json"))

    return find


def _projects(env: Mapping[str, str], user_home: Path) -> Mapping[str, Any]:
    try:
        return members(settings_of(claude_json(env, user_home)).get("projects"))
    except BadInput:
        return {}


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    yield from _projects(env, user_home)


def _weaknesses(
    env: Mapping[str, str],
    user_home: Path,
    roots: Sequence[GovernedRoot],
    version: str | None,
) -> Iterator[str]:
    """Repositories that are not trusted yet, where no hook runs; and an old version."""
    projects = _projects(env, user_home)
    for root in roots:
        if root.layout == "project":
            project = projects.get(str(root.path))
            if not isinstance(project, dict) or project.get("hasTrustDialogAccepted") is not True:
                yield f"{root.path} is not trusted yet: no hook runs there before that"
    if version is None:
        return
    parts = tuple(map(int, version.split(".")))
    if parts < _FAILS_CLOSED:
        needed = ".".join(map(str, _FAILS_CLOSED))
        yield f"Claude Code {version} lets a write through when the gate fails: {needed} does not"
    if parts < _SEES_SKILLS:
        needed = ".".join(map(str, _SEES_SKILLS))
        yield (
            f"Claude Code {version} has no hook before the commands in a skill's text: they run"
            f" unseen until {needed}"
        )


def _form() -> Form:
    from reviewdeck.homes.claude.transcripts import CLAUDE as FORM  # not needed for a home

    return FORM


CLAUDE: Final = HookedAgent(
    key="claude",
    name="Claude Code",
    config="config",
    project="project",
    folder=".claude",
    program="claude",
    projects="projects",
    managed=lambda _: (Path("/etc/claude-code/managed-settings.json"),),
    memory_setting="autoMemoryDirectory",
    layout_of=layout_of,
    entries=entries,
    form=_form,
    used_in=_used_in,
    weaknesses=_weaknesses,
)
