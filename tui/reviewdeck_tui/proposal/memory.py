"""A memory as lines: each changed entry whole, before and after; the others folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.planning.losses import lost_clauses, lost_rules
from reviewdeck.text import diff, entries
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.rows import rows as rows_of
from reviewdeck_tui.proposal.diff_document import Fold, Line, Notice, Tone

_FATES: Final = {
    RowKind.ADDED: "new",
    RowKind.REMOVED: "deleted",
    RowKind.CHANGED: "replaced",
}


def memory_lines(before: str, after: str, limit: int | None) -> Iterator[Line]:
    """The changed entries, the lost clauses, and the size of the memory afterwards."""
    old, new = entries.parse(before), entries.parse(after)
    unchanged: list[Row] = []
    for pair in pairs_of(old, new):
        if pair.kind is RowKind.SAME:
            unchanged.append(pair)
            continue
        yield from _fold(unchanged)
        unchanged = []
        yield from _entry_lines(pair, len(old), len(new))
    yield from _fold(unchanged)
    yield from ending(before, after, limit)


def ending(before: str, after: str, limit: int | None, *, is_draft: bool = False) -> list[Notice]:
    """The lines below a memory's entries: the lost clauses, and the size afterwards.

    With `drafted`, `after` is what a draft would write, and not all that is proposed.
    """
    lost, aside = lost_of_entries(before, after), budget_words(after, limit)
    if is_draft:
        return list(lost_notices(lost, f"as drafted, {aside}", "LOST as drafted"))
    return list(lost_notices(lost, aside, "LOST"))


def lost_of_entries(before: str, after: str) -> list[str]:
    """The clauses of changed and removed entries that no entry has any more."""
    old, new = entries.parse(before), entries.parse(after)
    changed_entries = (
        pair.left or "" for pair in pairs_of(old, new) if pair.kind is not RowKind.SAME
    )
    return [clause for entry in changed_entries for clause in lost_clauses(entry, new)]


def lost_rule_notices(
    path: str, before: str | None, after: str | None, *, is_draft: bool = False
) -> list[Notice]:
    """The lines below the lines of any other document: what its new text no longer says."""
    label = "LOST as drafted" if is_draft else "LOST"
    lost = lost_rules(path, before, after)
    return [Notice(f'{label}: "{rule}"', Tone.LOST) for rule in lost]


def budget_words(after: str, limit: int | None) -> str:
    """The size of a memory afterwards, as ``after: 1600/2200``, and whether it is over budget."""
    size = entries.size(entries.parse(after))
    if limit is None:
        return f"after: {size} characters"
    return f"after: {size}/{limit}" + (" OVER BUDGET" if size > limit else "")


def lost_notices(lost: Sequence[str], aside: str, label: str) -> Iterator[Notice]:
    """A line for each lost clause, with the budget beside the last one."""
    lines = [f'{label}: "{clause}"' for clause in lost]
    tone = Tone.OVER if aside.endswith("BUDGET") else Tone.LOST
    for clause in lines[:-1]:
        yield Notice(clause, Tone.LOST)
    if lines:
        yield Notice(lines[-1], tone, aside)
    else:
        yield Notice("", Tone.QUIET if tone is Tone.LOST else tone, aside)


def pairs_of(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Entries side by side. Rows need lines with line ends, which entries lack."""
    left, right = [f"{entry}\n" for entry in old], [f"{entry}\n" for entry in new]
    yield from rows_of(left, right, diff.diff(left, right), max(len(left), len(right)))


def _fold(unchanged: Sequence[Row]) -> Iterator[Fold]:
    if unchanged:
        count = len(unchanged)
        label = f"{count} {'entry' if count == 1 else 'entries'} unchanged"
        yield Fold(tuple(line for row in unchanged for line in _unchanged_rows(row)), label)


def _unchanged_rows(row: Row) -> Iterator[Row]:
    for text in (row.left or "").split("\n"):
        yield Row(RowKind.SAME, text, text)
    yield Row(RowKind.SAME, "§", "§")


def _entry_lines(pair: Row, old: int, new: int) -> Iterator[Line]:
    at, count = (pair.left_at, old) if pair.right_at is None else (pair.right_at, new)
    yield Notice(f"entry {(at or 0) + 1} of {count}, {_FATES.get(pair.kind, '')}", Tone.HEADING)
    left = "" if pair.left is None else f"{pair.left}\n"
    right = "" if pair.right is None else f"{pair.right}\n"
    yield from diff.unified(left, right, context=None)
