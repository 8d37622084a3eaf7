"""Escapes untrusted text: no terminal control sequence or invisible character is left in it.

The set of code points follows Unicode Technical Report 36 (bidirectional overrides, tag
characters, fillers) and Technical Standard 51 (emoji joiners).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Final

_ALWAYS: Final = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 but the tab, DEL, C1
    "\t"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"  # zero width, bidi, separators, invisible maths
    "\u3164\ufeff\uffa0\ufff0-\ufffb"  # fillers, byte order mark, annotations
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_DEPENDS: Final = "\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Joiners and variation selectors: legitimate only in certain places."""

_SUSPECT: Final = re.compile(f"[{_ALWAYS}{_DEPENDS}]")
_PLAIN_BYTES: Final = bytes([0x09, 0x0A, *range(0x20, 0x7F)])

_MARKS: Final = frozenset({"Mn", "Me"})
_MOST_MARKS: Final = 8
"""Combining marks allowed on one letter: Tibetan and pointed Hebrew come close."""
_HEAPS: Final = re.compile(rf"[^\w\x00-\u02ff]{{{_MOST_MARKS + 1},}}")
"""A run that may have more than that: combining marks are neither letters nor Latin."""

# Few texts need these patterns: they are compiled on first use.
_PICTOGRAPHS: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u24c2\u25aa-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAPS: Final = frozenset("0123456789#*")
_INDIC: Final = "[\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff]"
_ARABIC: Final = (
    "[\u0620-\u065f\u066e-\u06d3\u06d5\u06e5-\u06ff\u0700-\u07ff\u0840-\u08ff"
    "\ufb50-\ufdff\ufe70-\ufefc]"
)
_LINE_ENDS: Final = "\n\r\t␊␍␉"
"""They end a word as a space does; so do their pictures, as showing twice is showing once."""
_HAN: Final = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


def visible(text: str, *, keep: str = "\n\t") -> str:
    """The text with control and invisible characters replaced by glyphs that name them.

    Control characters become their picture (``␛``), all others ``⟦U+202E⟧``. Joiners and variation
    selectors stay where a script or an emoji needs them; characters in `keep` stay. Combining marks
    stacked on one letter are cut to a few. Idempotent; never raises; linear in the length.
    """
    if _is_plain(text, keep):
        return text

    def replacement(match: re.Match[str]) -> str:
        char = match[0]
        return char if char in keep or _is_in_place(text, match.start()) else _glyph(char)

    return _HEAPS.sub(_cut_marks, _SUSPECT.sub(replacement, text))


def json_escaped(text: str) -> str:
    r"""JSON text with the characters that `visible` would replace escaped, as ``\\u202e``.

    Line ends and tabs between its parts stay.
    """

    def replacement(match: re.Match[str]) -> str:
        char = match[0]
        return char if char in "\n\t" or _is_in_place(text, match.start()) else _escape(char)

    if _is_plain(text, "\n\t"):
        return text
    return _HEAPS.sub(lambda run: _escape(run[0]), _SUSPECT.sub(replacement, text))


def _escape(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _is_plain(text: str, keep: str) -> bool:
    """Whether the text has no suspect character, decided mostly at the speed of bytes.

    The regular expression is the costly part: it runs over what is left without printable ASCII,
    which is little in most texts.
    """
    if keep != "\n\t":
        return False
    remaining = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN_BYTES)
    if not remaining:
        return True
    characters = remaining.decode("utf-8", "surrogatepass")
    return not (_SUSPECT.search(characters) or _HEAPS.search(characters))


def _cut_marks(match: re.Match[str]) -> str:
    """Stacked marks cut to `_MOST_MARKS`: more would cover the lines around them on the screen."""
    parts: list[str] = []
    for is_mark, run in groupby(match[0], lambda char: unicodedata.category(char) in _MARKS):
        chars = "".join(run)
        spare = len(chars) - _MOST_MARKS if is_mark else 0
        parts.append(f"{chars[:_MOST_MARKS]}⟦+{spare:,} marks⟧" if spare > 0 else chars)
    return "".join(parts)


def _is_in_place(text: str, at: int) -> bool:
    before, char, after = text[at - 1 : at] if at else "", text[at], text[at + 1 : at + 2]
    if not before:
        return False
    if char in "\ufe0e\ufe0f":
        return before in _KEYCAPS or re.match(_PICTOGRAPHS, before) is not None
    if "\U000e0100" <= char <= "\U000e01ef":
        return re.match(_HAN, before) is not None
    if char == "\u200d":
        return _joins_emoji(text, at) or _within_script(before, after)
    return char == "\u200c" and _within_script(before, after)


def _joins_emoji(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at + 1 : at + 2]
    if before == "\ufe0f" and at >= 2:
        before = text[at - 2]
    return bool(re.match(_PICTOGRAPHS, before) and re.match(_PICTOGRAPHS, after))


def _within_script(before: str, after: str) -> bool:
    if re.match(_INDIC, before):
        ends = after in _LINE_ENDS or (after.isspace() and not _SUSPECT.match(after))
        return ends or re.match(_INDIC, after) is not None
    return bool(re.match(_ARABIC, before) and re.match(_ARABIC, after))


def _glyph(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"⟦U+{code:04X}⟧"
