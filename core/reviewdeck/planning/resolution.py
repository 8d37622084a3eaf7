"""An operator's own text in the place of what was proposed."""

from __future__ import annotations

from typing import assert_never

from reviewdeck.model import (
    Base,
    BaseSource,
    Change,
    Conflict,
    Dead,
    DeadReason,
    Document,
    Effect,
    Kind,
    Plan,
    Ready,
    SkillCreate,
    SkillEdit,
    SkillPatch,
    SkillWriteFile,
    StagedProposal,
    Step,
)
from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.planning.memory import closed, marked, over_budget
from reviewdeck.planning.overlay import SKILL_FILE
from reviewdeck.planning.rebase import Clash, RebaseRequest, Settled, merge_for, settle
from reviewdeck.planning.skills import ROOTS, check_new_document, check_support_path, effects_of
from reviewdeck.ports import Snapshot


def resolve(
    staged: StagedProposal,
    text: str | None,
    document: str,
    seen: Snapshot,
    live: Snapshot | None = None,
) -> StagedProposal:
    """Puts `text` where the proposal wanted something else; None lets the document go away.

    `seen` is the home that the operator looked at. `live` is the home as earlier parts of the
    same composed plan leave it, when there are any: then the two are merged.
    """
    looked_at = seen.document(document)
    base = Base(looked_at.revision, looked_at.data, BaseSource.GIVEN)
    now = (live or seen).document(document)
    merge = merge_for(staged.proposal, document)
    match settle(RebaseRequest(now, base, lambda _: text, merge)):
        case Dead() as dead:
            return StagedProposal(staged.proposal, dead)
        case Clash(reason=reason):
            return StagedProposal(staged.proposal, Dead(DeadReason.MOVED, reason))
        case Settled(result):
            problem = _check(result, document, live or seen)
            if problem is not None:
                return StagedProposal(staged.proposal, problem)
            return _ready(staged, document, now, result)


def _effects(staged: StagedProposal, document: str) -> tuple[Effect, ...]:
    """Hermes' bookkeeping for what a dead proposal asked for and an operator now writes."""
    return tuple(
        effect
        for edit in staged.proposal.edits
        if isinstance(edit, SkillCreate | SkillEdit | SkillPatch | SkillWriteFile)
        and edit.name in document.split("/")
        for effect in effects_of(edit, staged.proposal.origin)
    )


def _check(text: str | None, document: str, snapshot: Snapshot) -> Dead | None:
    if shut := closed(document, snapshot):
        return shut
    if text is None:
        return None
    if not snapshot.document(document).exists and (why := _misplaced(document, snapshot)):
        return Dead(DeadReason.INVALID, why)
    if taken := _name_taken(document, snapshot):
        return taken
    if document.endswith(f"/{SKILL_FILE}") and (why := check_skill_text(text)):
        return Dead(DeadReason.INVALID, why)
    return over_budget(text, snapshot.document(document), snapshot.budget(document))


def _misplaced(document: str, snapshot: Snapshot) -> str | None:
    """Why no new document may be made here: an agent's names are checked before they are paths."""
    directory, file = _beside(document)
    if file and snapshot.document(f"{directory}/{SKILL_FILE}").exists:
        return check_support_path(file)
    if problem := check_new_document(document):
        return problem
    return f"There is no skill in {directory}." if file else None


def _beside(document: str) -> tuple[str, str]:
    """The directory of a skill and the file in it; no file where it is none beside SKILL.md."""
    for root in ROOTS:
        directory, sign, rest = document.partition(f"/{root}/")
        if sign:
            return directory, f"{root}/{rest}"
    return document.rpartition("/")[0], ""


def _name_taken(document: str, snapshot: Snapshot) -> Dead | None:
    """Hermes finds a skill by its directory's name: a second one of that name would hide one."""
    directory, _, file = document.rpartition("/")
    if file != SKILL_FILE or snapshot.document(document).exists:
        return None
    other = snapshot.skill(directory.rpartition("/")[2])
    if other is None or other.directory == directory:
        return None
    return Dead(DeadReason.NAME_TAKEN, f"There is a skill of that name in {other.directory}.")


def _ready(
    staged: StagedProposal, document: str, now: Document, text: str | None
) -> StagedProposal:
    proposal = staged.proposal
    others, effects = _rest(staged, document, keeps=text is not None)
    if proposal.outside:  # The rest of it is there already.
        others, effects = (), ()
    tree = next((c.tree for c in others if text is None and c.after is None), None)
    own = text if text is None or proposal.kind is not Kind.MEMORY else marked(text, now)
    after = None if own is None else own.encode("utf-8")
    change = Change(document, now.data, after, mode=now.mode, tree=tree)
    step = Step(proposal.id, proposal.payload_sha, (*others, change), effects)
    return StagedProposal(proposal, Ready(Plan(proposal.home, (step,))), staged.findings)


def _rest(
    staged: StagedProposal, document: str, *, keeps: bool
) -> tuple[tuple[Change, ...], tuple[Effect, ...]]:
    """What the proposal does beside the document that the operator wrote."""
    match staged.outcome:
        case Dead():
            return (), _effects(staged, document) if keeps else ()
        case Conflict() as conflict:
            others, effects = conflict.others, conflict.effects
        case Ready(plan):
            others, effects = plan.changes, plan.effects
        case _:
            assert_never(staged.outcome)
    if keeps and any(change.tree and change.after is None for change in others):
        return (), ()  # The skill stays, so nothing of it goes away or to the archive.
    return tuple(change for change in others if change.path != document), effects
