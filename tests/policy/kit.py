"""Proposals for the tests, staged as planning would stage them."""

from __future__ import annotations

from reviewdeck.model import (
    Change,
    Dead,
    DeadReason,
    Edit,
    Finding,
    Judgement,
    Kind,
    Likeness,
    MemoryAdd,
    Plan,
    Proposal,
    Ready,
    SkillCreate,
    SkillWriteFile,
    Staged,
    StagedProposal,
    Step,
)
from reviewdeck.policy.classify import classify
from reviewdeck.policy.tuning import Tuning

MEMORY = "memories/MEMORY.md"


def proposal(*edits: Edit) -> Proposal:
    """A proposal of these edits."""
    is_memory = all(isinstance(edit, MemoryAdd) for edit in edits)
    kind = Kind.MEMORY if is_memory else Kind.SKILLS
    return Proposal("p", "home", kind, "any", "any", edits, payload_sha="0" * 64)


def ready(*changes: Change) -> Ready:
    """A plan of these changes."""
    return Ready(Plan("home", (Step("p", "0" * 64, changes),)))


def outcome_of(edits: tuple[Edit, ...]) -> Staged:
    """What planning makes of additions to a home that has a little of everything."""
    match edits:
        case (SkillCreate(name, content),):
            after = content.encode("utf-8", "replace")
            return ready(Change(f"skills/{name}/SKILL.md", None, after, tree=f"skills/{name}"))
        case (SkillWriteFile(name, file, content),):
            after = content.encode("utf-8", "replace")
            return ready(Change(f"skills/{name}/{file}", None, after))
        case _ if all(isinstance(edit, MemoryAdd) for edit in edits):
            added = [edit.content for edit in edits if isinstance(edit, MemoryAdd)]
            before = b"Likes tea."
            after = "\n§\n".join(["Likes tea.", *added]).encode("utf-8", "replace")
            return ready(Change(MEMORY, before, after))
        case _:
            return Dead(DeadReason.TARGET_GONE, "It is gone.")


def judge(
    *edits: Edit,
    outcome: Staged | None = None,
    noticed: tuple[Finding, ...] = (),
    alike: tuple[Likeness, ...] = (),
    live_text: str = "",
) -> Judgement:
    """The judgement of a proposal of these edits."""
    staged = StagedProposal(proposal(*edits), outcome or outcome_of(edits), noticed)
    return classify(staged, alike, live_text=live_text)


def judge_text(text: str, live_text: str = "") -> Judgement:
    """The judgement of a memory addition."""
    return judge(MemoryAdd(MEMORY, text), live_text=live_text)


def judge_skill(name: str, text: str) -> Judgement:
    """The judgement of a new skill, or of a new file of one where the name is a path."""
    if "/" in name:
        return judge(SkillWriteFile("notes", name, text))
    return judge(SkillCreate(name, text))


def judge_with(tuning: Tuning, *edits: Edit) -> Judgement:
    """The judgement under a policy file."""
    staged = StagedProposal(proposal(*edits), outcome_of(edits), ())
    return classify(staged, (), tuning=tuning)
