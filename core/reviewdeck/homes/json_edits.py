"""Edits single members of a JSON text: every other byte is preserved.

The parser gives the position of a value, and the text is spliced there. Whoever edits parses the
result again: it has to equal what was wanted, or the edit is refused. Comments, where the program
that reads the file takes them, are bytes like others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.strict_json import Malformed, reject_duplicate_keys
from reviewdeck.text.json import load_json

JsonPath = tuple[str | int, ...]
"""The keys and places that lead to a value."""
_SPACE: Final = re.compile(r"[ \t\r\n]*")
# Strings are kept as a unit, an unterminated one too.
_COMMENT: Final = re.compile(r'("(?:[^"\\]++|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)


def without_comments(text: str) -> str:
    """The text with spaces in place of its comments: every other character stays in its place."""
    return _COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


def parse_object(text: str | None, name: str, *, comments: bool = False) -> dict[str, Any]:
    """The object of a text; an empty one for none. Raises BadInput for anything but plain JSON,
    or JSON with comments where these are read."""
    text = without_comments(text) if text and comments else text
    if text is None or not text.strip():
        return {}
    try:
        tree = load_json(text, hook=reject_duplicate_keys)
    except (Malformed, ValueError) as error:
        raise refusal(name, "is not plain JSON") from error
    if not isinstance(tree, dict):
        raise refusal(name, "is no object of settings")
    return tree


def check_result(
    text: str, expected: Mapping[str, Any], name: str, *, comments: bool = False
) -> str:
    """The text, if it says what is expected. Raises BadInput."""
    if parse_object(text, name, comments=comments) != expected:
        raise refusal(name, "is written in a way that is not understood")
    return text


def refusal(name: str, why: str) -> BadInput:
    """The error for a file of settings that cannot be edited."""
    return BadInput(f"{name} {why}.", hint="Nothing was changed. Fix the file first.")


def value_at(tree: Any, path: JsonPath) -> Any:
    """The value at a path."""
    for step in path:
        tree = tree[step]
    return tree


@dataclass(frozen=True, slots=True)
class _Span:
    """The positions of an object or a list in the text: its brackets and its members."""

    start: int
    end: int
    members: tuple[tuple[int, int, int], ...]
    """For each member, the start, the start of its value, and the end."""
    keys: tuple[str, ...]


def _span(text: str, path: JsonPath) -> _Span:
    text = without_comments(text)
    at = _skip(text, 0)
    for step in path:
        span = _members(text, at)
        index = step if isinstance(step, int) else span.keys.index(step)
        at = span.members[index][1]
    return _members(text, at)


def _members(text: str, start: int) -> _Span:
    decoder, is_object = json.JSONDecoder(), text[start] == "{"
    members, keys = [], []
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        first = at
        if is_object:
            key, at = decoder.raw_decode(text, at)
            keys.append(key)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, at = decoder.raw_decode(text, at)
        members.append((first, value, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Span(start, at, tuple(members), tuple(keys))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def append_member(text: str, path: JsonPath, member: str) -> str:
    """The text with a member appended to an object or a list."""
    span, edge = _span(text, path), "  " * (len(path) + 1)
    if span.members:
        last = span.members[-1][2]
        return f"{text[:last]},\n{edge}{member}{text[last:]}"
    if text[span.start + 1 : span.end].strip():  # A comment.
        return f"{text[: span.end]}{edge}{member}\n{edge[2:]}{text[span.end :]}"
    return f"{text[: span.start + 1]}\n{edge}{member}\n{edge[2:]}{text[span.end :]}"


def remove_member(text: str, path: JsonPath, index: int) -> str:
    """The text without one member."""
    span = _span(text, path)
    if index:
        return text[: span.members[index - 1][2]] + text[span.members[index][2] :]
    if len(span.members) > 1:
        return text[: span.members[0][0]] + text[span.members[1][0] :]
    ((first, _, last),) = span.members
    rest = text[span.start + 1 : first] + text[last : span.end]
    return text[: span.start + 1] + (rest if rest.strip() else "") + text[span.end :]
