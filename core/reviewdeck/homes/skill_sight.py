"""The skills that an agent loads and nobody reviews, and those that nobody loads.

Names and links are looked at; no file is opened, and nothing behind a link is listed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from reviewdeck.homes.skill_tree import BOOKKEEPING_DIRECTORIES
from reviewdeck.ports import SkillSight
from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import SKILL, SkillFile, is_skill_name, loaded_by
from reviewdeck.values import dataclass

_MOST: Final = 20_000
"""The most directory entries of one folder of skills that are looked at."""
_DEEPEST: Final = 8
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class _Place:
    """One file that looks like a skill."""

    found: SkillFile
    target: str = ""
    """The target of the link that it is, or lies behind, as written."""

    @property
    def is_bookkeeping(self) -> bool:
        """Whether it lies in a folder of git's or ours."""
        return not BOOKKEEPING_DIRECTORIES.isdisjoint(self.found.folders)


def skill_sight(
    home: Path,
    skill_roots: Sequence[str],
    readers: Sequence[Agent],
    governs: Callable[[str], bool] = lambda path: False,
) -> SkillSight:
    """How many skills the agents of a home load, and which of them are not reviewed.

    `governs` says whether a file that a link leads to is a document where it really is.
    """
    names = " and ".join(agent.name for agent in readers) if len(readers) < 3 else "an agent"
    live, unseen, unloaded = 0, list[str](), list[str]()
    for name in skill_roots:
        root = home / name
        is_behind = bool(name) and root.is_symlink()
        places = list(_places(root))
        files = [place.found for place in places]
        loaded = {file.path for agent in readers for file in loaded_by(agent, files)}
        for place in places:
            path = f"{name}/{place.found.path}" if name else place.found.path
            if place.found.path not in loaded:
                unloaded.append(path)
                continue
            live += 1
            if why := _why_unseen(home, path, place, governs, is_behind=is_behind):
                unseen.append(
                    f"{path} {why}: {names} loads it as a skill, and no change of it is reviewed"
                    " here."
                )
    cautions = [*unseen]
    if unloaded:
        more = f" and {len(unloaded) - _SHOWN} more" if len(unloaded) > _SHOWN else ""
        who = names if len(readers) < 3 else "any agent that reviewdeck knows"
        listed = ", ".join(unloaded[:_SHOWN])
        cautions.append(f"Looks like a skill, and is none to {who}: {listed}{more}.")
    return SkillSight(live, live - len(unseen), len(unloaded), tuple(cautions))


def _why_unseen(
    home: Path, path: str, place: _Place, governs: Callable[[str], bool], *, is_behind: bool
) -> str:
    """Why no change of a skill is reviewed; empty where changes are."""
    if place.is_bookkeeping:
        return "lies among bookkeeping"
    if not (place.target or is_behind):
        return ""
    top, real = os.path.realpath(home), os.path.realpath(home / path)
    inside = real.removeprefix(f"{top}/")
    if inside != real and governs(inside):
        return ""
    return f"is reached through a link to {place.target or Path(real).parent}"


def _places(root: Path) -> Iterator[_Place]:
    """Every file below a folder that looks like a skill, in a bounded walk."""
    pending, seen = [""], 0
    while pending and seen < _MOST:
        prefix = pending.pop()
        try:
            with os.scandir(root / prefix) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        is_bookkeeping = not BOOKKEEPING_DIRECTORIES.isdisjoint(prefix.split("/"))
        for entry in children:
            seen += 1
            path = prefix + entry.name
            if entry.is_symlink():
                yield from _behind(root, path, entry)
            elif entry.is_dir(follow_symlinks=False):
                if not is_bookkeeping and path.count("/") < _DEEPEST:
                    pending.append(f"{path}/")
            elif is_skill_name(entry.name):
                yield _Place(SkillFile(path))


def _behind(root: Path, path: str, entry: os.DirEntry[str]) -> Iterator[_Place]:
    """A skill that is a link, or whose folder is one. The target is not opened."""
    try:
        target = os.readlink(entry.path)  # noqa: PTH115 - the text of the link, as written
        leaves = not Path(entry.path).resolve().is_relative_to(root.resolve())
        is_folder = (Path(entry.path) / SKILL).is_file()
    except (OSError, RuntimeError, ValueError):
        return
    if is_folder:
        yield _Place(SkillFile(f"{path}/{SKILL}", folder_linked=True, leaves=leaves), target)
    elif is_skill_name(entry.name):
        yield _Place(SkillFile(path, file_linked=True, leaves=leaves), target)
