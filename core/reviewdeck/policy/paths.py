"""Rules about names and paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import (
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Restore,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.planning.naming import check_category, check_skill_name, check_support_path
from reviewdeck.policy.rule import Hit, LooksAt, Rule, Subject

_MEMORY_DOCUMENT = re.compile(r"memories/[A-Z]+\.md")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def _unsafe_names(subject: Subject) -> Iterator[Hit]:
    for edit in subject.edits:
        match edit:
            case SkillCreate(name, _, category):
                yield from _hits(check_skill_name(name), check_category(category))
            case SkillEdit(name) | SkillDelete(name):
                yield from _hits(_check_known_name(name))
            case SkillPatch(name=name, file=file) | SkillWriteFile(name, file):
                yield from _hits(_check_known_name(name), _check_file(file, edit))
            case SkillRemoveFile(name, file):
                yield from _hits(_check_known_name(name), _check_file(file, edit))
            case MemoryAdd(document) | MemoryReplace(document) | MemoryRemove(document):
                yield from _hits(_check_document(document))
            case Restore():
                pass


def _hits(*problems: str | None) -> Iterator[Hit]:
    for problem in problems:
        if problem is not None:
            yield Hit(problem)


def _check_known_name(name: str) -> str | None:
    """Skills that exist may have been named by other rules than ours, but are one plain part."""
    if _PLAIN_NAME.fullmatch(name):
        return None
    return f"This is not the name of a skill: {name!r}."


def _check_file(file: str, edit: object) -> str | None:
    if file == "SKILL.md" and not isinstance(edit, SkillPatch):
        return "SKILL.md is not a support file."
    return check_support_path(file)


def _check_document(document: str) -> str | None:
    if _MEMORY_DOCUMENT.fullmatch(document):
        return None
    return f"This is not a memory document: {document!r}."


RULES = (
    Rule(
        name="unsafe-path",
        looks_at=LooksAt.NAMES,
        severity=Severity.CRITICAL,
        reason="A name becomes part of a path, so only what is plainly a name is let through.",
        check=_unsafe_names,
        hits=(
            SkillWriteFile("log-triage", "../../../evil.md", "x"),
            SkillWriteFile("log-triage", "/etc/passwd", "x"),
            SkillWriteFile("log-triage", "references/SKILL.md", "x"),
            SkillWriteFile("log-triage", "SKILL.md", "x"),
            SkillWriteFile("log-triage", "references/con.md", "x"),
            SkillWriteFile("log-triage", "references\\..\\x.md", "x"),
            SkillWriteFile("../up", "references/a.md", "x"),
            SkillCreate("foo\n", "x"),
            SkillCreate("fine", "x", category="../.."),
            SkillDelete("../memories"),
            MemoryAdd("../SOUL.md", "x"),
        ),
        misses=(
            SkillWriteFile("log-triage", "references/a.md", "x"),
            SkillCreate("weekly-report", "x", category="office"),
            SkillPatch("weekly-report", "a", "b"),
            MemoryAdd("memories/USER.md", "x"),
        ),
        refuses=True,
    ),
)
