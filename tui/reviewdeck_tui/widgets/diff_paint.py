"""The lines of a diff as strips. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from reviewdeck.text.redact import redact
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff_document import Authors, Notice, Quote, Section, SideBySide, Tone
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.diff_cells import (
    BOLD,
    GUTTER,
    DiffCell,
    Frame,
    Stretch,
    blank,
    paint_side,
    pieces_of,
    stretches_of,
    with_note,
)
from reviewdeck_tui.widgets.diff_items import DiffPart, Flat, FoldSpan, as_painted
from reviewdeck_tui.widgets.diff_split import (
    paint_side_by_side,
    rough_height,
    side_by_side_height,
    side_by_side_stretches,
)
from reviewdeck_tui.widgets.segments import compact
from reviewdeck_tui.widgets.syntax_sides import NOTHING, Sides
from reviewdeck_tui.widgets.syntax_state import OUTSIDE
from reviewdeck_tui.widgets.wrap import (
    MOST_CHARACTERS,
    Piece,
    cells,
    clip,
    display_line,
    is_plain,
    wrap,
)

_NO_PIECE: Final[Piece] = (0, 0)
_TONES: Final = {
    Tone.PLAIN: "text",
    Tone.HEADING: "heading",
    Tone.LOST: "lost",
    Tone.OVER: "refused",
    Tone.QUIET: "quiet",
    Tone.OPEN: "conflict",
}


def height_of(flat: Flat, code: int, frame: Frame) -> int:
    """The number of screen lines that an item takes."""
    line, part, section = as_painted(flat.lines[code // 4]), code % 4, flat.section(code // 4)
    if part == DiffPart.FOLD:
        return 1
    if isinstance(line, Notice):
        return len(_notice_pieces(line, frame.width))
    if isinstance(line, Authors):
        return max(map(len, _authors_lines(line, part, frame)))
    if not frame.wrap:
        return 1
    if isinstance(line, Row):
        sides = _cells_of(line, part, frame.split, ())
        width = frame.side
        text_width = frame.room(width, numbered=section.numbered)
        return max(_height(cell, text_width, frame) for cell in sides)
    if isinstance(line, Quote):
        text_width = frame.room(frame.width, numbered=False)
        return _height(DiffCell(line.text, " ", None, ""), text_width, frame)
    if isinstance(line, SideBySide):
        return side_by_side_height(line, frame)
    return 1


def estimate_of(flat: Flat, code: int, frame: Frame, text_width: int) -> int:
    """A cheap estimate of the height; negative when it is not exact.

    `text_width` is the frame's narrowest, computed once for all lines.
    """
    line = as_painted(flat.lines[code // 4])
    if code % 4 == DiffPart.FOLD:
        return 1
    if isinstance(line, SideBySide) and frame.wrap:
        return rough_height(line, frame)
    if not isinstance(line, Row):
        return height_of(flat, code, frame)
    if not frame.wrap:
        return 1
    left, right = line.left or "", line.right or ""
    longest = left if len(left) > len(right) else right
    length = min(len(longest), MOST_CHARACTERS)
    if length <= text_width and is_plain(left) and is_plain(right) and not line.note:
        return 1
    return -1 - length // text_width


def _height(cell: DiffCell, width: int, frame: Frame) -> int:
    return len(pieces_of(_text_of(cell), width, frame)[0])


def _text_of(cell: DiffCell) -> str:
    return "" if cell.text is None else with_note(cell, display_line(cell.text).text)


def stretches(flat: Flat, code: int, frame: Frame) -> list[list[Stretch]]:
    """What each screen line of an item shows, of texts that a decision needs to have been read."""
    line, part, section = as_painted(flat.lines[code // 4]), code % 4, flat.section(code // 4)
    if part == DiffPart.FOLD:
        return []
    match line:
        case Row():
            cells_shown = _cells_of(line, part, frame.split, ())
            gutter = frame.side - frame.room(frame.side, numbered=section.numbered)
            only = DiffPart.RIGHT if line.kind is not RowKind.REMOVED else DiffPart.LEFT
            first = 0 if frame.split else int((part or only) == DiffPart.RIGHT)
            sides = [
                stretches_of(_text_of(cell), first + at, (left, left + frame.side), gutter, frame)
                for at, cell in enumerate(cells_shown)
                if cell.text is not None
                for left in [at * (frame.side + 1)]
            ]
        case Quote(text):
            cell = DiffCell(text, " ", None, "")
            sides = [stretches_of(_text_of(cell), 0, (0, frame.width), GUTTER, frame)]
        case SideBySide():
            sides = side_by_side_stretches(line, frame)
        case Notice():
            return _notice_stretches(line, frame.width)
        case _:
            return []
    return [[stretch for stretch in parts if stretch is not None] for parts in zip_longest(*sides)]


def paint(
    flat: Flat,
    code: int,
    folds: dict[int, FoldSpan],
    frame: Frame,
    *,
    dropped: bool = False,
    is_pointed_at: bool = False,
) -> list[Strip]:
    """The strips of an item, each as wide as the frame. Dropped lines are struck through."""
    at, part = code // 4, code % 4
    line = as_painted(flat.lines[at])
    if part == DiffPart.FOLD:
        return [_paint_fold(folds[at], frame)]
    if isinstance(line, Row):
        section = flat.section(at)
        index = flat.flag_index(at)
        flags = () if index is None else section.flags[index]
        row_cells = _cells_of(line, part, frame.split, flags, flat.insides.sides_before(at))
        if dropped:
            row_cells = [_as_dropped(cell) for cell in row_cells]
            section = replace(section, language="")
        if is_pointed_at:
            row_cells = [replace(cell, is_pointed_at=True) for cell in row_cells]
        return _paint_row(row_cells, section, frame)
    if isinstance(line, Section):
        return [_paint_title(line, frame)]
    if isinstance(line, Notice):
        return _paint_notice(line, frame)
    if isinstance(line, SideBySide):
        return paint_side_by_side(
            line, flat.section(at).language, frame, flat.insides.sides_before(at)
        )
    if isinstance(line, Quote):
        inside = flat.insides.sides_before(at)
        cell = DiffCell(line.text, "|", None, "", inside=inside[0] if len(inside) == 1 else OUTSIDE)
        section = flat.section(at)
        sides = paint_side(cell, frame.width, section.language, frame, numbered=False)
        return [Strip(compact(segments), frame.width) for segments in sides]
    return _paint_authors(line, part, frame)


def _cells_of(
    row: Row, part: int, split: bool, flags: tuple[Mark, ...], insides: Sides = NOTHING
) -> list[DiffCell]:
    kind = row.kind
    old = row.left_at + 1 if row.left_at is not None else None
    new = row.right_at + 1 if row.right_at is not None else None
    if kind is RowKind.NOTICE:
        return [DiffCell(row.note, "~", None, "")] * (2 if split else 1)
    is_changed = kind is not RowKind.SAME
    left = DiffCell(row.left, "-" if is_changed else " ", old, "removed" if is_changed else "")
    right = DiffCell(
        row.right, "+" if is_changed else " ", new, "added" if is_changed else "", flags=flags
    )
    if kind is RowKind.CHANGED:
        left = DiffCell(row.left, "-", old, "removed", row.left_marks)
        right = DiffCell(row.right, "+", new, "added", row.right_marks, flags, row.note)
    elif kind is RowKind.REMOVED:
        left = DiffCell(row.left, "-", old, "removed", note=row.note)
    elif kind is RowKind.ADDED:
        right = DiffCell(row.right, "+", new, "added", flags=flags, note=row.note)
    if insides != NOTHING and len(insides) == 2:
        left, right = (
            replace(cell, inside=inside)
            for cell, inside in zip((left, right), insides, strict=True)
        )
    if split:
        return [left, right]
    if part == DiffPart.LEFT or (part == DiffPart.WHOLE and kind is RowKind.REMOVED):
        return [left]
    return [right]


def _as_dropped(cell: DiffCell) -> DiffCell:
    """A dropped line: its sign shows it where there are no colours."""
    return replace(cell, sign="x", tone="dropped", marks=(), flags=()) if cell.tone else cell


def _paint_row(row_cells: Sequence[DiffCell], section: Section, frame: Frame) -> list[Strip]:
    width, language, numbered = frame.side, section.language, section.numbered
    sides = [paint_side(cell, width, language, frame, numbered=numbered) for cell in row_cells]
    if len(sides) == 1:
        return [Strip(compact(segments), frame.width) for segments in sides[0]]
    left, right = sides
    filler = frame.width - 2 * width - 1
    rule = Segment("│", frame.base + frame.palette["quiet"])
    strips = []
    for at in range(max(len(left), len(right))):
        segments = [
            *(left[at] if at < len(left) else blank(width, frame, "")),
            rule,
            *(right[at] if at < len(right) else blank(width, frame, "")),
        ]
        if filler:
            segments.append(Segment(" " * filler, frame.base))
        strips.append(Strip(compact(segments), frame.width))
    return strips


def _paint_fold(fold: FoldSpan, frame: Frame) -> Strip:
    style = frame.base + frame.palette["quiet"]
    return _pad([Segment(clip(f"  ⋯ {inert_line(fold.label)}", frame.width), style)], frame)


def _paint_title(section: Section, frame: Frame) -> Strip:
    """A rule with the section's title in it and its note at the right end."""
    heading, quiet = frame.base + frame.palette["heading"], frame.base + frame.palette["quiet"]
    note = clip(inert_line(redact(section.note)), max(0, frame.width * 2 // 3 - 8))
    title = clip(
        inert_line(redact(section.title)), frame.width - 5 - (cells(note) + 4 if note else 0)
    )
    meaning = "conflict" if note.startswith("#") else "quiet"
    filler = frame.width - 5 - cells(title) - (cells(note) + 2 if note else 0)
    segments = [
        Segment("── ", quiet),
        Segment(title, heading + BOLD),
        Segment(" " + "─" * filler, quiet),
    ]
    if note:
        segments.append(Segment(f" {note} ", frame.base + frame.palette[meaning]))
    return _pad(segments, frame)


def _authors_lines(authors: Authors, part: int, frame: Frame) -> list[list[str]]:
    text_width = max(1, frame.side - GUTTER)
    sides = []
    for author in (authors.left, authors.right):
        text = inert_line(author)
        indent = min(text.find(" ") + 1, text_width // 3)
        pieces = wrap(text, text_width, indent)
        leads = ["", *[" " * indent] * (len(pieces) - 1)]
        sides.append([lead + text[a:b] for lead, (a, b) in zip(leads, pieces, strict=True)])
    return {DiffPart.LEFT: sides[:1], DiffPart.RIGHT: sides[1:]}.get(DiffPart(part), sides)


def _paint_authors(authors: Authors, part: int, frame: Frame) -> list[Strip]:
    left, right = (frame.base + frame.palette[tone] + BOLD for tone in ("removed", "added"))
    rule = Segment("│", frame.base + frame.palette["quiet"])
    sides = _authors_lines(authors, part, frame)
    if len(sides) == 1:
        style = right if part == DiffPart.RIGHT else left
        return [_pad([Segment(f"  {line}", style)], frame) for line in sides[0]]
    strips = []
    for first, second in zip_longest(*sides, fillvalue=""):
        gap = " " * (frame.side - GUTTER - cells(first))
        strips.append(
            _pad([Segment(f"  {first}{gap}", left), rule, Segment(f"  {second}", right)], frame)
        )
    return strips


def _notice_pieces(notice: Notice, width: int) -> list[tuple[Piece, Piece]]:
    """What each line shows of the text and of the aside, which is on the last line if it fits."""
    text, aside = inert_line(notice.text), inert_line(notice.aside)
    text_width = max(1, width - GUTTER)
    lines = [(piece, _NO_PIECE) for piece in wrap(text, text_width)]
    if not aside:
        return lines
    last, _ = lines[-1]
    if cells(text[last[0] : last[1]]) + cells(aside) + 2 <= text_width:
        return [*lines[:-1], (last, (0, len(aside)))]
    return [*lines, *((_NO_PIECE, piece) for piece in wrap(aside, text_width))]


def _notice_stretches(notice: Notice, width: int) -> list[list[Stretch]]:
    text, aside = inert_line(notice.text), inert_line(notice.aside)
    pairs = _notice_pieces(notice, width)
    shown: list[list[Stretch]] = []
    for (start, end), (aside_start, aside_end) in pairs:
        right = GUTTER + cells(text[start:end])
        size = cells(aside[aside_start:aside_end])
        parts = [Stretch(0, start, end + 1, len(text), (0, right))] if right <= width else []
        if aside_end and size <= width:
            columns = (width - size, width)
            parts.append(Stretch(1, aside_start, aside_end + 1, len(aside), columns))
        shown.append(parts)
    return shown


def _paint_notice(notice: Notice, frame: Frame) -> list[Strip]:
    style = frame.base + frame.palette[_TONES[notice.tone]]
    if notice.tone in (Tone.LOST, Tone.OVER, Tone.HEADING, Tone.OPEN):
        style += BOLD
    quiet = frame.base + frame.palette["refused" if notice.tone is Tone.OVER else "quiet"]
    sign = {Tone.LOST: "-", Tone.OVER: "!", Tone.OPEN: "?"}.get(notice.tone, " ")
    whole_text, whole_aside = inert_line(notice.text), inert_line(notice.aside)
    strips = []
    for piece, aside_piece in _notice_pieces(notice, frame.width):
        text, aside = whole_text[slice(*piece)], whole_aside[slice(*aside_piece)]
        gap = frame.width - GUTTER - cells(text) - cells(aside)
        segments = [
            Segment(f"{sign if text else ' '} {text}", style),
            Segment(" " * max(0, gap) + aside, quiet),
        ]
        strips.append(_pad(segments, frame))
    return strips


def _pad(segments: list[Segment], frame: Frame) -> Strip:
    return Strip(compact(segments)).adjust_cell_length(frame.width, frame.base)
