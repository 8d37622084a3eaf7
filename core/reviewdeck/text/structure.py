"""The parts of Markdown that have names: front matter keys, list items, sections.

What has a name can be merged by it, whatever its neighbours do. Everything here gives None where
that would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from reviewdeck.text import lines
from reviewdeck.text.pairing import RIVALS, likeness

Named: TypeAlias = dict[str, str]
"""Pieces of text by name, in order."""
Reader: TypeAlias = Callable[[str], Named | None]

_KEY: Final = re.compile(r"([A-Za-z_][\w.-]*)\s*:(?:\s|$)")
_ITEM: Final = re.compile(r"([-*+]) +\S")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
MOST_PAIRS: Final = 2_500
"""Pairs of additions that are compared with each other; with more of them nothing is settled."""
LEAD: Final = ""
"""The name of what stands before the first heading."""


@dataclass(frozen=True, slots=True)
class Three:
    """One place in the three versions."""

    base: str
    ours: str
    theirs: str


def merge_keys(texts: Three, following: str) -> str | None:
    """Lines of front matter, key by key: never two values for one.

    `following` is the line behind the place: what it belongs to must not change.
    """
    return None if _continues_key(following) else _merge_named(texts, keys, _joined)


def merge_items(texts: Three, following: str) -> str | None:
    """Items of a bullet list, as a set. An item that both sides dropped or changed is no set."""
    base, ours, theirs = items(texts.base), items(texts.ours), items(texts.theirs)
    if base is None or ours is None or theirs is None or _continues_item(following):
        return None
    new = [[name for name in side if name not in base] for side in (ours, theirs)]
    lost_by_both = any(name not in ours and name not in theirs for name in base)
    if (lost_by_both and any(new)) or _are_rivals(*new):
        return None
    return _merge_named(texts, items, _joined)


def merge_sections(texts: Three, following: str) -> str | None:
    """Sections by their heading, and what stands before the first one.

    Only where another section or nothing follows: anything else would change its section.
    """
    levels = [
        level
        for text in (texts.base, texts.ours, texts.theirs)
        for _, level, _ in headings(lines.split(text))
    ]
    heading = _HEADING.match(following.rstrip("\r\n"))
    if levels and following and (heading is None or len(heading[1]) > min(levels)):
        return None
    return _merge_named(texts, sections, _joined_sections)


def keys(text: str) -> Named | None:
    """Top-level keys with their lines, the continuation lines included."""

    def name_of(line: str) -> str | None:
        found = _KEY.match(line)
        return found[1] if found else None

    return _pieces(text, name_of, _continues_key)


def _continues_key(line: str) -> bool:
    return bool(line) and (line[0] in " \t#" or line.startswith("- ") or not line.strip())


def _continues_item(line: str) -> bool:
    return line[:1] in (" ", "\t") and bool(line.strip())


def items(text: str) -> Named | None:
    """Bullet items with the indented lines below them; None for numbered or loose lists."""

    def name_of(line: str) -> str | None:
        return line.strip() if _ITEM.match(line) else None

    found = _pieces(text, name_of, _continues_item)
    if not found:
        return found
    # An item is its whole text: with other lines below it, it is another item.
    return {piece.rstrip(): piece for piece in found.values()}


def sections(text: str) -> Named | None:
    """Sections of the highest level that occurs, by heading; what comes first is the lead."""
    read = lines.split(text)
    starts = [(at, level, title) for at, level, title in headings(read)]
    if not starts:
        return {LEAD: text}
    top = min(level for _, level, _ in starts)
    if starts[0][1] != top:
        return None
    cuts = [(at, f"{'#' * level} {title}") for at, level, title in starts if level == top]
    found = {LEAD: "".join(read[: cuts[0][0]])}
    for (at, name), (end, _) in pairwise([*cuts, (len(read), "")]):
        if name in found:
            return None
        found[name] = "".join(read[at:end])
    return found


def headings(read: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Index, level and title of each ATX heading outside of fenced code."""
    fence = ""
    for at, line in enumerate(read):
        fence = _fence_behind(line, fence)
        if not fence and (heading := _HEADING.match(line.rstrip("\r\n"))):
            yield at, len(heading[1]), heading[2].rstrip().rstrip("#").rstrip()


def heading_paths(text: str) -> list[tuple[str, ...]]:
    """The path of each heading: its title behind those of the sections it stands in."""
    paths: list[tuple[str, ...]] = []
    above: list[tuple[int, str]] = []
    for _, level, title in headings(lines.split(text)):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        paths.append(tuple(name for _, name in above))
    return paths


def is_in_code(read: Sequence[str], at: int) -> bool:
    """Whether a line stands in fenced code."""
    fence = ""
    for line in read[:at]:
        fence = _fence_behind(line, fence)
    return bool(fence)


def _fence_behind(line: str, fence: str) -> str:
    """The fence that is open behind a line, where this one was open before it; empty for none."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    return "" if fence == found[1] else fence or found[1]


def _pieces(
    text: str, name_of: Callable[[str], str | None], continues: Callable[[str], bool]
) -> Named | None:
    """Pieces that begin with a name; None when a line belongs to none or a name comes twice."""
    found: Named = {}
    current = ""
    for line in lines.split(text):
        name = name_of(line)
        if name is not None and name not in found:
            found[name], current = line, name
        elif name is None and current and continues(line):
            found[current] += line
        else:
            return None
    return found


def _are_rivals(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the sides add something different about the same thing; also where it is unknown."""
    if len(ours) * len(theirs) > MOST_PAIRS:
        return True
    return any(one != other and likeness(one, other, RIVALS) for one in ours for other in theirs)


def _merge_named(texts: Three, read: Reader, join: Callable[[Sequence[str]], str]) -> str | None:
    base, ours, theirs = read(texts.base), read(texts.ours), read(texts.theirs)
    if base is None or ours is None or theirs is None:
        return None
    if not (_keeps_order(base, ours) and _keeps_order(base, theirs)):
        return None
    merged: Named = {}
    for name in _names_in_order(base, ours, theirs):
        piece = _settle(base.get(name), ours.get(name), theirs.get(name))
        if piece is None:
            return None
        merged[name] = piece
    return join([piece for piece in merged.values() if piece])


def _settle(base: str | None, ours: str | None, theirs: str | None) -> str | None:
    """The piece that both sides can live with, empty when it goes away; None for a clash."""
    plain = [None if piece is None else piece.strip("\r\n") for piece in (base, ours, theirs)]
    if plain[1] == plain[2] or plain[2] == plain[0]:
        return ours or ""
    return (theirs or "") if plain[1] == plain[0] else None


def _keeps_order(base: Named, side: Named) -> bool:
    return [name for name in side if name in base] == [name for name in base if name in side]


def _names_in_order(base: Named, ours: Named, theirs: Named) -> list[str]:
    """All names: those of the base in its order, each addition behind what it follows."""
    behind: dict[str | None, list[str]] = {}
    for side in (ours, theirs):
        last: str | None = None
        for name in side:
            if name in base:
                last = name
            elif name not in behind.setdefault(last, []):
                behind[last].append(name)
    ordered = list(behind.get(None, ()))
    for name in base:
        ordered += [name, *behind.get(name, ())]
    return list(dict.fromkeys(ordered))


def _joined(pieces: Sequence[str]) -> str:
    """The pieces, each ending its last line."""
    newline = lines.newline_of("".join(pieces))
    closed = [piece if piece.endswith(("\n", "\r")) else piece + newline for piece in pieces]
    return "".join(closed)


def _joined_sections(pieces: Sequence[str]) -> str:
    """The same with an empty line before each heading that follows something."""
    newline = lines.newline_of("".join(pieces))
    text = ""
    for piece in pieces:
        if text.strip() and _HEADING.match(piece):
            text = text.rstrip("\r\n") + newline * 2
        text += piece
    return text
