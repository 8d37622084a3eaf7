"""What the structure of a skill settles where its lines clash."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from reviewdeck.text import lines
from reviewdeck.text.conflicts import Clean, Conflict, Conflicted, Merged, Part, assemble
from reviewdeck.text.linemerge import merge_lines
from reviewdeck.text.structure import (
    Three,
    heading_paths,
    is_in_code,
    merge_items,
    merge_keys,
    merge_sections,
)

_FRONT_MATTER: Final = re.compile(
    r"(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.M | re.S
)

MOST_CONFLICTS: Final = 50
"""Where more than that clashes, structure is not asked: each conflict reads the whole document."""

LONGEST_FRONT: Final = 20_000
"""Characters of front matter that are parsed: a YAML parser in Python takes its time."""
MOST_BRACKETS: Final = 500
"""Lists and mappings in it: nesting takes quadratic time."""


def settle(merged: Merged, base: str, ours: str, theirs: str) -> Merged:
    """A merge by lines, with those conflicts resolved whose structure leaves no doubt.

    A merge whose front matter would not parse, though that of both sides does, becomes a conflict
    in its front matter.
    """
    if isinstance(merged, Conflicted):
        merged = _settle_conflicts(merged, Three(base, ours, theirs))
    if not _breaks_front_matter(merged, ours, theirs):
        return merged
    return _by_front_matter(Three(base, ours, theirs))


def _settle_conflicts(merged: Conflicted, whole: Three) -> Merged:
    if len(merged.hunks) > MOST_CONFLICTS:
        return merged
    sides = [lines.split(text) for text in (whole.base, whole.ours, whole.theirs)]
    result: Merged = merged
    for conflict in merged.hunks:
        text = _settled(conflict, sides)
        if text is None:
            continue
        attempt = _replaced(result, conflict, text)
        if not _repeats_headings(attempt, whole):
            result = attempt
    return result


def _settled(conflict: Conflict, sides: Sequence[Sequence[str]]) -> str | None:
    """What one conflict becomes by structure; None when it stays one."""
    texts = Three(conflict.base or "", conflict.ours, conflict.theirs)
    starts = (conflict.base_at, conflict.ours_at, conflict.theirs_at)
    bodies = (texts.base, texts.ours, texts.theirs)
    ends = [at + len(lines.split(body)) for at, body in zip(starts, bodies, strict=True)]
    closings = [_front_matter_end(read) for read in sides]
    following = sides[0][ends[0]] if ends[0] < len(sides[0]) else ""
    if any(at <= closing for at, closing in zip(starts, closings, strict=True) if closing):
        inside = all(end <= closing for end, closing in zip(ends, closings, strict=True))
        return merge_keys(texts, following) if inside else None
    if any(is_in_code(read, at) for read, at in zip(sides, starts, strict=True)):
        return None
    items = merge_items(texts, following)
    return merge_sections(texts, following) if items is None else items


def _replaced(merged: Merged, conflict: Conflict, text: str) -> Merged:
    if isinstance(merged, Clean):
        return merged
    parts: list[Part] = [text if part == conflict else part for part in merged.parts]
    return assemble(parts, merged.joint)


def _repeats_headings(merged: Merged, whole: Three) -> bool:
    """Whether a section would stand twice in the result that stands once on each side."""
    text = merged.text if isinstance(merged, Clean) else "".join(_settled_text(merged))
    counts = Counter(heading_paths(text))
    known = Counter(heading_paths(whole.ours)) | Counter(heading_paths(whole.theirs))
    return any(count > max(1, known[path]) for path, count in counts.items())


def _settled_text(merged: Conflicted) -> list[str]:
    return [part for part in merged.parts if isinstance(part, str)]


def _front_matter_end(read: Sequence[str]) -> int:
    """Index of the line that closes the front matter; 0 when there is none."""
    if not read or read[0].lstrip("\ufeff").rstrip() != "---":
        return 0
    return next((at for at in range(1, len(read)) if read[at].rstrip() == "---"), 0)


def _breaks_front_matter(merged: Merged, ours: str, theirs: str) -> bool:
    text = merged.text if isinstance(merged, Clean) else _before_first_conflict(merged)
    found, own, other = (_FRONT_MATTER.match(read) for read in (text, ours, theirs))
    if own is None or other is None:
        return False
    if found is None:
        return isinstance(merged, Clean)
    known = (own[2], other[2])
    return found[2] not in known and not parses(found[2]) and all(map(parses, known))


def _before_first_conflict(merged: Conflicted) -> str:
    first = merged.parts[0]
    return first if isinstance(first, str) else ""


def parses(front_matter: str) -> bool:
    """Whether it is a YAML mapping in which no key comes twice, of a size that can be read."""
    opened = front_matter.count("[") + front_matter.count("{")
    if len(front_matter) > LONGEST_FRONT or opened > MOST_BRACKETS:
        return False
    # Half a tenth of a second to load, and most merges leave the front matter alone.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return isinstance(YAML(typ="safe", pure=True).load(front_matter), dict)
    except (YAMLError, ValueError, RecursionError):
        return False


def _by_front_matter(whole: Three) -> Merged:
    """Front matter by its keys, or as one conflict; the body by lines."""
    sides = [_FRONT_MATTER.match(text) for text in (whole.base, whole.ours, whole.theirs)]
    base, ours, theirs = sides
    if base is None or ours is None or theirs is None:
        return _all_at_once(whole)
    keyed = merge_keys(Three(base[2], ours[2], theirs[2]), "")
    body = merge_lines(
        whole.base[base.end() :], whole.ours[ours.end() :], whole.theirs[theirs.end() :]
    )
    front: Part = Conflict(base[2], ours[2], theirs[2], 1, 1, 1)
    if keyed is not None and parses(keyed):
        front = keyed
    if isinstance(body, Conflicted):
        heads = [len(lines.split(side[0])) for side in (base, ours, theirs)]
        body = _settle_conflicts(_moved(body, heads), whole)
    rest = [body.text] if isinstance(body, Clean) else list(body.parts)
    return assemble([ours[1], front, ours[3], *rest])


def _all_at_once(whole: Three) -> Merged:
    return Conflicted((Conflict(whole.base, whole.ours, whole.theirs),))


def _moved(merged: Conflicted, heads: Sequence[int]) -> Conflicted:
    """The same with its places counted from the start of the document."""
    base, ours, theirs = heads
    return Conflicted(
        tuple(
            part
            if isinstance(part, str)
            else Conflict(
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
