"""Normalised views of a text that map each character back to the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from reviewdeck.values import dataclass

PLAIN = {
    "\u201c": '"',
    "\u201d": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2014": "--",
    "\u2013": "-",
    "\u2026": "...",
    "\u00a0": " ",
}
"""Typographic characters and the ASCII that a model types for them."""

_PLAIN_TABLE = str.maketrans(PLAIN)
_BLANKS = re.compile(r"[ \t]+")

Region = tuple[int, int]
"""Start and end in a text; half open."""


@dataclass(frozen=True, slots=True)
class TextView:
    """A normalised text, with the original region of each of its characters."""

    text: str
    starts: list[int]
    """Start of each character; -1 inside one that was spelt out."""
    ends: list[int]

    def region(self, start: int, end: int) -> Region | None:
        """The original region of a part of the view; None when it begins inside a character."""
        if start >= len(self.text) or self.starts[start] < 0:
            return None
        return self.starts[start], self.ends[end - 1] if end > start else self.starts[start]


def plain(text: str) -> str:
    """The text with typographic characters spelt out."""
    return text.translate(_PLAIN_TABLE)


def plain_view(text: str) -> TextView:
    """The view in which typographic characters are spelt out."""
    starts: list[int] = []
    ends: list[int] = []
    for position, character in enumerate(text):
        inner = len(PLAIN.get(character, character)) - 1
        starts += [position] + [-1] * inner
        ends += [position + 1] * (inner + 1)
    return TextView(plain(text), starts, ends)


def collapse(text: str) -> str:
    """The text with each run of spaces and tabs as one space."""
    return _BLANKS.sub(" ", text)


def collapsed_view(text: str) -> TextView:
    """The view in which runs of blanks are one space.

    As in Hermes, blanks after the first space of a run belong to the character that follows: a
    match that begins there takes them along, and is indented again by them.
    """
    starts: list[int] = []
    ends: list[int] = []
    begin = 0
    for run in _BLANKS.finditer(text):
        _trace_unchanged(starts, ends, begin, run.start())
        space = run.group().find(" ")
        begin = run.end() if space < 0 else run.start() + space + 1
        starts.append(run.start())
        ends.append(begin)
        if begin < run.end() < len(text):
            starts.append(begin)
            ends.append(run.end() + 1)
            begin = run.end() + 1
    _trace_unchanged(starts, ends, begin, len(text))
    return TextView(collapse(text), starts, ends)


def _trace_unchanged(starts: list[int], ends: list[int], begin: int, end: int) -> None:
    starts += range(begin, end)
    ends += range(begin + 1, end + 1)


def find_all(text: str, needle: str) -> Iterator[Region]:
    """Regions where `needle` occurs, without overlaps."""
    position = text.find(needle)
    while position >= 0:
        yield position, position + len(needle)
        position = text.find(needle, position + len(needle))


def find_lines(text: str, sought: str, key: Callable[[str], str]) -> Iterator[Region]:
    """Regions of whole lines that equal the lines of `sought` under `key`.

    Without overlaps, except one with the first match, which shows that it is ambiguous. (All
    overlaps could be as many as there are lines.)
    """
    lines = text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    keys = [key(line) for line in lines]
    wanted_keys = [key(line) for line in sought.split("\n")]
    haystack = "\n" + "\n".join(keys) + "\n"
    needle = "\n" + "\n".join(wanted_keys) + "\n"
    places = [0, *accumulate(len(line) + 1 for line in keys)]
    for position in _positions(haystack, needle):
        first = bisect_right(places, position) - 1
        yield offsets[first], offsets[first + len(wanted_keys)] - 1


def _positions(haystack: str, needle: str) -> Iterator[int]:
    """Positions of the needle; neighbours share at most the newline between them."""
    position = haystack.find(needle)
    if position < 0:
        return
    yield position
    after = position + len(needle) - 1
    overlapping = haystack.find(needle, position + 1, after + len(needle) - 1)
    if overlapping >= 0:
        yield overlapping
    while (after := haystack.find(needle, after)) >= 0:
        yield after
        after += len(needle) - 1


def without_overlaps(regions: list[Region]) -> list[Region]:
    """The regions in order, without those that overlap an earlier one."""
    regions_apart: list[Region] = []
    for region in sorted(regions):
        if not regions_apart or region[0] >= regions_apart[-1][1]:
            regions_apart.append(region)
    return regions_apart
