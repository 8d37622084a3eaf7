"""The index of a memory, as Qwen Code makes it of the facts' front matter.

It writes one line for each fact, whatever stood there before. So a text of such lines alone is
derived from the facts, and says nothing that a review of them did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from reviewdeck.reading.memory import CLAUDE_UNITS, utf16_units

_FACTS: Final = 200
"""The most facts that are listed, the latest first."""
_TYPES: Final = frozenset({"user", "feedback", "project", "reference"})
_FIELD: Final = 120
_LINE: Final = 150
_FRONT: Final = re.compile(r"---\n([\s\S]*?)\n---\n?")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_INVISIBLE: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_WARNING: Final = (
    "> WARNING: MEMORY.md is too large; only part of it was written. Keep index entries concise and"
    " move detail into topic files."
)


def line_of(path: str, text: str) -> str | None:
    """A fact's line, by its path below the memory; None for a file that is no fact."""
    front = _FRONT.match(text.replace("\r\n", "\n"))
    fields = front[1] if front else ""
    kind = _field(fields, "type")
    if kind not in _TYPES:
        return None
    title = _cleaned(_field(fields, "name") or _field(fields, "title") or kind) or kind
    description = _cleaned(_field(fields, "description")) or kind
    return _cut(f"- [{title}]({_target(path)}) — {description}", _LINE)


def index_of(facts: Iterable[tuple[str, str]]) -> str:
    """The index of these facts, each a path and a text, in this order."""
    lines = [line for path, text in facts if (line := line_of(path, text)) is not None]
    kept = lines[:_FACTS]
    while sum(utf16_units(line) + 1 for line in kept) > CLAUDE_UNITS:
        del kept[-1]
    return "\n".join(kept)


def is_derived(index: str, facts: Mapping[str, str]) -> bool:
    """Whether every line of an index is one that Qwen Code makes of these facts."""
    lines = {line for path, text in facts.items() if (line := line_of(path, text)) is not None}
    lines.add(_WARNING)
    places = [_target(path) for path in facts]
    return all(
        not line.strip() or line in lines or _is_shared(line, lines, places)
        for line in index.splitlines()
    )


def _is_shared(line: str, lines: Iterable[str], places: Iterable[str]) -> bool:
    """Whether a line is that of a fact and, as in a team's index, of others like it."""
    first, _, others = line.partition(" (also: ")
    *named, last = others.removesuffix(")").split(", ")
    is_last = any(place == last or place.startswith(last[:-1]) for place in places)
    is_cut = last.endswith("…") or others.endswith(")")
    return first in lines and is_last and is_cut and all(name in places for name in named)


def _target(path: str) -> str:
    return quote(path[:_FIELD], safe="/~", encoding="utf-8", errors="replace")


def _field(fields: str, key: str) -> str:
    match = re.search(rf"^{key}:[^\S\n]*(.+)$", fields, re.MULTILINE)
    return match[1].strip() if match else ""


def _cleaned(value: str) -> str:
    plain = _INVISIBLE.sub("", _CONTROLS.sub(" ", value)).replace("`", "'").replace("](", "] (")
    return _cut(" ".join(plain.split()), _FIELD)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
