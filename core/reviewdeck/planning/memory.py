"""Stages edits of a memory document, by Hermes' own rules.

A newer record pins its target: it has the whole entry, which must match exactly and is also what
the author saw. A record that removes something and pins no entry is older, or not Hermes' own: the
entry that its search finds today may not be the one its author saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from reviewdeck.model import (
    Base,
    Change,
    Dead,
    DeadReason,
    Document,
    EntryEdit,
    Finding,
    MemoryAdd,
    MemoryEdit,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Severity,
    added_text,
)
from reviewdeck.planning.losses import lost_clauses
from reviewdeck.planning.match import nearest_entry
from reviewdeck.planning.parts import (
    LOST_TEXT,
    EditResult,
    base_findings,
    conflict_of,
    merged_finding,
)
from reviewdeck.planning.rebase import Clash, Rebased, RebaseRequest, Rewrite, rebase
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.entries import BOM, DELIMITER, join, parse, round_trips, size
from reviewdeck.text.lines import newline_of, with_newline
from reviewdeck.text.merge import merge_memory
from reviewdeck.values import dataclass

_MARK = DELIMITER.strip("\n")
_PREVIEW = 60
_PREVIEWS = 3


@dataclass(frozen=True, slots=True)
class EntryChange:
    """The change that one edit makes to one entry."""

    index: int | None
    """Index of the entry in the document before all edits; None for a new one."""
    before: str | None
    """The whole entry; None for an addition."""
    after: str | None
    """None when it is removed."""


@dataclass(frozen=True, slots=True)
class MemoryResult:
    """A memory document after its edits."""

    text: str
    lost: tuple[str, ...]
    """Parts of replaced entries that no new text has."""
    touched: tuple[EntryChange, ...]
    """In the order of the edits, without additions that the document already had."""
    tidied: bool = False
    """Whether blank lines and padding between the entries are gone."""


@dataclass(frozen=True, slots=True)
class _Entry:
    index: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Step:
    entries: tuple[_Entry, ...]
    touched: EntryChange | None
    """None when the document already has the entry."""


def apply_memory(
    edits: Sequence[MemoryEdit], text: str, budget: int | None, *, batch: bool
) -> MemoryResult | Dead:
    """The document after all edits, or the reason why they cannot be applied."""
    if not edits:
        return Dead(DeadReason.INVALID, "There is no edit in it.")
    before = parse(text)
    outcome = _apply_each(edits, before, batch=batch)
    if isinstance(outcome, Dead):
        return outcome
    entries, touched = outcome
    after = [entry.text for entry in entries]
    if problem := _check_result(edits, before, after, budget, batch=batch):
        return problem
    is_tidy, drift = round_trips(text, None), _drift(before, after, budget)
    if not batch and all(isinstance(edit, MemoryAdd) for edit in edits) and (drift or not is_tidy):
        return MemoryResult(_append(after[len(before) :], text), (), touched)
    if drift is not None:
        return drift
    return MemoryResult(_render(after, text), _lost_text(touched), touched, tidied=not is_tidy)


def _drift(before: Sequence[str], after: Sequence[str], budget: int | None) -> Dead | None:
    """The reason why the entries cannot be written again as they are; None if they can.

    An entry longer than the whole budget is free text that somebody wrote past the tool: Hermes
    refuses to edit beside it. Layout alone (blank lines around the marks) is no drift.
    """
    if budget is not None and any(len(entry) > budget for entry in before):
        why = f"one of its entries is longer than the {budget:,} characters of the whole memory"
    elif parse(join(after)) != tuple(entry.strip() for entry in after):
        why = f"a line of an entry is {_MARK} alone, and would make two entries of it"
    else:
        return None
    return Dead(
        DeadReason.INVALID,
        f"Only additions can be made until somebody puts the memory in order: {why}.",
    )


def _apply_each(
    edits: Sequence[MemoryEdit], before: Sequence[str], *, batch: bool
) -> tuple[tuple[_Entry, ...], tuple[EntryChange, ...]] | Dead:
    entries = tuple(_Entry(index, text) for index, text in enumerate(before))
    touched: list[EntryChange] = []
    satisfied: Dead | None = None
    for number, edit in enumerate(edits, start=1):
        step = _apply_edit(edit, entries)
        if isinstance(step, Dead):
            problem = _as_batch_problem(step, number, edit) if batch else step
            if not batch or step.reason is not DeadReason.ALREADY_THERE:
                return problem
            satisfied = satisfied or problem
            continue
        entries = step.entries
        if step.touched is not None:
            touched.append(step.touched)
    if satisfied is not None and touched:
        return Dead(DeadReason.TARGET_GONE, satisfied.message, satisfied.candidate)
    return entries, tuple(touched)


def _as_batch_problem(problem: Dead, number: int, edit: MemoryEdit) -> Dead:
    message = f"Operation {number} ({_verb(edit)}): {problem.message} Nothing was applied."
    return Dead(problem.reason, message, problem.candidate)


def _verb(edit: MemoryEdit) -> str:
    match edit:
        case MemoryAdd():
            return "add"
        case MemoryReplace():
            return "replace"
        case MemoryPatch():
            return "patch"
        case MemoryRemove():
            return "remove"
        case _:
            assert_never(edit)


def _apply_edit(edit: MemoryEdit, entries: tuple[_Entry, ...]) -> _Step | Dead:
    match edit:
        case MemoryAdd():
            return _add(edit, entries)
        case MemoryReplace():
            return _replace(edit, entries)
        case MemoryPatch():
            return _patch(edit, entries)
        case MemoryRemove():
            return _remove(edit, entries)
        case _:
            assert_never(edit)


def _add(edit: MemoryAdd, entries: tuple[_Entry, ...]) -> _Step | Dead:
    content = _normalise(edit.content)
    if problem := _check_content(content):
        return problem
    if any(entry.text == content for entry in entries):
        return _Step(entries, None)
    return _Step((*entries, _Entry(None, content)), EntryChange(None, None, content))


def _replace(edit: MemoryReplace, entries: tuple[_Entry, ...]) -> _Step | Dead:
    content = _normalise(edit.content)
    if problem := _check_content(content):
        return problem
    place = _locate(edit.old_text, edit.matched_entry, entries)
    if isinstance(place, Dead):
        if place.reason is DeadReason.TARGET_GONE and any(e.text == content for e in entries):
            why = "The entry to be replaced is gone and the new one is in the memory already."
            return Dead(DeadReason.ALREADY_THERE, why)
        return place
    if entries[place].text == content:
        return _Step(entries, None)
    return _at(place, content, entries)


def _patch(edit: MemoryPatch, entries: tuple[_Entry, ...]) -> _Step | Dead:
    if not edit.new_text.strip():
        return Dead(DeadReason.INVALID, "The new text is empty: a patch cannot take text away.")
    place = _locate(edit.old_text, edit.matched_entry, entries)
    if isinstance(place, Dead):
        return place
    content = _patched(entries[place].text, edit)
    if isinstance(content, Dead):
        return content
    return _at(place, content, entries)


def _patched(entry: str, edit: MemoryPatch) -> str | Dead:
    """The entry with the new text, as Hermes writes it: not stripped."""
    first = entry.find(edit.old_text)
    if first < 0:
        why = "is not in the entry that it names, so that Hermes would change nothing"
        return Dead(DeadReason.INVALID, f"{_preview(edit.old_text)} {why}.")
    if entry.find(edit.old_text, first + 1) >= 0:  # Overlaps count, as they do in Hermes.
        why = "occurs more than once in the entry that it names, and a patch changes one place"
        return Dead(DeadReason.AMBIGUOUS, f"{_preview(edit.old_text)} {why}.")
    content = entry.replace(edit.old_text, with_newline(edit.new_text, "\n"))
    if content == entry:
        return Dead(DeadReason.INVALID, "The new text is the old one: nothing would change.")
    return _check_content(content) or content


def _remove(edit: MemoryRemove, entries: tuple[_Entry, ...]) -> _Step | Dead:
    place = _locate(edit.old_text, edit.matched_entry, entries)
    if isinstance(place, Dead):
        return place
    return _at(place, None, entries)


def _at(place: int, content: str | None, entries: tuple[_Entry, ...]) -> _Step:
    """Another entry, or none, in this place; its duplicates go, which Hermes reads as one entry."""
    was = entries[place]
    now = () if content is None else (_Entry(was.index, content),)
    later = tuple(entry for entry in entries[place:] if entry.text != was.text)
    return _Step((*entries[:place], *now, *later), EntryChange(was.index, was.text, content))


def _locate(old_text: str, pinned: str | None, entries: Sequence[_Entry]) -> int | Dead:
    search_text = _normalise(old_text)
    if not search_text:
        return Dead(DeadReason.INVALID, "It does not say which entry it is about.")
    if pinned is not None:
        return _locate_pinned(with_newline(pinned, "\n"), entries)
    places = [place for place, entry in enumerate(entries) if search_text in entry.text]
    if not places:
        return Dead(
            DeadReason.TARGET_GONE,
            f"No entry contains {_preview(search_text)}.",
            nearest_entry(search_text, [entry.text for entry in entries]),
        )
    matches = list(dict.fromkeys(entries[place].text for place in places))
    return places[0] if len(matches) == 1 else _dead_for_several(search_text, matches)


def _locate_pinned(pinned: str, entries: Sequence[_Entry]) -> int | Dead:
    for place, entry in enumerate(entries):
        if entry.text == pinned:  # White space counts: a patch before it may have padded it.
            return place
    return Dead(
        DeadReason.TARGET_GONE,
        f"The entry that was meant is no longer there: {_preview(pinned)}.",
        nearest_entry(pinned, [entry.text for entry in entries]),
    )


def _dead_for_several(search_text: str, matches: Sequence[str]) -> Dead:
    previews = "; ".join(_preview(match) for match in matches[:_PREVIEWS])
    more = f"; and {len(matches) - _PREVIEWS} more" if len(matches) > _PREVIEWS else ""
    return Dead(
        DeadReason.AMBIGUOUS,
        f"{len(matches)} different entries contain {_preview(search_text)}: {previews}{more}.",
    )


def _check_content(content: str) -> Dead | None:
    if not content:
        return Dead(DeadReason.INVALID, "The new entry is empty.")
    if _MARK in content.split("\n"):
        return Dead(
            DeadReason.INVALID,
            f"A line of the new entry is {_MARK} alone, which is what separates entries: "
            "it would become several.",
        )
    return None


def _check_result(
    edits: Sequence[MemoryEdit],
    before: Sequence[str],
    after: Sequence[str],
    budget: int | None,
    *,
    batch: bool,
) -> Dead | None:
    if list(after) == list(before):
        return Dead(DeadReason.ALREADY_THERE, "The memory has this already: nothing would change.")
    if batch and not after:
        return Dead(DeadReason.INVALID, "It would leave the memory empty.")
    only_removes = not batch and all(isinstance(edit, MemoryRemove) for edit in edits)
    if budget is None or only_removes or size(after) <= budget:
        return None
    return _too_large(after, before, budget) or Dead(
        DeadReason.OVER_BUDGET,
        f"The memory would have {size(after):,} of {budget:,} characters; "
        f"it has {size(before):,} now.",
    )


def _too_large(after: Sequence[str], before: Sequence[str], budget: int | None) -> Dead | None:
    """The reason why no room can be made for new entries: they alone exceed the budget."""
    alone = size([entry for entry in after if entry not in before])
    if budget is None or alone <= budget:
        return None
    return Dead(
        DeadReason.TOO_LARGE,
        f"What it writes has {alone:,} characters alone, and the whole memory {budget:,}.",
    )


def _render(entries: Sequence[str], text: str) -> str:
    """The document as Hermes writes it, with its present newlines and byte order mark."""
    mark = BOM if text.startswith(BOM) else ""
    return mark + with_newline(join(entries), newline_of(text))


def _append(added: Sequence[str], text: str) -> str:
    newline = newline_of(text)
    lead = newline if text.endswith(_MARK) else ""
    return text + lead + with_newline(DELIMITER + join(added), newline)


def _lost_text(touched: Sequence[EntryChange]) -> tuple[str, ...]:
    """Text of replaced entries that no new text has; text moved to another entry is not lost."""
    new = [change.after for change in touched if change.after is not None]
    replaced = [
        change.before
        for change in touched
        if change.before is not None and change.after is not None
    ]
    return tuple(dict.fromkeys(clause for old in replaced for clause in lost_clauses(old, new)))


def _normalise(text: str) -> str:
    """The text as Hermes reads it back: stripped, with LF newlines."""
    return with_newline(text, "\n").strip()


def _preview(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _PREVIEW else line[: _PREVIEW - 1] + "…")


def is_pinned(edits: Sequence[MemoryEdit]) -> bool:
    """Whether every replacement and removal of a record pins its entry."""
    taking = [edit for edit in edits if isinstance(edit, EntryEdit)]
    return bool(taking) and all(edit.matched_entry is not None for edit in taking)


def pinned_base(edits: Sequence[MemoryEdit], live: str) -> str | None:
    """The text that the author saw, where a pinned entry is gone: otherwise it is the live text.

    Each missing entry replaces the one most similar to it, or is appended. None where every pinned
    entry is live.
    """
    live_entries = list(entries.parse(live))
    pins = pins_of(edits)
    missing = [entry for entry in pins if entry not in live_entries]
    if not missing:
        return None
    for entry in missing:
        became = nearest_entry(
            entry, [candidate for candidate in live_entries if candidate not in pins]
        )
        if became is None:
            live_entries.append(entry)
        else:
            live_entries[live_entries.index(became)] = entry
    return with_newline(entries.join(live_entries), newline_of(live))


def pins_of(edits: Sequence[MemoryEdit]) -> list[str]:
    """The entries that edits of one memory name, without those that they create themselves."""
    own_entries: set[str] = set()
    pins: dict[str, None] = {}
    for edit in edits:
        if isinstance(edit, EntryEdit) and edit.matched_entry is not None:
            pin = _normalise(edit.matched_entry)
            if pin and pin not in own_entries:
                pins[pin] = None
        if (created := added_text(edit)) is not None:
            own_entries.add(_normalise(created))
    return list(pins)


def pin_findings(edits: Sequence[MemoryEdit], *, pins_entries: bool) -> tuple[Finding, ...]:
    """Findings about missing and inconsistent pins of a record.

    `pins_entries`: whether the records of this home usually pin their entries.
    """
    taking = [edit for edit in edits if isinstance(edit, EntryEdit)]
    pinned = [edit for edit in taking if edit.matched_entry is not None]
    findings = [_mismatch_finding(edit) for edit in pinned if not _is_consistent(edit)]
    if len(pinned) < len(taking) and (pins_entries or pinned):
        findings.append(_unpinned_finding(len(taking) - len(pinned), len(taking)))
    return tuple(findings)


def _unpinned_finding(missing: int, total: int) -> Finding:
    which = "It does not name" if total == 1 else f"{missing} of its edits do not name"
    return Finding(
        "unpinned",
        Severity.MEDIUM,
        f"{which} the whole entry that is meant, as records of this Hermes do: Hermes itself "
        "would refuse it. Look whether it is this entry that was meant.",
    )


def _mismatch_finding(edit: EntryEdit) -> Finding:
    return Finding(
        "pin-mismatch",
        Severity.HIGH,
        "The text that it searches for is not in the entry that it names.",
        quote=edit.old_text,
    )


def _is_consistent(edit: EntryEdit) -> bool:
    if isinstance(edit, MemoryPatch):
        return edit.old_text in (edit.matched_entry or "")
    return _normalise(edit.old_text) in _normalise(edit.matched_entry or "")


def stage_memory(
    edits: tuple[MemoryEdit, ...], proposal: Proposal, snapshot: Snapshot
) -> EditResult:
    """Stages consecutive edits of one memory document against the live text."""
    path = edits[0].document
    live, base, budget = snapshot.document(path), _base(edits, proposal), snapshot.budget(path)
    if shut := closed(path, snapshot):
        return EditResult(outcome=shut)
    is_addition = all(isinstance(edit, MemoryAdd) for edit in edits)
    results: list[MemoryResult] = []

    def rewrite(text: str | None) -> str | Dead:
        on_live = text == live.text
        result = apply_memory(
            edits, text or "", budget if on_live else None, batch=proposal.action == "batch"
        )
        if isinstance(result, Dead):
            return result
        results.append(result)
        return result.text

    outcome = rebase(
        RebaseRequest(
            live, base, rewrite, merge_memory, is_addition=is_addition, absent_is_empty=True
        )
    )
    if isinstance(outcome, Dead) and outcome.reason is DeadReason.TARGET_GONE:
        outcome = _clash_atpins_of(edits, live, rewrite, outcome)
    findings = () if is_pinned(edits) else base_findings(base, live, is_addition=is_addition)
    findings += _link_finding(live)
    findings += pin_findings(edits, pins_entries=snapshot.pins_entries)
    if results:
        findings += _lost_findings(results[-1]) + _layout_findings(results[-1], path)
    match outcome:
        case Dead():
            return EditResult(findings=findings, outcome=outcome)
        case Clash():
            return EditResult(findings=findings, outcome=conflict_of(outcome, proposal, live))
        case Rebased(text, merged):
            if over := over_budget(text or "", live, budget):
                over = _too_large(parse(text or ""), parse(live.text), budget) or over
                return EditResult(findings=findings, outcome=over)
            change = Change(path, live.data, with_mark(text or "", live).encode("utf-8"))
            return EditResult((change,), findings=findings + (merged_finding(path),) * merged)


def _base(edits: tuple[MemoryEdit, ...], proposal: Proposal) -> Base | None:
    base = proposal.bases.get(edits[0].document)
    if is_pinned(edits) and base is not None and not base.has_text:
        return None  # A hash alone says less than the pinned entries.
    return base


def _clash_atpins_of(
    edits: tuple[MemoryEdit, ...], live: Document, rewrite: Rewrite, dead: Dead
) -> Clash | Dead:
    """Turns a missing pinned entry into a clash over it: its author saw that entry.

    Never a merge, however well the texts fit: which live entry came of it is a guess.
    """
    live_text = live.text
    base = pinned_base(edits, live_text)
    proposed = None if base is None else rewrite(base)
    if base is None or not isinstance(proposed, str) or parse(proposed) == parse(live_text):
        return dead
    return Clash(base.encode("utf-8"), proposed.encode("utf-8"), dead.message)


def closed(path: str, snapshot: Snapshot) -> Dead | None:
    """The reason why a memory takes no writes, such as being switched off; None if it does."""
    why = snapshot.closed(path)
    return Dead(DeadReason.CLOSED, f"{path} takes no writes: {why}.") if why else None


def with_mark(text: str, live: Document) -> str:
    """The text with the byte order mark of the file, which a merge of entries drops."""
    mark = BOM if (live.data or b"").startswith(BOM.encode("utf-8")) else ""
    return mark + text.removeprefix(mark)


def over_budget(text: str, live: Document, budget: int | None) -> Dead | None:
    """The reason why a text exceeds its budget; None if it fits or shrinks, as in Hermes."""
    if budget is None:
        return None
    new_size, live_size = size(parse(text)), size(parse(live.text))
    if new_size <= budget or new_size < live_size:
        return None
    return Dead(
        DeadReason.OVER_BUDGET,
        f"{live.path} would have {new_size:,} of {budget:,} characters (it has {live_size:,}).",
    )


def _link_finding(live: Document) -> tuple[Finding, ...]:
    if live.link is None:
        return ()
    message = f"{live.path} is a symbolic link: writes go to {live.link}."
    return (Finding("link", Severity.INFO, message),)


def _layout_findings(result: MemoryResult, path: str) -> tuple[Finding, ...]:
    if not result.tidied:
        return ()
    message = f"Blank lines and padding between the entries of {path} go: Hermes reads none."
    return (Finding("layout", Severity.INFO, message),)


def _lost_findings(result: MemoryResult) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            LOST_TEXT,
            Severity.MEDIUM,
            "The whole entry is replaced; this part of it would be lost.",
            quote=lost,
        )
        for lost in result.lost
    )
