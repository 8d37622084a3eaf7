"""The effect of a proposal on each document, as data for screens and `--json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Change, Conflict, Dead, Operation, Proposal, Ready, Staged, became
from reviewdeck.model.plain import to_plain
from reviewdeck.planning.losses import lost_additions, lost_clauses, lost_rules
from reviewdeck.planning.rebase import merge_for
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.reading import reading_notes
from reviewdeck.reading.agents import agents_called
from reviewdeck.text import diff, entries
from reviewdeck.text.conflicts import Clean, Conflicted, Take, combine_conflict, resolve
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck.text.lines import decoded
from reviewdeck.text.redact import Redaction
from reviewdeck.text.rows import Row, RowKind, rows
from reviewdeck.values import dataclass

TEXTS: Final = ("before", "after", "left", "right", "lost", "base", "live", "proposed", "candidate")
"""JSON keys of texts that programs decide by: they are printed unredacted."""


@dataclass(frozen=True, slots=True)
class DocumentDiff:
    """One document before and after a change."""

    path: str
    before: str | None
    after: str | None
    """None if the document is removed."""
    rows: tuple[Row, ...]
    unit: str
    """entries or lines: what one row is."""
    room: entries.SizeChange | None = None
    lost: tuple[str, ...] = ()
    """What is lost because a whole entry, or the document, is rewritten."""
    became: str = ""
    """Whether the file becomes executable or stops being so, in words; empty for no change."""
    reading: tuple[str, ...] = ()
    """Where the change is not for the model what it is in the file, a sentence for each case."""

    def redacted(self, redaction: Redaction) -> DocumentDiff:
        lost, reading = (tuple(map(redaction.text, each)) for each in (self.lost, self.reading))
        shown = tuple(redacted_row(row, redaction) for row in self.rows)
        return replace(self, rows=shown, lost=lost, reading=reading)

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "document": self.path,
            "before": self.before,
            "after": self.after,
            "unit": self.unit,
            "rows": [row_json(row) for row in self.rows],
            "budget": self.room and to_plain(self.room),
            "lost": list(self.lost),
        }
        found |= {"executable": self.became} if self.became else {}
        return found | ({"reading": list(self.reading)} if self.reading else {})


@dataclass(frozen=True, slots=True)
class ConflictView:
    """A document in conflict: its three texts, and the places where they clash."""

    path: str
    base: str | None
    live: str | None
    proposed: str | None
    base_known: bool
    places: tuple[Clash, ...]
    """Empty if one side removes the document: then all of it is in conflict."""
    words: tuple[str | None, ...]
    """For each place, the words of both sides in one text, if they changed different ones."""
    lost: tuple[str, ...]
    """Clauses that the live text gained, and that taking the proposed text would lose."""
    merged_changes: DocumentDiff | None = None
    """Other changes of the proposal to the document, which merge without a conflict."""
    others: tuple[DocumentDiff, ...] = ()

    def redacted(self, redaction: Redaction) -> ConflictView:
        def side(text: str | None) -> str | None:
            return None if text is None else redaction.text(text)

        places = tuple(
            replace(
                place,
                base=side(place.base),
                ours=redaction.text(place.ours),
                theirs=redaction.text(place.theirs),
            )
            for place in self.places
        )
        return replace(
            self,
            base=side(self.base),
            live=side(self.live),
            proposed=side(self.proposed),
            places=places,
            lost=tuple(map(redaction.text, self.lost)),
            merged_changes=self.merged_changes and self.merged_changes.redacted(redaction),
            others=tuple(document.redacted(redaction) for document in self.others),
        )

    def as_json(self) -> dict[str, Any]:
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
            "besides": self.merged_changes and self.merged_changes.as_json(),
            "others": [document.as_json() for document in self.others],
        }


def redacted_row(row: Row, redaction: Redaction) -> Row:
    """A row with secrets redacted; no words are marked in a row with a redaction."""
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


def changed_documents(
    outcome: Staged, snapshot: Snapshot, readers: Sequence[str]
) -> tuple[DocumentDiff, ...]:
    """One diff per document if the proposal can be applied, else none.

    `readers` are the agents of the home, whose models are given the documents.
    """
    match outcome:
        case Ready(plan):
            agents = agents_called(readers)
            return tuple(
                replace(
                    _change_diff(change, snapshot), reading=reading_notes(change, snapshot, agents)
                )
                for change in plan.changes
            )
        case Conflict() | Dead():
            return ()


def operation_documents(
    operations: Iterable[Operation], contents: Ledger, snapshot: Snapshot
) -> tuple[DocumentDiff, ...]:
    """One diff per document that operations wrote, from the contents in the ledger."""
    return tuple(
        replace(
            document_diff(
                change.path,
                decoded(contents.content(change.before)),
                decoded(contents.content(change.after)),
                snapshot.budget(change.path),
            ),
            became=became(change.was_mode, change.mode),
        )
        for operation in operations
        for change in operation.changes
    )


def conflict_view(conflict: Conflict, proposal: Proposal, snapshot: Snapshot) -> ConflictView:
    """The three texts of a conflict, and where they clash."""
    base, live, proposed = (
        decoded(conflict.base),
        decoded(conflict.live),
        decoded(conflict.proposed),
    )
    merged = conflicted_merge(conflict, proposal)
    places = merged.hunks if merged is not None else ()
    return ConflictView(
        path=conflict.path,
        base=base,
        live=live,
        proposed=proposed,
        base_known=conflict.base_known,
        places=places,
        words=tuple(
            combine_conflict(p) if merged is not None and merged.joint else None for p in places
        ),
        lost=lost_if_proposed(places or (Clash(base, live or "", proposed or ""),)),
        merged_changes=_merged_besides(conflict.path, live, merged, snapshot),
        others=tuple(_change_diff(change, snapshot) for change in conflict.others),
    )


def _merged_besides(
    path: str, live: str | None, merged: Conflicted | None, snapshot: Snapshot
) -> DocumentDiff | None:
    """The changes to the live text that remain if every conflict is resolved as live."""
    text = resolved_as_live(merged) if merged is not None else None
    return None if text in (None, live) else document_diff(path, live, text, snapshot.budget(path))


def resolved_as_live(merged: Conflicted) -> str | None:
    """The text if every conflict is resolved as live."""
    resolution = resolve(merged, dict.fromkeys(range(len(merged.hunks)), Take.OURS))
    return resolution.text if isinstance(resolution, Clean) else None


def lost_if_proposed(places: Sequence[Clash]) -> tuple[str, ...]:
    """Clauses that the live text gained and that the proposed text lacks."""
    return tuple(
        clause
        for place in places
        for clause in lost_additions(place.ours, place.base, place.theirs)
    )


def conflicted_merge(conflict: Conflict, proposal: Proposal) -> Conflicted | None:
    """The conflicted merge of the three texts; None if a side is missing or they merge."""
    live, proposed = decoded(conflict.live), decoded(conflict.proposed)
    if live is None or proposed is None:
        return None
    base = decoded(conflict.base) if conflict.base_known else None
    merged = merge_for(proposal, conflict.path)(base, live, proposed)
    return merged if isinstance(merged, Conflicted) else None


def document_diff(
    path: str, before: str | None, after: str | None, limit: int | None
) -> DocumentDiff:
    """The rows between two texts: by entry for a memory, by line for anything else."""
    if limit is None:
        context = None if before is None else 3
        diff_rows = tuple(diff.unified(before or "", after or "", context=context))
        lost = lost_rules(path, before, after)
        return DocumentDiff(path, before, after, diff_rows, "lines", lost=lost)
    old, new = entries.parse(before or ""), entries.parse(after or "")
    room = entries.SizeChange(entries.size(old), entries.size(new), limit)
    # Rows are made of lines with their newlines; an entry has none of its own.
    left, right = [f"{entry}\n" for entry in old], [f"{entry}\n" for entry in new]
    diff_rows = tuple(rows(left, right, diff.diff(left, right), 0))
    return DocumentDiff(path, before, after, diff_rows, "entries", room, _lost(diff_rows, new))


def _lost(rows: Sequence[Row], new: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        clause
        for row in rows
        if row.kind is RowKind.CHANGED
        for clause in lost_clauses(row.left or "", new)
    )


def _change_diff(change: Change, snapshot: Snapshot) -> DocumentDiff:
    limit = snapshot.budget(change.path)
    document = document_diff(change.path, decoded(change.before), decoded(change.after), limit)
    return replace(document, became=change.became)
