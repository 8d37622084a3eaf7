"""The characters around a place that a rule reads: no part of a word is read for a word.

The end of "concat" is no "cat". Where a text is longer, the words that its ends would cut are left
out; scripts without spaces have none.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import Final

_IN_WORD: Final = re.compile(r"[^\W\u0590-\u1fff\u3040-\uffff]*")
_ASCII: Final = frozenset(f"{ascii_letters}{digits}_")


def reach(text: str, start: int, end: int, before: int, after: int) -> tuple[int, int]:
    """The span of so many characters before and after a place, and of the place."""
    first, last = max(0, start - before), min(len(text), end + after)
    if (
        0 < first < start
        and _is_in_word(text[first - 1])
        and (rest := _IN_WORD.match(text, first, start))
    ):
        first = rest.end()
    if end < last < len(text) and _is_in_word(text[last]):
        while last > end and _is_in_word(text[last - 1]):
            last -= 1
    return first, last


def line_around(text: str, start: int, end: int, before: int, after: int) -> str:
    """The lines of a place, no further than so many characters before and after it."""
    first, last = reach(text, start, end, before, after)
    first = max(first, text.rfind("\n", first, start) + 1)
    line_end = text.find("\n", end, last)
    return text[first : line_end if line_end >= 0 else last]


def ahead_of(text: str, start: int, characters: int) -> str:
    """So many characters before a place."""
    return text[reach(text, start, start, characters, 0)[0] : start]


def behind(text: str, end: int, characters: int) -> str:
    """So many characters behind a place."""
    return text[end : reach(text, end, end, 0, characters)[1]]


def _is_in_word(character: str) -> bool:
    return _IN_WORD.fullmatch(character) is not None if character > "\x7f" else character in _ASCII
