"""A Hermes home at one moment: each file is read lazily, and once.

An unreadable document is a value with its problem. The protection of a skill (bundled, installed
from the hub, pinned, user-owned) is read from Hermes' own records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import AgentSnapshot
from reviewdeck.homes.hermes.config import Config, config_of, create_root, external_roots
from reviewdeck.homes.hermes.layout import SKILLS
from reviewdeck.homes.hermes.stamps import BUNDLED_MANIFEST, HUB_LOCK, USAGE, skill_documents
from reviewdeck.homes.hermes.stamps import STORES as STORES
from reviewdeck.homes.hermes.traits import ORG_MIRROR, is_later_home
from reviewdeck.homes.skill_tree import SkillDirectory, SkillTree, list_files, search_skills
from reviewdeck.model import SKILL_FILE, Document, Limit, Loading, Measure, Protection, Skill
from reviewdeck.text.json import json_object
from reviewdeck.values import dataclass


def is_memory(path: str) -> bool:
    """Whether this path is one of the memory documents."""
    return path in STORES.values()


def read_memory(home: Path, path: str, *, kernel: Kernel) -> Document:
    """A memory document. A link is followed once on purpose: people link to their dotfiles.

    Its `link` is the real path then. A dangling link is a problem, not an absent document.
    """
    document = read_quietly(home, path, kernel=kernel, follow=True)
    if not document.exists and (home / path).is_symlink():
        return replace(document, problem=f"is a link to {document.link}, which is not there")
    return document


BUILTIN_SKILLS = frozenset({"plan"})
"""Skills that Hermes 0.19 never deletes; later versions have none."""

ESSENTIAL_SKILLS = frozenset({"hermes-agent"})
"""Skills that the prompt of later versions refers to: Hermes never deletes them."""


@dataclass(frozen=True, slots=True)
class ProtectionRecords:
    """The home's records of protected skills, by skill name."""

    bundled: frozenset[str] = frozenset()
    hub: frozenset[str] = frozenset()
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    later: bool = False
    """Whether a version after 0.19 works in this home: its rules are stricter."""

    def of(self, names: Iterable[str]) -> frozenset[Protection]:
        """The protections of one skill, under all of its names.

        Hermes' tools use the directory's name and its curator the one in the front matter: a
        protection under either counts.
        """
        aliases = set(names)
        protections = {Protection.BUNDLED} if aliases & self.bundled else set()
        if aliases & self.hub:
            protections.add(Protection.HUB)
        if aliases & BUILTIN_SKILLS and not self.later:
            protections.add(Protection.BUILTIN)
        records = [self.usage[name] for name in aliases if name in self.usage]
        if any(record.get("pinned") is True for record in records):
            protections.add(Protection.PINNED)
        if not all(_is_agents_own(record) for record in records) or (self.later and not records):
            protections.add(Protection.USER_OWNED)
        if self.later and aliases & ESSENTIAL_SKILLS:
            protections.add(Protection.ESSENTIAL)
        return frozenset(protections)


def read_protections(home: Path, *, kernel: Kernel) -> ProtectionRecords:
    """Reads the three records; an unusable one protects nothing and adds a note."""
    notes: list[str] = []
    usage = _read_object(read_quietly(home, USAGE, kernel=kernel), notes)
    lock = _read_object(read_quietly(home, HUB_LOCK, kernel=kernel), notes)
    return ProtectionRecords(
        _bundled_names(read_quietly(home, BUNDLED_MANIFEST, kernel=kernel), notes),
        _hub_names(home, lock.get("installed"), kernel),
        {name: record for name, record in usage.items() if isinstance(record, dict)},
        tuple(notes),
        is_later_home(home),
    )


def front_matter_name(text: str) -> str | None:
    """The name in the front matter of a SKILL.md, parsed as Hermes' bookkeeping does."""
    inside = False
    for line in text[:4000].split("\n"):
        stripped = line.strip()
        if stripped == "---":
            if inside:
                return None
            inside = True
        elif inside and stripped.startswith("name:"):
            name = stripped.removeprefix("name:").strip().strip("\"'")
            if name:
                return name
    return None


def _read_object(document: Document, notes: list[str]) -> dict[str, Any]:
    if not document.exists:
        return {}
    value = None if document.problem else json_object(document.text.removeprefix("\ufeff"))
    if value is not None:
        return value
    problem = document.problem or "is not a JSON object"
    notes.append(f"{document.path} {problem}: what it protects is not known.")
    return {}


def _bundled_names(document: Document, notes: list[str]) -> frozenset[str]:
    if document.problem is not None:
        notes.append(f"{document.path} {document.problem}: what it protects is not known.")
        return frozenset()
    # Version 1 has bare names, version 2 has `name:hash`.
    names = (line.split(":", 1)[0].strip() for line in document.text.splitlines())
    return frozenset(name for name in names if name)


def _hub_names(home: Path, installed: object, kernel: Kernel) -> frozenset[str]:
    if not isinstance(installed, dict):
        return frozenset()
    paths = [entry.get("install_path") for entry in installed.values() if isinstance(entry, dict)]
    installed_names = {
        _installed_name(home, path, kernel) for path in paths if isinstance(path, str)
    }
    return frozenset(installed) | (installed_names - {""})


def _installed_name(home: Path, install_path: str, kernel: Kernel) -> str:
    """The front matter name of the skill at an install path; empty without one in the home."""
    skills = home / "skills"
    path = PurePosixPath(install_path)
    if path.is_absolute():
        if not path.is_relative_to(skills):
            return ""
        path = path.relative_to(skills)
    document = read_quietly(skills, str(path / "SKILL.md"), kernel=kernel)
    if document.data is None:
        return ""
    return front_matter_name(document.data.decode("utf-8", "replace")) or path.name


def _is_agents_own(record: Mapping[str, Any]) -> bool:
    return record.get("created_by") == "agent" or record.get("agent_created") is True


class HermesSnapshot(AgentSnapshot):
    """The state of a home that planning reads. Errors on disk become problems of documents."""

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
        super().__init__(path, known_as or str(path), kernel)
        self._env = env
        self._user_home = user_home
        self._now = now
        self._skills: dict[str, Skill | None] = {}

    def documents(self) -> tuple[str, ...]:
        paths = {path for path in STORES.values() if self.document(path).exists}
        return tuple(sorted(paths.union(skill_documents(self._root, self.local_skills))))

    @cached_property
    def config(self) -> Config:
        return config_of(self.document("config.yaml"))

    @cached_property
    def protections(self) -> ProtectionRecords:
        """The home's records of protected skills."""
        return read_protections(self._root, kernel=self._kernel)

    @cached_property
    def local_skills(self) -> SkillTree:
        return search_skills(self._root / SKILLS)

    @cached_property
    def external_skills(self) -> tuple[SkillTree, ...]:
        """The external skill folders, in the order of the configuration."""
        roots = external_roots(self.config, self._root, self._env, self._user_home)
        return tuple(search_skills(root) for root in roots)

    @property
    def own_skills(self) -> frozenset[str] | None:
        """Skills that are not from the hub or an organisation; None when that is unknown."""
        if self.protections.notes or self.local_skills.unlisted:
            return None
        mirror = f"{ORG_MIRROR}/"
        names = {
            place.name
            for place in self.local_skills.places
            if not place.linked and not place.directory.startswith(mirror)
        }
        return frozenset(names) - self.protections.hub

    def skill(self, name: str) -> Skill | None:
        if name not in self._skills:
            self._skills[name] = self._find(name)
        return self._skills[name]

    def new_skill_directory(self, name: str, category: str | None) -> str:
        """The directory for a new skill; an absolute path when it lies outside of the home."""
        return f"{self._new_skills}/{category}/{name}" if category else f"{self._new_skills}/{name}"

    @cached_property
    def _new_skills(self) -> str:
        root = create_root(self.config, self._root, self._env, self._user_home)
        local = (self._root / SKILLS).resolve()
        if root is None or root == local:
            return SKILLS
        return f"{SKILLS}/{root.relative_to(local)}" if root.is_relative_to(local) else str(root)

    def archive_directory(self, name: str) -> str:
        plain = f"{SKILLS}/.archive/{name}"
        directory, moment = plain, self._now
        while self._is_taken(directory):
            directory = f"{plain}-{moment:%Y%m%d%H%M%S}"
            moment += timedelta(seconds=1)
        return directory

    def has_entries(self, path: str) -> bool:
        """Whether this is one of the two memories."""
        return path in STORES.values()

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The characters of a memory's entries; skills have no limit."""
        budget = self.budget(path)
        return () if budget is None else (Limit(Measure.ENTRIES, budget),)

    def loading(self, path: str) -> Loading:
        """A memory is in every prompt; a skill's files may be run."""
        return Loading.ALWAYS if self.has_entries(path) else Loading.EXECUTES

    def budget(self, path: str) -> int | None:
        """The most characters of a document; None for no limit."""
        if path == STORES["memory"]:
            return self.config.memory_limit
        return self.config.user_limit if path == STORES["user"] else None

    def closed(self, path: str) -> str | None:
        if path == STORES["memory"] and not self.config.memory_enabled:
            return "it is switched off in config.yaml (memory.memory_enabled)"
        if path == STORES["user"] and not self.config.user_enabled:
            return "it is switched off in config.yaml (memory.user_profile_enabled)"
        return None

    @property
    def pins_entries(self) -> bool:
        """Whether the files show a version of Hermes that matches entries exactly."""
        return self.protections.later

    @property
    def free_names(self) -> bool:
        """False: Hermes writes only to four folders of a skill."""
        return False

    def _read(self, path: str) -> Document:
        if is_memory(path):
            return read_memory(self._root, path, kernel=self._kernel)
        if not path.startswith("/"):
            return read_quietly(self._root, path, kernel=self._kernel)
        for tree in self.external_skills:
            if path.startswith(f"{tree.root}/"):
                relative = path.removeprefix(f"{tree.root}/")
                document = read_quietly(tree.root, relative, kernel=self._kernel)
                return replace(document, path=path)
        return Document(path, None, problem="is not a path within the home")

    def _find(self, name: str) -> Skill | None:
        if (place := self.local_skills.find(name)) is not None:
            return self._describe(self.local_skills, place, external=False)
        if self.protections.later and (found := self._find_spelled(name)) is not None:
            return found
        if self.local_skills.unlisted and "/" not in name:
            # It may exist: a read error is never "absent".
            return Skill(name, f"{SKILLS}/{name}", problem=self.local_skills.unlisted[0])
        for tree in self.external_skills:
            if (place := tree.find(name)) is not None:
                return self._describe(tree, place, external=True)
        return None

    def _find_spelled(self, name: str) -> Skill | None:
        """The skill that a later Hermes finds under another spelling than its folder's name.

        That is its path below the skills, else the name in its front matter if only one has it.
        """
        trees = [(self.local_skills, False), *((tree, True) for tree in self.external_skills)]
        skills = [(tree, place, external) for tree, external in trees for place in tree.places]
        matches = [found for found in skills if found[1].directory == name][:1] or [
            found for found in skills if self._title(*found[:2]) == name
        ]
        if len(matches) != 1:
            return None
        ((tree, place, external),) = matches
        return self._describe(tree, place, external=external)

    def _title(self, tree: SkillTree, place: SkillDirectory) -> str | None:
        data = self.document(f"{self._directory(tree, place)}/{SKILL_FILE}").data
        return None if data is None else front_matter_name(data.decode("utf-8", "replace"))

    def _directory(self, tree: SkillTree, place: SkillDirectory) -> str:
        root = SKILLS if tree is self.local_skills else tree.root
        return f"{root}/{place.directory}"

    def _describe(self, tree: SkillTree, place: SkillDirectory, *, external: bool) -> Skill:
        files, problem = list_files(tree.root / place.directory)
        if place.linked:
            problem = "its directory is reached through a symbolic link"
        directory = self._directory(tree, place)
        names = {place.name, self._title(tree, place) or place.name}
        protections = self.protections.of(names)
        if not external and place.directory.split("/")[0] == ORG_MIRROR:
            protections |= {Protection.SHARED}
        return Skill(place.name, directory, files, protections, external, problem)

    def _is_taken(self, directory: str) -> bool:
        try:
            (self._root / directory).lstat()
        except (OSError, ValueError):
            return False  # free, or an impossible name, which writing reports
        return True
