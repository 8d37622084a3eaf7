"""Names of skills: those that are none by the specification, and those that several skills have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from reviewdeck.homes.skill_folder.contents import LOOSE, SKILL_FILE, SkillContents

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_NAMED: Final = re.compile(
    r"^name:[ \t]*[\"']?([^\"'\s][^\"'\n]{0,79}?)[\"']?[ \t\r]*$", re.MULTILINE
)
"""The name that a SKILL.md gives itself, by lines: a parser of YAML takes longer than all else."""


def name_problem(tree: SkillContents) -> str | None:
    """Why this is no name of a skill by the specification; None when it is one."""
    if tree.directory == LOOSE:
        return None
    name = tree.name
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return "not a name by the specification: a-z, 0-9 and single hyphens, at most 64"
    front = (tree.text_of(SKILL_FILE) or "").partition("\n---")[0]
    named = _NAMED.search(front)
    if named and named[1] != name:
        return f"its SKILL.md calls it {named[1]}"
    return None


def shadowing(places: Iterable[tuple[str, SkillContents]]) -> dict[str, tuple[str, ...]]:
    """Where else a skill of the same name is, for each place that has such a twin."""
    by_name: dict[str, list[str]] = {}
    for place, tree in places:
        if tree.directory != LOOSE:
            by_name.setdefault(tree.name.casefold(), []).append(place)
    return {
        place: tuple(other for other in twins if other != place)
        for twins in by_name.values()
        for place in twins
        if len(twins) > 1
    }
