"""The named parts of Markdown (front matter keys, list items, sections) and merging by name.

A named part is merged with its namesake, whatever its neighbours do. The functions return None
where that would be a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from reviewdeck.text import lines, yaml
from reviewdeck.text.conflicts import Clean, Conflicted, ConflictRegion, Merged, Part, assemble
from reviewdeck.text.entries import RIVALS, likeness
from reviewdeck.text.linemerge import merge_lines
from reviewdeck.values import dataclass

Named: TypeAlias = dict[str, str]
"""Pieces of text by name, in order."""
Reader: TypeAlias = Callable[[str], Named | None]

_KEY: Final = re.compile(r"([A-Za-z_][\w.-]*)\s*:(?:\s|$)")
_ITEM: Final = re.compile(r"([-*+]) +\S")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
MOST_PAIRS: Final = 2_500
"""Pairs of additions that are compared with each other; with more, the conflict stays."""
LEAD: Final = ""
"""The name of the text before the first heading."""


@dataclass(frozen=True, slots=True)
class Three:
    """One place in the three versions."""

    base: str
    ours: str
    theirs: str


def merge_keys(texts: Three, following: str) -> str | None:
    """Lines of front matter merged key by key: never two values for one key.

    `following` is the line after the conflict: the key it belongs to must not change.
    """
    return None if _continues_key(following) else _merge_named(texts, keys, _join)


def merge_items(texts: Three, following: str) -> str | None:
    """Items of a bullet list merged as a set.

    None where both sides dropped or changed an item and one added some, and where they may add
    different things about one subject.
    """
    base, ours, theirs = items(texts.base), items(texts.ours), items(texts.theirs)
    if base is None or ours is None or theirs is None or _continues_item(following):
        return None
    new = [[name for name in side if name not in base] for side in (ours, theirs)]
    lost_by_both = any(name not in ours and name not in theirs for name in base)
    if (lost_by_both and any(new)) or _are_rivals(*new):
        return None
    return _merge_named(texts, items, _join)


def merge_sections(texts: Three, following: str) -> str | None:
    """Sections merged by their heading, and the text before the first one.

    Only where another section or nothing follows: other text would end up in another section.
    """
    levels = [
        level
        for text in (texts.base, texts.ours, texts.theirs)
        for _, level, _ in headings(lines.split(text))
    ]
    heading = _HEADING.match(following.rstrip("\r\n"))
    if levels and following and (heading is None or len(heading[1]) > min(levels)):
        return None
    return _merge_named(texts, sections, _join_sections)


def keys(text: str) -> Named | None:
    """Top-level keys with their lines, the continuation lines included."""

    def name_of(line: str) -> str | None:
        match = _KEY.match(line)
        return match[1] if match else None

    return _pieces(text, name_of, _continues_key)


def _continues_key(line: str) -> bool:
    return bool(line) and (line[0] in " \t#" or line.startswith("- ") or not line.strip())


def _continues_item(line: str) -> bool:
    return line[:1] in (" ", "\t") and bool(line.strip())


def items(text: str) -> Named | None:
    """Bullet items with the indented lines below them; None for numbered or loose lists."""

    def name_of(line: str) -> str | None:
        return line.strip() if _ITEM.match(line) else None

    pieces = _pieces(text, name_of, _continues_item)
    if not pieces:
        return pieces
    # An item is named by its whole text: with other lines below it, it is another item.
    return {piece.rstrip(): piece for piece in pieces.values()}


def sections(text: str) -> Named | None:
    """Sections of the highest level that occurs, by heading; the text before them is `LEAD`."""
    text_lines = lines.split(text)
    starts = [(at, level, title) for at, level, title in headings(text_lines)]
    if not starts:
        return {LEAD: text}
    top = min(level for _, level, _ in starts)
    if starts[0][1] != top:
        return None
    cuts = [(at, f"{'#' * level} {title}") for at, level, title in starts if level == top]
    named = {LEAD: "".join(text_lines[: cuts[0][0]])}
    for (at, name), (end, _) in pairwise([*cuts, (len(text_lines), "")]):
        if name in named:
            return None
        named[name] = "".join(text_lines[at:end])
    return named


def headings(text_lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Index, level and title of each ATX heading outside of fenced code."""
    fence = ""
    for at, line in enumerate(text_lines):
        fence = _fence_after(line, fence)
        if not fence and (heading := _HEADING.match(line.rstrip("\r\n"))):
            yield at, len(heading[1]), heading[2].rstrip().rstrip("#").rstrip()


def heading_paths(text: str) -> list[tuple[str, ...]]:
    """The path of each heading: the titles of the sections around it, then its own."""
    paths: list[tuple[str, ...]] = []
    above: list[tuple[int, str]] = []
    for _, level, title in headings(lines.split(text)):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        paths.append(tuple(name for _, name in above))
    return paths


def is_in_code(text_lines: Sequence[str], at: int) -> bool:
    """Whether a line is in fenced code."""
    fence = ""
    for line in text_lines[:at]:
        fence = _fence_after(line, fence)
    return bool(fence)


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after a line, given the one before it; empty for none."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    return "" if fence == match[1] else fence or match[1]


def _pieces(
    text: str, name_of: Callable[[str], str | None], continues: Callable[[str], bool]
) -> Named | None:
    """Pieces that begin with a name; None when a line is in no piece or a name occurs twice."""
    pieces: Named = {}
    current = ""
    for line in lines.split(text):
        name = name_of(line)
        if name is not None and name not in pieces:
            pieces[name], current = line, name
        elif name is None and current and continues(line):
            pieces[current] += line
        else:
            return None
    return pieces


def _are_rivals(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the sides may add different things about one subject; True if too many to compare."""
    if len(ours) * len(theirs) > MOST_PAIRS:
        return True
    return any(
        our_text != their_text and likeness(our_text, their_text, RIVALS)
        for our_text in ours
        for their_text in theirs
    )


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
    """The merged piece, empty when it is removed; None when the sides conflict."""
    plain = [None if piece is None else piece.strip("\r\n") for piece in (base, ours, theirs)]
    if plain[1] == plain[2] or plain[2] == plain[0]:
        return ours or ""
    return (theirs or "") if plain[1] == plain[0] else None


def _keeps_order(base: Named, side: Named) -> bool:
    return [name for name in side if name in base] == [name for name in base if name in side]


def _names_in_order(base: Named, ours: Named, theirs: Named) -> list[str]:
    """All names: those of the base in its order, each addition behind its predecessor."""
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


def _join(pieces: Sequence[str]) -> str:
    """The pieces, each with a line end."""
    newline = lines.newline_of("".join(pieces))
    closed = [piece if piece.endswith(("\n", "\r")) else piece + newline for piece in pieces]
    return "".join(closed)


def _join_sections(pieces: Sequence[str]) -> str:
    """The pieces with an empty line before each heading that is not the first text."""
    newline = lines.newline_of("".join(pieces))
    text = ""
    for piece in pieces:
        if text.strip() and _HEADING.match(piece):
            text = text.rstrip("\r\n") + newline * 2
        text += piece
    return text


_FRONT_MATTER: Final = re.compile(
    r"(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.M | re.S
)

MOST_CONFLICTS: Final = 50
"""With more conflicts than this, none is resolved by structure: each reads the whole document."""

LONGEST_FRONT: Final = 20_000
"""Characters of front matter that are parsed: a YAML parser in Python is slow."""
MOST_BRACKETS: Final = 500
"""Lists and mappings in it: nesting takes quadratic time."""


def settle(merged: Merged, base: str, ours: str, theirs: str) -> Merged:
    """A merge by lines, with the conflicts resolved whose structure is unambiguous.

    If the merged front matter does not parse, though that of both sides does, the front matter
    becomes a conflict.
    """
    if isinstance(merged, Conflicted):
        merged = _settle_conflicts(merged, Three(base, ours, theirs))
    if not _breaks_front_matter(merged, ours, theirs):
        return merged
    return _merge_front_matter(Three(base, ours, theirs))


def _settle_conflicts(merged: Conflicted, document: Three) -> Merged:
    if len(merged.hunks) > MOST_CONFLICTS:
        return merged
    sides = [lines.split(text) for text in (document.base, document.ours, document.theirs)]
    result: Merged = merged
    for conflict in merged.hunks:
        text = _resolve_by_structure(conflict, sides)
        if text is None:
            continue
        attempt = _replace(result, conflict, text)
        if not _repeats_headings(attempt, document):
            result = attempt
    return result


def _resolve_by_structure(conflict: ConflictRegion, sides: Sequence[Sequence[str]]) -> str | None:
    """The merged text of one conflict by keys, items or sections; None when it stays a conflict."""
    texts = Three(conflict.base or "", conflict.ours, conflict.theirs)
    starts = (conflict.base_at, conflict.ours_at, conflict.theirs_at)
    bodies = (texts.base, texts.ours, texts.theirs)
    ends = [at + len(lines.split(body)) for at, body in zip(starts, bodies, strict=True)]
    closings = [_front_matter_end(side) for side in sides]
    following = sides[0][ends[0]] if ends[0] < len(sides[0]) else ""
    if any(at <= closing for at, closing in zip(starts, closings, strict=True) if closing):
        inside = all(end <= closing for end, closing in zip(ends, closings, strict=True))
        return merge_keys(texts, following) if inside else None
    if any(is_in_code(side, at) for side, at in zip(sides, starts, strict=True)):
        return None
    items = merge_items(texts, following)
    return merge_sections(texts, following) if items is None else items


def _replace(merged: Merged, conflict: ConflictRegion, text: str) -> Merged:
    if isinstance(merged, Clean):
        return merged
    parts: list[Part] = [text if part == conflict else part for part in merged.parts]
    return assemble(parts, merged.joint)


def _repeats_headings(merged: Merged, document: Three) -> bool:
    """Whether a heading would occur twice in the result that occurs once on each side."""
    text = merged.text if isinstance(merged, Clean) else "".join(_clean_parts(merged))
    counts = Counter(heading_paths(text))
    side_counts = Counter(heading_paths(document.ours)) | Counter(heading_paths(document.theirs))
    return any(count > max(1, side_counts[path]) for path, count in counts.items())


def _clean_parts(merged: Conflicted) -> list[str]:
    return [part for part in merged.parts if isinstance(part, str)]


def _front_matter_end(text_lines: Sequence[str]) -> int:
    """Index of the line that closes the front matter; 0 when there is none."""
    if not text_lines or text_lines[0].lstrip("\ufeff").rstrip() != "---":
        return 0
    return next((at for at in range(1, len(text_lines)) if text_lines[at].rstrip() == "---"), 0)


def _breaks_front_matter(merged: Merged, ours: str, theirs: str) -> bool:
    text = merged.text if isinstance(merged, Clean) else _before_first_conflict(merged)
    front, our_front, their_front = (
        _FRONT_MATTER.match(version) for version in (text, ours, theirs)
    )
    if our_front is None or their_front is None:
        return False
    if front is None:
        return isinstance(merged, Clean)
    side_fronts = (our_front[2], their_front[2])
    return front[2] not in side_fronts and not parses(front[2]) and all(map(parses, side_fronts))


def _before_first_conflict(merged: Conflicted) -> str:
    first = merged.parts[0]
    return first if isinstance(first, str) else ""


def parses(front_matter: str) -> bool:
    """Whether front matter is a YAML mapping without duplicate keys, within the size limits."""
    opened = front_matter.count("[") + front_matter.count("{")
    if len(front_matter) > LONGEST_FRONT or opened > MOST_BRACKETS:
        return False
    try:
        return isinstance(yaml.load(front_matter), dict)
    except yaml.Unparsable:
        return False


def _merge_front_matter(document: Three) -> Merged:
    """Merges the front matter by keys, or as one conflict, and the body by lines."""
    sides = [_FRONT_MATTER.match(text) for text in (document.base, document.ours, document.theirs)]
    base, ours, theirs = sides
    if base is None or ours is None or theirs is None:
        return Conflicted((ConflictRegion(document.base, document.ours, document.theirs),))
    keyed = merge_keys(Three(base[2], ours[2], theirs[2]), "")
    body = merge_lines(
        document.base[base.end() :], document.ours[ours.end() :], document.theirs[theirs.end() :]
    )
    front: Part = ConflictRegion(base[2], ours[2], theirs[2], 1, 1, 1)
    if keyed is not None and parses(keyed):
        front = keyed
    if isinstance(body, Conflicted):
        heads = [len(lines.split(side[0])) for side in (base, ours, theirs)]
        body = _settle_conflicts(_shift(body, heads), document)
    body_parts = [body.text] if isinstance(body, Clean) else list(body.parts)
    return assemble([ours[1], front, ours[3], *body_parts])


def _shift(merged: Conflicted, heads: Sequence[int]) -> Conflicted:
    base, ours, theirs = heads
    return Conflicted(
        tuple(
            part
            if isinstance(part, str)
            else ConflictRegion(
                part.base,
                part.ours,
                part.theirs,
                part.base_at + base,
                part.ours_at + ours,
                part.theirs_at + theirs,
            )
            for part in merged.parts
        ),
        merged.joint,
    )
