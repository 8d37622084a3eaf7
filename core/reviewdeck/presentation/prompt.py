"""What of a home is in front of its agent's model at the next start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reviewdeck.engine.engine import Engine
from reviewdeck.model import Cause, Document, Loading, Observation
from reviewdeck.ports import Home, Snapshot
from reviewdeck.reading.account import account
from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import Found, is_skill_name, loaded_by
from reviewdeck.reading.listing import Shown
from reviewdeck.reading.memory import loaded

_CHARACTERS_PER_TOKEN = 4
"""An estimate: tokens differ by model and by language."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One document's part of a prompt."""

    path: str
    text: str
    """What of the document is in the prompt."""
    by: str
    """Who wrote the document as it is: an actor, or in words why that is not known."""
    is_reviewed: bool
    """Whether a person or the policy decided on it as it is."""
    note: str = ""

    @property
    def tokens(self) -> int:
        """An estimate."""
        return -(-len(self.text) // _CHARACTERS_PER_TOKEN)

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "path": self.path,
            "text": self.text,
            "characters": len(self.text),
            "tokens": self.tokens,
            "by": self.by,
            "reviewed": self.is_reviewed,
            "note": self.note or None,
        }


def prompt_parts(engine: Engine, home: Home, agent: Agent) -> tuple[PromptPart, ...]:
    """The parts: memories and instructions whole, of each skill its line in the list."""
    snapshot = home.snapshot()
    paths = home.documents()
    return (
        *_documents(engine, home, snapshot, agent, paths),
        *_skills(engine, home, snapshot, agent, paths),
    )


def _documents(
    engine: Engine, home: Home, snapshot: Snapshot, agent: Agent, paths: tuple[str, ...]
) -> Iterator[PromptPart]:
    for path in paths:
        document = snapshot.document(path)
        if snapshot.loading(path) is not Loading.ALWAYS or document.data is None:
            continue
        if document.problem is not None:
            yield _part(engine, home, document, "", f"{document.problem}: not known")
            continue
        part = loaded(path, document.text, agent)
        yield _part(engine, home, document, part.text, "; ".join(part.notes))


def _skills(
    engine: Engine, home: Home, snapshot: Snapshot, agent: Agent, paths: tuple[str, ...]
) -> Iterator[PromptPart]:
    heads = [path for path in paths if is_skill_name(path)]
    roots = {path: _root(path) for path in heads}
    files = [Found(path.removeprefix(roots[path])) for path in heads]
    found = {file.path for file in loaded_by(agent, files)}
    for path, file in zip(heads, files, strict=True):
        document = snapshot.document(path)
        if file.path not in found or document.data is None:
            continue
        shown = account(document.data, "/".join(file.folders), agent).listing
        if isinstance(shown, Shown) and not shown.hidden:
            line = f"- {shown.name}: {shown.description}"
            yield _part(engine, home, document, line, "its line in the list of skills")


def _root(path: str) -> str:
    """The folder of skills that a path lies in, with a slash at its end; empty for the home."""
    for root in (".claude/skills/", "skills/"):
        if path.startswith(root):
            return root
    return ""


def _part(engine: Engine, home: Home, document: Document, text: str, note: str = "") -> PromptPart:
    history = engine.ledger.observations(home.id, document.path)
    last = history[-1] if history else None
    is_same = last is not None and last.revision == document.revision
    return PromptPart(document.path, text, *(_credit(last) if is_same and last else _NOBODY), note)


_NOBODY = ("an unknown author", False)


def _credit(last: Observation) -> tuple[str, bool]:
    match last.cause:
        case Cause.OPERATION:
            return (last.actor.name if last.actor else "an operation"), True
        case Cause.OUTSIDE:
            claimant = last.claimant
            return (claimant.name, True) if claimant else ("an outside change", False)
        case Cause.SEEN:
            return "an unknown author, before reviewdeck first looked", False
