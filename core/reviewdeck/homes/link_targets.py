"""What links in a home's own places lead to inside the home: it is governed where it really is.

Bounded, since an agent may have made the link: only skills count below a folder, and no folder that
contains the link itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from reviewdeck.homes.skill_tree import BOOKKEEPING_DIRECTORIES, is_kept, search_all_skills
from reviewdeck.reading.discovery import is_skill_name
from reviewdeck.values import dataclass

_MOST: Final = 200
"""The most links that are followed."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A file, or the folder of a skill, that a link leads to."""

    path: str
    """Where it really is, relative to the home."""
    by: str
    """The link, relative to the home."""
    is_folder: bool

    def holds(self, path: str) -> bool:
        """Whether a path is this file, or one of this skill's files."""
        if not self.is_folder:
            return path == self.path
        below = path.removeprefix(f"{self.path}/")
        return below != path and is_kept(below)


def link_targets(root: Path, links: Iterable[str]) -> tuple[LinkTarget, ...]:
    """What these places lead to, of those that are links to something else in the home.

    Never raises.
    """
    found: dict[str, LinkTarget] = {}
    for link, _ in zip(links, range(_MOST), strict=False):
        for target in _targets_of(root, link):
            found.setdefault(target.path, target)
    return tuple(found.values())


def _targets_of(root: Path, link: str) -> Iterator[LinkTarget]:
    top = os.path.realpath(root)
    try:
        real = Path(root / link).resolve(strict=True)
        path = real.relative_to(top).as_posix()
        is_folder = real.is_dir()
    except (OSError, RuntimeError, ValueError):
        return  # It leads nowhere, in a loop, or out of the home: cautions say so.
    parts = path.split("/")
    is_above = path == "." or f"{link}/".startswith(f"{path}/")
    if is_above or not BOOKKEEPING_DIRECTORIES.isdisjoint(parts):
        return
    if not is_folder:
        yield LinkTarget(path, link, is_folder=False)
        return
    try:
        is_skill = any(is_skill_name(each.name) for each in real.iterdir())
    except OSError:
        return
    if is_skill:
        yield LinkTarget(path, link, is_folder=True)
        return  # A skill in it is among its files.
    for place in search_all_skills(real).places:
        yield LinkTarget(f"{path}/{place.directory}", link, is_folder=True)
