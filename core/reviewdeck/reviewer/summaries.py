"""What a proposal of a review wants, in the words that Hermes uses for its own."""

from __future__ import annotations

from typing import Final, assert_never

from reviewdeck.homes.hermes.payloads import Request
from reviewdeck.model import (
    Edit,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Restore,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)

SHOWN: Final = 120
_STORES: Final = {"memory": "memory", "user": "user profile"}


def summary_of(request: Request) -> str:
    """One line."""
    if len(request.edits) == 1:
        return _words(request.edits[0], _STORES.get(request.target, request.target))
    target = _STORES.get(request.target, request.target)
    first = _words(request.edits[0], target) if request.edits else ""
    return f"apply {len(request.edits)} op(s) to {target}: {first}"


def _words(edit: Edit, target: str) -> str:
    if isinstance(edit, SkillChange):
        return _of_skill(edit)
    match edit:
        case MemoryAdd(content=content):
            return f"add to {target}: {content[:SHOWN]}"
        case MemoryReplace(old_text=old, content=new):
            return f"replace in {target}: old: {old[:60]}\nnew: {new[:SHOWN]}"
        case MemoryRemove(old_text=old):
            return f"remove from {target}: {old[:SHOWN]}"
        case Restore(document=document):
            return f"restore {document}"
        case _:
            assert_never(edit)


def _of_skill(edit: SkillChange) -> str:
    match edit:
        case SkillCreate(name=name, content=content):
            return f"create '{name}' ({len(content):,} characters)"
        case SkillEdit(name=name, content=content):
            return f"rewrite '{name}' ({len(content):,} characters)"
        case SkillPatch(name=name, file=file):
            return f"patch '{name}' {file}"
        case SkillWriteFile(name=name, file=file):
            return f"write {file} in '{name}'"
        case SkillRemoveFile(name=name, file=file):
            return f"remove {file} from '{name}'"
        case SkillDelete(name=name):
            return f"delete skill '{name}'"
        case _:
            assert_never(edit)
