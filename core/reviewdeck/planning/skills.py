"""Applies edits of a skill to its files, by Hermes' own rules and a few stricter ones.

Names and paths are matched in full against allow-lists: Hermes' own checks let a trailing newline,
control characters and nested SKILL.md files through. Several edits in one record are applied
together or not at all, as Hermes does.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import assert_never

from reviewdeck.model import (
    BACKGROUND_REVIEW,
    SKILL_FILE,
    Dead,
    DeadReason,
    Edit,
    Effect,
    EffectKind,
    Protection,
    Skill,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.planning.frontmatter import MAX_CHARS, check_skill_text
from reviewdeck.planning.match import Patched, Replacement, patch, replace_regions
from reviewdeck.ports import Snapshot
from reviewdeck.text.lines import newline_of, with_newline
from reviewdeck.values import dataclass

MAX_NAME = 64

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MEMORY = re.compile(r"[A-Z]{1,40}\.md")
ROOTS = ("references", "templates", "assets", "scripts")
_MAX_DEPTH = 4
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}
)
_SKIPPED = frozenset({"venv", "node_modules", "site-packages"})
"""Directories that Hermes skips when it searches for skills: it would never find one there."""


def check_skill_name(name: str) -> str | None:
    """The reason why this is no valid name of a skill, or None."""
    return _check_name(name, "skill name")


def check_name_in(name: str, snapshot: Snapshot) -> str | None:
    """The reason why no skill of this home may have this name, or None.

    Where records pin what they change, `category/name` is a name too.
    """
    if not snapshot.free_names:
        parts = name.split("/") if snapshot.pins_entries else [name]
        return next((why for part in parts if (why := check_skill_name(part))), None)
    return None if "/" not in name and _is_inside(name) else f"Not the name of a skill: {name!r}."


def _check_file_in(path: str, snapshot: Snapshot) -> str | None:
    """The reason why no skill of this home may have a file at this path in it, or None."""
    if not snapshot.free_names:
        return check_support_path(path)
    return None if _is_inside(path) else f"Path escapes the skill folder: {path!r}."


def _is_inside(path: str) -> bool:
    return "\0" not in path and {"", ".", ".."}.isdisjoint(path.split("/"))


def check_category(category: str | None) -> str | None:
    """The reason why this is no valid category, or None. No category, or an empty one, is valid."""
    return _check_name(category, "category") if category else None


def check_support_path(path: str) -> str | None:
    """The reason why this is no valid path of a file within a skill, or None."""
    if path == SKILL_FILE:
        return None
    root, *parts = path.split("/")
    if root not in ROOTS:
        return f"A skill's file is {SKILL_FILE} or lies below {', '.join(ROOTS)}: {path!r}."
    if ".." in parts:
        return f"Path escapes the skill folder: {path!r}."
    if not 1 <= len(parts) <= _MAX_DEPTH:
        return f"Path has more than {_MAX_DEPTH} parts, or none, below {root}: {path!r}."
    return next((problem for part in parts if (problem := _check_part(part, path))), None)


def check_new_document(path: str) -> str | None:
    """The reason why no document may be created at this path, or None."""
    top, *parts = path.split("/")
    if top == "memories" and len(parts) == 1 and _MEMORY.fullmatch(parts[0]):
        return None
    if top != "skills" or len(parts) < 2:
        return f"A document is a memory or lies below skills: {path!r}."
    end = next((at for at, part in enumerate(parts) if at and part in ROOTS), len(parts) - 1)
    *categories, name = parts[:end] or [""]
    problems = (check_category(category) for category in categories)
    within = "/".join(parts[end:])
    return next(filter(None, problems), check_skill_name(name) or check_support_path(within))


def _check_name(name: str, label: str) -> str | None:
    if not name:
        return f"The {label} is empty."
    if len(name) > MAX_NAME:
        return f"The {label} has {len(name)} characters; {MAX_NAME} is the limit."
    if not _NAME.fullmatch(name):
        return (
            f"The {label} {name!r} may hold only a-z, 0-9, dot, dash and underscore, "
            "and starts with a letter or digit."
        )
    if name.partition(".")[0] in _DEVICES or name.endswith("."):
        return f"Some systems have no directory called {name!r}: pick another {label}."
    if name in _SKIPPED:
        return f"Hermes passes over directories called {name!r}: pick another {label}."
    return None


def _check_part(part: str, path: str) -> str | None:
    if not _PART.fullmatch(part):
        return (
            "Parts of a path hold only letters, digits, dot, dash and underscore, start with a "
            f"letter or digit and have at most 100 characters: {path!r}."
        )
    if part.endswith("."):
        return f"No part of a path may end with a dot: {path!r}."
    if part.partition(".")[0].lower() in _DEVICES:
        return f"{part!r} is the name of a device on Windows: {path!r}."
    if part.casefold() == SKILL_FILE.casefold():
        return f"{SKILL_FILE} may only stand at the top of a skill: {path!r}."
    return None


MAX_OPERATIONS = 20


def check_batch(edits: Sequence[SkillChange]) -> Dead | None:
    """The reason why these edits are no valid batch, or None."""
    if len(edits) > MAX_OPERATIONS:
        why = f"It has {len(edits)} operations; {MAX_OPERATIONS} is the limit."
        return Dead(DeadReason.INVALID, why)
    if len(edits) > 1 and any(isinstance(edit, SkillDelete) for edit in edits):
        why = "A deletion has to be the only operation of its batch."
        return Dead(DeadReason.INVALID, why)
    return _check_order(edits) or _check_overwriting(edits)


def _check_order(edits: Sequence[SkillChange]) -> Dead | None:
    names: set[str] = set()
    for number, edit in enumerate(edits, start=1):
        if isinstance(edit, SkillCreate) and edit.name in names:
            why = "a skill is created before anything else is done with it."
            return in_batch(Dead(DeadReason.INVALID, why), number, edit)
        names.add(edit.name)
    return None


def _check_overwriting(edits: Sequence[SkillChange]) -> Dead | None:
    """The reason why one operation would overwrite another of the same batch, or None."""
    touched: set[tuple[str, str]] = set()
    for number, edit in enumerate(edits, start=1):
        target = (edit.name, plain_path(file_of(edit)))
        if target in touched and not isinstance(edit, SkillPatch):
            why = f"it would overwrite what an earlier operation did to {target[1]!r}."
            return in_batch(Dead(DeadReason.INVALID, why), number, edit)
        touched.add(target)
    return None


def in_batch(problem: Dead, number: int, edit: SkillChange) -> Dead:
    """The problem of one operation as that of its batch."""
    message = f"Operation {number} ({verb_of(edit)} on {edit.name!r}): {problem.message}"
    return Dead(problem.reason, f"{message} Nothing was applied.", problem.candidate)


def plain_path(file: str) -> str:
    """The normalised path of a file within a skill."""
    return posixpath.normpath(file.strip().lstrip("/"))


def file_of(edit: SkillChange) -> str:
    """The file that an edit changes; for an edit of the whole skill, its SKILL.md."""
    match edit:
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return edit.file
        case SkillCreate() | SkillEdit() | SkillDelete():
            return SKILL_FILE
        case _:
            assert_never(edit)


def verb_of(edit: SkillChange) -> str:
    """The name of an edit's action in a record."""
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


@dataclass(frozen=True, slots=True)
class Located:
    """The target of an edit of a skill."""

    path: str
    """The document: the SKILL.md for an edit of the whole skill."""
    skill: Skill | None
    """None for a new skill."""
    tree: str | None
    """The directory that is created or removed as a whole."""


def locate(edit: SkillChange, snapshot: Snapshot) -> Located | Dead:
    """The document that an edit changes, or the reason why it cannot be applied."""
    problem = check_name_in(edit.name, snapshot)
    if isinstance(edit, SkillCreate) and not snapshot.free_names:
        problem = check_skill_name(edit.name)
    if problem := problem or _check_file_in(file_of(edit), snapshot):
        return Dead(DeadReason.INVALID, problem)
    skill = snapshot.skill(edit.name)
    if isinstance(edit, SkillCreate):
        return _locate_new(edit, skill, snapshot)
    if skill is None:
        return Dead(DeadReason.TARGET_GONE, _describe_missing(edit.name, snapshot))
    if dead := _check_writable(skill):
        return dead
    if dead := _check_removable(edit, skill):
        return dead
    if isinstance(edit, SkillDelete):
        why = _check_delete(edit, skill, snapshot)
        return why or Located(skill.path_of(SKILL_FILE), skill, skill.directory)
    return Located(skill.path_of(file_of(edit)), skill, None)


def with_folder_names(edits: Sequence[Edit], snapshot: Snapshot) -> tuple[Edit, ...]:
    """The edits with each skill under its folder's name.

    A later Hermes also takes `category/name`, and the name in the front matter where only one skill
    has it.
    """
    return tuple(_with_folder_name(edit, snapshot) for edit in edits)


def _with_folder_name(edit: Edit, snapshot: Snapshot) -> Edit:
    if not isinstance(edit, SkillChange) or isinstance(edit, SkillCreate):
        return edit
    skill = snapshot.skill(edit.name)
    if skill is None or skill.name == edit.name:
        return edit
    namesake = snapshot.skill(skill.name)
    is_first = namesake is not None and namesake.directory == skill.directory
    return replace(edit, name=skill.name if is_first else skill.directory.removeprefix("skills/"))


def _describe_missing(name: str, snapshot: Snapshot) -> str:
    """The message that there is no such skill, and where it is if it was archived."""
    archive = f"skills/.archive/{name}"
    if snapshot.document(f"{archive}/{SKILL_FILE}").data is None:  # Most agents have no archive.
        return f"There is no skill {name!r}."
    return f"The skill {name!r} was archived: it is in {archive}."


def _locate_new(edit: SkillCreate, skill: Skill | None, snapshot: Snapshot) -> Located | Dead:
    if problem := check_category(edit.category):
        return Dead(DeadReason.INVALID, problem)
    if skill is not None:
        why = f"There is a skill {edit.name!r} already, in {skill.directory}."
        return Dead(DeadReason.NAME_TAKEN, why)
    directory = snapshot.new_skill_directory(edit.name, edit.category)
    if directory.startswith("/"):
        why = f"config.yaml puts new skills into {directory}, outside of the home's own skills."
        return Dead(DeadReason.EXTERNAL, why)
    path = f"{directory}/{SKILL_FILE}"
    if snapshot.document(path).exists:
        return Dead(DeadReason.NAME_TAKEN, f"{path} exists already.")
    return Located(path, None, directory)


def _check_writable(skill: Skill) -> Dead | None:
    if skill.external:
        why = f"The skill {skill.name!r} lives in {skill.directory}, outside of the home."
        return Dead(DeadReason.EXTERNAL, why)
    if skill.problem is not None:
        return Dead(DeadReason.NOT_PLAIN, f"The skill {skill.name!r}: {skill.problem}.")
    return None


def _check_removable(edit: SkillChange, skill: Skill) -> Dead | None:
    if not isinstance(edit, SkillDelete | SkillRemoveFile):
        return None
    if Protection.SHARED in skill.protections:
        why = (
            f"The skill {skill.name!r} is shared by an organisation: what is deleted here comes "
            "back with the next synchronisation."
        )
        return Dead(DeadReason.PROTECTED, why)
    if isinstance(edit, SkillDelete) and Protection.ESSENTIAL in skill.protections:
        why = f"The skill {skill.name!r} is essential to Hermes: it can be edited, not deleted."
        return Dead(DeadReason.PROTECTED, why)
    return None


def _check_delete(edit: SkillDelete, skill: Skill, snapshot: Snapshot) -> Dead | None:
    if Protection.PINNED in skill.protections:
        why = f"The skill {skill.name!r} is pinned: it is not deleted until it is unpinned."
        return Dead(DeadReason.PINNED, why)
    heir = (edit.absorbed_into or "").strip()
    if not heir:
        return None
    if heir == edit.name:
        return Dead(DeadReason.INVALID, f"The skill {heir!r} cannot be absorbed into itself.")
    if check_skill_name(heir) or snapshot.skill(heir) is None:
        why = f"It is said to be absorbed into {heir!r}, and there is no such skill."
        return Dead(DeadReason.INVALID, why)
    return None


def rewrite(edit: SkillChange, text: str | None) -> str | Dead:
    """The new text of the file that an edit changes; `text` is None if there is no such file.

    Removals have no text: see `removals`.
    """
    match edit:
        case SkillCreate():
            return _create(edit, text)
        case SkillEdit():
            return _edit(edit, text)
        case SkillPatch():
            return _patch(edit, text)
        case SkillWriteFile():
            return _check_new_text(edit.content, edit.file, text)
        case SkillRemoveFile() | SkillDelete():
            return Dead(DeadReason.INVALID, "A removal does not make a text.")
        case _:
            assert_never(edit)


def _create(edit: SkillCreate, text: str | None) -> str | Dead:
    if text is not None:
        return Dead(DeadReason.NAME_TAKEN, f"There is a skill {edit.name!r} already.")
    return _check_new_text(edit.content, SKILL_FILE, None)


def _edit(edit: SkillEdit, text: str | None) -> str | Dead:
    if text is None:
        return Dead(DeadReason.TARGET_GONE, f"The skill {edit.name!r} has no {SKILL_FILE}.")
    return _check_new_text(edit.content, SKILL_FILE, text)


def _patch(edit: SkillPatch, text: str | None) -> str | Dead:
    if text is None:
        return Dead(DeadReason.TARGET_GONE, f"The skill {edit.name!r} has no file {edit.file!r}.")
    patched = patch(
        with_newline(text, "\n"), edit.old_string, edit.new_string, replace_all=edit.replace_all
    )
    if isinstance(patched, Dead):
        return patched
    return _check_new_text(_apply_to_raw(text, patched), edit.file, text)


def _check_new_text(new: str, file: str, old: str | None) -> str | Dead:
    """The new text, or the reason why the file cannot or need not have it."""
    if new == old:
        return Dead(DeadReason.ALREADY_THERE, f"{file} has this very text already.")
    # Hermes' second limit, 1 MiB, cannot be reached within this one.
    if len(new) > MAX_CHARS:
        why = f"{file} would have {len(new):,} characters; {MAX_CHARS:,} is the limit."
        return Dead(DeadReason.INVALID, why)
    if file == SKILL_FILE and (problem := check_skill_text(new)):
        return Dead(DeadReason.INVALID, problem)
    return new


def _apply_to_raw(text: str, patched: Patched) -> str:
    """Applies a patch, located in the text with LF, to the raw text.

    Hermes would write the whole file with LF. Here only the patched regions change.
    """
    if "\r" not in text:
        return patched.text
    newline = newline_of(text)
    raw_indices = _raw_indices(text)
    pieces = [
        Replacement(
            raw_indices[piece.start], raw_indices[piece.end], with_newline(piece.text, newline)
        )
        for piece in patched.pieces
    ]
    return replace_regions(text, pieces)


def _raw_indices(text: str) -> list[int]:
    """Index in the raw text for each character of the text with LF newlines."""
    widths = [2 if part == "\r\n" else 1 for part in _characters(text)]
    return [0, *accumulate(widths)]


def _characters(text: str) -> list[str]:
    parts: list[str] = []
    for line in text.split("\r\n"):
        parts += [*line, "\r\n"]
    return parts[:-1]


def removals(edit: SkillRemoveFile | SkillDelete, skill: Skill) -> tuple[str, ...] | Dead:
    """The documents that an edit removes."""
    match edit:
        case SkillDelete():
            return tuple(skill.path_of(file) for file in skill.files)
        case SkillRemoveFile():
            if edit.file == SKILL_FILE:
                why = f"{SKILL_FILE} is the skill itself: delete the skill instead."
                return Dead(DeadReason.INVALID, why)
            if edit.file not in skill.files:
                why = f"The skill {skill.name!r} has no file {edit.file!r}."
                return Dead(DeadReason.TARGET_GONE, why)
            return (skill.path_of(edit.file),)
        case _:
            assert_never(edit)


def effects_of(edit: SkillChange, origin: str) -> tuple[Effect, ...]:
    """The bookkeeping that Hermes does for an edit of this origin."""
    match edit:
        case SkillCreate():
            by_itself = origin == BACKGROUND_REVIEW
            kind = EffectKind.MARK_AGENT_CREATED if by_itself else EffectKind.MARK_CREATED
        case SkillEdit() | SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            kind = EffectKind.COUNT_PATCH
        case SkillDelete():
            kind = EffectKind.MARK_ARCHIVED if origin == BACKGROUND_REVIEW else EffectKind.FORGET
        case _:
            assert_never(edit)
    return (Effect(kind, edit.name),)
