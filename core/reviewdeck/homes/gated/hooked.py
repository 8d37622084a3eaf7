"""An agent that starts our gate by a hook in its settings, as Claude Code does."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.hermes.kit import members
from reviewdeck.errors import BadInput
from reviewdeck.homes.gated.settings import Entries, GovernedRoot
from reviewdeck.homes.json_edits import without_comments
from reviewdeck.text.json import load_json

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

_LARGEST: Final = 64 * 1024 * 1024


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
    conversations: Callable[[], type[GatedConversations]]
    """Loads its conversations: that takes as long as to load the rest of a home."""
    used_in: Callable[[Mapping[str, str], Path], Iterator[str]]
    """The repositories in which it was used, from the environment and the user's folder."""
    weaknesses: Callable[
        [Mapping[str, str], Path, Sequence[GovernedRoot], str | None], Iterator[str]
    ]
    """One sentence for each weakness of a gate over these folders, in this version."""
    newer_hooks: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The hooks that not every version has, with the first that has it."""
    reads_comments: bool = False
    """Whether it reads settings with comments as if they had none."""
    loads_outside: Callable[[Mapping[str, str], Path, GovernedRoot], bool | None] = lambda *_: True
    """Whether it loads what a folder's instructions import from outside; None where it never does.
    """

    def has_hook(self, event: str, version: str | None) -> bool:
        """Whether this version has a hook for an event; an unknown version has all."""
        first = dict(self.newer_hooks).get(event, ())
        return version is None or tuple(map(int, version.split("."))) >= first


def settings_of(file: Path, *, comments: bool = False) -> Mapping[str, Any]:
    """The settings of a file; empty where there is none. Raises BadInput."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{file} is not a plain file.")
        if status.st_size > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST:,} bytes.")
        data = file.read_bytes()
        text = without_comments(data.decode("utf-8-sig")) if comments else data
        settings = load_json(text if text.strip() else "{}")
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
