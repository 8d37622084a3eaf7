"""A folder of Agent Skills as a home, whichever agents read it.

No agent stages its writes or takes a lock: changes are reviewed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from reviewdeck.files import OURS
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.hermes.kind import is_hermes_home
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.link_targets import LinkTarget
from reviewdeck.homes.skill_folder.contents import BOOKKEEPING, LOCK
from reviewdeck.homes.skill_folder.lock import named_agents
from reviewdeck.homes.skill_tree import is_kept, list_files
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.model import SKILL_FILE, Limit, Loading, Measure
from reviewdeck.ports import HomeWriter
from reviewdeck.reading.discovery import is_skill_name

LINES: Final = 500
"""The most lines of a SKILL.md that the specification advises."""
_ROOTS: Final = ("",)


class SkillHome(FolderHome):
    """A folder of skills as a home."""

    @property
    def readers(self) -> tuple[str, ...]:
        """The agents that its lock names; else all."""
        return tuple(agent.key for agent in named_agents(self.path))


class SkillFolders:
    """Any folder of skills, at whatever depth. Implements `HomeKind` and `FolderLayout`."""

    kind = name = "skills"
    skill_roots = folders = _ROOTS
    instructions: tuple[str, ...] = ()

    def recognises(self, path: Path) -> bool:
        """Whether it has a lock or a skill, or is called `skills` outside of a Hermes home."""
        try:
            if path.name == "skills" and is_hermes_home(path.parent):
                return False
            is_there = (path / LOCK).exists() or any(path.glob(f"*/{SKILL_FILE}"))
            return is_there or (path.name == "skills" and path.is_dir())
        except OSError:
            return False

    def label(self, path: Path) -> str:
        """The last parts of the path, up to the project of a `.claude/skills`."""
        return "/".join(path.parts[-3 if path.parent.name.startswith(".") else -2 :])

    def texts(self, root: Path) -> Iterable[str]:
        """All files of the folder: a plugin may have some outside of its skills."""
        files = (path for path in list_files(root)[0] if self.governs(path))
        return (path for path in files if path.partition("/")[0] not in BOOKKEEPING)

    def governs(self, path: str) -> bool:
        """Whether this path is not bookkeeping, ours or another program's."""
        parts = path.split("/")
        is_bookkeeping = parts[0] in BOOKKEEPING and not _in_skill(parts)
        return not is_bookkeeping and OURS not in parts and is_kept(path)

    def imported(self, root: Path, kernel: Kernel) -> tuple[LinkTarget, ...]:
        """Empty: a skill imports nothing."""
        return ()

    def loading(self, path: str) -> Loading:
        """The files of a skill may be executed; loose files are loaded on demand."""
        return Loading.EXECUTES if "/" in path else Loading.ON_DEMAND

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The lines of a SKILL.md, against the specification's advice."""
        is_skill = path.rpartition("/")[2] == SKILL_FILE
        return (Limit(Measure.LINES, LINES),) if is_skill else ()

    def home(self, path: Path, around: HomeContext) -> FolderHome:
        """The home for reading. Raises HomeUnavailable."""
        return SkillHome(path, self)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        from reviewdeck.homes.skill_folder.writer import SkillWriter  # not needed for reading

        return SkillWriter(path, probe=how.probe, lock_wait=how.lock_wait, mark=how.mark)

    def watched(self, path: Path) -> WatchedHome:
        return WatchedHome(
            path, _ROOTS, lambda parts: self.governs("/".join(parts)), lambda parts: False, ()
        )


def _in_skill(parts: list[str]) -> bool:
    """Whether this may be a file of a skill that lies in a folder of bookkeeping."""
    return len(parts) > 2 or is_skill_name(parts[-1])


KIND = SkillFolders()
