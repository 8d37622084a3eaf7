"""The shapes that may be applied without an operator, and in words what every other change does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reviewdeck.model import (
    Change,
    Conflict,
    Dead,
    Edit,
    Finding,
    MemoryAdd,
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
)
from reviewdeck.policy.rule import Hit, LooksAt, Rule, Subject
from reviewdeck.policy.signs import Trait, signed

MEMORY_ADDITION = "memory-addition"
NEW_SKILL = "new-skill"
NEW_SUPPORT_FILE = "new-support-file"

_PLAIN_SUPPORT = re.compile(
    r"(?:references|templates)/(?:[A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*\.md"
)
_ALWAYS_HOLD = frozenset({"protected", "lost-text"})


def shape_of(subject: Subject) -> str | None:
    """The allowed shape of a proposal that is ready, or None."""
    if not isinstance(subject.outcome, Ready):
        return None
    wanted = shape_of_edits(subject.edits)
    changes = subject.outcome.plan.changes
    if wanted is None or not changes or not all(change.is_additive for change in changes):
        return None
    if wanted == MEMORY_ADDITION:
        documents = {edit.document for edit in subject.edits if isinstance(edit, MemoryAdd)}
        return wanted if {change.path for change in changes} <= documents else None
    return wanted if _is_one_new_file(changes, wanted) else None


def shape_of_edits(edits: tuple[Edit, ...]) -> str | None:
    """The shape that these edits ask for, whatever planning makes of them."""
    match edits:
        case (SkillCreate(),):
            return NEW_SKILL
        case (SkillWriteFile(_, file),) if _PLAIN_SUPPORT.fullmatch(file):
            return NEW_SUPPORT_FILE
        case _ if edits and all(isinstance(edit, MemoryAdd) for edit in edits):
            return MEMORY_ADDITION
        case _:
            return None


def _is_one_new_file(changes: tuple[Change, ...], wanted: str) -> bool:
    ending = "/SKILL.md" if wanted == NEW_SKILL else ".md"
    return len(changes) == 1 and changes[0].before is None and changes[0].path.endswith(ending)


def _not_additive(subject: Subject) -> Iterator[Hit]:
    if isinstance(subject.outcome, Ready) and shape_of(subject) is not None:
        return
    described = [(edit, _describe(edit)) for edit in subject.edits]
    said = [hit for _, hit in described if hit is not None]
    yield from said
    if not said and isinstance(subject.outcome, Ready):
        yield Hit(_describe_plan(subject.outcome.plan.changes))


def _describe_plan(changes: tuple[Change, ...]) -> str:
    if not changes:
        return "Nothing would change."
    if any(change.after is None for change in changes):
        return "A document would go away."
    return "It changes what is there already, or it does several things at once."


def _describe(edit: Edit) -> Hit | None:
    match edit:
        case MemoryAdd() | SkillCreate():
            return None
        case MemoryReplace():
            return Hit("It replaces a whole entry.")
        case MemoryRemove():
            return Hit("It removes an entry.", severity=Severity.HIGH)
        case SkillEdit(name):
            return Hit(f"It rewrites the skill {name!r} as a whole.", severity=Severity.HIGH)
        case SkillPatch(name, file=file):
            return Hit(f"It changes {file!r} of the skill {name!r}.")
        case SkillWriteFile(name, file):
            return _describe_file(name, file)
        case SkillRemoveFile(name, file):
            return Hit(f"It removes {file!r} from {name!r}.", severity=Severity.HIGH)
        case SkillDelete(name):
            return Hit(f"It deletes the skill {name!r}.", severity=Severity.HIGH)
        case Restore(document):
            return Hit(f"It brings {document!r} back to an earlier text.")


def _describe_file(name: str, file: str) -> Hit | None:
    if file.startswith("scripts/"):
        return Hit(f"It writes a script of the skill {name!r}.", severity=Severity.HIGH)
    if not _PLAIN_SUPPORT.fullmatch(file):
        return Hit(f"{file!r} is not a Markdown reference or template.")
    return None


@signed(Trait.UNREADY)
def _not_ready(subject: Subject) -> Iterator[Hit]:
    match subject.outcome:
        case Conflict(reason=reason):
            yield Hit(reason, code="conflict")
        case Dead(message=message):
            yield Hit(message, code="dead")
        case _:
            return


@signed(Trait.NOTICED)
def _noticed(subject: Subject) -> Iterator[Hit]:
    is_addition = shape_of_edits(subject.edits) is not None
    for finding in subject.noticed:
        weighed = _weigh(finding, is_addition)
        yield Hit(
            weighed.message,
            weighed.span,
            weighed.quote,
            severity=weighed.severity,
            code=weighed.code,
        )


def _weigh(finding: Finding, is_addition: bool) -> Finding:
    """An unknown base matters only to what depends on a base; some findings always hold."""
    if finding.code == "base-unknown" and is_addition:
        return replace(finding, severity=Severity.INFO)
    holds = finding.code in _ALWAYS_HOLD or finding.code == "base-unknown"
    if holds and finding.severity is Severity.INFO:
        return replace(finding, severity=Severity.LOW)
    return finding


_UNKNOWN = Finding("base-unknown", Severity.LOW, "Nobody knows what the author was looking at.")
_DOC = "memories/MEMORY.md"

RULES = (
    Rule(
        name="not-additive",
        looks_at=LooksAt.EDITS,
        severity=Severity.MEDIUM,
        reason="Only what adds and takes nothing away may be applied without an operator.",
        check=_not_additive,
        hits=(
            MemoryReplace(_DOC, "a", "b"),
            MemoryRemove(_DOC, "a"),
            SkillEdit("notes", "x"),
            SkillPatch("notes", "a", "b"),
            SkillWriteFile("notes", "scripts/a.sh", "x"),
            SkillWriteFile("notes", "assets/a.svg", "x"),
            SkillRemoveFile("notes", "references/a.md"),
            SkillDelete("notes"),
            Restore(_DOC, b"a", b"b"),
        ),
        misses=(
            MemoryAdd(_DOC, "a"),
            SkillCreate("notes", "x"),
            SkillWriteFile("notes", "references/a.md", "x"),
        ),
    ),
    Rule(
        name="not-ready",
        looks_at=LooksAt.PLANNING,
        severity=Severity.MEDIUM,
        reason="A conflict needs a person, and what cannot be applied is not applied.",
        check=_not_ready,
        hits=(
            Subject(outcome=Conflict("h", "p", "s", _DOC, None, None, None, "Both changed it.")),
        ),
        misses=(MemoryAdd(_DOC, "a"),),
    ),
    Rule(
        name="planning",
        looks_at=LooksAt.PLANNING,
        severity=Severity.LOW,
        reason="What planning noticed counts as much as what the rules find.",
        check=_noticed,
        hits=(
            Subject(edits=(MemoryReplace(_DOC, "a", "b"),), noticed=(_UNKNOWN,)),
            Subject(noticed=(Finding("lost-text", Severity.HIGH, "Text would be lost."),)),
        ),
        misses=(MemoryAdd(_DOC, "a"),),
    ),
)
