"""A proposal in one line, made from its edits alone: nothing is taken from its author's summary.

Secrets are redacted before the text is shortened: half a secret would not be recognised.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never

from reviewdeck.model import (
    SKILL_FILE,
    Conflict,
    DocumentWrite,
    Edit,
    EntryEdit,
    Kind,
    MemoryAdd,
    MemoryEdit,
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
    StagedProposal,
    became,
)
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.planning.skills import check_name_in
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse
from reviewdeck.text.redact import redact

LONGEST: Final = 160
"""Characters of an added text that are shown."""
_SIDE: Final = 70
"""Characters of each side of a change that are shown."""
_LONGEST_READ: Final = 4_000
"""Characters of one text that are read for its line."""
_AROUND: Final = 64
"""Lines around a changed one that may belong to one secret with it: the longest keys have fewer."""
_COVER: Final = "•"
"""The sign that `redact` puts in the place of a secret."""
_LEAD_WORDS: Final = 4
"""Words before a change that are shown with the old text; the new one has the last of them."""
GONE: Final = "−"
"""The sign before a removed text."""


def gist_of(staged: StagedProposal, snapshot: Snapshot) -> str:
    """The first edit of a proposal in words, and the number of further ones."""
    proposal = staged.proposal
    base_texts = _base_texts(staged)
    lines = [_line(edit, proposal.kind, base_texts, snapshot) for edit in proposal.edits]
    if proposal.kind is not Kind.MEMORY and len(lines) > 1:
        lines = [_with_name(edit, line) for edit, line in zip(proposal.edits, lines, strict=True)]
    lines += [
        f"{change.became}: {redact(change.path)}" for change in proposal.outside if change.became
    ]
    gists = [line for line in lines if line]
    return _with_count(gists[0], len(gists) - 1) if gists else ""


def subject_of(staged: StagedProposal, snapshot: Snapshot) -> str:
    """A hash of the memory entry that a proposal changes; empty unless it has one memory edit.

    Two proposals with the same hash repeat or contradict each other, whatever their summaries say.
    """
    match staged.proposal.edits:
        case (MemoryAdd(document, content),):
            about = content
        case (MemoryReplace() | MemoryPatch() | MemoryRemove() as edit,):
            document = edit.document
            about = _target_entry(edit, _text(snapshot, document)) or edit.old_text
        case _:
            return ""
    words = " ".join(about.casefold().split())
    key = f"{document}\0{words}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).hexdigest()[:16]


def _base_texts(staged: StagedProposal) -> Mapping[str, str]:
    """The text that the author of a conflict saw, by path; empty where that is the live one."""
    match staged.outcome:
        case Conflict(base_known=True) as conflict:
            return {conflict.path: _decode(conflict.base)}
        case _:
            return {}


def _line(edit: Edit, kind: Kind, base_texts: Mapping[str, str], snapshot: Snapshot) -> str:
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryPatch() | MemoryRemove():
            return _memory_line(edit, _before(edit.document, base_texts, snapshot))
        case Restore():
            return _restore_line(edit, kind)
        case DocumentWrite(document, None):
            return _removal(redact(document))
        case DocumentWrite(document, content):
            before, after = _before(document, base_texts, snapshot), content or ""
            if not before.strip():
                return _cut(_one_line(redact(_start_of(_description(after)))), LONGEST)
            return _changed_lines(before, after)
        case _:
            return _skill_line(edit, base_texts, snapshot)


def _memory_line(edit: MemoryEdit, before: str) -> str:
    match edit:
        case MemoryAdd():
            return _cut(_one_line(redact(_start_of(edit.content))), LONGEST)
        case MemoryReplace() | MemoryPatch():
            if entry := _target_entry(edit, before):
                return _rewording(redact(_start_of(entry)), redact(_start_of(edit.content)))
            old, new = (redact(_start_of(text)) for text in (edit.old_text, edit.content))
            return _arrow(_one_line(old), _one_line(new))
        case MemoryRemove():
            return _removal(redact(_start_of(_target_entry(edit, before) or edit.old_text)))
        case _:
            assert_never(edit)


def _skill_line(edit: SkillChange, base_texts: Mapping[str, str], snapshot: Snapshot) -> str:
    match edit:
        case SkillCreate():
            return _cut(_one_line(redact(_start_of(_description(edit.content)))), LONGEST)
        case SkillPatch():
            return _with_file(edit.file, _changed_lines(edit.old_string, edit.new_string))
        case SkillEdit():
            before = _file_text(edit.name, SKILL_FILE, base_texts, snapshot)
            return _changed_lines(before, edit.content)
        case SkillWriteFile():
            before = _file_text(edit.name, edit.file, base_texts, snapshot)
            return _with_file(edit.file, _changed_lines(before, edit.content))
        case SkillRemoveFile():
            return _removal(redact(edit.file))
        case SkillDelete():
            into = f", absorbed into {redact(edit.absorbed_into)}" if edit.absorbed_into else ""
            return f"{GONE} the whole skill{_cut(into, _SIDE)}"
        case _:
            assert_never(edit)


def _with_name(edit: Edit, line: str) -> str:
    """The line after the name of the skill or file; a restore has its document's name already."""
    if isinstance(edit, MemoryEdit | Restore) or not line:
        return line
    if isinstance(edit, DocumentWrite):
        return f"{_one_line(redact(posixpath.basename(edit.document)))}: {line}"
    return f"{_one_line(redact(edit.name))}: {line}"


def _restore_line(edit: Restore, kind: Kind) -> str:
    if edit.previous is None:
        return _removal(redact(edit.document))
    if edit.applied == edit.previous and (change := became(edit.was_mode, edit.mode)):
        return _cut(_one_line(f"{change}: {redact(edit.document)}"), LONGEST)
    before, after = _decode(edit.applied), _decode(edit.previous)
    if kind is Kind.MEMORY:
        return _change_line(parse(before), parse(after), "")
    return _changed_lines(before, after)


def _changed_lines(before: str, after: str) -> str:
    return _change_line(before.split("\n"), after.split("\n"), "line")


def _change_line(old: Sequence[str], new: Sequence[str], unit: str) -> str:
    """The first part that differs, and the number of further ones, without the equal ends."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    removed = [at for at in range(head, len(old) - tail) if old[at].strip()]
    added = [at for at in range(head, len(new) - tail) if new[at].strip()]
    more = max(len(removed), len(added)) - 1
    if removed and added:
        return _with_count(
            _rewording(_redacted_part(old, removed[0]), _redacted_part(new, added[0])), more, unit
        )
    if added:
        return _with_count(_cut(_one_line(_redacted_part(new, added[0])), LONGEST), more, unit)
    if removed:
        return _with_count(_removal(_redacted_part(old, removed[0])), more, unit)
    return "spacing alone"


def _redacted_part(parts: Sequence[str], at: int) -> str:
    """One part with its secrets redacted, also those that begin or end in the parts around it."""
    first = max(0, at - _AROUND)
    around = "\n".join(map(_start_of, parts[first : at + _AROUND]))
    lines = around.count("\n", 0, sum(len(_start_of(part)) + 1 for part in parts[first:at]))
    size = _start_of(parts[at]).count("\n") + 1
    return "\n".join(redact(around).split("\n")[lines : lines + size])


def _start_of(text: str) -> str:
    """The first `_LONGEST_READ` characters of a text, in whole words."""
    return (
        text
        if len(text) <= _LONGEST_READ
        else text[:_LONGEST_READ].rpartition(" ")[0] or text[:_LONGEST_READ]
    )


def _common(a_parts: Sequence[str], b_parts: Sequence[str]) -> int:
    """Length of the common prefix."""
    pairs = enumerate(zip(a_parts, b_parts, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(a_parts), len(b_parts)))


def _rewording(old: str, new: str) -> str:
    """The change between two wordings in whole words, without their common ends."""
    a, b = old.split(), new.split()
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    if head == len(a) == len(b):
        if not b or _COVER in new:
            return "a secret, covered here"
        return f'spacing of "{_cut(_one_line(new), LONGEST)}"'
    if not head and tail in (len(a), len(b)):
        tail -= 1  # One side would be empty: keep a word to show where the other belongs.
    lead_words = a[max(0, head - _LEAD_WORDS) : head]
    lead, end = "…" * (head > _LEAD_WORDS), "…" * (tail > 0)
    before = " ".join(lead_words + a[head : len(a) - tail])
    after = " ".join(lead_words[-1:] + b[head : len(b) - tail])
    return _arrow(f"{lead}{before}{end}", f"{after}{end}")


def _arrow(old: str, new: str) -> str:
    return f'"{_cut(old, _SIDE)}" → "{_cut(new, _SIDE)}"'


def _removal(text: str) -> str:
    return f"{GONE} {_cut(_one_line(text), LONGEST)}"


def _with_file(file: str, line: str) -> str:
    return line if file == SKILL_FILE else f"{_one_line(redact(file))}: {line}"


def _with_count(line: str, amount: int, unit: str = "") -> str:
    if amount < 1:
        return line
    plural = f" {unit}{'s' if amount > 1 else ''}" if unit else ""
    return f"{line} +{amount} more{plural}"


def _target_entry(edit: EntryEdit, text: str) -> str | None:
    """The entry that an edit changes; None where it is ambiguous."""
    if edit.matched_entry is not None:
        return edit.matched_entry.strip()
    search_text = edit.old_text.strip()
    matches = {entry for entry in parse(text) if search_text and search_text in entry}
    return matches.pop() if len(matches) == 1 else None


def _description(text: str) -> str:
    """The description of a new skill or document, else its first line."""
    front = parse_front(text)
    description = "" if front is None else front.fields.get("description", "")
    body = text if front is None else front.body
    return (
        description
        if isinstance(description, str) and description.strip()
        else next(_text_lines(body), "")
    )


def _text_lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip(" -"))


def _file_text(name: str, file: str, base_texts: Mapping[str, str], snapshot: Snapshot) -> str:
    """One file of a skill as its author saw it, or as it is live; empty for none."""
    skill = snapshot.skill(name) if check_name_in(name, snapshot) is None else None
    path = "" if skill is None or file not in skill.files else skill.path_of(file)
    return _before(path, base_texts, snapshot) if path else ""


def _before(path: str, base_texts: Mapping[str, str], snapshot: Snapshot) -> str:
    return base_texts[path] if path in base_texts else _text(snapshot, path)


def _text(snapshot: Snapshot, path: str) -> str:
    document = snapshot.document(path)
    return "" if document.problem else _decode(document.data)


def _decode(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    """The text in at most `most` characters, ended after a whole word where one fits."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole_words = head.rpartition(" ")[0]
    return f"{(whole_words if len(whole_words) > most // 2 else head).rstrip()}…"
