"""Paths within a Hermes home, and the stamp of its files.

Loads nothing of the engine: a status line needs no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewdeck.homes.hermes.layout import SKILLS
from reviewdeck.homes.hermes.traits import is_later_home
from reviewdeck.homes.link_targets import LinkTarget, link_targets
from reviewdeck.homes.skill_tree import (
    EXCLUDED_DIRECTORIES,
    SKILL_FILE,
    SkillTree,
    is_kept,
    list_files,
)
from reviewdeck.homes.stamps import stamp_files

STORES = {"memory": "memories/MEMORY.md", "user": "memories/USER.md"}
"""The agent's name for a store to the document that holds it."""

PENDING = {"pending/memory": 256 * 1024, "pending/skills": 3 * 512 * 1024}
"""The folders of records, each with the byte limit of one: 256 KiB and 1.5 MiB."""

USAGE = "skills/.usage.json"
BUNDLED_MANIFEST = "skills/.bundled_manifest"
HUB_LOCK = "skills/.hub/lock.json"


def skills_behind_links(home: Path, tree: SkillTree) -> tuple[LinkTarget, ...]:
    """What links among the skills lead to inside the home, and outside of its skills.

    Hermes lists and loads it. Its own tools write to it through a SKILL.md that is a link, and not
    to a folder behind one.
    """
    places = ((f"{SKILLS}/{place.directory}", place.linked) for place in tree.places)
    heads = ((path if linked else f"{path}/{SKILL_FILE}", linked) for path, linked in places)
    links = (path for path, linked in heads if linked or (home / path).is_symlink())
    return tuple(
        target
        for target in link_targets(home, links)
        if not target.path.startswith((f"{SKILLS}/", "memories/", "pending/"))
    )


def skill_documents(home: Path, tree: SkillTree) -> Iterator[str]:
    """The paths of all documents of the home's own skills, behind links in it too."""
    for target in skills_behind_links(home, tree):
        if not target.is_folder:
            yield target.path
            continue
        files, _ = list_files(home / target.path)
        yield from (f"{target.path}/{file}" for file in files if is_kept(file))
    for place in tree.places:
        if not place.linked:
            files, _ = list_files(home / SKILLS / place.directory)
            for file in files:
                path = f"{SKILLS}/{place.directory}/{file}"
                # Version control and caches within a skill are no documents.
                if EXCLUDED_DIRECTORIES.isdisjoint(path.split("/")):
                    yield path


def stamp_of(home: Path, paths: Iterable[str]) -> str:
    """A stamp that changes when an input of staging may have changed. Never raises."""
    settings = ("config.yaml", USAGE, BUNDLED_MANIFEST, HUB_LOCK)
    watched = [*PENDING, *settings, *_skill_directories(home), *sorted(set(paths))]
    return stamp_files(home, watched, "later" if is_later_home(home) else "")


def _skill_directories(home: Path) -> list[str]:
    try:
        with os.scandir(home / SKILLS) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        names = []
    return [SKILLS, *(f"{SKILLS}/{name}" for name in names)]
