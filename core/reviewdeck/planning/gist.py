"""A proposal in one line, made of the change itself: nothing is taken from its author's summary.

What can be applied is described by its plan, from the live bytes to the planned ones; what cannot
is described by its request. The part that an operator must not miss comes first. Secrets are
redacted before the text is shortened: half a secret would not be recognised.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Final, assert_never

from reviewdeck.model import (
    SKILL_FILE,
    Change,
    Conflict,
    Dead,
    DocumentWrite,
    Edit,
    EntryEdit,
    Finding,
    Kind,
    MemoryAdd,
    MemoryPatch,
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
    StagedProposal,
)
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.planning.losses import lost_clauses
from reviewdeck.planning.skills import check_name_in
from reviewdeck.ports import Snapshot
from reviewdeck.text import diff
from reviewdeck.text.entries import pair, parse
from reviewdeck.text.hunks import Hunk
from reviewdeck.text.lines import common_start, text_in
from reviewdeck.text.redact import COVER, redact
from reviewdeck.text.rows import MAX_PAIRS
from reviewdeck.values import dataclass

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
GONE: Final = "−"
"""The sign before a removed text."""


class _Weight(IntEnum):
    """How much an operator must not miss a part of a change."""

    SPACING = 0
    ADDED = 1
    CHANGED = 2
    LOSING = 3
    """Changed, and something of the old text is lost; or a file that is executed."""
    REMOVED = 4
    GONE = 5
    """A whole document, skill or file; or a file that becomes executable."""
    FLAGGED = 6
    """The words of a finding of high severity."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One changed entry, line or document, in words."""

    weight: _Weight
    said: str | Callable[[], str]
    """Its words, or what makes them: of many parts, one is shown."""
    label: str = ""
    unit: str = ""
    amount: int = 1
    """More than one for further parts, which are only counted."""

    @property
    def words(self) -> str:
        return self.said if isinstance(self.said, str) else self.said()


def gist_of(staged: StagedProposal, snapshot: Snapshot, findings: Sequence[Finding] = ()) -> str:
    """The weightiest part of a change in words, and the number of further ones."""
    proposal = staged.proposal
    match staged.outcome:
        case Ready(plan):
            changes = plan.changes
        case Conflict() as conflict:
            base = conflict.base if conflict.base_known else conflict.live
            changes = (Change(conflict.path, base, conflict.proposed), *conflict.others)
        case Dead():
            return _joined(list(_request_parts(staged, snapshot, _quotes(findings))))
        case _:
            assert_never(staged.outcome)
    modes = [_became_part(change.became, change.path) for change in proposal.outside]
    parts = [*gist_parts(changes, proposal.kind, proposal.edits, findings), *filter(None, modes)]
    return _joined(parts)


def gist_of_changes(changes: Sequence[Change], kind: Kind, edits: Sequence[Edit]) -> str:
    """What these changes do, in the same words: for what was written in the end."""
    return _joined(gist_parts(changes, kind, edits))


def gist_parts(
    changes: Sequence[Change], kind: Kind, edits: Sequence[Edit], findings: Sequence[Finding] = ()
) -> list[_Part]:
    """The parts of a change in the order of the documents; the edits name skills and deletions."""
    quotes, parts, rest = _quotes(findings), [], list(changes)
    for edit in edits:
        if isinstance(edit, SkillDelete):
            gone = [c for c in rest if c.after is None and f"/{edit.name}/" in c.path]
            rest = [change for change in rest if change not in gone]
            parts += [_deletion_part(edit, is_one=len(edits) == 1)] if gone else []
    is_one = len(rest) == 1 and not parts
    for change in rest:
        label = _label_of(change, kind, edits, is_one=is_one)
        if change.after is None:
            name = _skill_place(change.path, edits)[1] if kind is Kind.SKILLS else change.path
            parts.append(_Part(_Weight.GONE, _removal(redact(name)), label))
        else:
            parts += [replace(part, label=label) for part in _change_parts(change, kind, quotes)]
    return parts


def _label_of(change: Change, kind: Kind, edits: Sequence[Edit], *, is_one: bool) -> str:
    """What precedes the words: the file of a skill, and the document if there are several."""
    if kind is Kind.MEMORY:
        return ""
    if kind is Kind.DOCUMENTS:
        return (
            ""
            if is_one or change.after is None
            else f"{_one_line(redact(posixpath.basename(change.path)))}: "
        )
    name, file = _skill_place(change.path, edits)
    names = [] if is_one else [name]
    names += [] if file == SKILL_FILE or change.after is None else [file]
    return "".join(f"{_one_line(redact(part))}: " for part in names)


def _skill_place(path: str, edits: Sequence[Edit]) -> tuple[str, str]:
    for edit in edits:
        if not isinstance(edit, MemoryAdd | EntryEdit | DocumentWrite | Restore):
            _, found, file = path.partition(f"/{edit.name}/")
            if found:
                return edit.name, file
    folder, _, file = path.rpartition("/")
    return posixpath.basename(folder), file


def _change_parts(change: Change, kind: Kind, quotes: Sequence[str]) -> Iterator[_Part]:
    if part := _became_part(change.became, change.path):
        yield part
    before, after = text_in(change.before), text_in(change.after)
    if change.after is None:
        yield _Part(_Weight.GONE, _removal(redact(change.path)))
    elif kind is Kind.MEMORY:
        yield from _diff_parts(parse(before), parse(after), quotes, "")
    elif not before.strip() and _has_description(change.path, kind):
        flagged = (
            part
            for part in _diff_parts([], after.splitlines(), quotes, "line")
            if part.weight is _Weight.FLAGGED
        )
        words = _cut(_one_line(redact(_start_of(_description(after)))), LONGEST)
        yield _Part(_Weight.ADDED, words)
        yield from (replace(part, unit="") for part in flagged if part.words != words)
    else:
        parts = _diff_parts(_lines(before), _lines(after), quotes, "line")
        for part in parts:
            is_script = part.weight is _Weight.ADDED and _is_executed(change.path, after)
            yield replace(part, weight=_Weight.LOSING) if is_script else part


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _has_description(path: str, kind: Kind) -> bool:
    return kind is Kind.DOCUMENTS or posixpath.basename(path) == SKILL_FILE


def _is_executed(path: str, text: str) -> bool:
    return "/scripts/" in path or text.startswith("#!")


def _became_part(words: str, path: str) -> _Part | None:
    if not words:
        return None
    return _Part(_Weight.GONE, _cut(_one_line(f"{words}: {redact(path)}"), LONGEST))


def _deletion_part(edit: SkillDelete, *, is_one: bool) -> _Part:
    into = f", absorbed into {redact(edit.absorbed_into)}" if edit.absorbed_into else ""
    label = "" if is_one else f"{_one_line(redact(edit.name))}: "
    return _Part(_Weight.GONE, f"{GONE} the whole skill{_cut(into, _SIDE)}", label)


def _diff_parts(
    old: Sequence[str], new: Sequence[str], quotes: Sequence[str], unit: str
) -> list[_Part]:
    """The differing entries or lines; one that only moved is no part."""
    all_words = _one_line(" ".join(new)) if quotes else ""
    if any(COVER in quote for quote in quotes):  # in few of the files of a skill
        all_words += _one_line(redact("\n".join(map(_start_of, new))))
    quotes = [quote for quote in quotes if quote in all_words]
    added = [j for j, text in enumerate(new) if text.strip()] if not any(old) else []
    if added and not quotes:  # a new file
        return [_part(old, new, None, added[0], quotes, unit), *_further(len(added) - 1, unit)]
    paired = _pairs(old, new)
    kept = set(paired.values())
    places = [
        *((i, i, None) for i in range(len(old)) if i not in paired and old[i].strip()),
        *((j, i, j) for i, j in paired.items() if old[i] != new[j]),
        *((j, None, j) for j in range(len(new)) if j not in kept and new[j].strip()),
    ]
    places.sort(key=lambda place: place[0])
    parts: list[_Part] = []
    further = 0
    is_told = False
    """Whether an added text has its words: of several, the first one is shown."""
    are_covered = any(COVER in quote for quote in quotes)
    for _, i, j in places:
        is_added = i is None and j is not None
        if is_added and is_told and not are_covered and not _has_any(new[j or 0], quotes):
            further += 1
        else:
            parts.append(_part(old, new, i, j, quotes, unit))
            is_told = is_told or is_added
    if not parts and list(old) != list(new):
        is_order = Counter(map(_one_line, old)) == Counter(map(_one_line, new))
        return [_Part(_Weight.SPACING, "order alone" if is_order else "spacing alone")]
    if len(parts) > 1 and all(part.weight is _Weight.SPACING for part in parts):
        return [_Part(_Weight.SPACING, "spacing alone")]
    return [*parts, *_further(further, unit)]


def _further(amount: int, unit: str) -> list[_Part]:
    return [_Part(_Weight.ADDED, "", unit=unit, amount=amount)] if amount else []


def _has_any(text: str, quotes: Sequence[str]) -> bool:
    line = _one_line(text) if quotes else ""
    return bool(line) and any(quote in line for quote in quotes)


def _pairs(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The places of what stayed, moved or was reworded, from the old to the new ones.

    One text in the place of one other counts as reworded, however little they have in common.
    """
    if len(new) >= len(old) and new[: len(old)] == old:  # nearly always, for a memory
        return {at: at for at in range(len(old))}
    hunks = diff.diff(old, new)
    sizes = [(hunk.a_end - hunk.a_start, hunk.b_end - hunk.b_start) for hunk in hunks]
    if sum(size for size, _ in sizes) * sum(size for _, size in sizes) <= MAX_PAIRS:
        paired = pair(old, new)
    else:
        paired, at, shift = {}, 0, 0
        for hunk in (*hunks, Hunk(len(old), len(old), len(new), len(new))):
            paired |= {i: i + shift for i in range(at, hunk.a_start)}
            at, shift = hunk.a_end, hunk.b_end - hunk.a_end
    kept = set(paired.values())
    for hunk, size in zip(hunks, sizes, strict=True):
        i, j = hunk.a_start, hunk.b_start
        if size == (1, 1) and i not in paired and j not in kept and old[i].strip():
            paired |= {i: j} if new[j].strip() else {}
    return paired


def _part(
    old: Sequence[str],
    new: Sequence[str],
    i: int | None,
    j: int | None,
    quotes: Sequence[str],
    unit: str,
) -> _Part:
    """An old text without a new one is removed, a new one without an old one is added."""
    if i is None and not quotes:
        return _Part(_Weight.ADDED, lambda: _added(_redacted_part(new, j or 0)), unit=unit)
    before = "" if i is None else _redacted_part(old, i)
    after = "" if j is None else _redacted_part(new, j)
    quote = next((quote for quote in quotes if quote in _one_line(after)), "")
    if i is None or j is None:
        weight = _Weight.ADDED if i is None else _Weight.REMOVED
        words = _added(after) if i is None else _removal(before)
    else:
        words = _rewording(before, after)
        is_losing = bool(lost_clauses(old[i], new))
        weight = _Weight.LOSING if is_losing else _Weight.CHANGED
        weight = _Weight.SPACING if _one_line(old[i]) == _one_line(new[j]) else weight
    if quote:
        return _Part(_Weight.FLAGGED, _around(_one_line(after), quote, words), unit=unit)
    return _Part(weight, words, unit=unit)


def _around(text: str, quote: str, words: str) -> str:
    """The words, unless they are cut before the quote is over: then the text around it."""
    if quote in words:
        return words
    start = max(0, text.find(quote) - _SIDE // 2)
    return _cut(f"…{text[start:].partition(' ')[2]}" if start else text, LONGEST)


def _quotes(findings: Sequence[Finding]) -> tuple[str, ...]:
    grave = (finding for finding in findings if finding.severity.rank >= Severity.HIGH.rank)
    return tuple(words for finding in grave if (words := _one_line(finding.quote or "")))


def _joined(parts: Sequence[_Part]) -> str:
    """The weightiest part, the first of equals; with it what else is removed, if there is room."""
    ranked = sorted(parts, key=lambda part: -part.weight)
    if not ranked:
        return ""
    first, *others = ranked
    line = f"{first.label}{first.words}"
    while first.weight is _Weight.REMOVED and others and others[0].weight is _Weight.REMOVED:
        longer = f"{line} {others[0].words}"
        if others[0].label != first.label or len(longer) > LONGEST:
            break
        line, others = longer, others[1:]
    units = {(part.unit, part.label) for part in parts}
    unit = first.unit if len(units) == 1 else ""
    more = sum(part.amount for part in others)
    plural = f" {unit}{'s' if more > 1 else ''}" if unit else ""
    return f"{line} +{more} more{plural}" if more else line


def _request_parts(
    staged: StagedProposal, snapshot: Snapshot, quotes: Sequence[str]
) -> Iterator[_Part]:
    """The parts of what cannot be applied, as it was asked for."""
    edits, kind = staged.proposal.edits, staged.proposal.kind
    for edit in edits:
        match edit:
            case MemoryAdd(content=content):
                parts = _diff_parts([], [content], quotes, "")
            case MemoryReplace() | MemoryPatch():
                entry = _target_entry(edit, _text(snapshot, edit.document)) or edit.old_text
                parts = _diff_parts([entry], [edit.content], quotes, "")
            case MemoryRemove():
                entry = _target_entry(edit, _text(snapshot, edit.document)) or edit.old_text
                parts = _diff_parts([entry], [], quotes, "")
            case Restore():
                change = Change(
                    edit.document, edit.applied, edit.previous, edit.mode, was_mode=edit.was_mode
                )
                parts = list(_change_parts(change, kind, quotes))
            case SkillDelete():
                parts = [_deletion_part(edit, is_one=len(edits) == 1)]
            case SkillRemoveFile():
                parts = [_Part(_Weight.GONE, _removal(redact(edit.file)))]
            case _:
                path, before, after = _wanted_text(edit, snapshot)
                ends = [None if text is None else _encode(text) for text in (before, after)]
                change = Change(path, ends[0], ends[1])
                label = _label_of(change, kind, edits, is_one=len(edits) == 1)
                found = _change_parts(change, kind, quotes)
                parts = [replace(part, label=label) for part in found]
        yield from parts


def _wanted_text(
    edit: DocumentWrite | SkillCreate | SkillEdit | SkillPatch | SkillWriteFile, snapshot: Snapshot
) -> tuple[str, str | None, str | None]:
    match edit:
        case DocumentWrite():
            return edit.document, _text(snapshot, edit.document), edit.content
        case SkillCreate():
            return f"/{edit.name}/{SKILL_FILE}", None, edit.content
        case SkillPatch():
            return f"/{edit.name}/{edit.file}", edit.old_string, edit.new_string
        case SkillEdit():
            file = SKILL_FILE
        case SkillWriteFile():
            file = edit.file
        case _:
            assert_never(edit)
    return f"/{edit.name}/{file}", _file_text(edit.name, file, snapshot), edit.content


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


def _rewording(old: str, new: str) -> str:
    """The words that change, then the words around them: ``15 → 16 · Staging is ferry-stage-1``."""
    a, b = old.split(), new.split()
    head = common_start(a, b)
    tail = common_start(a[head:][::-1], b[head:][::-1])
    if head == len(a) == len(b):
        if not b or _COVER in new:
            return "a secret, covered here"
        return f'spacing of "{_cut(_one_line(new), LONGEST)}"'
    before, after = (_cut(" ".join(side[head : len(side) - tail]), _SIDE) for side in (a, b))
    change = f"{before} → {after}" if before and after else f"{GONE} {before}" if before else after
    around = " ".join(a[:head]) or " ".join(a[len(a) - tail :] if tail else ())
    sign = "" if before else "+ "
    return f"{sign}{change} · {_cut(around, _SIDE)}" if around else f"{sign}{change}"


def _added(text: str) -> str:
    return _cut(_one_line(text), LONGEST)


def _removal(text: str) -> str:
    return f"{GONE} {_cut(_one_line(text), LONGEST)}"


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
        else next((line for line in body.splitlines() if line.strip(" -")), "")
    )


def _file_text(name: str, file: str, snapshot: Snapshot) -> str:
    """One file of a skill as it is live; empty for none."""
    skill = snapshot.skill(name) if check_name_in(name, snapshot) is None else None
    path = "" if skill is None or file not in skill.files else skill.path_of(file)
    return _text(snapshot, path) if path else ""


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(snapshot: Snapshot, path: str) -> str:
    document = snapshot.document(path)
    return "" if document.problem else text_in(document.data)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    """The text in at most `most` characters, ended after a whole word where one fits."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole_words = head.rpartition(" ")[0]
    return f"{(whole_words if len(whole_words) > most // 2 else head).rstrip()}…"
