"""The rules for several edits of skills in one record: Hermes applies all of them or none."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import assert_never

from reviewdeck.model import (
    Dead,
    DeadReason,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.planning.naming import SKILL_FILE

MAX_OPERATIONS = 20


def check_batch(edits: Sequence[SkillChange]) -> Dead | None:
    """Why these edits do not make one batch, or None."""
    if len(edits) > MAX_OPERATIONS:
        why = f"It has {len(edits)} operations; {MAX_OPERATIONS} is the limit."
        return Dead(DeadReason.INVALID, why)
    if len(edits) > 1 and any(isinstance(edit, SkillDelete) for edit in edits):
        why = "A deletion has to be the only operation of its batch."
        return Dead(DeadReason.INVALID, why)
    return _check_order(edits) or _check_overwriting(edits)


def _check_order(edits: Sequence[SkillChange]) -> Dead | None:
    named: set[str] = set()
    for number, edit in enumerate(edits, start=1):
        if isinstance(edit, SkillCreate) and edit.name in named:
            why = "a skill is created before anything else is done with it."
            return in_batch(Dead(DeadReason.INVALID, why), number, edit)
        named.add(edit.name)
    return None


def _check_overwriting(edits: Sequence[SkillChange]) -> Dead | None:
    """One operation must not throw away what another of the same batch did."""
    touched: set[tuple[str, str]] = set()
    for number, edit in enumerate(edits, start=1):
        target = (edit.name, plain_path(file_of(edit)))
        if target in touched and not isinstance(edit, SkillPatch):
            why = f"it would overwrite what an earlier operation did to {target[1]!r}."
            return in_batch(Dead(DeadReason.INVALID, why), number, edit)
        touched.add(target)
    return None


def in_batch(problem: Dead, number: int, edit: SkillChange) -> Dead:
    """A problem with one operation, told as the problem of its batch."""
    message = f"Operation {number} ({verb_of(edit)} on {edit.name!r}): {problem.message}"
    return Dead(problem.reason, f"{message} Nothing of it was applied.", problem.candidate)


def plain_path(file: str) -> str:
    """The path of a file within a skill, however it is spelt."""
    return posixpath.normpath(file.strip().lstrip("/"))


def file_of(edit: SkillChange) -> str:
    """The file of its skill that an edit is about: the SKILL.md for the skill as a whole."""
    match edit:
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return edit.file
        case SkillCreate() | SkillEdit() | SkillDelete():
            return SKILL_FILE
        case _:
            assert_never(edit)


def verb_of(edit: SkillChange) -> str:
    """What an edit is called in a record."""
    match edit:
        case SkillCreate():
            return "create"
        case SkillEdit():
            return "rewrite"
        case SkillPatch():
            return "patch"
        case SkillWriteFile():
            return "write_file"
        case SkillRemoveFile():
            return "remove_file"
        case SkillDelete():
            return "delete"
        case _:
            assert_never(edit)
