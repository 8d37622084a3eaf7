"""Secrets covered in a diff until the operator asks to see them. It is the view alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewdeck.cli.covering import Cover
from reviewdeck.text.rows import Row
from reviewdeck_tui.documents import Abreast, DiffDocument, Fold, Line, Notice, Quote, Section, Tone

_COVERED = Notice("Secrets are covered here. The palette (ctrl+p) shows them.", Tone.QUIET)


def covered(document: DiffDocument, cover: Cover | None = None) -> DiffDocument:
    """The document with its secrets covered; the same one where there are none.

    `cover` knows of more than the document shows, where there is such a one.
    """
    cover = cover or Cover(_texts(document))
    sections = tuple(_section(section, cover) for section in document.sections)
    return document if sections == document.sections else replace(document, sections=sections)


def _texts(document: DiffDocument) -> Iterator[str]:
    """The texts in one piece: a key goes over many lines."""
    for section in document.sections:
        rows = [line for line in section.lines if isinstance(line, Row)]
        yield "\n".join(row.left for row in rows if row.left is not None)
        yield "\n".join(row.right for row in rows if row.right is not None)


def _section(section: Section, cover: Cover) -> Section:
    lines = tuple(_line(line, cover) for line in section.lines)
    moved = {
        at for at, (old, new) in enumerate(zip(section.lines, lines, strict=True)) if old != new
    }
    if not moved:
        return section
    flags = {at: marks for at, marks in section.flags.items() if at not in moved}
    return replace(section, lines=(*lines, _COVERED), flags=flags)


def _line(line: Line, cover: Cover) -> Line:
    match line:
        case Row():
            return cover.row(line)
        case Quote(text):
            return Quote(cover.text(text))
        case Notice(text):
            return replace(line, text=cover.text(text))
        case Fold(rows):
            return replace(line, rows=tuple(map(cover.row, rows)))
        case Abreast(columns):
            hidden = ((one, one.text and cover.text(one.text)) for one in columns)
            return Abreast(
                tuple(
                    one if text == one.text else replace(one, text=text, marks=(), flags=())
                    for one, text in hidden
                )
            )
        case _:
            return line
