"""A Hermes home at one moment: each thing is read when it is first asked for, and once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from reviewdeck.homes.hermes.config import Config, config_of, create_root, external_roots
from reviewdeck.homes.hermes.memory import STORES, is_memory, read_memory
from reviewdeck.homes.hermes.protection import (
    ProtectionRecords,
    front_matter_name,
    read_protections,
)
from reviewdeck.homes.hermes.reading import read_quietly
from reviewdeck.homes.hermes.skills import (
    SKILL_FILE,
    SKILLS,
    Place,
    SkillTree,
    list_files,
    search_skills,
)
from reviewdeck.homes.hermes.traces import ORG_MIRROR
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import Document, Protection, Skill


class HermesSnapshot:
    """What planning works against. Nothing in it raises for what is on the disk."""

    def __init__(
        self,
        path: Path,
        *,
        env: Mapping[str, str],
        user_home: Path,
        now: datetime,
        kernel: Kernel,
        known_as: str | None = None,
    ) -> None:
        self._path = path
        self._id = known_as or str(path)
        self._env = env
        self._user_home = user_home
        self._now = now
        self._kernel = kernel
        self._documents: dict[str, Document] = {}
        self._skills: dict[str, Skill | None] = {}

    @property
    def home(self) -> str:
        """The home's id."""
        return self._id

    @cached_property
    def config(self) -> Config:
        """What `config.yaml` says."""
        return config_of(self.document("config.yaml"))

    @cached_property
    def protections(self) -> ProtectionRecords:
        """What the home's own records protect."""
        return read_protections(self._path, kernel=self._kernel)

    @cached_property
    def local_skills(self) -> SkillTree:
        """The home's own skills."""
        return search_skills(self._path / SKILLS)

    @cached_property
    def external_skills(self) -> tuple[SkillTree, ...]:
        """Skills that other people keep up, in the order of the configuration."""
        roots = external_roots(self.config, self._path, self._env, self._user_home)
        return tuple(search_skills(root) for root in roots)

    @property
    def own_skills(self) -> frozenset[str] | None:
        """Skills that only the agent, its maker or an approval put there; None: nobody knows."""
        if self.protections.notes or self.local_skills.unlisted:
            return None
        mirror = f"{ORG_MIRROR}/"
        names = {
            place.name
            for place in self.local_skills.places
            if not place.linked and not place.directory.startswith(mirror)
        }
        return frozenset(names) - self.protections.hub

    def document(self, path: str) -> Document:
        """The document at this path; never raises, an error is the document's `problem`."""
        if path not in self._documents:
            self._documents[path] = self._read(path)
        return self._documents[path]

    def skill(self, name: str) -> Skill | None:
        """The skill whose directory has this name: local ones first, then external ones."""
        if name not in self._skills:
            self._skills[name] = self._find(name)
        return self._skills[name]

    def new_skill_directory(self, name: str, category: str | None) -> str:
        """Where a new skill of this name goes: an absolute path when that is not ours to write."""
        return f"{self._new_skills}/{category}/{name}" if category else f"{self._new_skills}/{name}"

    @cached_property
    def _new_skills(self) -> str:
        root = create_root(self.config, self._path, self._env, self._user_home)
        local = (self._path / SKILLS).resolve()
        if root is None or root == local:
            return SKILLS
        return f"{SKILLS}/{root.relative_to(local)}" if root.is_relative_to(local) else str(root)

    def archive_directory(self, name: str) -> str:
        """Where a skill that is archived goes: a directory that does not exist yet."""
        plain = f"{SKILLS}/.archive/{name}"
        directory, moment = plain, self._now
        while self._is_taken(directory):
            directory = f"{plain}-{moment:%Y%m%d%H%M%S}"
            moment += timedelta(seconds=1)
        return directory

    def budget(self, path: str) -> int | None:
        """How many characters a document may have; None for no limit."""
        if path == STORES["memory"]:
            return self.config.memory_limit
        return self.config.user_limit if path == STORES["user"] else None

    def closed(self, path: str) -> str | None:
        """Why the agent itself takes no more writes to this document."""
        if path == STORES["memory"] and not self.config.memory_enabled:
            return "it is switched off in config.yaml (memory.memory_enabled)"
        if path == STORES["user"] and not self.config.user_enabled:
            return "it is switched off in config.yaml (memory.user_profile_enabled)"
        return None

    @property
    def pins_entries(self) -> bool:
        """Whether a version that pins entries works here, as far as the disk tells."""
        return self.protections.later

    def _read(self, path: str) -> Document:
        if is_memory(path):
            return read_memory(self._path, path, kernel=self._kernel)
        if not path.startswith("/"):
            return read_quietly(self._path, path, kernel=self._kernel)
        for tree in self.external_skills:
            if path.startswith(f"{tree.root}/"):
                relative = path.removeprefix(f"{tree.root}/")
                document = read_quietly(tree.root, relative, kernel=self._kernel)
                return replace(document, path=path)
        return Document(path, None, problem="is not a path within the home")

    def _find(self, name: str) -> Skill | None:
        if (place := self.local_skills.find(name)) is not None:
            return self._describe(self.local_skills, place, external=False)
        if self.local_skills.unlisted:
            # It may well be there: a read error is never "absent".
            return Skill(name, f"{SKILLS}/{name}", problem=self.local_skills.unlisted[0])
        for tree in self.external_skills:
            if (place := tree.find(name)) is not None:
                return self._describe(tree, place, external=True)
        return None

    def _describe(self, tree: SkillTree, place: Place, *, external: bool) -> Skill:
        files, problem = list_files(tree.root / place.directory)
        if place.linked:
            problem = "its directory is reached through a symbolic link"
        directory = f"{tree.root if external else SKILLS}/{place.directory}"
        names = {place.name, self._name_within(f"{directory}/{SKILL_FILE}") or place.name}
        protections = self.protections.of(names)
        if not external and place.directory.split("/")[0] == ORG_MIRROR:
            protections |= {Protection.SHARED}
        return Skill(place.name, directory, files, protections, external, problem)

    def _name_within(self, path: str) -> str | None:
        data = self.document(path).data
        return None if data is None else front_matter_name(data.decode("utf-8", "replace"))

    def _is_taken(self, directory: str) -> bool:
        try:
            (self._path / directory).lstat()
        except (OSError, ValueError):
            return False  # free, or not a name that can be: then writing says so
        return True
