"""Which skill a path within a home belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reviewdeck.homes.hermes.skills import SKILL_FILE, SKILLS, SUPPORT_DIRECTORIES

ARCHIVE = f"{SKILLS}/.archive/"


def skill_directories(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths by the directory of their skill, relative to the home.

    What is on the way to the archive belongs to the skill that it was.
    """
    below = [path for path in sorted(set(paths)) if path.startswith(f"{SKILLS}/")]
    mains = {path.rpartition("/")[0] for path in below if path.endswith(f"/{SKILL_FILE}")}
    found: dict[str, list[str]] = {}
    for path in below:
        if not path.startswith(ARCHIVE):
            found.setdefault(_directory(root, path, mains), []).append(path)
    return found


def _directory(root: Path, path: str, mains: set[str]) -> str:
    parts = path.split("/")[:-1]
    for depth in range(2, len(parts) + 1):
        directory = "/".join(parts[:depth])
        if directory in mains or (root / directory / SKILL_FILE).is_file():
            return directory
    inner = (at for at, part in enumerate(parts) if at > 1 and part in SUPPORT_DIRECTORIES)
    return "/".join(parts[: next(inner, len(parts))])
