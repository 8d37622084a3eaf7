"""What of a home is in front of its agent's model at the next start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reviewdeck.engine.engine import Engine
from reviewdeck.model import Cause, Loading, Observation, revision_of
from reviewdeck.ports import Home, Snapshot
from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import SkillFile, below_folder, is_skill_name, loaded_by
from reviewdeck.reading.listing import listing, shown_in
from reviewdeck.reading.memory import loaded
from reviewdeck.values import dataclass

_CHARACTERS_PER_TOKEN = 4
"""An estimate: tokens differ by model and by language."""


@dataclass(frozen=True, slots=True)
class InPrompt:
    """One document's part of a prompt."""

    path: str
    """Where the agent finds it, relative to the home."""
    text: str
    """What of the document is in the prompt."""
    note: str = ""
    source: str = ""
    """The document that it is, behind a link another path; empty outside of the home."""
    data: bytes = b""

    @property
    def tokens(self) -> int:
        """An estimate."""
        return -(-len(self.text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One document's part of a prompt, with its credit."""

    part: InPrompt
    by: str
    """Who wrote the document as it is: an actor, or in words why that is not known."""
    is_reviewed: bool
    """Whether a person or the policy decided on it as it is."""


def prompt_parts(engine: Engine, home: Home, agent: Agent) -> tuple[PromptPart, ...]:
    """The parts: memories and instructions whole, of each skill its line in the list."""
    return tuple(
        PromptPart(part, *_credit_of(engine, home, part)) for part in in_prompt(home, agent)
    )


def in_prompt(home: Home, *agents: Agent) -> tuple[InPrompt, ...]:
    """What of the home's documents is in the prompt of each, and of what lies behind its links."""
    snapshot, paths = home.snapshot(), home.documents()
    return tuple(
        part
        for agent in agents
        for part in (
            *_documents(home, snapshot, paths, agent),
            *_from_outside(home, agent),
            *_skills(home, snapshot, paths, agent),
        )
    )


def _documents(
    home: Home, snapshot: Snapshot, paths: Sequence[str], agent: Agent
) -> Iterator[InPrompt]:
    elsewhere = {each.path for each in home.outside_texts()}
    for path in paths:
        if snapshot.loading(path) is not Loading.ALWAYS:
            continue
        document = snapshot.document(path)
        if document.data is None:
            continue
        if document.problem is not None:
            if path not in elsewhere:
                yield InPrompt(path, "", f"{document.problem}: not known")
            continue
        part = loaded(path, document.text, agent)
        yield InPrompt(path, part.text, "; ".join(part.notes), path, document.data)


def _from_outside(home: Home, agent: Agent) -> Iterator[InPrompt]:
    for each in home.outside_texts():
        where = f"imported by {each.by}" if each.by else f"a link to {each.target}"
        if each.data is None or each.problem:
            yield InPrompt(each.path, "", f"{where}: {each.problem or 'not known'}")
            continue
        part = loaded(each.path, each.data.decode("utf-8", "replace"), agent)
        yield InPrompt(each.path, part.text, "; ".join((where, *part.notes)))


def _skills(
    home: Home, snapshot: Snapshot, paths: Sequence[str], agent: Agent
) -> Iterator[InPrompt]:
    heads = dict((*_own_heads(home, snapshot, paths), *_linked_heads(home)))
    found = sorted(loaded_by(agent, heads), key=lambda file: file.path)
    by_folder = {"/".join(file.folders): heads[file] for file in found}
    listings = ((folder, listing(part.data, folder, agent)) for folder, part in by_folder.items())
    for folder, shown in shown_in(agent, listings).items():
        yield replace(by_folder[folder], text=f"- {shown.name}: {shown.description}")


def _own_heads(
    home: Home, snapshot: Snapshot, paths: Sequence[str]
) -> Iterator[tuple[SkillFile, InPrompt]]:
    for path in paths:
        if not is_skill_name(path) or (home.kind != "skills" and below_folder(path) == path):
            continue  # The second lies behind a link, and is found there.
        if (data := snapshot.document(path).data) is not None:
            note = "its line in the list of skills"
            yield SkillFile(below_folder(path)), InPrompt(path, "", note, path, data)


def _linked_heads(home: Home) -> Iterator[tuple[SkillFile, InPrompt]]:
    for linked in home.linked_skills():
        if not linked.files:
            continue
        path, data = linked.files[0]
        source = linked.target.removeprefix(f"{home.where}/")
        is_inside = source != linked.target
        is_linked = linked.target != f"{home.where}/{path}"
        file = SkillFile(
            below_folder(path),
            folder_linked=is_linked and not linked.is_file,
            file_linked=is_linked and linked.is_file,
            leaves=not is_inside,
        )
        where = f"behind a link to {linked.target}" if is_linked else "in a folder of git's or ours"
        note = f"its line in the list of skills, {where}"
        yield file, InPrompt(path, "", note, source if is_inside else "", data)


def _credit_of(engine: Engine, home: Home, part: InPrompt) -> tuple[str, bool]:
    history = engine.ledger.observations(home.id, part.source) if part.source else ()
    last = history[-1] if history else None
    is_same = last is not None and last.revision == revision_of(part.data)
    return _credit(last) if is_same and last else _NOBODY


UNKNOWN = "an unknown author"
"""How the credit of a part begins whose author nobody knows."""
_NOBODY = (UNKNOWN, False)


def _credit(last: Observation) -> tuple[str, bool]:
    match last.cause:
        case Cause.OPERATION:
            return (last.actor.name if last.actor else "an operation"), True
        case Cause.OUTSIDE:
            claimant = last.claimant
            return (claimant.name, True) if claimant else ("an outside change", False)
        case Cause.SEEN:
            return f"{UNKNOWN}, before reviewdeck first looked", False
