"""The skills below a folder: the directory of each, and the files in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Set
from dataclasses import field
from functools import cached_property
from pathlib import Path

from reviewdeck.reading.agents import HERMES
from reviewdeck.reading.discovery import is_skill_name
from reviewdeck.values import dataclass

SKILL_FILE = "SKILL.md"  # Not the model's: completing a word loads this and no model.

EXCLUDED_DIRECTORIES = HERMES.search.excluded
"""Directories that Hermes never searches for skills. Other agents do."""

SUPPORT_DIRECTORIES = HERMES.search.support
"""Directories of a skill's own files: to Hermes, a SKILL.md in one of them is no other skill."""

BOOKKEEPING_DIRECTORIES = frozenset({".git", ".reviewdeck"})
"""Directories of git's and ours, whose files are never documents."""

_INSTALLED = EXCLUDED_DIRECTORIES - {".archive", ".hub", ".github"}
"""Directories that programs fill: no agent writes instructions into them."""

_MOST_BEHIND_LINKS = 2000
"""The most folders behind links that are searched: one may lead to a whole disk."""

FILES_CAP = 5000
"""A skill with more files than this is not written to."""


@dataclass(frozen=True, slots=True)
class SkillDirectory:
    """One directory with a SKILL.md, relative to its root."""

    directory: str
    linked: bool
    """Whether it is a symbolic link, or lies below one."""

    @property
    def name(self) -> str:
        """The name that edits use for it."""
        return self.directory.rpartition("/")[2]


@dataclass(frozen=True)
class SkillTree:
    """All skills below one root, in the order of their paths."""

    root: Path
    places: tuple[SkillDirectory, ...] = ()
    unlisted: tuple[str, ...] = ()
    """Why some directories could not be searched: they may contain skills."""
    links: tuple[str, ...] = ()
    """Links that may lead to skills, relative to the root, where links are not followed."""

    def find(self, name: str) -> SkillDirectory | None:
        """The skill of this name; a real directory before a linked one."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, SkillDirectory]:
        by_name: dict[str, SkillDirectory] = {}
        for place in sorted(self.places, key=lambda place: place.linked):
            by_name.setdefault(place.name, place)
        return by_name


@dataclass(slots=True)
class _SkillWalk:
    """A walk that may follow links, so that skills behind them can be named and refused."""

    root: Path
    follows: bool
    excluded: Set[str] = EXCLUDED_DIRECTORIES
    support: Set[str] = SUPPORT_DIRECTORIES
    any_case: bool = False
    places: list[SkillDirectory] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    visited: set[tuple[int, int]] = field(default_factory=set)

    def walk(
        self, directory: str, *, linked: bool, inside: bool
    ) -> Iterator[tuple[str, bool, bool]]:
        """Lists one directory; yields the directories to visit next."""
        path = self.root / directory
        try:
            with os.scandir(path) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._miss(f"{directory or '.'} cannot be listed: {error.strerror}", inside)
            return
        is_skill = any(self._is_head(entry.name) for entry in children)
        if is_skill and directory:
            self.places.append(SkillDirectory(directory, linked))
        for entry in children:
            if entry.name in self.excluded:
                continue
            if not self.follows and entry.is_symlink():
                self._note_link(directory, entry.name, inside or is_skill)
                continue
            if (is_skill and entry.name in self.support) or not self._is_new(entry):
                continue
            if not _is_utf8(entry.name):
                self._miss(
                    f"a directory in {directory or '.'} has a name that is not UTF-8", inside
                )
                continue
            below = f"{directory}/{entry.name}" if directory else entry.name
            yield below, linked or entry.is_symlink(), inside or is_skill

    def _note_link(self, directory: str, name: str, inside: bool) -> None:
        """Keeps a link that may lead to a skill: within one, only to another SKILL.md."""
        if (
            len(self.links) < _MOST_BEHIND_LINKS
            and _is_utf8(name)
            and (not inside or is_skill_name(name))
        ):
            self.links.append(f"{directory}/{name}" if directory else name)

    def _is_head(self, name: str) -> bool:
        return name == SKILL_FILE or (self.any_case and is_skill_name(name))

    def _miss(self, reason: str, inside: bool) -> None:
        """Records a directory that was not searched; within a skill, `list_files` reports it."""
        if not inside:
            self.unlisted.append(reason)

    def _is_new(self, entry: os.DirEntry[str]) -> bool:
        """Whether this is a directory that was not visited yet: links can form cycles."""
        try:
            if not entry.is_dir(follow_symlinks=self.follows):
                return False
            status = entry.stat()
        except OSError:
            return False
        key = (status.st_dev, status.st_ino)
        if key in self.visited and entry.is_symlink():
            return False
        self.visited.add(key)
        return True


def search_skills(root: Path) -> SkillTree:
    """Every skill below a root, as Hermes searches. Never raises.

    Directories that cannot be searched are `unlisted`.
    """
    return _search(_SkillWalk(root, follows=True))


def search_all_skills(root: Path) -> SkillTree:
    """Every directory below a root that some agent takes for a skill. Never raises.

    Nothing behind a link is opened.
    """
    excluded = BOOKKEEPING_DIRECTORIES
    return _search(_SkillWalk(root, False, excluded, frozenset(), any_case=True))


def _search(search: _SkillWalk) -> SkillTree:
    root = search.root
    pending = [("", _is_link(root), False)]
    behind_links = 0
    while pending:
        directory, linked, inside = pending.pop()
        behind_links += linked
        if linked and behind_links > _MOST_BEHIND_LINKS:
            continue
        if directory.count("/") < 32:
            pending.extend(search.walk(directory, linked=linked, inside=inside))
    if behind_links > _MOST_BEHIND_LINKS:
        search.unlisted.append("too many folders lie behind links")
    places = sorted(search.places, key=lambda place: place.directory)
    return SkillTree(root, tuple(places), tuple(search.unlisted), tuple(search.links))


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:
        return False  # then it cannot be searched either, which `unlisted` reports


def is_kept(file: str) -> bool:
    """Whether a file of a skill is a document: what programs installed is not, but a SKILL.md."""
    parts = file.split("/")
    if not BOOKKEEPING_DIRECTORIES.isdisjoint(parts):
        return False
    return _INSTALLED.isdisjoint(parts) or is_skill_name(file)


def list_files(directory: Path) -> tuple[tuple[str, ...], str | None]:
    """The regular files below a skill's directory, sorted; and the problem that forbids writes."""
    files: list[str] = []
    problems: list[str] = []
    pending = [""]
    while pending and len(files) <= FILES_CAP:
        prefix = pending.pop()
        try:
            with os.scandir(directory / prefix) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(f"{prefix or '.'} cannot be listed: {error.strerror}")
            continue
        for entry in children:
            _sort_entry(entry, prefix + entry.name, files, pending, problems)
    if len(files) > FILES_CAP:
        problems.append(f"it has more than {FILES_CAP} files")
    return tuple(sorted(files)), min(problems, default=None)


def _sort_entry(
    entry: os.DirEntry[str], path: str, files: list[str], pending: list[str], problems: list[str]
) -> None:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}")
        return
    if not _is_utf8(entry.name):
        problems.append("a file's name is not UTF-8")
    elif stat.S_ISDIR(mode):
        pending.append(f"{path}/")
    elif stat.S_ISREG(mode):
        files.append(path)
    elif stat.S_ISLNK(mode):
        problems.append(f"{path} is a symbolic link")
    else:
        problems.append(f"{path} is not a regular file")


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
