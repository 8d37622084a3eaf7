"""The live revisions over time: bases of proposals whose records do not name them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    Base,
    BaseSource,
    Cause,
    DocumentWrite,
    Edit,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Restore,
    Revision,
    SkillCreate,
    SkillDelete,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.ports import Snapshot

RECENT = 1_000
"""The most observations of a document that are read at once. Older ones are asked for one by
one: a home may live for years."""

KEPT = 64
"""The most contents kept in memory: proposals made in a row saw much the same."""


class _Moments:
    """The last observations of one document, newest first."""

    def __init__(self, moments: Sequence[tuple[datetime, Revision, Cause]]) -> None:
        self._revisions = [revision for _, revision, _ in moments]
        # A clock may have gone back: the earliest so far only ever falls, so it can be searched.
        self._earliest = list(accumulate((at for at, _, _ in moments), min))
        self.is_all = len(moments) < RECENT
        self.first = moments[-1][1:] if moments else None
        """The oldest of them: its revision and cause."""

    def at(self, moment: datetime) -> Revision | None:
        """The newest revision seen no later than this moment."""
        place = bisect_left(self._earliest, True, key=lambda earliest: earliest <= moment)
        return self._revisions[place] if place < len(self._revisions) else None


class BaseLookup:
    """The observed revisions of one home's documents."""

    def __init__(self, home: str, ledger: Ledger) -> None:
        self._home = home
        self._ledger = ledger
        self._moments: dict[str, _Moments] = {}
        self._contents: dict[Revision, tuple[bytes | None, bool]] = {}
        """The bytes of a revision, and whether they are a text."""

    def with_bases(self, proposal: Proposal, snapshot: Snapshot) -> Proposal:
        """The proposal with a base for each document it touches, where one is known.

        A change outside review began at a revision that the ledger observed or wrote itself.
        """
        if proposal.outside:
            before = {
                change.path: self._base_at(change.before, BaseSource.RECORDED)
                for change in proposal.outside
            }
            return replace(proposal, bases=before)
        bases = {path: self._with_text(base) for path, base in proposal.bases.items()}
        for path in touched_paths(proposal, snapshot):
            if path not in bases and (base := self._presume_base(path, proposal, snapshot)):
                bases[path] = base
        return replace(proposal, bases=bases) if bases != proposal.bases else proposal

    @property
    def contents(self) -> dict[Revision, bytes]:
        """The bytes that were read last, of a few revisions."""
        found = self._contents.items()
        return {revision: data for revision, (data, _) in found if data is not None}

    def know(self, contents: Mapping[Revision, bytes]) -> None:
        """Takes bytes that are at hand: the ledger is not asked for them."""
        self._contents |= {revision: (data, _is_text(data)) for revision, data in contents.items()}

    def _presume_base(self, path: str, proposal: Proposal, snapshot: Snapshot) -> Base | None:
        created, ingested = proposal.created_at, proposal.ingested_at
        if created is not None and ingested is not None:
            # A claim: an author cannot have seen revisions from after we had the record.
            created = min(created, ingested)
        for moment, source in (created, BaseSource.RECORDED), (ingested, BaseSource.FIRST_SEEN):
            if moment is None or (then := self.revision_at(path, moment)) is None:
                continue
            if then != ABSENT and then not in self._contents:
                live = snapshot.document(path)  # Mostly nothing was written since.
                if live.data is not None and live.revision == then:
                    self.know({then: live.data})
            return self._base_at(then, source)
        return None

    def first(self, path: str) -> tuple[Revision, Cause] | None:
        """The oldest revision of a document that was seen, and why it was; None without one."""
        moments = self._moments_of(path)
        if moments.is_all:
            return moments.first
        oldest = self._ledger.observations(self._home, path)[0]
        return oldest.revision, oldest.cause

    def expect(self, path: str) -> None:
        """Reads what a document was, and when."""
        self._moments_of(path)

    def _moments_of(self, path: str) -> _Moments:
        if path not in self._moments:
            self._moments[path] = _Moments(self._ledger.moments(self._home, path, RECENT))
        return self._moments[path]

    def revision_at(self, path: str, moment: datetime) -> Revision | None:
        """The revision of a document at a moment; None before its first observation."""
        moments = self._moments_of(path)
        revision = moments.at(moment)
        if revision is not None or moments.is_all:
            return revision
        then = self._ledger.revision_at(self._home, path, moment)
        return None if then is None else then.revision

    def _with_text(self, base: Base) -> Base:
        """A base with its text, where a record names only a revision that the ledger has."""
        return base if base.has_text else self._base_at(base.revision, base.source)

    def _base_at(self, revision: Revision, source: BaseSource) -> Base:
        if revision == ABSENT:
            return Base(revision, None, source)
        data, is_text = self._content(revision)
        return Base(revision, data, source, has_text=is_text)

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None where they are not stored any more."""
        data, _ = self._content(revision)
        return data

    def _content(self, revision: Revision) -> tuple[bytes | None, bool]:
        if revision not in self._contents:
            if len(self._contents) >= KEPT:
                del self._contents[next(iter(self._contents))]
            data = self._ledger.content(revision)
            self._contents[revision] = data, _is_text(data)
        return self._contents[revision]


def _is_text(data: bytes | None) -> bool:
    try:
        return data is not None and data.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def touched_paths(proposal: Proposal, snapshot: Snapshot) -> tuple[str, ...]:
    """The documents that a proposal touches, as far as that is known before planning it."""
    paths: dict[str, None] = {}
    for edit in proposal.edits:
        match edit:
            case (
                MemoryAdd()
                | MemoryReplace()
                | MemoryPatch()
                | MemoryRemove()
                | DocumentWrite()
                | Restore()
            ):
                paths[edit.document] = None
            case SkillCreate():
                paths[f"{snapshot.new_skill_directory(edit.name, edit.category)}/SKILL.md"] = None
            case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
                paths.update(_in_skill(snapshot, edit.name, [edit.file]))
            case SkillDelete():
                skill = snapshot.skill(edit.name)
                paths.update(_in_skill(snapshot, edit.name, skill.files if skill else ()))
            case _:
                paths.update(_in_skill(snapshot, edit.name, ["SKILL.md"]))
    return tuple(paths)


def touched_skills(edits: Sequence[Edit]) -> tuple[str, ...]:
    """The skills that edits name: their own, the heir of one that goes, that of a tree; and what
    may be one, a category.
    """
    names: dict[str, None] = {}
    for edit in edits:
        match edit:
            case MemoryAdd() | MemoryReplace() | MemoryPatch() | MemoryRemove() | DocumentWrite():
                pass
            case Restore(tree=tree):
                if tree is not None:
                    names[tree.rpartition("/")[2]] = None
            case SkillDelete(name, other) | SkillCreate(name, category=other):
                names[name] = None
                if other and other.strip():
                    names[other.strip()] = None
            case _:
                names[edit.name] = None
    return tuple(names)


def _in_skill(snapshot: Snapshot, name: str, files: Sequence[str]) -> dict[str, None]:
    skill = snapshot.skill(name)
    return {} if skill is None else {skill.path_of(file): None for file in files}
