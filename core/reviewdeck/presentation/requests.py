"""The edits of a proposal as the agent requested them."""

from __future__ import annotations

from typing import assert_never

from reviewdeck.model import (
    DocumentWrite,
    Edit,
    MemoryAdd,
    MemoryPatch,
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
from reviewdeck.text.lines import text_in


def edit_parts(edit: Edit) -> list[tuple[str, str]]:
    """The parts of an edit: a label and a text each."""
    match edit:
        case MemoryAdd(content=content):
            return [("add this entry", content)]
        case MemoryReplace(old_text=old, content=content):
            return [("replace the entry that contains", old), ("with", content)]
        case MemoryPatch(old_text=old, new_text=new):
            return [("in the entry that contains it, replace", old), ("with", new)]
        case MemoryRemove(old_text=old):
            return [("remove the entry that contains", old)]
        case DocumentWrite(document, content):
            verb = "remove" if content is None else "write"
            return [(f"{verb} {document}", content or "")]
        case Restore(document=document, previous=previous):
            return [(f"bring {document} back to", text_in(previous))]
        case _:
            return _skill_request(edit)


def _skill_request(edit: SkillChange) -> list[tuple[str, str]]:
    match edit:
        case SkillCreate(name, content, category):
            place = f" in {category}" if category else ""
            return [(f"create the skill {name}{place}", content)]
        case SkillEdit(name, content):
            return [(f"rewrite the skill {name}", content)]
        case SkillPatch(name, old, new, file, replace_all):
            where = "everywhere in" if replace_all else "in"
            return [(f"{where} {name}/{file}, replace", old), ("with", new)]
        case SkillWriteFile(name, file, content):
            return [(f"write {name}/{file}", content)]
        case SkillRemoveFile(name, file):
            return [(f"remove {name}/{file}", "")]
        case SkillDelete(name, absorbed_into):
            into = f"; {absorbed_into} takes over" if absorbed_into else ""
            return [(f"delete the skill {name}{into}", "")]
        case _:
            assert_never(edit)
