"""The kinds of home: which agent owns a folder, and how such a home is opened.

Another package adds a kind as an entry point of the group `reviewdeck.homes`: its name, and an
object that implements `HomeKind`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, cast, runtime_checkable

from reviewdeck.errors import HomeUnavailable
from reviewdeck.homes.other_agents import owner_of
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import Clock, Home, HomeWriter, Probe
from reviewdeck.values import dataclass

GROUP: Final = "reviewdeck.homes"
_BUILT_IN: Final = {
    "hermes": "reviewdeck.homes.hermes.kind:KIND",
    "openclaw": "reviewdeck.homes.openclaw.kind:KIND",
    "claude": "reviewdeck.homes.claude.kind:KIND",
    "qwen": "reviewdeck.homes.qwen.kind:KIND",
    "gemini": "reviewdeck.homes.gemini.kind:KIND",
    "watched": "reviewdeck.homes.watched:KIND",
    "skills": "reviewdeck.homes.skill_folder.kind:KIND",
}
"""Each is loaded when it is tried, the most common one first."""
_OF_REPOSITORIES: Final = ("claude", "qwen", "gemini")
_SHARED: Final = ".reviewdeck/openclaw/is-workspace"
"""Where OpenClaw's gate is too, its kind reads the records of all gates in a repository."""
_UNCOUNTED: Final = frozenset({".DS_Store", "desktop.ini", ".directory", ".reviewdeck"})
_HINT: Final = "Check the path. An empty folder becomes a home with --new."


class LocatedHome(Home, Protocol):
    """A home at a path; the ledger may know it by another id."""

    @property
    def path(self) -> Path:
        """The resolved path."""

    def known_as(self, id: str, *, copy_of: str = "") -> LocatedHome:
        """The same home under the ledger's id; `copy_of` is the path of a copy beside it."""


@dataclass(frozen=True, slots=True)
class HomeContext:
    """The inputs of a home outside of its own folder."""

    env: Mapping[str, str]
    user_home: Path
    clock: Clock


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """Options of a writer: a probe for tests, seconds to wait for a lock, the home's mark."""

    probe: Probe
    lock_wait: float = 10.0
    mark: str = ""


class HomeKind(Protocol):
    """One kind of home."""

    @property
    def name(self) -> str:
        """In lower case: `hermes`."""

    def recognises(self, path: Path) -> bool:
        """Whether this folder looks like a home of this kind. Reads names only; never raises."""

    def label(self, path: Path) -> str:
        """The name for people of the home at this path, taken from the path alone."""

    def home(self, path: Path, around: HomeContext) -> LocatedHome:
        """The home for reading. Raises HomeUnavailable."""

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""

    def watched(self, path: Path) -> WatchedHome:
        """The folders and files whose changes are watched."""


@runtime_checkable
class HasLayouts(Protocol):
    """A kind of home with several layouts, of which a home keeps the one that it was opened as."""

    def layout_at(self, path: Path) -> str:
        """The layout of the folder at this path."""

    def with_layout(self, layout: str) -> HomeKind:
        """The kind for homes of this layout alone, whatever files they have."""


def kind_at(path: Path, remembered: str = "", *, is_new: bool = False) -> HomeKind:
    """The kind of the home at this path: the remembered one, else by its files.

    `is_new` looks at the files again, and takes an empty folder for a home to be. Raises
    HomeUnavailable where the folder has no mark of an agent that reviewdeck knows.
    """
    if remembered and not is_new:
        return _kind_called(remembered, path)
    kind = recognised_kind(path)
    if kind is None and is_new and is_empty(path):
        kind = next(_built_in())
    if kind is None:
        raise HomeUnavailable(_why_no_home(path), hint=_HINT)
    return kind


def recognised_kind(path: Path) -> HomeKind | None:
    """The kind that recognises this folder by its files. Raises HomeUnavailable for the folder of
    an agent that none of the kinds is for.
    """
    owner = owner_of(path)
    built_in = (kind for kind in _built_in() if owner is None or kind.name == "watched")
    for kind in chain(_kinds_of_packages() if owner else (), built_in, _kinds_of_packages()):
        if kind.recognises(path):
            return kind
    if owner is not None:
        raise HomeUnavailable(f"{path} is the folder of {owner.name}.", hint=_hint_for(path))
    return None


def remembered_name(kind: HomeKind, path: Path) -> str:
    """The name of a kind by which a home at this path keeps it: `hermes`, `claude:project`."""
    return f"{kind.name}:{kind.layout_at(path)}" if isinstance(kind, HasLayouts) else kind.name


def _kind_called(name: str, path: Path) -> HomeKind:
    base, _, layout = name.partition(":")
    if base in _OF_REPOSITORIES and (path / _SHARED).is_file():
        base, layout = "openclaw", ""
    for kind in chain(_built_in(), _kinds_of_packages()):
        if kind.name == base:
            return kind.with_layout(layout) if layout and isinstance(kind, HasLayouts) else kind
    raise HomeUnavailable(
        f"{path} is a home of the kind {base}, which nothing that is installed knows.",
        hint="Install the package that brought it.",
    )


def is_empty(path: Path) -> bool:
    """Whether a folder has nothing in it but what a desktop or reviewdeck put there."""
    try:
        return all(entry.name in _UNCOUNTED for entry in path.iterdir())
    except OSError:
        return False


def _why_no_home(path: Path) -> str:
    if is_empty(path):
        return f"{path} is empty: it is no agent's home yet."
    kind = "a Git repository without a file of Claude Code" if (path / ".git").exists() else ""
    return (
        f"{path} does not look like an agent's home: it is {kind}."
        if kind
        else f"{path} does not look like an agent's home: it has none of the files of Hermes"
        " (config.yaml, memories/, pending/, state.db), of Claude Code (CLAUDE.md, .claude/,"
        " MEMORY.md), of Qwen Code (QWEN.md, .qwen/) or of Gemini CLI (GEMINI.md, .gemini/), and"
        " no skill (NAME/SKILL.md)."
    )


def _hint_for(path: Path) -> str:
    if (path / "workspace").is_dir():
        return f"reviewdeck reviews its workspaces: --home {path / 'workspace'}"
    if (path / "skills").is_dir():
        return f"reviewdeck reviews its skills alone: --home {path / 'skills'}"
    return "reviewdeck knows Hermes, Claude Code, Qwen Code, Gemini CLI and folders of skills."


def _built_in() -> Iterator[HomeKind]:
    for place in _BUILT_IN.values():
        module, _, name = place.partition(":")
        yield cast("HomeKind", getattr(import_module(module), name))


def _kinds_of_packages() -> Iterator[HomeKind]:
    from importlib.metadata import entry_points  # a tenth of `status --short`; Hermes needs none

    for entry in entry_points(group=GROUP):
        yield cast("HomeKind", entry.load())
