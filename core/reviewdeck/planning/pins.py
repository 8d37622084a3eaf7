"""Which entry a record means: later versions name it in full when the record is made.

Then only that entry will do. A record that takes something away and names none was made before
that, or by somebody else: what its search finds today may not be what its author saw.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.model import Finding, MemoryAdd, MemoryEdit, MemoryRemove, MemoryReplace, Severity
from reviewdeck.text.lines import with_newline


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
