"""Checks of skill names: against the specification, and for duplicates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from reviewdeck.homes.skill_folder.contents import LOOSE, SkillContents
from reviewdeck.model import SKILL_FILE

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_NAMED: Final = re.compile(
    r"^name:[ \t]*[\"']?([^\"'\s][^\"'\n]{0,79}?)[\"']?[ \t\r]*$", re.MULTILINE
)
"""The name in a SKILL.md's front matter, by a pattern: a YAML parser is too slow."""


def name_problem(tree: SkillContents) -> str | None:
    """Why the skill's name violates the specification; None when it does not."""
    if tree.directory == LOOSE:
        return None
    name = tree.name
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return "not a name by the specification: a-z, 0-9 and single hyphens, at most 64"
    front = (tree.text_of(SKILL_FILE) or "").partition("\n---")[0]
    match = _NAMED.search(front)
    if match and match[1] != name:
        return f"its SKILL.md calls it {match[1]}"
    return None


def find_shadows(places: Iterable[tuple[str, SkillContents]]) -> dict[str, tuple[str, ...]]:
    """The other places with a skill of the same name, for each place that has any."""
    by_name: dict[str, list[str]] = {}
    for place, tree in places:
        if tree.directory != LOOSE:
            name = unicodedata.normalize("NFC", tree.name).casefold()
            by_name.setdefault(name, []).append(place)
    return {
        place: tuple(twin for twin in twins if twin != place)
        for twins in by_name.values()
        for place in twins
        if len(twins) > 1
    }
