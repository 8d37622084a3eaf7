"""Which skills a review may touch, and what it must have looked at before."""

from __future__ import annotations

from collections.abc import Collection

from reviewdeck.model import (
    Edit,
    Protection,
    Skill,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.ports import Snapshot
from reviewdeck.reviewer.guard import PROTECTED


def refusal(edit: Edit, snapshot: Snapshot) -> str | None:
    """Why a review may not do this; None when it may propose it."""
    if isinstance(edit, SkillCreate) or (skill := _skill_of(edit, snapshot)) is None:
        return None
    if why := protected(skill):
        return f"The skill {skill.name!r} is {why}: a review does not change it."
    if not isinstance(edit, SkillDelete):
        return None
    if Protection.PINNED in skill.protections:
        return f"The skill {skill.name!r} is pinned: it may be improved, and never deleted."
    if not (edit.absorbed_into or "").strip():
        return "A review deletes a skill only when absorbed_into names the one that took it over."
    return None


def protected(skill: Skill) -> str:
    """What makes a skill somebody else's; empty when a review may propose changes to it."""
    if skill.external:
        return "external"
    return ", ".join(sorted(skill.protections & PROTECTED))


def not_seen(edit: Edit, snapshot: Snapshot, viewed: Collection[str]) -> str | None:
    """The file that this edit changes and that was not looked at before; None for none."""
    file = _file_of(edit)
    skill = _skill_of(edit, snapshot)
    if skill is None or file is None:
        return None
    path = skill.path_of(file)
    return path if path not in viewed and snapshot.document(path).exists else None


def _skill_of(edit: Edit, snapshot: Snapshot) -> Skill | None:
    name = getattr(edit, "name", None)
    return snapshot.skill(name) if isinstance(name, str) else None


def _file_of(edit: Edit) -> str | None:
    match edit:
        case SkillPatch(file=file) | SkillWriteFile(file=file) | SkillRemoveFile(file=file):
            return file
        case SkillEdit() | SkillDelete():
            return "SKILL.md"
        case _:
            return None
