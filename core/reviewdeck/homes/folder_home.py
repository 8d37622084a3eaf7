"""A home that is a plain folder of documents, read only: no program of ours runs in its agent."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from functools import cached_property
from pathlib import Path
from time import time_ns
from types import MappingProxyType
from typing import Final, Generic, Protocol, Self, TypeVar

from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.link_targets import LinkTarget, link_targets
from reviewdeck.homes.linked_skills import linked_skills
from reviewdeck.homes.pending import scan_pending, see_pending
from reviewdeck.homes.refusals import read_refusals
from reviewdeck.homes.skill_sight import skill_sight
from reviewdeck.homes.skill_tree import SkillTree, is_kept, list_files, search_all_skills
from reviewdeck.homes.stamps import stamp_files
from reviewdeck.model import Document, Limit, Loading, Proposal, Quarantined, Skill
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import (
    Conversations,
    LinkedSkill,
    OutsideText,
    PendingFile,
    Refusals,
    SkillSight,
    Snapshot,
)
from reviewdeck.reading.agents import Agent, agents_called, readers_of

_MEMORIES: Final = (
    *("memories/MEMORY.md", "memories/USER.md"),
    *("MEMORY.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
)

_COPIES: Final = re.compile(
    r"(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}-\w+"  # Syncthing
    r"| \([^()]*(?:conflicted copy|in Konflikt stehende Kopie|copie en conflit)[^()]*\)"  # Dropbox
    r"|[ _]\(?conflicted copy[^()]*\)?"  # Nextcloud, ownCloud
    r"|_conflict-\d{8}-\d{6}"  # ownCloud, earlier
    r"|-[A-Z][A-Z0-9-]{2,}(?:-\d+)?"  # OneDrive: the name of the other computer
    r"| \d+"  # iCloud
    r")(?P<ending>\.md)"
)
"""The names that a provider's sync gives to what another machine wrote."""


class HomeLayout(Protocol):
    """The places of a home's documents, and its name."""

    @property
    def kind(self) -> str:
        """The name of the kind."""

    @property
    def skill_roots(self) -> tuple[str, ...]:
        """The folders of skills, relative to the home; `""` for the home itself."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders in which documents may appear, relative to the home."""

    def label(self, root: Path) -> str:
        """The home's name for people."""


class FolderLayout(HomeLayout, Protocol):
    """Which files of a folder are documents, and how the agent loads them."""

    @property
    def instructions(self) -> tuple[str, ...]:
        """The documents at fixed paths, which may be links to others of the home."""

    def texts(self, root: Path) -> Iterable[str]:
        """The existing documents that belong to no skill, relative to the home."""

    def governs(self, path: str) -> bool:
        """Whether a file at this path, relative to the home, is or would be a document."""

    def imported(self, root: Path, kernel: Kernel) -> tuple[LinkTarget, ...]:
        """The other files of the home that its instructions bring into the prompt."""

    def loading(self, path: str) -> Loading:
        """When this document reaches the agent."""

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The agent's limits for this document."""


class AgentSnapshot(ABC):
    """A home at one moment: each document is read when it is first asked for, and once."""

    def __init__(self, root: Path, id: str, kernel: Kernel) -> None:
        self._root = root
        self._id = id
        self._kernel = kernel
        self._documents: dict[str, Document] = {}

    @property
    def home(self) -> str:
        """The home's id."""
        return self._id

    def document(self, path: str) -> Document:
        """The document at this path; never raises, an error is the document's `problem`."""
        if path not in self._documents:
            self._documents[path] = self._read(path)
        return self._documents[path]

    @abstractmethod
    def _read(self, path: str) -> Document:
        """Never raises."""


class FolderSnapshot(AgentSnapshot):
    """A folder of documents at one moment."""

    def __init__(self, root: Path, id: str, layout: FolderLayout, kernel: Kernel) -> None:
        super().__init__(root, id, kernel)
        self._layout = layout

    def governs(self, path: str) -> bool:
        """Whether this path is a document: by its place, or by a link or an import."""
        return self._layout.governs(path) or self._link_to(path) is not None

    @cached_property
    def link_targets(self) -> tuple[LinkTarget, ...]:
        """What lies behind links inside the home, and is no document by its own place."""
        links = [
            *(path for path in self._layout.instructions if (self._root / path).is_symlink()),
            *(name for name, _ in self.skill_trees if name and (self._root / name).is_symlink()),
            *(
                f"{name}/{link}" if name else link
                for name, tree in self.skill_trees
                for link in tree.links
            ),
        ]
        targets = link_targets(self._root, links)
        return tuple(target for target in targets if not self._layout.governs(target.path))

    @cached_property
    def imports(self) -> tuple[LinkTarget, ...]:
        """What instructions import, and what is no document by its own place."""
        targets = self._layout.imported(self._root, self._kernel)
        return tuple(target for target in targets if not self._layout.governs(target.path))

    def _link_to(self, path: str) -> LinkTarget | None:
        targets = (*self.link_targets, *self.imports)
        return next((target for target in targets if target.holds(path)), None)

    def _read(self, path: str) -> Document:
        if not self.governs(path):
            return Document(path, None, problem="is no document of this home")
        return read_quietly(self._root, path, kernel=self._kernel)

    def documents(self) -> tuple[str, ...]:
        paths = set(self._layout.texts(self._root))
        for skill in self.skills:
            if skill.problem is None or not skill.problem.startswith("its directory"):
                paths.update(skill.path_of(file) for file in skill.files)
        paths.update(target.path for target in self.link_targets if not target.is_folder)
        paths.difference_update(target.by for target in self.link_targets)
        paths.update(target.path for target in self.imports)
        return tuple(sorted(path for path in paths if self.governs(path)))

    @cached_property
    def skill_trees(self) -> tuple[tuple[str, SkillTree], ...]:
        """The skills below each of the folders for them."""
        return tuple(
            (name, search_all_skills(self._root / name)) for name in self._layout.skill_roots
        )

    @cached_property
    def skills(self) -> tuple[Skill, ...]:
        behind = [target.path for target in self.link_targets if target.is_folder]
        linked_roots = {target.by for target in self.link_targets}
        skills = [
            self._describe(f"{root}/{place.directory}" if root else place.directory, place.linked)
            for root, tree in self.skill_trees
            for place in tree.places
            if root not in linked_roots
        ]
        skills += [self._describe(directory, linked=False) for directory in behind]
        return tuple(sorted(skills, key=lambda skill: (skill.name, skill.directory)))

    def _describe(self, directory: str, linked: bool) -> Skill:
        files, problem = list_files(self._root / directory)
        if linked:
            problem = "its directory is reached through a symbolic link"
        kept_files = tuple(file for file in files if is_kept(file))
        return Skill(directory.rpartition("/")[2], directory, kept_files, problem=problem)

    def skill(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    def new_skill_directory(self, name: str, category: str | None) -> str:
        return "/".join(part for part in (self._first_root, category, name) if part)

    def archive_directory(self, name: str) -> str:
        """The directory for an archived skill; none of these agents archives one."""
        return "/".join(part for part in (self._first_root, ".archive", name) if part)

    @property
    def _first_root(self) -> str:
        return next(iter(self._layout.skill_roots), "")

    def has_entries(self, path: str) -> bool:
        """False: these documents are made of lines."""
        return False

    def budget(self, path: str) -> int | None:
        """None: none of these agents limits the size of a document."""
        return None

    def limits(self, path: str) -> tuple[Limit, ...]:
        return self._layout.limits(path)

    def loading(self, path: str) -> Loading:
        if self._layout.governs(path) or (target := self._link_to(path)) is None:
            return self._layout.loading(path)
        return Loading.EXECUTES if target.is_folder else self._layout.loading(target.by)

    def closed(self, path: str) -> str | None:
        """Why this path cannot be written: only the home's documents can."""
        return None if self.governs(path) else "it is no document of this home"

    @property
    def pins_entries(self) -> bool:
        """False: there are no entries."""
        return False

    @property
    def free_names(self) -> bool:
        """True: agents accept files outside of the folders that the skill format names."""
        return True


AnyLayout = TypeVar("AnyLayout", bound=HomeLayout)


class AgentHome(Generic[AnyLayout]):
    """A home in one directory. The methods here are those of an agent without a program of ours:
    it keeps no records, archives nothing, and its conversations are not read.
    """

    pending_folders: Mapping[str, int] = MappingProxyType({})
    """The folders of records, relative to the home, each with the byte limit of one record."""

    def __init__(self, path: Path, layout: AnyLayout, kernel: Kernel | None = None) -> None:
        """Raises HomeUnavailable."""
        self.path = resolve_directory(path)
        self.layout = layout
        self._kernel = kernel or Kernel()
        self._id = str(self.path)
        self._copy_of = ""

    def known_as(self, id: str, *, copy_of: str = "") -> Self:
        """The same home under the ledger's id; `copy_of` is the path of a copy beside it."""
        home = copy(self)
        home._id, home._copy_of = id, copy_of
        return home

    @property
    def id(self) -> str:
        """The path at which the ledger first saw the home; its own path until a ledger is asked."""
        return self._id

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def kind(self) -> str:
        return self.layout.kind

    @property
    def readers(self) -> tuple[str, ...]:
        """The agents whose models are given its documents, by their keys in `reading`."""
        return tuple(agent.key for agent in readers_of(self.kind))

    @property
    def name(self) -> str:
        """The home's name for people."""
        return self.layout.label(self.path)

    @property
    def ungated(self) -> tuple[str, ...]:
        """The agent's settings that are switched off and would make it stage its writes."""
        return ()

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings: a copy of another home, or beside a memory; skills that nobody reviews."""
        copies = [
            f"{copy} is a copy that a sync left beside a memory: the agent does not read it. Take"
            " what it needs into the memory, and remove it."
            for copy in _sync_copies(self.path, _MEMORIES)
        ]
        if self._copy_of:
            copies.append(
                f"This home and {self._copy_of} are copies of each other: "
                "what is decided about one counts for that one alone."
            )
        return (*copies, *self.own_cautions(), *self.skill_sight().cautions)

    def own_cautions(self) -> Iterator[str]:
        yield from ()

    def skill_sight(self) -> SkillSight:
        """How many skills its agents load, and how many of those are reviewed. Never raises."""
        return skill_sight(self.path, self.layout.skill_roots, self.loaders, self.governs_link)

    @property
    def loaders(self) -> tuple[Agent, ...]:
        """The agents whose skills are counted: one for all versions of it."""
        return agents_called(self.readers)

    def governs_link(self, path: str) -> bool:
        """Whether what a link leads to, at this path of the home, is a document."""
        return False

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """What its agent loads from elsewhere."""
        return ()

    def refusals(self) -> Refusals:
        """What stands in our own folder against automatic additions. Never raises."""
        return read_refusals(self.path, self._kernel)

    def scan(self) -> Iterator[Sighting]:
        """The waiting records, none of them opened."""
        return see_pending(self.path, self.pending_folders, kernel=self._kernel, clock=time_ns)

    def pending(self, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        """The waiting records, or only these, in the order in which they are considered."""
        return scan_pending(self.path, self.pending_folders, kernel=self._kernel, only=only)

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        raise ValueError(f"{self.path} has no records, so {file.source} is none")

    def claimed(self) -> dict[str, str]:
        """The records that another program is deciding on, each with its claim file."""
        return {}

    def archives(self, skill: str) -> tuple[str, ...]:
        """The directories of archived skills of this name, sorted."""
        return ()

    def linked_skills(self) -> tuple[LinkedSkill, ...]:
        """The skills whose file or folder is a link, or lies behind one. Never raises."""
        return linked_skills(self.path, self.layout.skill_roots)

    def index_of(self, path: str) -> str | None:
        """The document that is an index of the memory that a document belongs to."""
        return None

    def is_derived(self, path: str, snapshot: Snapshot) -> bool:
        """Whether the agent itself made a document of others that are reviewed."""
        return False

    def keeps_conversations(self) -> bool:
        """Whether the agent's conversations can be read."""
        return False

    def conversations(self) -> Conversations | None:
        """The agent's conversations; None when none are kept."""
        return None


class FolderHome(AgentHome[FolderLayout]):
    """One folder of documents. Implements `FoundHome`."""

    def governs_link(self, path: str) -> bool:
        """Whether what a link leads to, at this path of the home, is a document."""
        return self.snapshot().governs(path)

    def snapshot(self) -> FolderSnapshot:
        return FolderSnapshot(self.path, self._id, self.layout, self._kernel)

    def documents(self) -> tuple[str, ...]:
        """The paths of all documents that exist. Raises HomeUnavailable when the folder is gone."""
        resolve_directory(self.path)
        return self.snapshot().documents()

    def skills(self) -> tuple[Skill, ...]:
        return self.snapshot().skills

    def stamp(self, paths: Iterable[str], *facts: str) -> str:
        """A stamp that changes when a document, a record or a fact may have. Never raises."""
        documents = set(paths)
        above = {path.rpartition("/")[0] for path in documents}
        watched = sorted({*documents, *above, *self.layout.folders, *self.pending_folders})
        return stamp_files(self.path, watched, *facts)


def resolve_directory(path: Path) -> Path:
    """The resolved path of a home's directory. Raises HomeUnavailable."""
    try:
        directory = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise HomeUnavailable(f"The home {path} cannot be read: {error}.") from error
    if not os.access(directory, os.R_OK | os.X_OK) or not directory.is_dir():
        raise HomeUnavailable(f"The home {path} is not a directory that can be read.")
    return directory


def _sync_copies(root: Path, documents: Iterable[str]) -> Iterator[str]:
    """The copies that a sync left beside these documents. The agent does not read them."""
    names = set(documents)
    for folder in sorted({name.rpartition("/")[0] for name in names}):
        try:
            entries = sorted(entry.name for entry in (root / folder).iterdir())
        except OSError:
            continue
        for entry in entries:
            match = _COPIES.fullmatch(entry)
            prefix = f"{folder}/" if folder else ""
            if match and f"{prefix}{match['stem']}{match['ending']}" in names:
                yield f"{prefix}{entry}"
