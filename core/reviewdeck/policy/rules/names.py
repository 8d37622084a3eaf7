"""Rules about names and paths, of which each becomes part of a path on disk, and about length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from reviewdeck.model import (
    UNSAFE_NAME,
    DocumentWrite,
    Edit,
    MemoryAdd,
    MemoryPatch,
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
from reviewdeck.planning.skills import check_category, check_skill_name, check_support_path
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import Hit, KnownToHome, Rule, RuleInput, printable

_MEMORY_DOCUMENT = re.compile(r"memories/[A-Z]{1,40}\.md")
_KNOWN_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?")


def _unsafe_names(subject: RuleInput) -> Iterator[Hit]:
    created = {edit.name for edit in subject.edits if isinstance(edit, SkillCreate)}
    for edit in subject.edits:
        for value, problem in _problems(edit, subject.known, created):
            if problem is not None:
                yield Hit(problem, quote=printable(value[:160]))


def _problems(
    edit: Edit, known: KnownToHome, created: Set[str]
) -> Iterator[tuple[str, str | None]]:
    match edit:
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile() if known.free_names:
            yield edit.file, _escape(edit.file, edit, known)
        case SkillCreate() | SkillEdit() | SkillDelete() if known.free_names:
            return
        case SkillCreate(name, _, category):
            yield name, check_skill_name(name)
            yield category or "", _category_problem(category, name, known.skills | created)
        case SkillEdit(name) | SkillDelete(name):
            yield name, _known_name_problem(name)
        case SkillPatch(name=name, file=file) | SkillWriteFile(name, file):
            yield name, _known_name_problem(name)
            yield file, _file_problem(file, edit, known)
        case SkillRemoveFile(name, file):
            yield name, _known_name_problem(name)
            yield file, _file_problem(file, edit, known)
        case MemoryAdd() | MemoryReplace() | MemoryPatch() | MemoryRemove():
            yield edit.document, _document_problem(edit.document)
        case DocumentWrite() | Restore():  # The kind of home says which documents there are.
            return


def _category_problem(category: str | None, name: str, skills: Set[str]) -> str | None:
    if category and (category in skills or category == name):
        return f"The category {category!r} is itself a skill: the new one would lie inside it."
    return check_category(category)


def _known_name_problem(name: str) -> str | None:
    """Skills that exist may follow other rules than ours; `category/name` is a name as well."""
    if all(_KNOWN_NAME.fullmatch(part) for part in name.split("/", 3)):
        return None
    return f"Not the name of a skill: {_shown(name)}."


def _file_problem(
    file: str, edit: SkillPatch | SkillWriteFile | SkillRemoveFile, known: KnownToHome
) -> str | None:
    if file == "SKILL.md" and not isinstance(edit, SkillPatch):
        return "SKILL.md is the skill itself, not a support file."
    return _escape(file, edit, known) or check_support_path(file)


def _escape(
    file: str, edit: SkillPatch | SkillWriteFile | SkillRemoveFile, known: KnownToHome
) -> str | None:
    parts = file.replace("\\", "/").split("/")
    if ".." in parts or not parts[0] or ":" in parts[0] or parts[0] == "~":
        does = "remove" if isinstance(edit, SkillRemoveFile) else "write"
        where = _where(parts, known.folders.get(edit.name, ""))
        return f"Path escapes the skill folder: it would {does} {_shown(where)}."
    return None


def _where(parts: Sequence[str], folder: str) -> str:
    """The place that a path leads to from its skill's folder; as written where that is unknown.

    `~` stands for the operator's own directory, `…` for the one that the home lies in: what is
    above them is not known here.
    """
    if not parts[0] or ":" in parts[0] or parts[0] == "~":
        return "/".join(parts)
    reached = folder.split("/") if folder else []
    for part in parts:
        if part != "..":
            reached.append(part)
        elif reached and reached[-1] not in ("..", "~", "…"):
            reached.pop()
        else:
            reached.append(part)
    return "/".join(part for at, part in enumerate(reached) if part not in ("", ".") or not at)


def _document_problem(document: str) -> str | None:
    if _MEMORY_DOCUMENT.fullmatch(document):
        return None
    return f"Not a memory document: {_shown(document)}."


def _shown(value: str) -> str:
    return f"`{printable(value[:160])}`"


UNSAFE_NAME_RULE = Rule(
    name=UNSAFE_NAME,
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="A name becomes part of a path, so only plain names are accepted.",
    looks_at="names of skills, categories, files and documents",
    check=_unsafe_names,
)


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_NARROW = {
    "a repair": r"(?:(?:hot|bug)?fix(?:es|ing)?|debug|workaround|resolve)[-_.].+|.+[-_.]hotfix",
    "a ticket": (
        r"(?:.+[-_.])?(?:pr|mr|gh|issue|ticket|bug|incident|cve|jira)s?[-_.]?\d+(?:[-_.].*)?"
        r"|(?:.+[-_.])?(?!(?:rfc|iso|iec|din|ieee|sha|utf|pep|cp|win|port|top|aes|rsa|es)\b)"
        r"[a-z]{2,10}-\d{3,6}(?:[-_.].*)?"
    ),
    "a date": (
        rf"(?:.*[-_.])?(?:(?:19|20)\d\d[-_.]?[01]\d(?:[-_.]?[0-3]\d)?|{_MONTH}[-_.]?(?:\d{{1,2}}|20\d\d)"
        r"|today|yesterday|tomorrow)(?:[-_.].*)?"
    ),
    "an error": (
        r"(?:.+[-_.])?(?:[a-z]+[-_.]?)?(?:error|exception|traceback|segfault)(?:[-_.]?\d+)?"
        r"|(?:.+[-_.])?(?:http|status|exit|error|errno)[-_.]?(?:code[-_.]?)?\d{1,5}(?:[-_.].*)?"
        r"|(?:cannot|cant|failed-to|unable-to|no-such)[-_.].+|.*-not-found"
    ),
    "a commit": r"(?:.+[-_.])?(?=[a-f]*\d)[0-9a-f]{7,40}",
}
"""What a name stands for that is one case of a class of work, as small letters."""


def narrow_names(subject: RuleInput) -> Iterator[Hit]:
    """The names of new skills that are those of one case."""
    for edit in subject.edits:
        if not isinstance(edit, SkillCreate):
            continue
        name = edit.name.rpartition("/")[2].lower()
        for what, pattern in _NARROW.items():
            if re.fullmatch(pattern, name):
                message = f"Named after {what}: a skill is for a class of work that comes again."
                quote = printable(edit.name[:160])
                yield Hit(message, quote=quote, severity=Severity.LOW)
                break


ENTRY_CHARACTERS = 400
ENTRY_SENTENCES = 4
SKILL_BYTES = 20 * 1024
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]{0,3}\s+(?=[^\W\d_a-z]|[\"'“„(\[*`-])|[。！？]|\n+")


def count_sentences(text: str) -> int:
    """Sentences and lines of a text."""
    return sum(1 for part in _SENTENCE_END.split(text) if part.strip())


def _length(subject: RuleInput) -> Iterator[Hit]:
    for piece in subject.texts:
        if not piece.is_memory:
            size = len(piece.text.encode("utf-8", "surrogatepass"))
            if size > SKILL_BYTES:
                message = f"The file has {size:,} bytes; {SKILL_BYTES:,} is the limit."
                yield Hit(message, piece, 0, len(piece.text), "")
            continue
        if len(piece.text) > ENTRY_CHARACTERS:
            message = (
                f"The entry has {len(piece.text):,} characters; {ENTRY_CHARACTERS} is the limit."
            )
            yield Hit(message, piece, ENTRY_CHARACTERS, len(piece.text))
        elif (sentences := count_sentences(piece.text)) > ENTRY_SENTENCES:
            message = f"The entry has {sentences} sentences; {ENTRY_SENTENCES} is the limit."
            yield Hit(message, piece, 0, len(piece.text))


LENGTH = Rule(
    name="length",
    effect=RuleEffect.HOLD,
    severity=Severity.LOW,
    reason="A note is short; in a long text one bad sentence is easily overlooked.",
    looks_at="the length of added text",
    check=_length,
)
