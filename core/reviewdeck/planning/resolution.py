"""Replaces the proposed text of a document with the operator's own."""

from __future__ import annotations

from typing import assert_never

from reviewdeck.model import (
    SKILL_FILE,
    Base,
    BaseSource,
    Change,
    Conflict,
    Dead,
    DeadReason,
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
from reviewdeck.planning.memory import closed, over_budget, with_mark
from reviewdeck.planning.parts import links_of
from reviewdeck.planning.rebase import Clash, Rebased, RebaseRequest, merge_for, rebase
from reviewdeck.planning.skills import ROOTS, check_new_document, check_support_path, effects_of
from reviewdeck.ports import Snapshot


def resolve(
    staged: StagedProposal,
    text: str | None,
    document: str,
    snapshot: Snapshot,
    live: Snapshot | None = None,
) -> StagedProposal:
    """The proposal staged with `text` in place of the proposed one; None removes the document.

    `snapshot` is the home that the operator saw. `live` is the home after the earlier parts of the
    same composed plan, if there are any: then the two are merged.
    """
    base_document = snapshot.document(document)
    base = Base(base_document.revision, base_document.data, BaseSource.GIVEN)
    live_document = (live or snapshot).document(document)
    merge = merge_for(staged.proposal, document)
    match rebase(RebaseRequest(live_document, base, lambda _: text, merge)):
        case Dead() as dead:
            return StagedProposal(staged.proposal, dead)
        case Clash(reason=reason):
            return StagedProposal(staged.proposal, Dead(DeadReason.MOVED, reason))
        case Rebased(result):
            problem = _check(result, document, live or snapshot)
            if problem is not None:
                return StagedProposal(staged.proposal, problem)
            return _ready(staged, document, live or snapshot, result)


def _effects(staged: StagedProposal, document: str) -> tuple[Effect, ...]:
    """Hermes' bookkeeping for the edits of a dead proposal that the operator now writes."""
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
    if "\0" in text:
        return Dead(DeadReason.INVALID, "It has a NUL character: it would not be read any more.")
    if not snapshot.document(document).exists and (why := _check_place(document, snapshot)):
        return Dead(DeadReason.INVALID, why)
    if problem := _check_name_free(document, snapshot):
        return problem
    if document.endswith(f"/{SKILL_FILE}") and (why := check_skill_text(text)):
        return Dead(DeadReason.INVALID, why)
    return over_budget(text, snapshot.document(document), snapshot.budget(document))


def _check_place(document: str, snapshot: Snapshot) -> str | None:
    """The reason why no document may be created here: names from agents are checked as paths."""
    directory, file = _split_skill_path(document)
    if file and snapshot.document(f"{directory}/{SKILL_FILE}").exists:
        return check_support_path(file)
    if problem := check_new_document(document):
        return problem
    return f"There is no skill in {directory}." if file else None


def _split_skill_path(document: str) -> tuple[str, str]:
    """The directory of a skill, and the file in it; empty for the SKILL.md itself."""
    for root in ROOTS:
        directory, sign, file = document.partition(f"/{root}/")
        if sign:
            return directory, f"{root}/{file}"
    return document.rpartition("/")[0], ""


def _check_name_free(document: str, snapshot: Snapshot) -> Dead | None:
    """Refuses a second skill of the same name: Hermes finds skills by their directory's name."""
    directory, _, file = document.rpartition("/")
    if file != SKILL_FILE or snapshot.document(document).exists:
        return None
    skill = snapshot.skill(directory.rpartition("/")[2])
    if skill is None or skill.directory == directory:
        return None
    return Dead(DeadReason.NAME_TAKEN, f"There is a skill of that name in {skill.directory}.")


def _ready(
    staged: StagedProposal, document: str, live: Snapshot, text: str | None
) -> StagedProposal:
    proposal, live_document = staged.proposal, live.document(document)
    changes, effects = _other_changes(staged, document, keeps=text is not None)
    if proposal.outside:  # Its other changes are live already.
        changes, effects = (), ()
    tree = next((c.tree for c in changes if text is None and c.after is None), None)
    own_text = (
        text if text is None or proposal.kind is not Kind.MEMORY else with_mark(text, live_document)
    )
    after = None if own_text is None else own_text.encode("utf-8")
    change = Change(document, live_document.data, after, mode=live_document.mode, tree=tree)
    changes = (*changes, change)
    links = links_of(changes, live)
    step = Step(proposal.id, proposal.payload_sha, changes, effects, links)
    return StagedProposal(proposal, Ready(Plan(proposal.home, (step,))), staged.findings)


def _other_changes(
    staged: StagedProposal, document: str, *, keeps: bool
) -> tuple[tuple[Change, ...], tuple[Effect, ...]]:
    match staged.outcome:
        case Dead():
            return (), _effects(staged, document) if keeps else ()
        case Conflict() as conflict:
            changes, effects = conflict.others, conflict.effects
        case Ready(plan):
            changes, effects = plan.changes, plan.effects
        case _:
            assert_never(staged.outcome)
    if keeps and any(change.tree and change.after is None for change in changes):
        return (), ()  # The skill stays, so none of its files is removed or archived.
    return tuple(change for change in changes if change.path != document), effects
