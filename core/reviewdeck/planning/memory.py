"""Staging edits of a memory document, by Hermes' own rules.

A newer record names the entry that it means in full: then only that entry will do, and it is also
what the author saw. A record that removes something and names no entry is older, or somebody
else's: what its search finds today may not be what its author saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from reviewdeck.model import (
    Base,
    Change,
    Dead,
    DeadReason,
    Document,
    Finding,
    MemoryAdd,
    MemoryEdit,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Severity,
)
from reviewdeck.planning.losses import lost_clauses
from reviewdeck.planning.match import nearest_entry
from reviewdeck.planning.parts import EditResult, base_findings, conflict_of, merged_finding
from reviewdeck.planning.rebase import Clash, RebaseRequest, Rewrite, Settled, settle
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.entries import BOM, DELIMITER, join, parse, round_trips, size
from reviewdeck.text.lines import newline_of, with_newline
from reviewdeck.text.merge import merge_memory

_MARK = DELIMITER.strip("\n")
_PREVIEW = 60
_PREVIEWS = 3


@dataclass(frozen=True, slots=True)
class Touched:
    """The entry that one edit acted on."""

    index: int | None
    """Its place in the document before all edits; None when it was not there."""
    before: str | None
    """The whole entry; None for an addition."""
    after: str | None
    """None when it goes away."""


@dataclass(frozen=True, slots=True)
class MemoryResult:
    """A memory document after its edits."""

    text: str
    lost: tuple[str, ...]
    """Parts of replaced entries that the new text does not have."""
    touched: tuple[Touched, ...]
    """In the order of the edits; an addition that was there already is left out."""


@dataclass(frozen=True, slots=True)
class _Entry:
    index: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Step:
    entries: tuple[_Entry, ...]
    touched: Touched | None
    """None when the entry that is wanted is there already."""


def apply_memory(
    edits: Sequence[MemoryEdit], text: str, budget: int | None, *, batch: bool
) -> MemoryResult | Dead:
    """The document after all edits, or why there is no such thing."""
    if not edits:
        return Dead(DeadReason.INVALID, "There is no edit in it.")
    before = parse(text)
    # An entry with the mark alone on a line would run into its neighbours when written anew.
    is_clean = round_trips(text, budget) and not any(map(_has_mark_line, before))
    if not is_clean and (batch or not all(isinstance(edit, MemoryAdd) for edit in edits)):
        return Dead(
            DeadReason.INVALID,
            "The memory is not a list of entries as Hermes writes it (something else changed "
            "it): only additions can be made until it is put in order.",
        )
    outcome = _apply_each(edits, before, batch=batch)
    if isinstance(outcome, Dead):
        return outcome
    entries, touched = outcome
    after = [entry.text for entry in entries]
    if problem := _check_result(edits, before, after, budget, batch=batch):
        return problem
    return MemoryResult(
        _write(after, text) if is_clean else _append(after[len(before) :], text),
        _lost(touched),
        touched,
    )


def _apply_each(
    edits: Sequence[MemoryEdit], before: Sequence[str], *, batch: bool
) -> tuple[tuple[_Entry, ...], tuple[Touched, ...]] | Dead:
    entries = tuple(_Entry(index, text) for index, text in enumerate(before))
    touched: list[Touched] = []
    satisfied: Dead | None = None
    for number, edit in enumerate(edits, start=1):
        step = _apply_one(edit, entries)
        if isinstance(step, Dead):
            problem = _in_batch(step, number, edit) if batch else step
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


def _in_batch(problem: Dead, number: int, edit: MemoryEdit) -> Dead:
    message = f"Operation {number} ({_verb(edit)}): {problem.message} Nothing of it was applied."
    return Dead(problem.reason, message, problem.candidate)


def _verb(edit: MemoryEdit) -> str:
    match edit:
        case MemoryAdd():
            return "add"
        case MemoryReplace():
            return "replace"
        case MemoryRemove():
            return "remove"
        case _:
            assert_never(edit)


def _apply_one(edit: MemoryEdit, entries: tuple[_Entry, ...]) -> _Step | Dead:
    match edit:
        case MemoryAdd():
            return _add(edit, entries)
        case MemoryReplace():
            return _replace(edit, entries)
        case MemoryRemove():
            return _remove(edit, entries)
        case _:
            assert_never(edit)


def _add(edit: MemoryAdd, entries: tuple[_Entry, ...]) -> _Step | Dead:
    content = _tidy(edit.content)
    if problem := _check_content(content):
        return problem
    if any(entry.text == content for entry in entries):
        return _Step(entries, None)
    return _Step((*entries, _Entry(None, content)), Touched(None, None, content))


def _replace(edit: MemoryReplace, entries: tuple[_Entry, ...]) -> _Step | Dead:
    content = _tidy(edit.content)
    if problem := _check_content(content):
        return problem
    place = _locate(edit.old_text, edit.matched_entry, entries)
    if isinstance(place, Dead):
        if place.reason is DeadReason.TARGET_GONE and any(e.text == content for e in entries):
            why = "The entry to be replaced is gone and the new one is in the memory already."
            return Dead(DeadReason.ALREADY_THERE, why)
        return place
    found = entries[place]
    if found.text == content:
        return _Step(entries, None)
    changed = (*entries[:place], _Entry(found.index, content), *_without(found, entries[place:]))
    return _Step(changed, Touched(found.index, found.text, content))


def _remove(edit: MemoryRemove, entries: tuple[_Entry, ...]) -> _Step | Dead:
    place = _locate(edit.old_text, edit.matched_entry, entries)
    if isinstance(place, Dead):
        return place
    found = entries[place]
    left = (*entries[:place], *_without(found, entries[place:]))
    return _Step(left, Touched(found.index, found.text, None))


def _without(one: _Entry, entries: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    """Hermes reads an entry that stands several times once: an edit of it is about all of them."""
    return tuple(entry for entry in entries if entry.text != one.text)


def _locate(old_text: str, pinned: str | None, entries: Sequence[_Entry]) -> int | Dead:
    """The place of the entry that is meant."""
    wanted = _tidy(old_text)
    if not wanted:
        return Dead(DeadReason.INVALID, "It does not say which entry it is about.")
    if pinned is not None:
        return _locate_pinned(_tidy(pinned), entries)
    places = [place for place, entry in enumerate(entries) if wanted in entry.text]
    if not places:
        return Dead(
            DeadReason.TARGET_GONE,
            f"No entry contains {_preview(wanted)}.",
            nearest_entry(wanted, [entry.text for entry in entries]),
        )
    matches = list(dict.fromkeys(entries[place].text for place in places))
    return places[0] if len(matches) == 1 else _dead_for_several(wanted, matches)


def _locate_pinned(pinned: str, entries: Sequence[_Entry]) -> int | Dead:
    for place, entry in enumerate(entries):
        if entry.text == pinned:
            return place
    return Dead(
        DeadReason.TARGET_GONE,
        f"The entry that was meant is no longer there: {_preview(pinned)}.",
        nearest_entry(pinned, [entry.text for entry in entries]),
    )


def _dead_for_several(wanted: str, matches: Sequence[str]) -> Dead:
    named = "; ".join(_preview(match) for match in matches[:_PREVIEWS])
    more = f"; and {len(matches) - _PREVIEWS} more" if len(matches) > _PREVIEWS else ""
    return Dead(
        DeadReason.AMBIGUOUS,
        f"{len(matches)} different entries contain {_preview(wanted)}: {named}{more}.",
    )


def _check_content(content: str) -> Dead | None:
    if not content:
        return Dead(DeadReason.INVALID, "The new entry is empty.")
    if _has_mark_line(content):
        return Dead(
            DeadReason.INVALID,
            f"A line of the new entry is {_MARK} alone, which is what separates entries: "
            "it would become several.",
        )
    return None


def _has_mark_line(entry: str) -> bool:
    return _MARK in entry.split("\n")


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
    return Dead(
        DeadReason.OVER_BUDGET,
        f"The memory would have {size(after):,} of {budget:,} characters; "
        f"it has {size(before):,} now.",
    )


def _write(entries: Sequence[str], text: str) -> str:
    """The whole document as Hermes writes it, in the newlines and with the mark that it has."""
    mark = BOM if text.startswith(BOM) else ""
    return mark + with_newline(join(entries), newline_of(text))


def _append(added: Sequence[str], text: str) -> str:
    """The document with entries after it and every byte of it as it was."""
    newline = newline_of(text)
    lead = newline if text.endswith(_MARK) else ""
    return text + lead + with_newline(DELIMITER + join(added), newline)


def _lost(touched: Sequence[Touched]) -> tuple[str, ...]:
    """What replaced entries had and no new text has: what moved to another entry is not lost."""
    new = [one.after for one in touched if one.after is not None]
    replaced = [one.before for one in touched if one.before is not None and one.after is not None]
    return tuple(dict.fromkeys(clause for old in replaced for clause in lost_clauses(old, new)))


def _tidy(text: str) -> str:
    """The text as Hermes reads it back: newlines are LF, nothing around it."""
    return with_newline(text, "\n").strip()


def _preview(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _PREVIEW else line[: _PREVIEW - 1] + "…")


def is_pinned(edits: Sequence[MemoryEdit]) -> bool:
    """Whether the record says of all that it takes away what its author saw there."""
    taking = [edit for edit in edits if not isinstance(edit, MemoryAdd)]
    return bool(taking) and all(edit.matched_entry is not None for edit in taking)


def pinned_base(edits: Sequence[MemoryEdit], live: str) -> str | None:
    """What the author saw where an entry that is named is gone: all else is as it is live.

    It stands in the place of the entry that is most like it, else at the end. None where every
    entry that is named is live.
    """
    now = list(entries.parse(live))
    named = _named(edits)
    gone = [entry for entry in named if entry not in now]
    if not gone:
        return None
    for entry in gone:
        became = nearest_entry(entry, [one for one in now if one not in named])
        if became is None:
            now.append(entry)
        else:
            now[now.index(became)] = entry
    return with_newline(entries.join(now), newline_of(live))


def _named(edits: Sequence[MemoryEdit]) -> list[str]:
    """The entries that are named, but for those that the same record makes itself."""
    made: set[str] = set()
    found: dict[str, None] = {}
    for edit in edits:
        if not isinstance(edit, MemoryAdd) and edit.matched_entry is not None:
            pin = _tidy(edit.matched_entry)
            if pin and pin not in made:
                found[pin] = None
        if not isinstance(edit, MemoryRemove):
            made.add(_tidy(edit.content))
    return list(found)


def pin_findings(edits: Sequence[MemoryEdit], *, pins_entries: bool) -> tuple[Finding, ...]:
    """What there is to say about how a record names the entries that it takes away.

    `pins_entries` says that the records of this home usually name them.
    """
    taking = [edit for edit in edits if not isinstance(edit, MemoryAdd)]
    named = [edit for edit in taking if edit.matched_entry is not None]
    findings = [_mismatch(edit) for edit in named if not _is_consistent(edit)]
    if len(named) < len(taking) and (pins_entries or named):
        findings.append(_unpinned(len(taking) - len(named), len(taking)))
    return tuple(findings)


def _unpinned(missing: int, all_of_them: int) -> Finding:
    which = "It does not name" if all_of_them == 1 else f"{missing} of its edits do not name"
    return Finding(
        "unpinned",
        Severity.MEDIUM,
        f"{which} the whole entry that is meant, as records of this Hermes do: Hermes itself "
        "would refuse it. Look whether it is this entry that was meant.",
    )


def _mismatch(edit: MemoryReplace | MemoryRemove) -> Finding:
    return Finding(
        "pin-mismatch",
        Severity.HIGH,
        "The text that it searches for is not in the entry that it names.",
        quote=edit.old_text,
    )


def _is_consistent(edit: MemoryReplace | MemoryRemove) -> bool:
    return _tidy(edit.old_text) in _tidy(edit.matched_entry or "")


def stage_memory(
    edits: tuple[MemoryEdit, ...], proposal: Proposal, snapshot: Snapshot
) -> EditResult:
    """Works consecutive edits of one memory document out against what is live."""
    path = edits[0].document
    live, base, budget = snapshot.document(path), _base(edits, proposal), snapshot.budget(path)
    if shut := closed(path, snapshot):
        return EditResult(outcome=shut)
    is_addition = all(isinstance(edit, MemoryAdd) for edit in edits)
    results: list[MemoryResult] = []

    def rewrite(text: str | None) -> str | Dead:
        on_live = text == (live.data or b"").decode("utf-8")
        result = apply_memory(
            edits, text or "", budget if on_live else None, batch=proposal.action == "batch"
        )
        if isinstance(result, Dead):
            return result
        results.append(result)
        return result.text

    outcome = settle(
        RebaseRequest(
            live, base, rewrite, merge_memory, is_addition=is_addition, absent_is_empty=True
        )
    )
    if isinstance(outcome, Dead) and outcome.reason is DeadReason.TARGET_GONE:
        outcome = _clash_at_pins(edits, live, rewrite, outcome)
    findings = () if is_pinned(edits) else base_findings(base, live, is_addition=is_addition)
    findings += _link_finding(live)
    findings += pin_findings(edits, pins_entries=snapshot.pins_entries)
    if results:
        findings += _lost_findings(results[-1])
    match outcome:
        case Dead():
            return EditResult(findings=findings, outcome=outcome)
        case Clash():
            return EditResult(findings=findings, outcome=conflict_of(outcome, proposal, live))
        case Settled(text, merged):
            if over := over_budget(text or "", live, budget):
                return EditResult(findings=findings, outcome=over)
            change = Change(path, live.data, marked(text or "", live).encode("utf-8"))
            return EditResult((change,), findings=findings + (merged_finding(path),) * merged)


def _base(edits: tuple[MemoryEdit, ...], proposal: Proposal) -> Base | None:
    base = proposal.bases.get(edits[0].document)
    if is_pinned(edits) and base is not None and not base.has_text:
        return None  # A hash alone tells less than the entries that are named.
    return base


def _clash_at_pins(
    edits: tuple[MemoryEdit, ...], live: Document, rewrite: Rewrite, dead: Dead
) -> Clash | Dead:
    """A named entry that is gone as a clash over it: its author saw that entry.

    Never a merge, however well the texts fit: that what is live came of it is a guess.
    """
    now = live.text
    base = pinned_base(edits, now)
    wanted = None if base is None else rewrite(base)
    if base is None or not isinstance(wanted, str) or parse(wanted) == parse(now):
        return dead
    return Clash(base.encode("utf-8"), wanted.encode("utf-8"), dead.message)


def closed(path: str, snapshot: Snapshot) -> Dead | None:
    """Why nothing is written to a memory: whoever switched it off would not look for it there."""
    why = snapshot.closed(path)
    return Dead(DeadReason.CLOSED, f"{path} takes no writes: {why}.") if why else None


def marked(text: str, live: Document) -> str:
    """The text with the byte order mark that the file has; a merge goes by entries alone."""
    mark = BOM if (live.data or b"").startswith(BOM.encode("utf-8")) else ""
    return mark + text.removeprefix(mark)


def over_budget(text: str, live: Document, budget: int | None) -> Dead | None:
    """Why a text is too long for its memory. One that shrinks is let through, as Hermes does."""
    if budget is None:
        return None
    wanted, now = size(parse(text)), size(parse((live.data or b"").decode("utf-8")))
    if wanted <= budget or wanted < now:
        return None
    return Dead(
        DeadReason.OVER_BUDGET,
        f"{live.path} would have {wanted:,} of {budget:,} characters (it has {now:,}).",
    )


def _link_finding(live: Document) -> tuple[Finding, ...]:
    if live.link is None:
        return ()
    message = f"{live.path} is a symbolic link: what is written is {live.link}."
    return (Finding("link", Severity.INFO, message),)


def _lost_findings(result: MemoryResult) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            "lost-text",
            Severity.MEDIUM,
            "The whole entry is replaced; this part of it would be lost.",
            quote=lost,
        )
        for lost in result.lost
    )
