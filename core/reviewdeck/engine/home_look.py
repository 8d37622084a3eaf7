"""A look at a home as a value: what an evaluation asks of it, the bytes by their revisions.

A host stores it with its pass, so that a proposal can be evaluated and decided on another machine
(`remote_home`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from reviewdeck.ledger.cells import dump, load
from reviewdeck.model import (
    SKILL_FILE,
    Document,
    Limit,
    Loading,
    Measure,
    Protection,
    Revision,
    Skill,
)
from reviewdeck.model.ledger import Sight
from reviewdeck.ports import Home, Refusals, SkillSight, Snapshot
from reviewdeck.values import dataclass

_ARCHIVE: Final = "skills/.archive"
"""Where planning looks for a skill that is not there any more."""


@dataclass(frozen=True, slots=True)
class Traits:
    """How the agent treats a document, whatever is in it."""

    loading: Loading
    closed: str | None
    budget: int | None
    has_entries: bool
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """One document without its bytes."""

    revision: Revision
    mode: int | None
    problem: str | None
    link: str | None
    traits: Traits
    is_listed: bool
    """Whether it is one of the home's documents; others were asked for by a proposal."""


@dataclass(frozen=True, slots=True)
class HomeLook:
    """A home at one moment, as far as evaluating the proposals that wait for it needs."""

    documents: Mapping[str, SeenDocument]
    skills: tuple[Skill, ...]
    """Every skill of the home, in its order."""
    by_name: Mapping[str, Skill | None]
    """What is found under the names of skills and those that proposals use."""
    new_skills: str
    """The folder in which a new skill is made; empty for the home itself."""
    archives: Mapping[str, str]
    """By the name of a skill, where it goes when it is archived."""
    pins_entries: bool
    free_names: bool
    readers: tuple[str, ...]
    cautions: tuple[str, ...]
    ungated: tuple[str, ...]
    refusals: Refusals
    keeps_conversations: bool
    sight: SkillSight

    def to_text(self) -> str:
        """The look as the ledger stores it: the same look is the same text."""
        traits: dict[Traits, int] = {}
        first = _first_of(self.skills)
        documents = {
            path: [
                seen.revision,
                seen.mode,
                seen.problem,
                seen.link,
                traits.setdefault(seen.traits, len(traits)),
                int(seen.is_listed),
            ]
            for path, seen in sorted(self.documents.items())
        }
        return dump(
            {
                "documents": documents,
                "traits": [*map(_traits_to_plain, traits)],
                "skills": [*map(_skill_to_plain, self.skills)],
                "by_name": {
                    name: None if skill is None else _skill_to_plain(skill)
                    for name, skill in self.by_name.items()
                    if skill is None or first.get(name) != skill
                },
                "new_skills": self.new_skills,
                "archives": dict(self.archives),
                "pins_entries": self.pins_entries,
                "free_names": self.free_names,
                "readers": self.readers,
                "cautions": self.cautions,
                "ungated": self.ungated,
                "paused": self.refusals.paused,
                "rejected": sorted(self.refusals.rejected),
                "unreadable": self.refusals.unreadable,
                "conversations": self.keeps_conversations,
                "sight": [
                    self.sight.live,
                    self.sight.seen,
                    self.sight.unloaded,
                    self.sight.cautions,
                ],
            }
        )

    @classmethod
    def from_text(cls, text: str) -> HomeLook:
        """The look that `to_text` gave. Raises KeyError, TypeError, ValueError for others."""
        raw = load(text)
        traits = [*map(_traits_from_plain, raw["traits"])]
        skills = tuple(map(_skill_from_plain, raw["skills"]))
        named = {
            name: None if skill is None else _skill_from_plain(skill)
            for name, skill in raw["by_name"].items()
        }
        live, seen, unloaded, cautions = raw["sight"]
        return cls(
            documents={
                path: SeenDocument(
                    Revision(revision), mode, problem, link, traits[number], bool(is_listed)
                )
                for path, (revision, mode, problem, link, number, is_listed) in raw[
                    "documents"
                ].items()
            },
            skills=skills,
            by_name=_first_of(skills) | named,
            new_skills=raw["new_skills"],
            archives=raw["archives"],
            pins_entries=raw["pins_entries"],
            free_names=raw["free_names"],
            readers=tuple(raw["readers"]),
            cautions=tuple(raw["cautions"]),
            ungated=tuple(raw["ungated"]),
            refusals=Refusals(raw["paused"], frozenset(raw["rejected"]), raw["unreadable"]),
            keeps_conversations=raw["conversations"],
            sight=SkillSight(live, seen, unloaded, tuple(cautions)),
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the proposals that wait for a home ask of it."""

    paths: Collection[str] = ()
    skills: Collection[str] = ()


def look_of(
    home: Home, snapshot: Snapshot, listed: Collection[str], known: Iterable[str], asked: Asked
) -> tuple[HomeLook, tuple[bytes, ...]]:
    """A look at a home, with the bytes that no observation stores.

    `listed` are its documents, `known` those that it ever had.
    """
    skills = home.skills()
    names = dict.fromkeys((*(skill.name for skill in skills), *asked.skills))
    by_name = {name: snapshot.skill(name) for name in names}
    paths = {*listed, *known, *asked.paths, *_beside(asked, by_name)}
    documents = {path: snapshot.document(path) for path in sorted(paths)}
    archives = {name: snapshot.archive_directory(name) for name in asked.skills}
    look = HomeLook(
        documents={
            path: _seen(document, snapshot, is_listed=path in listed)
            for path, document in documents.items()
        },
        skills=skills,
        by_name=by_name,
        new_skills=snapshot.new_skill_directory("x", None).removesuffix("x").removesuffix("/"),
        archives=archives,
        pins_entries=snapshot.pins_entries,
        free_names=snapshot.free_names,
        readers=home.readers,
        cautions=home.cautions,
        ungated=home.ungated,
        refusals=home.refusals(),
        keeps_conversations=home.conversations() is not None,
        sight=home.skill_sight(),
    )
    unobserved = (
        document.data
        for path, document in documents.items()
        if document.data is not None and (document.problem is not None or path not in listed)
    )
    return look, tuple(unobserved)


def sum_of_look(body: str, sight: Sight) -> str:
    """The digest by which a look is known to be the last one."""
    names = sight.host, sight.machine, sight.name, sight.kind, sight.path
    return hashlib.sha256("\0".join((*names, body)).encode("utf-8", "surrogatepass")).hexdigest()


def _beside(asked: Asked, by_name: Mapping[str, Skill | None]) -> Iterable[str]:
    """The documents that planning looks at beside those that a proposal touches."""
    for name in asked.skills:
        yield f"{_ARCHIVE}/{name}/{SKILL_FILE}"
        if (skill := by_name[name]) is not None:
            yield from map(skill.path_of, (SKILL_FILE, *skill.files))
    for path in asked.paths:
        parts = path.split("/")
        yield from ("/".join((*parts[:end], SKILL_FILE)) for end in range(1, len(parts)))


def _first_of(skills: Iterable[Skill]) -> dict[str, Skill | None]:
    first: dict[str, Skill | None] = {}
    for skill in skills:
        first.setdefault(skill.name, skill)
    return first


def _seen(document: Document, snapshot: Snapshot, *, is_listed: bool) -> SeenDocument:
    path = document.path
    traits = Traits(
        snapshot.loading(path),
        snapshot.closed(path),
        snapshot.budget(path),
        snapshot.has_entries(path),
        snapshot.limits(path),
    )
    return SeenDocument(
        document.revision, document.mode, document.problem, document.link, traits, is_listed
    )


def _traits_to_plain(traits: Traits) -> list[Any]:
    limits = [[limit.measure.value, limit.most] for limit in traits.limits]
    return [traits.loading.value, traits.closed, traits.budget, traits.has_entries, limits]


def _traits_from_plain(raw: list[Any]) -> Traits:
    loading, closed, budget, has_entries, limits = raw
    counted = tuple(Limit(Measure(measure), most) for measure, most in limits)
    return Traits(Loading(loading), closed, budget, has_entries, counted)


def _skill_to_plain(skill: Skill) -> list[Any]:
    protections = sorted(skill.protections)
    return [skill.name, skill.directory, skill.files, protections, skill.external, skill.problem]


def _skill_from_plain(raw: list[Any]) -> Skill:
    name, directory, files, protections, external, problem = raw
    kept = frozenset(map(Protection, protections))
    return Skill(name, directory, tuple(files), kept, external, problem)
