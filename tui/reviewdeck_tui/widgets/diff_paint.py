"""Lines of a diff as strips: gutters, signs, marks, colours, wrapped text. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from reviewdeck.policy.redact import redact
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff_document import Abreast, Authors, Notice, Quote, Section, Tone
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.diff_cells import (
    BOLD,
    GUTTER,
    DiffCell,
    Frame,
    blank,
    painted_side,
    with_note,
)
from reviewdeck_tui.widgets.diff_items import DiffPart, Flat, FoldSpan, in_full
from reviewdeck_tui.widgets.diff_split import height_abreast, paint_abreast, rough_height
from reviewdeck_tui.widgets.segments import compact
from reviewdeck_tui.widgets.syntax_sides import NOTHING, Sides
from reviewdeck_tui.widgets.syntax_state import OUTSIDE
from reviewdeck_tui.widgets.wrap import (
    MOST_CHARACTERS,
    cells,
    crop,
    hanging,
    is_plain,
    shown,
    wrap,
)

_TONES: Final = {
    Tone.PLAIN: "text",
    Tone.HEADING: "heading",
    Tone.LOST: "lost",
    Tone.OVER: "refused",
    Tone.QUIET: "quiet",
    Tone.OPEN: "conflict",
}


def height_of(flat: Flat, code: int, frame: Frame) -> int:
    """The lines of the screen that an item takes."""
    if not frame.wrap:
        return 1
    line, part, section = in_full(flat.lines[code // 4]), code % 4, flat.section(code // 4)
    if part == DiffPart.FOLD:
        return 1
    if isinstance(line, Row):
        sides = _cells_of(line, part, frame.split, ())
        width = frame.side
        return max(_height(cell, frame.room(width, numbered=section.numbered)) for cell in sides)
    if isinstance(line, Quote):
        room = frame.room(frame.width, numbered=False)
        return _height(DiffCell(line.text, " ", None, ""), room)
    if isinstance(line, Abreast):
        return height_abreast(line, frame)
    if isinstance(line, Notice):
        return len(_notice_pieces(line, frame.width))
    if isinstance(line, Authors):
        return max(map(len, _authors_lines(line, part, frame)))
    return 1


def estimate_of(flat: Flat, code: int, frame: Frame, room: int) -> int:
    """The same at a glance; negative when it is only about right.

    `room` is the frame's narrowest: asked once for all lines, it costs nothing.
    """
    line = in_full(flat.lines[code // 4])
    if not frame.wrap or code % 4 == DiffPart.FOLD:
        return 1
    if isinstance(line, Abreast):
        return rough_height(line, frame)
    if not isinstance(line, Row):
        return height_of(flat, code, frame)
    left, right = line.left or "", line.right or ""
    longest = left if len(left) > len(right) else right
    length = min(len(longest), MOST_CHARACTERS)
    if length <= room and is_plain(left) and is_plain(right) and not line.note:
        return 1
    return -1 - length // room


def _height(cell: DiffCell, room: int) -> int:
    if cell.text is None:
        return 1
    text = with_note(cell, shown(cell.text).text)
    return len(wrap(text, room, hanging(text, room)))


def paint(
    flat: Flat,
    code: int,
    folds: dict[int, FoldSpan],
    frame: Frame,
    *,
    dropped: bool = False,
    pointed_at: bool = False,
) -> list[Strip]:
    """The strips of one item, each as wide as the frame. What is dropped is struck through."""
    at, part = code // 4, code % 4
    line = in_full(flat.lines[at])
    if part == DiffPart.FOLD:
        return [_fold(folds[at], frame)]
    if isinstance(line, Row):
        section = flat.section(at)
        index = flat.flag_index(at)
        flags = () if index is None else section.flags[index]
        cells_of_it = _cells_of(line, part, frame.split, flags, flat.insides.before(at))
        if dropped:
            cells_of_it = [_dropped(cell) for cell in cells_of_it]
            section = replace(section, language="")
        if pointed_at:
            cells_of_it = [replace(cell, pointed_at=True) for cell in cells_of_it]
        return _row(cells_of_it, section, frame)
    if isinstance(line, Section):
        return [_title(line, frame)]
    if isinstance(line, Notice):
        return _notice(line, frame)
    if isinstance(line, Abreast):
        return paint_abreast(line, flat.section(at).language, frame, flat.insides.before(at))
    if isinstance(line, Quote):
        inside = flat.insides.before(at)
        cell = DiffCell(line.text, "|", None, "", inside=inside[0] if len(inside) == 1 else OUTSIDE)
        section = flat.section(at)
        sides = painted_side(cell, frame.width, section.language, frame, numbered=False)
        return [Strip(compact(segments), frame.width) for segments in sides]
    return _authors(line, part, frame)


def _cells_of(
    row: Row, part: int, split: bool, flags: tuple[Mark, ...], insides: Sides = NOTHING
) -> list[DiffCell]:
    kind = row.kind
    old = row.left_at + 1 if row.left_at is not None else None
    new = row.right_at + 1 if row.right_at is not None else None
    if kind is RowKind.NOTICE:
        return [DiffCell(row.note, "~", None, "")] * (2 if split else 1)
    changed = kind is not RowKind.SAME
    left = DiffCell(row.left, "-" if changed else " ", old, "removed" if changed else "")
    right = DiffCell(
        row.right, "+" if changed else " ", new, "added" if changed else "", flags=flags
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


def _dropped(cell: DiffCell) -> DiffCell:
    """A change that the operator leaves out: its sign says so where there are no colours."""
    return replace(cell, sign="x", tone="dropped", marks=(), flags=()) if cell.tone else cell


def _row(cells_of_it: Sequence[DiffCell], section: Section, frame: Frame) -> list[Strip]:
    width, language, numbered = frame.side, section.language, section.numbered
    sides = [painted_side(cell, width, language, frame, numbered=numbered) for cell in cells_of_it]
    if len(sides) == 1:
        return [Strip(compact(segments), frame.width) for segments in sides[0]]
    left, right = sides
    rest = frame.width - 2 * width - 1
    rule = Segment("│", frame.base + frame.palette["quiet"])
    strips = []
    for at in range(max(len(left), len(right))):
        segments = [
            *(left[at] if at < len(left) else blank(width, frame, "")),
            rule,
            *(right[at] if at < len(right) else blank(width, frame, "")),
        ]
        if rest:
            segments.append(Segment(" " * rest, frame.base))
        strips.append(Strip(compact(segments), frame.width))
    return strips


def _fold(fold: FoldSpan, frame: Frame) -> Strip:
    style = frame.base + frame.palette["quiet"]
    return _padded([Segment(f"  ⋯ {inert_line(fold.label)}", style)], frame)


def _title(section: Section, frame: Frame) -> Strip:
    """A rule with the section's title in it and its note at the right end."""
    heading, quiet = frame.base + frame.palette["heading"], frame.base + frame.palette["quiet"]
    note = _clipped(inert_line(redact(section.note)), max(0, frame.width * 2 // 3 - 8))
    title = _clipped(
        inert_line(redact(section.title)), frame.width - 5 - (cells(note) + 4 if note else 0)
    )
    meaning = "conflict" if note.startswith("#") else "quiet"
    rest = frame.width - 5 - cells(title) - (cells(note) + 2 if note else 0)
    segments = [
        Segment("── ", quiet),
        Segment(title, heading + BOLD),
        Segment(" " + "─" * rest, quiet),
    ]
    if note:
        segments.append(Segment(f" {note} ", frame.base + frame.palette[meaning]))
    return _padded(segments, frame)


def _authors_lines(authors: Authors, part: int, frame: Frame) -> list[list[str]]:
    """Who wrote the left and who the right, each as lines that fit."""
    room = max(1, frame.side - GUTTER)
    sides = []
    for said in (authors.left, authors.right):
        text = inert_line(said)
        indent = min(text.find(" ") + 1, room // 3)
        pieces = wrap(text, room, indent) if frame.wrap else [crop(text, 0, room)]
        leads = ["", *[" " * indent] * (len(pieces) - 1)]
        sides.append([lead + text[a:b] for lead, (a, b) in zip(leads, pieces, strict=True)])
    return {DiffPart.LEFT: sides[:1], DiffPart.RIGHT: sides[1:]}.get(DiffPart(part), sides)


def _authors(authors: Authors, part: int, frame: Frame) -> list[Strip]:
    left, right = (frame.base + frame.palette[tone] + BOLD for tone in ("removed", "added"))
    rule = Segment("│", frame.base + frame.palette["quiet"])
    sides = _authors_lines(authors, part, frame)
    if len(sides) == 1:
        style = right if part == DiffPart.RIGHT else left
        return [_padded([Segment(f"  {line}", style)], frame) for line in sides[0]]
    strips = []
    for first, second in zip_longest(*sides, fillvalue=""):
        gap = " " * (frame.side - GUTTER - cells(first))
        strips.append(
            _padded([Segment(f"  {first}{gap}", left), rule, Segment(f"  {second}", right)], frame)
        )
    return strips


def _notice_pieces(notice: Notice, width: int) -> list[tuple[str, str]]:
    """Lines of a notice; what stands aside is on the last of them when it fits."""
    text, aside = inert_line(notice.text), inert_line(notice.aside)
    room = max(1, width - GUTTER)
    lines = [text[start:end] for start, end in wrap(text, room)]
    pairs = [(line, "") for line in lines]
    if aside and cells(lines[-1]) + cells(aside) + 2 <= room:
        pairs[-1] = (lines[-1], aside)
    elif aside:
        pairs.append(("", _clipped(aside, room)))
    return pairs


def _notice(notice: Notice, frame: Frame) -> list[Strip]:
    style = frame.base + frame.palette[_TONES[notice.tone]]
    if notice.tone in (Tone.LOST, Tone.OVER, Tone.HEADING, Tone.OPEN):
        style += BOLD
    quiet = frame.base + frame.palette["refused" if notice.tone is Tone.OVER else "quiet"]
    sign = {Tone.LOST: "-", Tone.OVER: "!", Tone.OPEN: "?"}.get(notice.tone, " ")
    pairs = _notice_pieces(notice, frame.width)
    strips = []
    for text, aside in pairs if frame.wrap else pairs[:1]:
        gap = frame.width - GUTTER - cells(text) - cells(aside)
        segments = [
            Segment(f"{sign if text else ' '} {text}", style),
            Segment(" " * max(0, gap) + aside, quiet),
        ]
        strips.append(_padded(segments, frame))
    return strips


def _clipped(text: str, size: int) -> str:
    if cells(text) <= size:
        return text
    start, end = crop(text, 0, max(0, size - 1))
    return text[start:end] + "…" if size > 0 else ""


def _padded(segments: list[Segment], frame: Frame) -> Strip:
    return Strip(compact(segments)).adjust_cell_length(frame.width, frame.base)
