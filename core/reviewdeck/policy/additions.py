"""Which changes only add, and in words what every other one does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import assert_never

from reviewdeck.model import (
    Change,
    Conflict,
    Dead,
    DeadReason,
    DocumentWrite,
    Edit,
    EntryEdit,
    Finding,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Ready,
    Restore,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    StagedProposal,
)
from reviewdeck.planning.skills import check_skill_name, check_support_path
from reviewdeck.text.entries import parse


class Addition(StrEnum):
    """The changes that may go in without a person."""

    MEMORY = "memory-addition"
    """New entries for a memory document, and nothing but that."""
    SKILL = "new-skill"
    """A skill that is not there yet, as one SKILL.md."""
    SUPPORT_FILE = "new-support-file"
    """A Markdown file under `references/` or `templates/` that is not there yet."""


SUPPORT_FILE = re.compile(
    r"(?:references|templates)/(?:[A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*\.md"
)
NOT_ADDITIVE = "not-additive"
DEAD = "dead"
TOO_LARGE = "too-large"
"""The finding that no room can be made for it: it alone has more than that."""


def addition_of(staged: StagedProposal) -> Addition | None:
    """The kind of addition that a proposal is, to the byte; None when it is none or not ready."""
    if not isinstance(staged.outcome, Ready):
        return None
    edits, changes = staged.proposal.edits, staged.outcome.plan.changes
    addition = intended_addition(edits)
    if addition is None or not changes or not all(change.is_additive for change in changes):
        return None
    if addition is Addition.MEMORY:
        documents = {edit.document for edit in edits if isinstance(edit, MemoryAdd)}
        return addition if {change.path for change in changes} <= documents else None
    if any(isinstance(edit, SkillCreate) and check_skill_name(edit.name) for edit in edits):
        return None  # Some agents take any name: an operator looks at it first.
    return addition if _is_one_new_file(changes, addition) else None


def intended_addition(edits: tuple[Edit, ...]) -> Addition | None:
    """The kind of addition that these edits ask for, whatever planning makes of them."""
    match edits:
        case (SkillCreate(),):
            return Addition.SKILL
        case (SkillWriteFile(_, file),) if SUPPORT_FILE.fullmatch(file):
            return Addition.SUPPORT_FILE
        case _ if edits and all(isinstance(edit, MemoryAdd) for edit in edits):
            return Addition.MEMORY
        case _:
            return None


def _is_one_new_file(changes: tuple[Change, ...], addition: Addition) -> bool:
    ending = "/SKILL.md" if addition is Addition.SKILL else ".md"
    return len(changes) == 1 and changes[0].before is None and changes[0].path.endswith(ending)


def non_additive_findings(staged: StagedProposal) -> Iterator[Finding]:
    """The findings about a change that does not only add, edit by edit, or is not ready."""
    match staged.outcome:
        case Conflict(reason=reason):
            yield Finding("conflict", Severity.MEDIUM, reason)
        case Dead(reason=DeadReason.TOO_LARGE, message=message):
            yield Finding(TOO_LARGE, Severity.MEDIUM, message)
        case Dead(message=message):
            yield Finding(DEAD, Severity.MEDIUM, message)
        case Ready():
            pass
    if addition_of(staged) is not None:
        return
    described = _describe_all(staged.proposal.edits)
    if isinstance(staged.outcome, Ready):
        described += _odd_names(staged.proposal.edits)
    yield from described
    has_edits = bool(staged.proposal.edits)  # None where only who may execute a file changed.
    if has_edits and not described and isinstance(staged.outcome, Ready):
        yield _finding("Changes existing text, or does several things at once.")


def _describe_all(edits: Sequence[Edit]) -> list[Finding]:
    """What each edit does; entries that are removed are counted in one finding."""
    removals = [edit for edit in edits if isinstance(edit, MemoryRemove)]
    single = [edit for edit in edits if not isinstance(edit, MemoryRemove) or len(removals) == 1]
    described = [finding for edit in single if (finding := _describe(edit))]
    if len(removals) > 1:
        described.insert(0, _finding(f"Removes {len(removals)} entries.", Severity.HIGH))
    return described


def _describe_entry_edit(edit: EntryEdit) -> Finding:
    match edit:
        case MemoryReplace():
            return _finding("Replaces a whole entry.")
        case MemoryPatch():
            return _finding("Changes part of an entry.")
        case MemoryRemove():
            return _finding("Removes an entry.", Severity.HIGH)
        case _:
            assert_never(edit)


def _finding(message: str, severity: Severity = Severity.MEDIUM) -> Finding:
    return Finding(NOT_ADDITIVE, severity, message)


def _describe(edit: Edit) -> Finding | None:
    match edit:
        case MemoryAdd() | SkillCreate():
            return None
        case MemoryReplace() | MemoryPatch() | MemoryRemove():
            return _describe_entry_edit(edit)
        case SkillEdit(name):
            return _finding(f"Rewrites the whole skill {name!r}.", Severity.HIGH)
        case SkillPatch(name, file=file):
            return _finding(f"Changes {file!r} of the skill {name!r}.")
        case SkillWriteFile(name, file):
            return _describe_file(name, file)
        case SkillRemoveFile(name, file):
            return _finding(f"Removes {file!r} from the skill {name!r}.", Severity.HIGH)
        case SkillDelete(name):
            return _finding(f"Deletes the skill {name!r}.", Severity.HIGH)
        case DocumentWrite() | Restore():
            return _describe_document(edit)
        case _:
            assert_never(edit)


def _odd_names(edits: Sequence[Edit]) -> list[Finding]:
    """A finding for each new skill with a name that only some agents take."""
    created = [edit.name for edit in edits if isinstance(edit, SkillCreate)]
    return [_finding(problem) for name in created if (problem := check_skill_name(name))]


def _taken_out(edit: Restore) -> int:
    """How many entries go where nothing else changes; 0 where it does."""
    if edit.applied is None or edit.previous is None:
        return 0
    before, after = (
        parse(data.decode("utf-8", "replace")) for data in (edit.applied, edit.previous)
    )
    rest = iter(before)
    is_only_less = all(entry in rest for entry in after)
    return len(before) - len(after) if after and is_only_less else 0


def _describe_document(edit: DocumentWrite | Restore) -> Finding:
    match edit:
        case DocumentWrite(document, None):
            return _finding(f"Removes {document!r}.", Severity.HIGH)
        case DocumentWrite(document):
            return _finding(f"Writes {document!r} as a whole.")
        case Restore(document):
            gone = _taken_out(edit)
            if not gone:
                return _finding(f"Restores an earlier text of {document!r}.")
            entries = "one entry" if gone == 1 else f"{gone:,} entries"
            return _finding(f"Takes {entries} out of {document!r}.")
        case _:
            assert_never(edit)


def _describe_file(name: str, file: str) -> Finding | None:
    if file.startswith("scripts/"):
        return _finding(f"Writes a script of the skill {name!r}.", Severity.HIGH)
    if check_support_path(file) is None and not SUPPORT_FILE.fullmatch(file):
        return _finding(f"{file!r} is not a Markdown file under references/ or templates/.")
    return None
