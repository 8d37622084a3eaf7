"""Hermes' kind of home."""

from __future__ import annotations

import re
from pathlib import Path

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.layout import SKILLS, home_name, is_profile
from reviewdeck.homes.hermes.stamps import skills_behind_links
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.skill_tree import EXCLUDED_DIRECTORIES, SKILL_FILE, search_skills
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter

_MARKS = ("config.yaml", "memories", "pending", "state.db")
_SETTINGS = re.compile(
    rb"^(?:memory|skills|curator|plugins|model|toolsets|auxiliary|mcp_servers|onboarding"
    rb"|compression|delegation|_config_version)[ \t]*:",
    re.MULTILINE,
)
"""Sections of Hermes' settings, at the start of a line."""
_READ = 1 << 20
_BYSTANDERS = frozenset({".usage.json", ".skills_prompt_snapshot.json", ".curator_ledger.jsonl"})
"""Files that Hermes writes constantly; the periodic stamp notices what matters in them."""

_OTHERS = (".claude", ".qwen", ".gemini")
_OF_OTHERS = (
    *("output-language.md", "QWEN.md", "GEMINI.md", "installation_id"),
    *(f".reviewdeck/{name}" for name in ("claude", "qwen", "gemini", "openclaw")),
)
"""Files of agents that have `memories` too, and what their gates keep."""


class HermesKind:
    """A profile of Hermes. Implements `HomeKind`."""

    name = "hermes"

    def recognises(self, path: Path) -> bool:
        """Whether settings, memories, a queue, a session database or skills are there.

        A `config.yaml` or `skills` in a repository, or beside Claude Code's files, does not count:
        any project may have one. A folder called `.hermes` may be empty.
        """
        try:
            return is_hermes_home(path) or _has_skills(path)
        except OSError:
            return False

    def label(self, path: Path) -> str:
        return home_name(path)

    def home(self, path: Path, around: HomeContext) -> HermesHome:
        """The home for reading. Raises HomeUnavailable."""
        return HermesHome(path, env=around.env, user_home=around.user_home, clock=around.clock)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        from reviewdeck.homes.hermes.writer import HermesWriter  # not needed for reading

        return HermesWriter(
            path, probe=how.probe, lock_wait=how.lock_wait, clock=around.clock, mark=how.mark
        )

    def watched(self, path: Path) -> WatchedHome:
        """Records, memories, skills, those behind links too, and the settings file."""
        behind = skills_behind_links(path, search_skills(path / SKILLS))
        folders = (target.path for target in behind if target.is_folder)
        files = (target.path for target in behind if not target.is_folder)
        return WatchedHome(
            path,
            ("pending", "memories", SKILLS, *folders),
            _matters,
            _is_record,
            ("config.yaml", *files),
        )


def is_hermes_home(path: Path) -> bool:
    """Whether this is a home of Hermes by more than a folder of skills. Raises OSError."""
    if _is_of_another_agent(path):
        return False
    marks = [mark for mark in _MARKS if (path / mark).exists()]
    if marks == ["config.yaml"] and (_is_project(path) or not _has_settings(path / marks[0])):
        return False
    return bool(marks) or (_is_named(path) and path.is_dir())


def _has_settings(file: Path) -> bool:
    """Whether a `config.yaml` is empty or has a section of Hermes: other programs have one too."""
    with file.open("rb") as opened:
        settings = opened.read(_READ)
    return not settings.strip() or _SETTINGS.search(settings) is not None


def _is_named(path: Path) -> bool:
    """Whether a folder is where Hermes itself makes a home, which may still be empty."""
    if path.name == ".hermes":
        return True
    return is_profile(path) and is_hermes_home(path.parent.parent)


def _has_skills(path: Path) -> bool:
    skills = path / "skills"
    is_workspace = (path / "AGENTS.md").exists()
    if is_workspace or _is_project(path) or _is_of_another_agent(path) or not skills.is_dir():
        return False
    return any(skills.glob(f"*/{SKILL_FILE}")) or any(skills.glob(f"*/*/{SKILL_FILE}"))


def _is_of_another_agent(path: Path) -> bool:
    return path.name in _OTHERS or any(_is_there(path / name) for name in _OF_OTHERS)


def _is_there(mark: Path) -> bool:
    try:
        return mark.exists()
    except PermissionError:
        return False  # Our own folder in a home may be closed to its agent.


def _is_project(path: Path) -> bool:
    return any((path / name).exists() for name in (".claude", "CLAUDE.md", ".git"))


def _matters(parts: tuple[str, ...]) -> bool:
    return parts[-1] not in _BYSTANDERS and EXCLUDED_DIRECTORIES.isdisjoint(parts)


def _is_record(parts: tuple[str, ...]) -> bool:
    return parts[0] == "pending" and parts[-1].endswith(".json")


KIND = HermesKind()
