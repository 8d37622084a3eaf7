"""Which entry a record means: later versions name it in full when the record is made.

Then only that entry will do, and it is what the author saw. A record that takes something away and
names none was made before that, or by somebody else: what its search finds today may not be what
its author saw.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.model import Finding, MemoryAdd, MemoryEdit, MemoryRemove, MemoryReplace, Severity
from reviewdeck.planning.nearest import nearest_entry
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline


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


def _tidy(text: str) -> str:
    return with_newline(text, "\n").strip()
