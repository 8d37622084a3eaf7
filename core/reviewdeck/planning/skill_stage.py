"""Stages edits of a skill's texts, the removal of its files, and the restores of an undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from reviewdeck.model import (
    BACKGROUND_REVIEW,
    SKILL_FILE,
    Base,
    BaseSource,
    Change,
    Dead,
    DeadReason,
    Document,
    Finding,
    Kind,
    Proposal,
    Protection,
    Restore,
    Severity,
    Skill,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.model.documents import executes_otherwise, revision_of
from reviewdeck.planning.frontmatter import check_skill_text, parse_front
from reviewdeck.planning.memory import over_budget, with_mark
from reviewdeck.planning.parts import (
    EditResult,
    base_findings,
    conflict_of,
    lost_findings,
    merged_finding,
    shrink_finding,
)
from reviewdeck.planning.rebase import (
    Clash,
    Rebased,
    RebaseOutcome,
    RebaseRequest,
    merge_for,
    rebase,
)
from reviewdeck.planning.skills import Located, effects_of, in_batch, locate, removals, rewrite
from reviewdeck.ports import Snapshot
from reviewdeck.text.lines import newline_of

_EDITABLE = frozenset({Protection.ESSENTIAL, Protection.SHARED})
"""Protections that do not forbid edits."""


def stage_skill(
    edits: tuple[SkillChange, ...], proposal: Proposal, snapshot: Snapshot
) -> EditResult:
    """Stages the edits of one file of a skill against the live text."""
    edit = edits[0]
    located = locate(edit, snapshot)
    if isinstance(located, Dead):
        return EditResult(outcome=_in_batch(located, edit, proposal))
    notes = _protection_findings(edit, located.skill, proposal.origin)
    notes += _description_findings(edit, snapshot)
    match edit:
        case SkillCreate() | SkillEdit() | SkillPatch() | SkillWriteFile():
            part = _stage_text(edits, located, proposal, snapshot)
        case SkillRemoveFile() | SkillDelete():
            part = _stage_removal(edit, located, proposal, snapshot)
        case _:
            assert_never(edit)
    return EditResult(part.changes, part.effects, notes + part.findings, part.outcome)


_LATER_DESCRIPTION = 60
"""The longest description that a later Hermes takes of a new skill, in characters."""


def _description_findings(edit: SkillChange, snapshot: Snapshot) -> tuple[Finding, ...]:
    front = parse_front(edit.content) if isinstance(edit, SkillCreate) else None
    description = "" if front is None else str(front.fields.get("description", ""))
    if not snapshot.pins_entries or len(description) <= _LATER_DESCRIPTION:
        return ()
    message = (
        f"The description of the new skill has {len(description)} characters: this Hermes refuses "
        f"more than {_LATER_DESCRIPTION}."
    )
    return (Finding("long-description", Severity.MEDIUM, message),)


def _in_batch(problem: Dead, edit: SkillChange, proposal: Proposal) -> Dead:
    """The problem with its number in the batch, if the proposal is a batch."""
    if proposal.action != "batch":
        return problem
    return in_batch(problem, proposal.edits.index(edit) + 1, edit)


def _stage_text(
    edits: tuple[SkillChange, ...], located: Located, proposal: Proposal, snapshot: Snapshot
) -> EditResult:
    live = snapshot.document(located.path)
    base = proposal.bases.get(located.path)
    outcome, base_text = _settle_text(live, edits, proposal)
    findings = base_findings(base, live, is_addition=not live.exists)
    if not isinstance(outcome, Dead):
        findings += _spacing_findings(edits, base_text)
    effects = tuple(effect for edit in edits for effect in effects_of(edit, proposal.origin))
    match outcome:
        case Dead():
            if _is_satisfied(outcome, edits, proposal):
                return EditResult(findings=(*findings, _satisfied_finding(live)))
            return EditResult(findings=findings, outcome=outcome)
        case Clash():
            conflict = conflict_of(outcome, proposal, live, effects=effects)
            return EditResult(effects=effects, findings=findings, outcome=conflict)
        case Rebased(text, merged):
            after = (text or "").encode("utf-8")
            if located.path.endswith(f"/{SKILL_FILE}") and (why := check_skill_text(text or "")):
                return EditResult(findings=findings, outcome=Dead(DeadReason.INVALID, why))
            change = Change(located.path, live.data, after, tree=located.tree)
            findings += shrink_finding(live, after) + lost_findings(live, after)
            findings += (merged_finding(live.path),) * merged
            return EditResult((change,), effects, findings)


def _is_satisfied(dead: Dead, edits: Sequence[SkillChange], proposal: Proposal) -> bool:
    """Whether an operation of a batch is done already, so that the batch may go on without it."""
    return (
        dead.reason is DeadReason.ALREADY_THERE
        and proposal.action == "batch"
        and all(isinstance(edit, SkillEdit | SkillWriteFile) for edit in edits)
    )


def _satisfied_finding(live: Document) -> Finding:
    message = f"{live.path} is already as the batch wants it."
    return Finding("partly-there", Severity.INFO, message)


def _settle_text(
    live: Document, edits: Sequence[SkillChange], proposal: Proposal
) -> tuple[RebaseOutcome, str | None]:
    """The rebased text, and the text that the edits were applied to.

    Edits use LF, as agents do; a file that uses CRLF throughout keeps it.
    """
    newline = "\n" if live.problem else newline_of(live.text)
    base_text: str | None = None

    def rewritten(text: str | None) -> str | Dead:
        nonlocal base_text
        plain = text if text is None or newline == "\n" else text.replace(newline, "\n")
        base_text = plain
        result = _rewrite_each(edits, plain, proposal)
        if isinstance(result, Dead) or newline == "\n":
            return result
        return result.replace("\r\n", "\n").replace("\n", newline)

    merge = merge_for(proposal, live.path)
    outcome = rebase(RebaseRequest(live, proposal.bases.get(live.path), rewritten, merge))
    return outcome, base_text


def _rewrite_each(edits: Sequence[SkillChange], text: str | None, proposal: Proposal) -> str | Dead:
    """Applies the edits in order, each to the result of the one before."""
    result = text
    for edit in edits:
        step = rewrite(edit, result)
        if isinstance(step, Dead):
            return _in_batch(step, edit, proposal)
        result = step
    return result or ""


def _stage_removal(
    edit: SkillRemoveFile | SkillDelete, located: Located, proposal: Proposal, snapshot: Snapshot
) -> EditResult:
    if located.skill is None:
        return EditResult(outcome=Dead(DeadReason.TARGET_GONE, f"There is no skill {edit.name!r}."))
    paths = removals(edit, located.skill)
    if isinstance(paths, Dead):
        return EditResult(outcome=paths)
    documents = [snapshot.document(path) for path in paths]
    if unreadable := next((d for d in documents if d.problem), None):
        why = f"{unreadable.path}: {unreadable.problem}"
        return EditResult(outcome=Dead(DeadReason.UNREADABLE, why))
    effects = effects_of(edit, proposal.origin)
    changes = _removal_changes(edit, located.skill, documents, proposal, snapshot)
    findings = tuple(
        finding
        for document in documents[:1]
        for finding in base_findings(proposal.bases.get(document.path), document, is_addition=False)
    )
    if clash := _removal_clash(documents, proposal):
        document, removal_clash = clash
        remaining = tuple(change for change in changes if change.path != document.path)
        conflict = conflict_of(removal_clash, proposal, document, effects=effects)
        return EditResult(remaining, effects, findings, conflict)
    return EditResult(changes, effects, findings)


def _removal_changes(
    edit: SkillRemoveFile | SkillDelete,
    skill: Skill,
    documents: Sequence[Document],
    proposal: Proposal,
    snapshot: Snapshot,
) -> tuple[Change, ...]:
    """The removal of the files; a background review's deletions go to Hermes' archive."""
    is_whole_skill = isinstance(edit, SkillDelete)
    removed = tuple(
        Change(d.path, d.data, None, mode=d.mode, tree=skill.directory if is_whole_skill else None)
        for d in documents
    )
    if not is_whole_skill or proposal.origin != BACKGROUND_REVIEW:
        return removed
    archive = snapshot.archive_directory(skill.name)
    archived = tuple(
        Change(
            archive + d.path.removeprefix(skill.directory), None, d.data, mode=d.mode, tree=archive
        )
        for d in documents
    )
    return archived + removed


def _removal_clash(
    documents: Sequence[Document], proposal: Proposal
) -> tuple[Document, Clash] | None:
    for document in documents:
        base = proposal.bases.get(document.path)
        if base is not None and base.revision != document.revision:
            reason = "What it removes was changed since."
            return document, Clash(base.data, None, reason, base_known=base.has_text)
    return None


def _protection_findings(
    edit: SkillChange, skill: Skill | None, origin: str
) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    guarded = frozenset() if skill is None else skill.protections - _EDITABLE
    if skill is not None and guarded:
        protections = ", ".join(sorted(p.value for p in guarded))
        findings.append(
            Finding(
                "protected",
                Severity.MEDIUM,
                f"The skill {skill.name!r} is {protections}: Hermes' own background review may not "
                "touch it. You may.",
            )
        )
    if skill is not None and Protection.SHARED in skill.protections:
        message = (
            f"The skill {skill.name!r} is shared by an organisation: the change stays here until "
            "somebody proposes it there with `hermes sync propose`."
        )
        findings.append(Finding("shared-skill", Severity.LOW, message))
    if isinstance(edit, SkillDelete) and origin == BACKGROUND_REVIEW and not edit.absorbed_into:
        message = "It deletes a skill without naming the one that took over its content."
        findings.append(Finding("unmerged-delete", Severity.MEDIUM, message))
    return tuple(findings)


def _spacing_findings(edits: Sequence[SkillChange], base_text: str | None) -> tuple[Finding, ...]:
    """The finding that a patch matches only loosely in the text it was applied to."""
    message = "The text to be replaced is there only when spacing and punctuation are ignored."
    text: str | Dead | None = base_text
    for edit in edits:
        if isinstance(text, Dead):
            break
        if isinstance(edit, SkillPatch) and text is not None and edit.old_string not in text:
            return (Finding("inexact-match", Severity.LOW, message),)
        text = rewrite(edit, text)
    return ()


def stage_restore(edit: Restore, proposal: Proposal, snapshot: Snapshot) -> EditResult:
    """Stages the restore of one document; a later change of the same text is a conflict."""
    live = snapshot.document(edit.document)
    was_mode = _mode_to_restore(edit, live)
    is_plain = live.problem is None
    if is_plain and live.data == edit.previous and was_mode is not None:
        return EditResult((Change(live.path, live.data, live.data, edit.mode, was_mode=was_mode),))
    if is_plain and live.data == edit.previous:
        return EditResult()
    if is_plain and live.data == edit.applied:
        if foreign_files := _foreign_files(edit, proposal, snapshot):
            files = ", ".join(foreign_files)
            clash = Clash(
                edit.applied, edit.previous, f"The skill has other files by now: {files}."
            )
            return EditResult(outcome=conflict_of(clash, proposal, live))
        # Bytes, not text: a document that is no valid text can be undone too.
        change = Change(
            live.path, live.data, edit.previous, edit.mode, tree=edit.tree, was_mode=was_mode
        )
        return EditResult((change,))
    previous = _decode(edit.previous)
    if isinstance(previous, Dead):
        return EditResult(outcome=previous)
    base = Base(revision_of(edit.applied), edit.applied, BaseSource.GIVEN)
    outcome = rebase(RebaseRequest(live, base, lambda _: previous, merge_for(proposal, live.path)))
    match outcome:
        case Dead():
            return EditResult(outcome=outcome)
        case Clash():
            return EditResult(outcome=conflict_of(outcome, proposal, live))
        case Rebased(text):
            if over := over_budget(text or "", live, snapshot.budget(live.path)):
                return EditResult(outcome=over)
            is_memory = proposal.kind is Kind.MEMORY
            own_text = with_mark(text, live) if is_memory and text is not None else text
            after = None if own_text is None else own_text.encode("utf-8")
            mode = None if was_mode is None else edit.mode
            change = Change(live.path, live.data, after, mode, was_mode=was_mode)
            return EditResult((change,), findings=(merged_finding(live.path),))


def _mode_to_restore(edit: Restore, live: Document) -> int | None:
    """The live mode, if the executable bits have to be restored; else None."""
    is_wanted = edit.was_mode is not None and executes_otherwise(live.mode, edit.mode)
    return live.mode if is_wanted and edit.previous is not None else None


def _foreign_files(edit: Restore, proposal: Proposal, snapshot: Snapshot) -> tuple[str, ...]:
    if edit.tree is None or edit.previous is not None:
        return ()
    skill = snapshot.skill(edit.tree.rpartition("/")[2])
    if skill is None or skill.directory != edit.tree:
        return ()
    ours = {edit.document for edit in proposal.edits if isinstance(edit, Restore)}
    return tuple(file for file in skill.files if skill.path_of(file) not in ours)


def _decode(data: bytes | None) -> str | Dead | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return Dead(DeadReason.MOVED, "It is not text and was changed since.")
