"""Unified diffs, as Gemini CLI's extraction writes them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from reviewdeck.homes.strict_json import Malformed

NEW: Final = "/dev/null"
"""The old name of a new file."""
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_PLACES: Final = 50
"""The most places of a line, on each side, at which a hunk is looked for."""
_NO_BREAK: Final = "\\"
"""How the line begins that says that the one before ends without a line break."""


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Some lines of a file, before and after."""

    start: int
    """The index of the first old line."""
    old: tuple[str, ...]
    new: tuple[str, ...]

    def end_in(self, lines: Sequence[str], at: int) -> int:
        """The index after it in a text, with those lines that it adds at its end and that stand
        there already."""
        end = at + len(self.old)
        added = self.new[len(self.old) :] if self.new[: len(self.old)] == self.old else ()
        pairs = zip(added, lines[end : end + len(added)], strict=False)
        return end + len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The change of one file."""

    old: str
    new: str
    hunks: tuple[PatchHunk, ...]
    ends: bool
    """Whether the new text ends with a line break."""

    @property
    def is_new(self) -> bool:
        """Whether the file is new."""
        return self.old == NEW

    @property
    def text(self) -> str:
        """The lines after that its hunks show: all of a new file."""
        text = "\n".join(line for hunk in self.hunks for line in hunk.new)
        return f"{text}\n" if self.ends and text else text

    def added_to(self, text: str) -> str:
        """A text with those of the new lines after it that it does not have."""
        lines = text.removesuffix("\n").split("\n") if text else []
        new = [line for hunk in self.hunks for line in hunk.new if line.strip()]
        known = {*lines}
        return "\n".join([*lines, *(line for line in new if line not in known), ""])

    def apply(self, text: str) -> str | None:
        """The text after; None where the old lines of a hunk are not in it exactly."""
        lines = text.split("\n")
        places = self._places(lines)
        return None if None in places else self._texts(lines, places)[1]

    def from_shown(self, text: str) -> tuple[str, str]:
        """The texts before and after of a patch that does not apply to a text: the text itself, but
        around each hunk that is not in it nothing but the lines that the hunk shows."""
        lines = text.split("\n")
        return self._texts(lines, self._places(lines))

    def _places(self, lines: list[str]) -> list[int | None]:
        """Where the old lines of each hunk stand, in order; None for nowhere."""
        known: dict[str, list[int]] = {}
        for index, line in enumerate(lines):
            known.setdefault(line, []).append(index)
        places: list[int | None] = []
        begin = 0
        for hunk in self.hunks:
            places.append(at := _place(hunk, lines, known, begin))
            begin = begin if at is None else hunk.end_in(lines, at)
        return places

    def _texts(self, lines: list[str], places: list[int | None]) -> tuple[str, str]:
        before: list[str] = []
        after: list[str] = []
        begin, lost = 0, list[PatchHunk]()

        def pass_over(end: int) -> None:
            """Takes the lines up to the next hunk that is there, or those of hunks that are not."""
            between = lines[begin:end]
            before.extend([line for hunk in lost for line in hunk.old] if lost else between)
            after.extend([line for hunk in lost for line in hunk.new] if lost else between)

        for hunk, at in zip(self.hunks, places, strict=True):
            if at is None:
                lost.append(hunk)
                continue
            pass_over(at)
            before += lines[at : (end := hunk.end_in(lines, at))]
            after += hunk.new
            begin, lost = end, []
        pass_over(len(lines))
        if lost:
            before.append("")
            after += [""] if self.ends else []
        return "\n".join(before), "\n".join(after)


def _place(
    hunk: PatchHunk, lines: list[str], places: Mapping[str, list[int]], begin: int
) -> int | None:
    """Where the old lines of a hunk stand, nearest to where it says; None for nowhere."""
    count = len(hunk.old)
    if not count:  # It shows no line: its number is all that there is.
        return hunk.start if begin <= hunk.start < len(lines) else None
    rarest = min(range(count), key=lambda index: len(places.get(hunk.old[index], ())))
    known = places.get(hunk.old[rarest], [])
    middle = bisect_left(known, max(hunk.start, begin) + rarest)
    near = known[max(middle - _PLACES, 0) : middle + _PLACES]
    begins = (index - rarest for index in near)
    found = [at for at in (hunk.start, *begins) if at >= begin and _stands_at(hunk.old, lines, at)]
    return min(found, key=lambda at: abs(at - hunk.start), default=None)


def _stands_at(old: tuple[str, ...], lines: list[str], at: int) -> bool:
    return lines[at : at + 1] == [old[0]] and tuple(lines[at : at + len(old)]) == old


def parse_patch(text: str) -> list[FilePatch]:
    """The changes of each file. Raises Malformed."""
    if "\0" in text:
        raise Malformed("bad-patch", "it contains a NUL character")
    lines = text.split("\n")
    found, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("--- "):
            at += 1
            continue
        if at + 1 == len(lines) or not lines[at + 1].startswith("+++ "):
            raise Malformed("bad-patch", "one of its files has no new name")
        old, new = (line[4:].split("\t")[0].strip().strip('"') for line in lines[at : at + 2])
        at, hunks, ends = at + 2, [], True
        while at < len(lines) and (head := _HUNK.match(lines[at])):
            hunk, at, ends = _hunk(head, lines, at + 1)
            hunks.append(hunk)
        if not hunks:
            raise Malformed("bad-patch", f"it says nothing of {new!r}")
        found.append(FilePatch(old, new, tuple(hunks), ends))
    if not found:
        raise Malformed("bad-patch", "it is no unified diff")
    return found


def _hunk(head: re.Match[str], lines: list[str], at: int) -> tuple[PatchHunk, int, bool]:
    """A hunk, the index of the line after it, and whether its last new line ends."""
    old: list[str] = []
    new: list[str] = []
    start, old_count, _, new_count = (1 if part is None else int(part) for part in head.groups())
    ends = True
    while len(old) < old_count or len(new) < new_count:
        # An author may drop the space of an empty line; after the last line break there is none.
        line = (lines[at] or " ") if at < len(lines) - 1 else ""
        sign, rest = line[:1], line[1:]
        if sign not in (" ", "-", "+"):
            raise Malformed("bad-patch", "the counts of a hunk are not those of its lines")
        old += [rest] if sign != "+" else []
        new += [rest] if sign != "-" else []
        at += 1
        if at < len(lines) and lines[at].startswith(_NO_BREAK):
            ends = ends and sign == "-"
            at += 1
    if len(old) != old_count or len(new) != new_count:
        raise Malformed("bad-patch", "the counts of a hunk are not those of its lines")
    # Without an old line it stands after the one that it names.
    return PatchHunk(max(start - 1, 0) if old else start, tuple(old), tuple(new)), at, ends
