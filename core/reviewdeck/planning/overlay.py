"""A home as it would be after some changes: how one plan sees another before either is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reviewdeck.model import Allowance, Change, Document, Loading, Skill
from reviewdeck.ports import Snapshot

SKILL_FILE = "SKILL.md"


class Overlay:
    """A snapshot with changes laid over it. Never writes; adding changes gives a new overlay."""

    def __init__(self, snapshot: Snapshot, changes: Iterable[Change] = ()) -> None:
        self._below = snapshot
        self._changes = {change.path: change for change in changes}

    def after(self, changes: Iterable[Change]) -> Overlay:
        """The home with these changes as well."""
        return Overlay(self._below, [*self._changes.values(), *changes])

    @property
    def home(self) -> str:
        """The home's id."""
        return self._below.home

    def document(self, path: str) -> Document:
        """The document as the changes leave it."""
        below = self._below.document(path)
        change = self._changes.get(path)
        if change is None:
            return below
        return Document(path, change.after, change.mode or below.mode, link=below.link)

    def skill(self, name: str) -> Skill | None:
        """The skill as the changes leave it."""
        below = self._below.skill(name)
        if below is None:
            return self._created(name)
        files = set(below.files)
        for file, change in self._within(below.directory):
            (files.discard if change.after is None else files.add)(file)
        if SKILL_FILE not in files:
            return self._created(name)
        return replace(below, files=tuple(sorted(files)))

    def new_skill_directory(self, name: str, category: str | None) -> str:
        """Where a new skill of this name goes."""
        return self._below.new_skill_directory(name, category)

    def archive_directory(self, name: str) -> str:
        """Where a skill that is archived goes."""
        return self._below.archive_directory(name)

    def has_entries(self, path: str) -> bool:
        """Whether this document is a list of entries."""
        return self._below.has_entries(path)

    def budget(self, path: str) -> int | None:
        """How many characters a document may have."""
        return self._below.budget(path)

    def allowance(self, path: str, text: str) -> tuple[Allowance, ...]:
        """How much of this text the agent would take."""
        return self._below.allowance(path, text)

    def loading(self, path: str) -> Loading:
        """When this document reaches the agent."""
        return self._below.loading(path)

    def closed(self, path: str) -> str | None:
        """Why the agent itself takes no more writes to this document."""
        return self._below.closed(path)

    @property
    def pins_entries(self) -> bool:
        """Whether the agent's records name the whole entry that they are about."""
        return self._below.pins_entries

    @property
    def free_names(self) -> bool:
        """Whether the agent takes a skill's files whatever they are called."""
        return self._below.free_names

    def _within(self, directory: str) -> list[tuple[str, Change]]:
        prefix = f"{directory}/"
        return [
            (path.removeprefix(prefix), change)
            for path, change in self._changes.items()
            if path.startswith(prefix)
        ]

    def _created(self, name: str) -> Skill | None:
        for path, change in self._changes.items():
            directory, _, file = path.rpartition("/")
            if file == SKILL_FILE and directory.rpartition("/")[2] == name and change.after:
                if "/.archive/" in path:
                    continue
                files = tuple(sorted(f for f, c in self._within(directory) if c.after is not None))
                return Skill(name=name, directory=directory, files=files)
        return None
