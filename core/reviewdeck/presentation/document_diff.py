"""What a proposal does to each document, as data that a screen shows and `--json` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reviewdeck.model import (
    Change,
    Conflict,
    Dead,
    Operation,
    Proposal,
    Ready,
    Staged,
    became,
)
from reviewdeck.planning.losses import lost_clauses, overwritten
from reviewdeck.planning.rebase import merge_for
from reviewdeck.policy.redact import Redaction
from reviewdeck.ports import RevisionReader, Snapshot
from reviewdeck.text import diff, entries
from reviewdeck.text.conflicts import Clean, Conflicted, Take, combined, resolve
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck.text.rows import Row, RowKind, rows

TEXTS: Final = ("before", "after", "left", "right", "lost", "base", "live", "proposed", "candidate")
"""Keys in JSON of texts that programs decide by: those are exact."""


@dataclass(frozen=True, slots=True)
class DocumentRoom:
    """The characters of a memory before and after, and how many it may have."""

    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class DocumentDiff:
    """One document from what it is to what it becomes."""

    path: str
    before: str | None
    after: str | None
    """None when it goes away."""
    rows: tuple[Row, ...]
    unit: str
    """entries or lines: what one row is."""
    room: DocumentRoom | None = None
    lost: tuple[str, ...] = ()
    """Text that goes away because a whole entry is replaced."""
    became: str = ""
    """That the file can be executed now, or no longer; empty where that stays."""

    def redacted(self, redaction: Redaction) -> DocumentDiff:
        """The same to be shown."""
        lost = tuple(map(redaction.text, self.lost))
        return replace(self, rows=tuple(redacted_row(r, redaction) for r in self.rows), lost=lost)

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "document": self.path,
            "before": self.before,
            "after": self.after,
            "unit": self.unit,
            "rows": [row_json(row) for row in self.rows],
            "budget": self.room
            and {"before": self.room.before, "after": self.room.after, "limit": self.room.limit},
            "lost": list(self.lost),
        } | ({"executable": self.became} if self.became else {})


@dataclass(frozen=True, slots=True)
class ConflictView:
    """A document that somebody else changed: three texts, and the places where they clash."""

    path: str
    base: str | None
    live: str | None
    proposed: str | None
    base_known: bool
    places: tuple[Clash, ...]
    """Empty when the whole document is the place: one side removes it."""
    words: tuple[str | None, ...]
    """For each of them the words of both sides as one text, where they changed other ones."""
    lost: tuple[str, ...]
    """What came into the live text since, and goes away when the proposed one is taken."""
    besides: DocumentDiff | None = None
    """What else the proposal does to the document, which merges by itself."""
    others: tuple[DocumentDiff, ...] = ()

    def redacted(self, redaction: Redaction) -> ConflictView:
        """The same to be shown."""

        def side(text: str | None) -> str | None:
            return None if text is None else redaction.text(text)

        places = tuple(
            replace(
                one,
                base=side(one.base),
                ours=redaction.text(one.ours),
                theirs=redaction.text(one.theirs),
            )
            for one in self.places
        )
        return replace(
            self,
            base=side(self.base),
            live=side(self.live),
            proposed=side(self.proposed),
            places=places,
            lost=tuple(map(redaction.text, self.lost)),
            besides=self.besides and self.besides.redacted(redaction),
            others=tuple(one.redacted(redaction) for one in self.others),
        )

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "document": self.path,
            "base": self.base,
            "live": self.live,
            "proposed": self.proposed,
            "base_known": self.base_known,
            "places": [
                {"base": place.base, "live": place.ours, "proposed": place.theirs, "words": words}
                for place, words in zip(self.places, self.words, strict=True)
            ],
            "lost": list(self.lost),
            "besides": self.besides and self.besides.as_json(),
            "others": [other.as_json() for other in self.others],
        }


def redacted_row(row: Row, redaction: Redaction) -> Row:
    """A row to be shown; where something is covered, no words are marked."""
    left = None if row.left is None else redaction.text(row.left)
    right = None if row.right is None else redaction.text(row.right)
    if (left, right) == (row.left, row.right):
        return row
    return replace(row, left=left, right=right, left_marks=(), right_marks=())


def row_json(row: Row) -> dict[str, Any]:
    """One row of a diff."""
    return {
        "kind": row.kind.value,
        "left": row.left,
        "right": row.right,
        "left_at": row.left_at,
        "right_at": row.right_at,
        "left_marks": [[mark.start, mark.end] for mark in row.left_marks],
        "right_marks": [[mark.start, mark.end] for mark in row.right_marks],
        "note": row.note,
    }


def changed_documents(outcome: Staged, snapshot: Snapshot) -> tuple[DocumentDiff, ...]:
    """One diff per document of a proposal that can be applied; none for any other."""
    match outcome:
        case Ready(plan):
            return tuple(_of_change(change, snapshot) for change in plan.changes)
        case Conflict() | Dead():
            return ()


def written_documents(
    operations: Iterable[Operation], contents: RevisionReader, snapshot: Snapshot
) -> tuple[DocumentDiff, ...]:
    """What operations wrote, from the bytes in the ledger."""
    return tuple(
        replace(
            document_diff(
                change.path,
                _text(contents.content(change.before)),
                _text(contents.content(change.after)),
                snapshot.budget(change.path),
            ),
            became=became(change.was_mode, change.mode),
        )
        for operation in operations
        for change in operation.changes
    )


def conflict_view(conflict: Conflict, proposal: Proposal, snapshot: Snapshot) -> ConflictView:
    """The three texts of a conflict, and where they clash."""
    base, live, proposed = _text(conflict.base), _text(conflict.live), _text(conflict.proposed)
    merged = merged_sides(conflict, proposal)
    places = merged.hunks if merged is not None else ()
    return ConflictView(
        path=conflict.path,
        base=base,
        live=live,
        proposed=proposed,
        base_known=conflict.base_known,
        places=places,
        words=tuple(combined(p) if merged is not None and merged.joint else None for p in places),
        lost=_lost_to(places or (Clash(base, live or "", proposed or ""),)),
        besides=_besides(conflict.path, live, merged, snapshot),
        others=tuple(_of_change(change, snapshot) for change in conflict.others),
    )


def _besides(
    path: str, live: str | None, merged: Conflicted | None, snapshot: Snapshot
) -> DocumentDiff | None:
    """What changes in the live text even when every place stays as it is live."""
    if merged is None:
        return None
    kept = resolve(merged, dict.fromkeys(range(len(merged.hunks)), Take.OURS))
    if not isinstance(kept, Clean) or kept.text == live:
        return None
    return document_diff(path, live, kept.text, snapshot.budget(path))


def _lost_to(places: Sequence[Clash]) -> tuple[str, ...]:
    """What came into the live text since and is not in the proposed one."""
    return tuple(
        clause for place in places for clause in overwritten(place.ours, place.base, place.theirs)
    )


def merged_sides(conflict: Conflict, proposal: Proposal) -> Conflicted | None:
    """What the three texts merge to; None where that says nothing."""
    live, proposed = _text(conflict.live), _text(conflict.proposed)
    if live is None or proposed is None:
        return None
    base = _text(conflict.base) if conflict.base_known else None
    merged = merge_for(proposal, conflict.path)(base, live, proposed)
    return merged if isinstance(merged, Conflicted) else None


def document_diff(
    path: str, before: str | None, after: str | None, limit: int | None
) -> DocumentDiff:
    """The rows between two texts: by entry for a memory, by line for anything else."""
    if limit is None:
        context = None if before is None else 3
        shown = tuple(diff.unified(before or "", after or "", context=context))
        return DocumentDiff(path, before, after, shown, "lines")
    old, new = entries.parse(before or ""), entries.parse(after or "")
    room = DocumentRoom(entries.size(old), entries.size(new), limit)
    shown = _entry_rows(old, new)
    return DocumentDiff(path, before, after, shown, "entries", room, _lost(shown, new))


def _entry_rows(old: Sequence[str], new: Sequence[str]) -> tuple[Row, ...]:
    # Rows are made of lines that keep their ends; an entry has none of its own.
    left, right = [f"{entry}\n" for entry in old], [f"{entry}\n" for entry in new]
    return tuple(rows(left, right, diff.diff(left, right), 0))


def _lost(shown: Sequence[Row], new: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        clause
        for row in shown
        if row.kind is RowKind.CHANGED
        for clause in lost_clauses(row.left or "", new)
    )


def _of_change(change: Change, snapshot: Snapshot) -> DocumentDiff:
    limit = snapshot.budget(change.path)
    shown = document_diff(change.path, _text(change.before), _text(change.after), limit)
    return replace(shown, became=change.became)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", errors="replace")
