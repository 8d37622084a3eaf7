"""Diffs as lines. Without colour, ``[-gone-]`` and ``[+new+]`` mark the words of a changed line.

Every line of a document is printed after a prefix, so that no text can imitate the frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, assert_never

from rich.text import Text

from reviewdeck.presentation.document_diff import ConflictView, DocumentDiff
from reviewdeck.presentation.words import inert, one_line
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck.text.inert import visible
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark, marks
from reviewdeck.values import dataclass

MANY_LINES: Final = 20
"""Consecutive blank lines from which they are shown as one."""
_GAP: Final = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]{200,}")
_BLANK: Final = frozenset({"", "+", "-", "|"})
_MAX_MARKED_SHARE: Final = 0.8
_BRACKETS: Final = ("[-", "-]", "[+", "+]")


@dataclass(frozen=True, slots=True)
class Pen:
    """How marks are drawn: by colour, or in brackets where there is none."""

    coloured: bool

    def marked(self, text: str, spans: Sequence[Mark], sign: str) -> Text:
        """One side of a changed line, with the changed words marked.

        A text that contains such brackets itself gets no marks: they would be ambiguous.
        """
        style = {"-": "red", "+": "green"}.get(sign, "")
        bracketed = not self.coloured and not any(bracket in text for bracket in _BRACKETS)
        drawn, at = Text(style=style), 0
        for mark in _joined(text, spans):
            drawn.append(visible(text[at : mark.start]))
            words = visible(text[mark.start : mark.end])
            if self.coloured:
                drawn.append(words, style="bold reverse")
            else:
                drawn.append(f"[{sign}{words}{sign}]" if bracketed else words)
            at = mark.end
        return drawn.append(visible(text[at:]))


def _joined(text: str, spans: Sequence[Mark]) -> list[Mark]:
    """Marks separated only by spaces, joined; none if they cover nearly the whole line."""
    joined: list[Mark] = []
    for mark in spans:
        if joined and not text[joined[-1].end : mark.start].strip():
            joined[-1] = Mark(joined[-1].start, mark.end)
        else:
            joined.append(mark)
    marked = sum(mark.end - mark.start for mark in joined)
    return [] if marked > _MAX_MARKED_SHARE * len(text) else joined


def document_lines(document: DocumentDiff, pen: Pen, *, is_written: bool = False) -> Iterator[Text]:
    """One document: its path, its rows, the clauses that are lost, its size afterwards.

    Where it `is_written` already, the size before is that of the past.
    """
    yield Text(f"== {one_line(document.path)}{_title_suffix(document)}", style="bold")
    for note in document.reading:
        yield Text(f"# {one_line(note)}", style="yellow")
    yield from _without_padding(
        line for row in document.rows for line in _row_lines(row, document, pen)
    )
    for clause in document.lost:
        yield Text(f'LOST: "{one_line(clause)}"', style="bold red")
    if document.room is not None:
        budget = document.room
        over = budget.after > budget.limit
        when = "before" if is_written else "now"
        yield Text(
            f"after: {budget.after:,}/{budget.limit:,} characters ({when} {budget.before:,})",
            style="bold red" if over else "dim",
        )


def _without_padding(lines: Iterator[Text]) -> Iterator[Text]:
    """The lines with long runs of blank lines or spaces replaced by a note of their length.

    Otherwise an agent could push text out of sight with padding.
    """
    for is_blank, run in groupby(lines, lambda line: line.plain.strip() in _BLANK):
        if not is_blank:
            yield from (_without_gaps(line) for line in run)
            continue
        blank = list(run)
        if len(blank) < MANY_LINES:
            yield from blank
        else:
            sign = blank[0].plain.strip()
            yield Text(f"{sign:<2}… {len(blank):,} blank lines", style="yellow")


def _without_gaps(line: Text) -> Text:
    folded, at = Text(), 0
    for gap in _GAP.finditer(line.plain):
        folded.append_text(line[at : gap.start()])
        folded.append(f" … {len(gap.group()):,} spaces … ", style="yellow")
        at = gap.end()
    return folded.append_text(line[at:]) if at else line


def conflict_lines(
    view: ConflictView, pen: Pen, captions: dict[str, str], caption_live: Callable[[str], str]
) -> Iterator[Text]:
    """The places of a conflict, each with its three texts and a caption for each."""
    yield Text(f"== {one_line(view.path)}  (conflict)", style="bold")
    places = view.places or (Clash(view.base, view.live or "", view.proposed or ""),)
    for number, place in enumerate(places, 1):
        yield Text(f"-- conflict {number} of {len(places)}", style="yellow")
        is_whole_document = not view.places
        absent = "no such file" if view.base_known else "not known"
        yield from _side("base", place.base, captions, pen, None, absent)
        live = view.live if is_whole_document else place.ours
        proposed = view.proposed if is_whole_document else place.theirs
        base = place.base if view.base_known else None
        yield from _side("live", live, {"live": caption_live(place.ours)}, pen, base)
        yield from _side("proposed", proposed, captions, pen, base)
        if not is_whole_document and (words := view.words[number - 1]) is not None:
            yield from _side("words", words, {"words": "of both: --take words"}, pen, base)
    for clause in view.lost:
        yield Text(f'LOST if taken as proposed: "{one_line(clause)}"', style="bold red")
    if view.merged_changes is not None:
        yield Text("-- also merged automatically:", style="yellow")
        yield from document_lines(view.merged_changes, pen)
    for document in view.others:
        yield from document_lines(document, pen)


def _side(
    name: str,
    text: str | None,
    captions: dict[str, str],
    pen: Pen,
    base: str | None,
    absent: str = "no such file",
) -> Iterator[Text]:
    yield Text(f"{name:<9} {inert(captions.get(name, ''))}", style="cyan")
    if text is None:
        yield Text(f"  | ({absent})", style="dim")
        return
    if not text:
        yield Text("  | (nothing)", style="dim")
        return
    spans = marks(base, text)[1] if base is not None else ()
    yield from _prefixed("  | ", pen.marked(text.rstrip("\n"), spans, "+" if spans else ""))


def _title_suffix(document: DocumentDiff) -> str:
    if document.before is None:
        return "  (new)"
    if document.after is None:
        return "  (goes away)"
    return f"  ({document.became})" if document.became else ""


def _row_lines(row: Row, document: DocumentDiff, pen: Pen) -> Iterator[Text]:
    if document.unit == "entries" and row.kind in _NUMBERED:
        yield Text(_numbered(row), style="cyan")
    match row.kind:
        case RowKind.SAME:
            yield from _prefixed("  ", Text(visible(row.left or ""), style="dim"))
        case RowKind.REMOVED:
            yield from _prefixed("- ", Text(visible(row.left or ""), style="red"))
        case RowKind.ADDED:
            yield from _prefixed("+ ", Text(visible(row.right or ""), style="green"))
        case RowKind.CHANGED:
            yield from _prefixed("- ", pen.marked(row.left or "", row.left_marks, "-"))
            yield from _prefixed("+ ", pen.marked(row.right or "", row.right_marks, "+"))
        case RowKind.GAP:
            amount = row.note.split(" ", 1)[0]
            unit = (
                document.unit if amount != "1" else {"entries": "entry"}.get(document.unit, "line")
            )
            yield Text(f"  ... {amount} {unit} unchanged", style="dim")
        case RowKind.NOTICE:
            yield Text(f"# {row.note}", style="yellow")
        case _:
            assert_never(row.kind)
    if row.note and row.kind in _NUMBERED:
        yield Text(f"\\ {row.note}", style="dim")


_NUMBERED: Final = frozenset({RowKind.REMOVED, RowKind.ADDED, RowKind.CHANGED})


def _numbered(row: Row) -> str:
    if row.kind is RowKind.ADDED:
        return f"-- new entry, number {(row.right_at or 0) + 1}"
    word = "changed" if row.kind is RowKind.CHANGED else "removed"
    return f"-- entry {(row.left_at or 0) + 1} {word}"


def _prefixed(sign: str, text: Text) -> Iterator[Text]:
    for line in text.split("\n", allow_blank=True):
        yield Text(sign, style=text.style).append_text(line)
