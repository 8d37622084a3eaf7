"""Which files below a folder of skills an agent loads as skills."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from reviewdeck.reading.agents import AGENTS, Agent, Search
from reviewdeck.values import dataclass

SKILL: Final = "SKILL.md"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of a folder of skills."""

    path: str
    """Relative to the folder of skills."""
    folder_linked: bool = False
    """Whether a folder of its path is a link."""
    file_linked: bool = False
    leaves: bool = False
    """Whether a link leads out of the folder of skills."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders between the folder of skills and the file."""
        return tuple(self.path.split("/")[:-1])


def is_skill_name(path: str) -> bool:
    """Whether an agent may take a file of this name for a skill."""
    return path.rpartition("/")[2].upper() == SKILL.upper()


_ROOTS: Final = ("skills", *dict.fromkeys(root for agent in AGENTS for root in agent.roots))


def below_folder(path: str) -> str:
    """A document's path relative to the folder of skills of its home."""
    root = next((root for root in _ROOTS if path.startswith(f"{root}/")), "")
    return path.removeprefix(f"{root}/") if root else path


def loaded_by(agent: Agent, files: Collection[SkillFile]) -> Iterator[SkillFile]:
    """Those of the files that the agent loads as skills."""
    heads = {"/".join(file.folders) for file in files if _is_head(file, agent.search)}
    for file in files:
        if _is_head(file, agent.search) and _is_entered(file, agent.search, heads):
            yield file


def loads(agent: Agent, file: SkillFile) -> bool:
    """Whether an agent loads this file as a skill, by its place alone."""
    return _is_head(file, agent.search) and _is_entered(file, agent.search, ())


def _is_head(file: SkillFile, search: Search) -> bool:
    name = file.path.rpartition("/")[2]
    return name == SKILL or (search.any_case and is_skill_name(name))


def _is_entered(file: SkillFile, search: Search, heads: Collection[str]) -> bool:
    folders = file.folders
    if folders and search.root_alone and "" in heads:
        return False
    if not search.shallowest <= len(folders) <= search.deepest:
        return False
    if not search.excluded.isdisjoint(folders):
        return False
    if not search.hidden and any(name.startswith(".") for name in folders):
        return False
    is_linked = (file.folder_linked and not search.folder_links) or (
        file.file_linked and not search.file_links
    )
    if is_linked or (file.leaves and not search.leaves):
        return False
    return all(
        not (search.support and name in search.support) and search.nested
        for at, name in enumerate(folders)
        if at and "/".join(folders[:at]) in heads
    )
