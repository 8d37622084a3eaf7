"""Diffs as lines. Without colour, ``[-gone-]`` and ``[+new+]`` mark the words of a changed line.

Every line of a document stands behind a sign of ours, so that no text can pass for the frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, assert_never

from rich.text import Text

from reviewdeck.presentation.document_diff import ConflictView, DocumentDiff
from reviewdeck.presentation.words import inert, one_line
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck.text.inert import visible
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark, marks

MANY_LINES: Final = 20
"""Blank lines in a row from which they are shown as one."""
_GAP: Final = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]{200,}")
_BLANK: Final = frozenset({"", "+", "-", "|"})
_MOSTLY: Final = 0.8
_OPENERS: Final = ("[-", "-]", "[+", "+]")


@dataclass(frozen=True, slots=True)
class Pen:
    """How marks are drawn: by colour, or in brackets where there is none."""

    coloured: bool

    def marked(self, text: str, found: Sequence[Mark], sign: str) -> Text:
        """One side of a changed line with its words marked.

        A text that has such brackets itself is shown without marks: they could not be told apart.
        """
        style = {"-": "red", "+": "green"}.get(sign, "")
        bracketed = not self.coloured and not any(bracket in text for bracket in _OPENERS)
        drawn, at = Text(style=style), 0
        for mark in _joined(text, found):
            drawn.append(visible(text[at : mark.start]))
            words = visible(text[mark.start : mark.end])
            if self.coloured:
                drawn.append(words, style="bold reverse")
            else:
                drawn.append(f"[{sign}{words}{sign}]" if bracketed else words)
            at = mark.end
        return drawn.append(visible(text[at:]))


def _joined(text: str, found: Sequence[Mark]) -> list[Mark]:
    """Marks with only space between them as one; none where nearly all of a line is marked."""
    joined: list[Mark] = []
    for mark in found:
        if joined and not text[joined[-1].end : mark.start].strip():
            joined[-1] = Mark(joined[-1].start, mark.end)
        else:
            joined.append(mark)
    marked = sum(mark.end - mark.start for mark in joined)
    return [] if marked > _MOSTLY * len(text) else joined


def document_lines(document: DocumentDiff, pen: Pen) -> Iterator[Text]:
    """One document: its path, what changes, what is lost, how full it is afterwards."""
    yield Text(f"== {one_line(document.path)}{_fate(document)}", style="bold")
    yield from _without_padding(
        line for row in document.rows for line in _row_lines(row, document, pen)
    )
    for clause in document.lost:
        yield Text(f'LOST: "{one_line(clause)}"', style="bold red")
    if document.room is not None:
        room = document.room
        over = room.after > room.limit
        yield Text(
            f"after: {room.after:,}/{room.limit:,} characters (now {room.before:,})",
            style="bold red" if over else "dim",
        )


def _without_padding(lines: Iterator[Text]) -> Iterator[Text]:
    """Long runs of blank lines, and of spaces within one, as a line that says how long they are.

    Padding pushes what comes after it out of sight.
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
    view: ConflictView, pen: Pen, known: dict[str, str], live_known: Callable[[str], str]
) -> Iterator[Text]:
    """The places that clash, each with its three texts and what is known of them."""
    yield Text(f"== {one_line(view.path)}  (conflict)", style="bold")
    places = view.places or (Clash(view.base, view.live or "", view.proposed or ""),)
    for number, place in enumerate(places, 1):
        yield Text(f"-- place {number} of {len(places)}", style="yellow")
        whole = not view.places
        absent = "no such file" if view.base_known else "not known"
        yield from _side("base", place.base, known, pen, None, absent)
        live = view.live if whole else place.ours
        proposed = view.proposed if whole else place.theirs
        base = place.base if view.base_known else None
        yield from _side("live", live, {"live": live_known(place.ours)}, pen, base)
        yield from _side("proposed", proposed, known, pen, base)
        if not whole and (words := view.words[number - 1]) is not None:
            yield from _side("words", words, {"words": "of both: --take words"}, pen, base)
    for clause in view.lost:
        yield Text(f'LOST if taken as proposed: "{one_line(clause)}"', style="bold red")
    if view.besides is not None:
        yield Text("-- merged automatically, besides:", style="yellow")
        yield from document_lines(view.besides, pen)
    for other in view.others:
        yield from document_lines(other, pen)


def _side(
    name: str,
    text: str | None,
    known: dict[str, str],
    pen: Pen,
    base: str | None,
    absent: str = "no such file",
) -> Iterator[Text]:
    yield Text(f"{name:<9} {inert(known.get(name, ''))}", style="cyan")
    if text is None:
        yield Text(f"  | ({absent})", style="dim")
        return
    if not text:
        yield Text("  | (nothing)", style="dim")
        return
    found = marks(base, text)[1] if base is not None else ()
    yield from _behind("  | ", pen.marked(text.rstrip("\n"), found, "+" if found else ""))


def _fate(document: DocumentDiff) -> str:
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
            yield from _behind("  ", Text(visible(row.left or ""), style="dim"))
        case RowKind.REMOVED:
            yield from _behind("- ", Text(visible(row.left or ""), style="red"))
        case RowKind.ADDED:
            yield from _behind("+ ", Text(visible(row.right or ""), style="green"))
        case RowKind.CHANGED:
            yield from _behind("- ", pen.marked(row.left or "", row.left_marks, "-"))
            yield from _behind("+ ", pen.marked(row.right or "", row.right_marks, "+"))
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


def _behind(sign: str, text: Text) -> Iterator[Text]:
    """Each line of a text behind a sign."""
    for line in text.split("\n", allow_blank=True):
        yield Text(sign, style=text.style).append_text(line)
