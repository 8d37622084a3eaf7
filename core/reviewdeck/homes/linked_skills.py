"""The skills of a home that an agent reaches through a link, or in a folder of git's or ours.

They are read to be judged, and never written.

Everything is bounded, since a link may lead anywhere: nowhere, in a loop, or to a whole disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from reviewdeck.files.reads import open_directory, read_place
from reviewdeck.files.syscalls import NameIn
from reviewdeck.homes.skill_tree import BOOKKEEPING_DIRECTORIES
from reviewdeck.ports import LinkedSkill
from reviewdeck.reading.discovery import SKILL, is_skill_name

_MOST: Final = 5_000
"""The most names that are looked at: in a folder of skills, and behind each link in it."""
_DEEPEST: Final = 8
_FILES, _BYTES = 200, 1024 * 1024
"""The most files of one skill that are read, and the most bytes of each."""
_LINKS: Final = 500
"""The most links that are followed."""


def linked_skills(home: Path, skill_roots: Sequence[str]) -> tuple[LinkedSkill, ...]:
    """Every skill whose file or folder is a link, lies behind one, or lies among bookkeeping.

    Never raises.
    """
    found: list[LinkedSkill] = []
    for name in skill_roots:
        found += _among_bookkeeping(home, name)
        if name and (home / name).is_symlink():
            root = _Entry("", str(home / name), is_link=True, is_within_skill=False)
            found += _behind(name, root)
            continue
        links = [entry for entry in _walk(home / name) if entry is None or entry.is_link]
        for link in links[:_LINKS]:
            if link is not None:
                found += _behind(f"{name}/{link.path}" if name else link.path, link)
        if len(links) > _LINKS or None in links:
            problem = "it holds too many links or files to look at all of them"
            found.append(LinkedSkill(name or ".", "", problem=problem))
    return tuple(found)


def _among_bookkeeping(home: Path, name: str) -> Iterator[LinkedSkill]:
    """Skills directly in a folder of git's or ours, which some agents load."""
    for folder in sorted(BOOKKEEPING_DIRECTORIES):
        inside = f"{name}/{folder}" if name else folder
        place = home / inside / SKILL
        if place.is_file() and not place.is_symlink():
            files, problem = _read(place.parent, {f"{inside}/{SKILL}": SKILL})
            yield LinkedSkill(f"{inside}/{SKILL}", str(place), files, problem)


class _Entry:
    """One name below a folder."""

    __slots__ = ("is_link", "is_within_skill", "path", "place")

    def __init__(self, path: str, place: str, *, is_link: bool, is_within_skill: bool) -> None:
        self.path, self.place = path, place
        self.is_link, self.is_within_skill = is_link, is_within_skill


def _walk(root: Path) -> Iterator[_Entry | None]:
    """The files and links below a folder, nearest first; None where there are too many."""
    pending, seen = [("", False)], 0
    for prefix, is_within in pending:
        if seen >= _MOST:
            yield None
            return
        try:
            with os.scandir(root / prefix) as entries:
                children = [entry for entry, _ in zip(entries, range(_MOST), strict=False)]
        except OSError:
            continue
        seen += len(children)
        is_skill = is_within or any(is_skill_name(child.name) for child in children)
        for child in sorted(children, key=lambda entry: entry.name):
            path = prefix + child.name
            if child.is_symlink() or not child.is_dir(follow_symlinks=False):
                yield _Entry(path, child.path, is_link=child.is_symlink(), is_within_skill=is_skill)
            elif child.name not in BOOKKEEPING_DIRECTORIES and path.count("/") < _DEEPEST:
                pending.append((f"{path}/", is_skill))


def _behind(path: str, link: _Entry) -> Iterator[LinkedSkill]:
    """The skills that one link leads to, or why that is not known."""
    is_head = is_skill_name(link.path)
    try:
        target = Path(link.place).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        if is_head or not link.is_within_skill:
            yield LinkedSkill(path, _as_written(link.place), problem=_why(error))
        return
    if not target.is_dir():
        if is_head:
            files, problem = _read(target.parent, {path: target.name})
            yield LinkedSkill(path, str(target), files, problem, is_file=True)
        return
    entries = [*_walk(target)]
    names = [entry.path for entry in entries if entry is not None and not entry.is_link]
    heads = [name.rpartition("/")[0] for name in names if is_skill_name(name)]
    for head in heads:
        below = f"{head}/" if head else ""
        own = sorted(
            (name for name in names if name.startswith(below)),
            key=lambda name: (not is_skill_name(name.removeprefix(below)), name),
        )
        files, problem = _read(target, {f"{path}/{name}": name for name in own})
        place = str(target / own[0])
        yield LinkedSkill(f"{path}/{own[0]}", place, files, problem)
    if None in entries:
        yield LinkedSkill(path, str(target), problem="too many files lie behind it")


def _read(folder: Path, names: dict[str, str]) -> tuple[tuple[tuple[str, bytes], ...], str]:
    """The texts of a skill by their path in the home, and why not all of them were read."""
    files: list[tuple[str, bytes]] = []
    problem = f"it has more than {_FILES} files" if len(names) > _FILES else ""
    for path, name in list(names.items())[:_FILES]:
        parent, _, last = name.rpartition("/")
        try:
            with open_directory(folder / parent) as directory:
                read = read_place(NameIn(directory, last), _BYTES)
        except OSError as error:
            problem = problem or f"{name} cannot be read: {error.strerror}"
            continue
        why = read.problem or (_why_no_text(read.data) if read.data is not None else "is gone")
        if read.data is not None and not why:
            files.append((path, read.data))
        elif is_skill_name(name):
            problem = problem or f"{name} {why}"
    is_whole = any(is_skill_name(path) for path, _ in files)
    return tuple(files) if is_whole else (), problem


def _why_no_text(data: bytes) -> str:
    try:
        return "holds a NUL character" if "\0" in data.decode() else ""
    except UnicodeDecodeError:
        return "is not UTF-8"


def _as_written(place: str) -> str:
    try:
        return os.readlink(place)  # noqa: PTH115 - the text of the link, as written
    except OSError:
        return ""


def _why(error: Exception) -> str:
    if isinstance(error, RuntimeError) or getattr(error, "errno", 0) == errno.ELOOP:
        return "it leads in a loop"
    if isinstance(error, FileNotFoundError):
        return "it leads nowhere"
    return f"it cannot be followed: {getattr(error, 'strerror', None) or 'its name is invalid'}"
