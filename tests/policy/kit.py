"""Staged proposals with the evidence that the gate asks for, all of it in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reviewdeck.model import (
    Change,
    Currency,
    Edit,
    Freshness,
    Hearing,
    Kind,
    KnownBy,
    MemoryAdd,
    Origin,
    OriginClass,
    Plan,
    Proposal,
    Ready,
    SkillCreate,
    SkillWriteFile,
    StagedProposal,
    Step,
)
from reviewdeck.policy.gate import Case, added_texts

MEMORY = "memories/MEMORY.md"
SKILL = (
    "---\nname: weekly-report\ndescription: Writes the report.\n---\n\n# Report\n\nTables first.\n"
)


def origin(kind: OriginClass = OriginClass.USER) -> Origin:
    """Where something comes from, known exactly."""
    known = KnownBy.NOTHING if kind is OriginClass.UNRECORDED else KnownBy.EXACT
    return Origin(kind, known, f"Of class {kind}.", ("s1",))


def staged(*edits: Edit, **changed: Any) -> StagedProposal:
    """A proposal of these edits, ready to be applied."""
    kind = Kind.MEMORY if isinstance(edits[0], MemoryAdd) else Kind.SKILLS
    proposal = Proposal(
        id="0123456789ab",
        home="/home",
        kind=kind,
        action="add",
        target="memory",
        edits=edits,
        origin="background_review",
        payload_sha="0" * 64,
        **changed,
    )
    changes = tuple(_change(edit) for edit in edits)
    plan = Plan("/home", (Step(proposal.id, proposal.payload_sha, changes),))
    return StagedProposal(proposal, Ready(plan))


def _change(edit: Edit) -> Change:
    match edit:
        case MemoryAdd(document, content):
            return Change(
                document, b"Tests run with tox.", f"Tests run with tox.\n§\n{content}".encode()
            )
        case SkillCreate(name, content):
            return Change(f"skills/{name}/SKILL.md", None, content.encode())
        case SkillWriteFile(name, file, content):
            return Change(f"skills/{name}/{file}", None, content.encode())
        case _:
            return Change(MEMORY, b"Tests run with tox.", b"Tests run with nox.")


def case(*edits: Edit, kind: OriginClass = OriginClass.USER, **changed: Any) -> Case:
    """A case in which every check says yes, but for what is changed."""
    wanted = edits or (MemoryAdd(MEMORY, "Prefers short answers."),)
    known = Case(
        staged(*wanted),
        origin(kind),
        (Currency(MEMORY, Freshness.CURRENT),),
        tuple(Hearing(text, text) for text in added_texts(wanted)),
    )
    return replace(known, **changed)
