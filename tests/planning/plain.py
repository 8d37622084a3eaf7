"""A home that is plain data: what planning works against when nothing else matters."""

from __future__ import annotations

from dataclasses import dataclass, field

from reviewdeck.model import (
    Base,
    BaseSource,
    Document,
    Edit,
    Kind,
    Limit,
    Loading,
    Proposal,
    Skill,
)
from reviewdeck.model.documents import revision_of

HOME = "plain"
MEMORY = "memories/MEMORY.md"


class PlainPlaces:
    """Where things lie in a home of Hermes' layout, without limits or closed documents."""

    free_names: bool = False
    pins_entries: bool = False

    def documents(self) -> tuple[str, ...]:
        return ()

    def new_skill_directory(self, name: str, category: str | None) -> str:
        return f"skills/{category}/{name}" if category else f"skills/{name}"

    def archive_directory(self, name: str) -> str:
        return f"skills/.archive/{name}"

    def has_entries(self, path: str) -> bool:
        return path.startswith("memories/")

    def limits(self, path: str) -> tuple[Limit, ...]:
        return ()

    def loading(self, path: str) -> Loading:
        return Loading.ALWAYS if self.has_entries(path) else Loading.EXECUTES

    def budget(self, path: str) -> int | None:
        return None

    def closed(self, path: str) -> str | None:
        return None


@dataclass(frozen=True)
class PlainSnapshot(PlainPlaces):
    """Documents by path; memories have a budget."""

    texts: dict[str, str] = field(default_factory=dict)
    limit: int = 200
    shut: dict[str, str] = field(default_factory=dict)
    pins_entries: bool = False
    free_names: bool = False
    home: str = HOME

    def document(self, path: str) -> Document:
        text = self.texts.get(path)
        return Document(path, None if text is None else text.encode("utf-8"))

    def skill(self, name: str) -> Skill | None:
        for path in self.texts:
            directory, _, file = path.rpartition("/")
            if file == "SKILL.md" and directory.endswith(f"/{name}"):
                prefix = f"{directory}/"
                files = [p.removeprefix(prefix) for p in self.texts if p.startswith(prefix)]
                return Skill(name, directory, tuple(sorted(files)))
        return None

    def budget(self, path: str) -> int | None:
        return self.limit if path.startswith("memories/") else None

    def closed(self, path: str) -> str | None:
        return self.shut.get(path)


def memory(*entries: str) -> str:
    """A memory's text."""
    return "\n§\n".join(entries)


def skill_text(name: str, *steps: str) -> str:
    """A small, valid SKILL.md."""
    lines = "\n".join(steps or ("1. Look.", "2. Run the tests.", "3. Report."))
    return f"---\nname: {name}\ndescription: What {name} does.\n---\n# {name}\n\n{lines}\n"


def proposal(*edits: Edit, id: str = "p1", action: str = "add", saw: str | None = None) -> Proposal:
    """A proposal over MEMORY.md or a skill; `saw` is the memory that its author saw."""
    is_memory = type(edits[0]).__name__.startswith("Memory")
    base = {} if saw is None else {MEMORY: given(saw)}
    return Proposal(
        id=id,
        home=HOME,
        kind=Kind.MEMORY if is_memory else Kind.SKILLS,
        action=action,
        target="memory" if is_memory else "skill",
        edits=edits,
        payload_sha=f"sha-of-{id}",
        origin="background_review",
        bases=base,
    )


def given(text: str | None) -> Base:
    """A base that the record itself gives."""
    data = None if text is None else text.encode("utf-8")
    return Base(revision_of(data), data, BaseSource.GIVEN)
