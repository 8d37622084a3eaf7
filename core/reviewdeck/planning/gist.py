"""A proposal in one line, from what it would do: nothing that its author says of it is in it.

Secrets are covered before anything is cut or left out: half a secret looks like none.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never

from reviewdeck.model import (
    Conflict,
    DocumentWrite,
    Edit,
    Kind,
    MemoryAdd,
    MemoryEdit,
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
)
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.planning.skills import SKILL_FILE, check_skill_name
from reviewdeck.policy.redact import redact
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse

LONGEST: Final = 160
"""Characters of a text that is added."""
_SIDE: Final = 70
"""Characters of each side of a change."""
_LOOKED_AT: Final = 4_000
"""Characters of one text that are looked at for a line about it."""
_AROUND: Final = 64
"""Lines around a changed one that may belong to one secret with it: the longest keys have fewer."""
_COVER: Final = "•"
"""Stands in the place of each secret."""
_LED: Final = 4
"""Words before a change that are shown with what was there; the new text has the last of them."""
GONE: Final = "−"
"""Stands before what is removed."""


def gist_of(staged: StagedProposal, snapshot: Snapshot) -> str:
    """What it adds, removes or rewords: the first edit, and how many more there are."""
    proposal = staged.proposal
    seen = _seen(staged)
    lines = [_line(edit, proposal.kind, seen, snapshot) for edit in proposal.edits]
    if proposal.kind is not Kind.MEMORY and len(lines) > 1:
        lines = [_named(edit, line) for edit, line in zip(proposal.edits, lines, strict=True)]
    lines += [f"{one.became}: {redact(one.path)}" for one in proposal.outside if one.became]
    shown = [line for line in lines if line]
    return _more(shown[0], len(shown) - 1) if shown else ""


def subject_of(staged: StagedProposal, snapshot: Snapshot) -> str:
    """A sum of the one memory entry that it is about; empty for all else.

    Two proposals with one sum repeat or contradict each other, whatever their authors call them.
    """
    match staged.proposal.edits:
        case (MemoryAdd(document, content),):
            about = content
        case (MemoryReplace() | MemoryRemove() as edit,):
            document = edit.document
            about = _whole(edit, _text(snapshot, document)) or edit.old_text
        case _:
            return ""
    words = " ".join(about.casefold().split())
    said = f"{document}\0{words}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:16]


def _seen(staged: StagedProposal) -> Mapping[str, str]:
    """What the author of a conflict saw of its document, where that is not what is live."""
    match staged.outcome:
        case Conflict(base_known=True) as conflict:
            return {conflict.path: _decoded(conflict.base)}
        case _:
            return {}


def _line(edit: Edit, kind: Kind, seen: Mapping[str, str], snapshot: Snapshot) -> str:
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryRemove():
            return _of_memory(edit, _before(edit.document, seen, snapshot))
        case Restore():
            return _restored(edit, kind)
        case DocumentWrite(document, None):
            return _gone(redact(document))
        case DocumentWrite(document, content):
            before, after = _before(document, seen, snapshot), content or ""
            if not before.strip():
                return _cut(_spaced(redact(_begun(_description(after)))), LONGEST)
            return _changed_lines(before, after)
        case _:
            return _of_skill(edit, seen, snapshot)


def _of_memory(edit: MemoryEdit, before: str) -> str:
    match edit:
        case MemoryAdd():
            return _cut(_spaced(redact(_begun(edit.content))), LONGEST)
        case MemoryReplace():
            if whole := _whole(edit, before):
                return _reworded(redact(_begun(whole)), redact(_begun(edit.content)))
            old, new = (redact(_begun(text)) for text in (edit.old_text, edit.content))
            return _both(_spaced(old), _spaced(new))
        case MemoryRemove():
            return _gone(redact(_begun(_whole(edit, before) or edit.old_text)))
        case _:
            assert_never(edit)


def _of_skill(edit: SkillChange, seen: Mapping[str, str], snapshot: Snapshot) -> str:
    match edit:
        case SkillCreate():
            return _cut(_spaced(redact(_begun(_description(edit.content)))), LONGEST)
        case SkillPatch():
            return _of_file(edit.file, _changed_lines(edit.old_string, edit.new_string))
        case SkillEdit():
            before = _file_text(edit.name, SKILL_FILE, seen, snapshot)
            return _changed_lines(before, edit.content)
        case SkillWriteFile():
            before = _file_text(edit.name, edit.file, seen, snapshot)
            return _of_file(edit.file, _changed_lines(before, edit.content))
        case SkillRemoveFile():
            return _gone(redact(edit.file))
        case SkillDelete():
            into = f", absorbed into {redact(edit.absorbed_into)}" if edit.absorbed_into else ""
            return f"{GONE} the whole skill{_cut(into, _SIDE)}"
        case _:
            assert_never(edit)


def _named(edit: Edit, line: str) -> str:
    """The line behind the skill or the file; a restore names its document by itself."""
    if isinstance(edit, MemoryAdd | MemoryReplace | MemoryRemove | Restore) or not line:
        return line
    if isinstance(edit, DocumentWrite):
        return f"{_spaced(redact(posixpath.basename(edit.document)))}: {line}"
    return f"{_spaced(redact(edit.name))}: {line}"


def _restored(edit: Restore, kind: Kind) -> str:
    if edit.previous is None:
        return _gone(redact(edit.document))
    before, after = _decoded(edit.applied), _decoded(edit.previous)
    if kind is Kind.MEMORY:
        return _changed(parse(before), parse(after), "")
    return _changed_lines(before, after)


def _changed_lines(before: str, after: str) -> str:
    return _changed(before.split("\n"), after.split("\n"), "line")


def _changed(old: Sequence[str], new: Sequence[str], unit: str) -> str:
    """The first part that differs, and how many more do; equal ends of both are left out."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    gone = [at for at in range(head, len(old) - tail) if old[at].strip()]
    came = [at for at in range(head, len(new) - tail) if new[at].strip()]
    more = max(len(gone), len(came)) - 1
    if gone and came:
        return _more(_reworded(_covered(old, gone[0]), _covered(new, came[0])), more, unit)
    if came:
        return _more(_cut(_spaced(_covered(new, came[0])), LONGEST), more, unit)
    if gone:
        return _more(_gone(_covered(old, gone[0])), more, unit)
    return "spacing alone"


def _covered(parts: Sequence[str], at: int) -> str:
    """One part with its secrets covered, also one that begins or ends in the parts around it."""
    first = max(0, at - _AROUND)
    around = "\n".join(map(_begun, parts[first : at + _AROUND]))
    lines = around.count("\n", 0, sum(len(_begun(part)) + 1 for part in parts[first:at]))
    size = _begun(parts[at]).count("\n") + 1
    return "\n".join(redact(around).split("\n")[lines : lines + size])


def _begun(text: str) -> str:
    """As much of a text as is looked at, whole words of it."""
    return (
        text
        if len(text) <= _LOOKED_AT
        else text[:_LOOKED_AT].rpartition(" ")[0] or text[:_LOOKED_AT]
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _reworded(old: str, new: str) -> str:
    """What changed between two wordings, in whole words; what both begin and end with is cut."""
    a, b = old.split(), new.split()
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    if head == len(a) == len(b):
        if not b or _COVER in new:
            return "a secret, covered here"
        return f'spacing of "{_cut(_spaced(new), LONGEST)}"'
    if not head and tail in (len(a), len(b)):
        tail -= 1  # Nothing would be left of one side: a word tells where the other belongs.
    led = a[max(0, head - _LED) : head]
    lead, end = "…" * (head > _LED), "…" * (tail > 0)
    before = " ".join(led + a[head : len(a) - tail])
    after = " ".join(led[-1:] + b[head : len(b) - tail])
    return _both(f"{lead}{before}{end}", f"{after}{end}")


def _both(old: str, new: str) -> str:
    return f'"{_cut(old, _SIDE)}" → "{_cut(new, _SIDE)}"'


def _gone(text: str) -> str:
    return f"{GONE} {_cut(_spaced(text), LONGEST)}"


def _of_file(file: str, line: str) -> str:
    return line if file == SKILL_FILE else f"{_spaced(redact(file))}: {line}"


def _more(line: str, amount: int, unit: str = "") -> str:
    if amount < 1:
        return line
    plural = f" {unit}{'s' if amount > 1 else ''}" if unit else ""
    return f"{line} +{amount} more{plural}"


def _whole(edit: MemoryReplace | MemoryRemove, text: str) -> str | None:
    """The entry that an edit is about; None where the memory does not say which one."""
    if edit.matched_entry is not None:
        return edit.matched_entry.strip()
    wanted = edit.old_text.strip()
    matches = {entry for entry in parse(text) if wanted and wanted in entry}
    return matches.pop() if len(matches) == 1 else None


def _description(text: str) -> str:
    """What a new skill or document says it is for; without it, its first line."""
    front = parse_front(text)
    said = "" if front is None else front.fields.get("description", "")
    body = text if front is None else front.body
    return said if isinstance(said, str) and said.strip() else next(_lines(body), "")


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip(" -"))


def _file_text(name: str, file: str, seen: Mapping[str, str], snapshot: Snapshot) -> str:
    """One file of a skill as its author saw it, or as it is live; empty for none."""
    skill = snapshot.skill(name) if check_skill_name(name) is None else None
    path = "" if skill is None or file not in skill.files else skill.path_of(file)
    return _before(path, seen, snapshot) if path else ""


def _before(path: str, seen: Mapping[str, str], snapshot: Snapshot) -> str:
    return seen[path] if path in seen else _text(snapshot, path)


def _text(snapshot: Snapshot, path: str) -> str:
    document = snapshot.document(path)
    return "" if document.problem else _decoded(document.data)


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    """The text in at most so many characters, ended after a whole word where one fits."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    whole = kept.rpartition(" ")[0]
    return f"{(whole if len(whole) > most // 2 else kept).rstrip()}…"
