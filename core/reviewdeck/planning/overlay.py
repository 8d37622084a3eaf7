"""A home as it would be after some changes, to stage one plan on top of another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reviewdeck.model import SKILL_FILE, Change, Document, Limit, Loading, Skill
from reviewdeck.ports import Snapshot


class Overlay:
    """A snapshot with pending changes applied. Never writes; more changes give a new overlay."""

    def __init__(self, snapshot: Snapshot, changes: Iterable[Change] = ()) -> None:
        self._snapshot = snapshot
        self._changes = {change.path: change for change in changes}

    def after(self, changes: Iterable[Change]) -> Overlay:
        """A new overlay with these changes added."""
        return Overlay(self._snapshot, [*self._changes.values(), *changes])

    @property
    def home(self) -> str:
        return self._snapshot.home

    def document(self, path: str) -> Document:
        below = self._snapshot.document(path)
        change = self._changes.get(path)
        if change is None:
            return below
        return Document(path, change.after, change.mode or below.mode, link=below.link)

    def documents(self) -> tuple[str, ...]:
        """The paths of all documents that exist after the changes."""
        return self.paths_from(self._snapshot.documents())

    def paths_from(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The same, from the paths of all documents that existed before."""
        made = {path for path, change in self._changes.items() if change.after is not None}
        return tuple(sorted(made.union(path for path in paths if path not in self._changes)))

    def skill(self, name: str) -> Skill | None:
        below = self._snapshot.skill(name)
        if below is None:
            return self._find_created(name)
        files = set(below.files)
        for file, change in self._within(below.directory):
            (files.discard if change.after is None else files.add)(file)
        if SKILL_FILE not in files:
            return self._find_created(name)
        return replace(below, files=tuple(sorted(files)))

    def new_skill_directory(self, name: str, category: str | None) -> str:
        return self._snapshot.new_skill_directory(name, category)

    def archive_directory(self, name: str) -> str:
        return self._snapshot.archive_directory(name)

    def has_entries(self, path: str) -> bool:
        return self._snapshot.has_entries(path)

    def budget(self, path: str) -> int | None:
        """Characters that a document may have; None for no limit."""
        return self._snapshot.budget(path)

    def limits(self, path: str) -> tuple[Limit, ...]:
        return self._snapshot.limits(path)

    def loading(self, path: str) -> Loading:
        return self._snapshot.loading(path)

    def closed(self, path: str) -> str | None:
        return self._snapshot.closed(path)

    @property
    def pins_entries(self) -> bool:
        """Whether the agent's records pin the whole entry that they change."""
        return self._snapshot.pins_entries

    @property
    def free_names(self) -> bool:
        """Whether the agent accepts any file names within a skill."""
        return self._snapshot.free_names

    def _within(self, directory: str) -> list[tuple[str, Change]]:
        prefix = f"{directory}/"
        return [
            (path.removeprefix(prefix), change)
            for path, change in self._changes.items()
            if path.startswith(prefix)
        ]

    def _find_created(self, name: str) -> Skill | None:
        for path, change in self._changes.items():
            directory, _, file = path.rpartition("/")
            if file == SKILL_FILE and directory.rpartition("/")[2] == name and change.after:
                if "/.archive/" in path:
                    continue
                files = tuple(sorted(f for f, c in self._within(directory) if c.after is not None))
                return Skill(name=name, directory=directory, files=files)
        return None
