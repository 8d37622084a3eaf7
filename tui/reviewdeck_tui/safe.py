"""Untrusted text on its way to the screen: two layers, each of which suffices.

`inert_line` makes text inert; it goes on as `Content`, which no markup parser reads.
`SafetyFilter` checks every painted segment and replaces what should not have come this far.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from reviewdeck.text.inert import visible

_SPACES: Final = re.compile(r"[ \t\r\n]+")
_STEERING: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def inert_line(text: str) -> str:
    """Untrusted text as one line of plain characters."""
    if text.isascii() and text.isprintable():
        return (_SPACES.sub(" ", text) if "  " in text else text).strip()
    return visible(_SPACES.sub(" ", text).strip(), keep="")


class SafetyFilter(LineFilter):
    """Replaces control and bidirectional characters that reached a segment.

    The app returns it last from ``get_line_filters``. A character is replaced by as many cells as
    the layout counted for it, so that nothing moves.
    """

    def __eq__(self, other: object) -> bool:
        """All instances are equal: Textual caches filtered lines by their filter."""
        return isinstance(other, SafetyFilter)

    def __hash__(self) -> int:
        return hash(SafetyFilter)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, with control characters replaced."""
        line = "".join([text for text, _, control in segments if not control])
        if (line.isascii() and line.isprintable()) or not _STEERING.search(line):
            return segments
        return [segment if segment.control else _rewrite(segment) for segment in segments]


def _rewrite(segment: Segment) -> Segment:
    text, style, control = segment
    return Segment(_STEERING.sub(_stand_in, text), style, control)


def _stand_in(match: re.Match[str]) -> str:
    """As many middle dots as the character has cells."""
    return "\u00b7" * cell_len(match[0])
