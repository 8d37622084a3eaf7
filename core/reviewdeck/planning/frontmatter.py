"""The front matter of a SKILL.md: Hermes' rules, and a parser of bounded time and memory.

Only the parser's events are read, never its constructed values: every scalar stays text, and
anchors, aliases, tags and duplicate keys are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from reviewdeck.text import yaml
from reviewdeck.values import dataclass

if TYPE_CHECKING:  # loaded when a front matter is parsed: the command line must start fast
    from ruamel.yaml.events import Event

MAX_CHARS = 100_000
"""Characters of a whole file of a skill."""
MAX_DESCRIPTION = 1_024
MAX_FRONT_BYTES = 8_192
MAX_FRONT_LINES = 64
MAX_BRACKETS = 64
"""The parser's time grows with the square of the open brackets."""
_MAX_DEPTH = 8
_FENCE = "---"

FrontValue: TypeAlias = "str | list[FrontValue] | dict[str, FrontValue]"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A parsed front matter."""

    fields: Mapping[str, FrontValue]
    """Values by key; every scalar is text."""
    body: str
    """The text after the closing fence."""


class _Refused(Exception):
    """The reason why a front matter is refused. Never leaves this module."""


def split_front(text: str) -> tuple[str, str] | None:
    """The text between the fences and the body after them; None without two fences."""
    lines = text.lstrip("\ufeff").split("\n")
    if lines[0].rstrip() != _FENCE:
        return None
    # The last line has no newline after it, and a closing fence needs one.
    for number, line in enumerate(lines[1:-1], start=1):
        if line.rstrip() == _FENCE and line.startswith(_FENCE):
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return None


def parse_front(text: str) -> FrontMatter | None:
    """The front matter and the body, or None when there is no valid front matter."""
    parts = split_front(text)
    if parts is None:
        return None
    try:
        return FrontMatter(_parse_mapping(parts[0]), parts[1])
    except _Refused:
        return None


def check_skill_text(text: str) -> str | None:
    """The reason why this text is no valid SKILL.md, or None."""
    if len(text) > MAX_CHARS:
        return f"SKILL.md has {len(text):,} characters; {MAX_CHARS:,} is the limit."
    parts = split_front(text)
    if parts is None:
        return "SKILL.md must start with front matter between two lines that are '---'."
    try:
        fields = _parse_mapping(parts[0])
    except _Refused as refused:
        return str(refused)
    empty = None if parts[1].strip() else "SKILL.md has nothing after its front matter."
    return _check_fields(fields) or empty


def _check_fields(fields: Mapping[str, FrontValue]) -> str | None:
    for key in ("name", "description"):
        if key not in fields:
            return f"The front matter has no '{key}'."
        if not isinstance(fields[key], str):
            return f"The front matter's '{key}' must be plain text."
    length = len(fields["description"])
    if length > MAX_DESCRIPTION:
        return f"The description has {length:,} characters; {MAX_DESCRIPTION:,} is the limit."
    return None


@lru_cache(maxsize=4_096)
def _parse_mapping(front: str) -> Mapping[str, FrontValue]:
    """Raises _Refused. Planning, the rules and the index ask for the same texts in each pass."""
    if len(front.encode("utf-8", "surrogatepass")) > MAX_FRONT_BYTES:
        raise _Refused(f"The front matter is larger than {MAX_FRONT_BYTES:,} bytes.")
    if front.count("\n") + 1 > MAX_FRONT_LINES:
        raise _Refused(f"The front matter has more than {MAX_FRONT_LINES} lines.")
    if front.count("[") + front.count("{") > MAX_BRACKETS:
        raise _Refused(f"The front matter opens more than {MAX_BRACKETS} brackets.")
    pairs = yaml.flat_pairs(front)
    if pairs and len(fields := dict(pairs)) == len(pairs):
        return fields
    events = _events(front)
    value = _build(events, 0)
    for _ in events:  # the remaining events must be well-formed too, and of the same document
        pass
    if not isinstance(value, dict):
        raise _Refused("The front matter must be a list of 'key: value' lines.")
    return value


def _events(front: str) -> Iterator[Event]:
    """The events of the one document in this text. Raises _Refused."""
    from ruamel.yaml.events import DocumentStartEvent

    documents = 0
    try:
        for event in yaml.events(front):
            documents += isinstance(event, DocumentStartEvent)
            if documents > 1:
                raise _Refused("The front matter holds more than one YAML document.")
            yield event
    except yaml.Unparsable as error:
        problem = str(error) or "it cannot be read"
        raise _Refused(f"The front matter is not valid YAML: {problem}.") from error


def _build(events: Iterator[Event], depth: int) -> FrontValue | None:
    """The next value; None at the end of a collection or of the stream."""
    from ruamel.yaml import events as kinds

    if depth > _MAX_DEPTH:
        raise _Refused(f"The front matter is nested deeper than {_MAX_DEPTH} levels.")
    for event in events:
        _refuse_references(event)
        match event:
            case kinds.ScalarEvent():
                return str(event.value)
            case kinds.MappingStartEvent():
                return _build_mapping(events, depth)
            case kinds.SequenceStartEvent():
                return list(_build_items(events, depth))
            case kinds.MappingEndEvent() | kinds.SequenceEndEvent():
                return None
            case _:  # starts and ends of streams and documents
                continue
    return None


def _build_items(events: Iterator[Event], depth: int) -> Iterator[FrontValue]:
    while (item := _build(events, depth + 1)) is not None:
        yield item


def _build_mapping(events: Iterator[Event], depth: int) -> dict[str, FrontValue]:
    mapping: dict[str, FrontValue] = {}
    while (key := _build(events, depth + 1)) is not None:
        if not isinstance(key, str):
            raise _Refused("A key of the front matter is not plain text.")
        if key in mapping:
            raise _Refused(f"The front matter has {key[:60]!r} twice.")
        if key == "<<":
            raise _Refused("The front matter uses a merge key.")
        value = _build(events, depth + 1)
        if value is None:
            raise _Refused(f"The front matter's {key[:60]!r} has no value.")
        mapping[key] = value
    return mapping


def _refuse_references(event: Any) -> None:
    """Refuses what lets a small text expand to a large one or to foreign types."""
    from ruamel.yaml.events import AliasEvent

    if isinstance(event, AliasEvent):
        raise _Refused("The front matter uses a YAML alias.")
    if getattr(event, "anchor", None) is not None:
        raise _Refused("The front matter uses a YAML anchor.")
    if getattr(event, "tag", None) is not None:
        raise _Refused("The front matter uses a YAML tag.")
