"""YAML as the libraries of several agents read it, in bounded time and memory.

The parser's events are read once into a tree whose scalars are text; a dialect then decides what
they are, and which trees it refuses.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from reviewdeck.reading.agents import Duplicates, Schema, YamlLibrary
from reviewdeck.text import yaml
from reviewdeck.text.lazy import regex
from reviewdeck.values import dataclass

if TYPE_CHECKING:  # loaded when a front matter is parsed: the command line must start fast
    from ruamel.yaml.events import Event

LONGEST: Final = 32 * 1024
"""The most characters that are parsed."""
DEEPEST: Final = 32
MOST: Final = 20_000
"""The most values in one tree, and in what its aliases expand to."""

Value: TypeAlias = "str | bool | int | float | date | list[Value] | dict[str, Value] | None"
"""What a library makes of a node. A key is text, whatever it is to the library."""


class Refused(Exception):
    """A text that a library does not accept."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.line = line
        """The line of the text, from 1; 0 where it is not known."""


class TooMuch(Exception):
    """A text that we do not parse, for its size or its depth: an agent may."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar as it is written."""

    text: str
    plain: bool
    tag: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A sequence."""

    items: list[Node]
    tag: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A mapping, with the keys in the order in which they are written."""

    pairs: list[tuple[Node, Node]]
    tag: str = ""


Node: TypeAlias = Scalar | Items | Pairs

_BREAKS: Final = "\x85\u2028\u2029"
_STAND_IN: Final = str.maketrans(_BREAKS, "\ue0f0\ue0f1\ue0f2")
_TO_BREAKS: Final = str.maketrans(_BREAKS, "\n\n\n")
_INDENTING_TAB: Final = regex(r"^( *)\t[ \t]*(?=\S)", re.MULTILINE)
_SEPARATING_TAB: Final = regex(r"(?<=:)[ ]*\t[ \t]*(?=\S)|[ ]*\t[ \t]*(?=#)")
"""A tab between a key and its value or before a comment: our parser knows only spaces there."""
_TRAILING_TAB: Final = regex(r"[ ]*\t[ \t]*$", re.MULTILINE)
_CONTROL_CODES: Final = [
    *(*range(1, 9), 11, *range(14, 32), *range(127, 133), *range(134, 160), 0xFFFE, 0xFFFF)
]
_CONTROLS: Final = {code: 0xE100 + (code & 0xFF) for code in _CONTROL_CODES}
_STAND_BACK: Final = {
    **{0xE0F0 + at: ord(sign) for at, sign in enumerate(_BREAKS)},
    **{stand_in: code for code, stand_in in _CONTROLS.items()},
}
_CORE_TAG: Final = "tag:yaml.org,2002:"


def load(text: str, dialect: YamlLibrary, fields: frozenset[str] = frozenset()) -> Value:
    """What a library makes of a text. Raises Refused, TooMuch."""
    source = text.translate(_TO_BREAKS if dialect.unicode_breaks else _STAND_IN)
    if "\t" in source:
        source = _SEPARATING_TAB.sub(" ", source)
        if dialect.schema not in _YAML_1_1:
            source = _TRAILING_TAB.sub("", source)
        source = _INDENTING_TAB.sub(r"\1", source) if dialect.tabs else source
    if dialect.controls:
        source = source.translate(_CONTROLS)
    if dialect.ends_line and not source.endswith("\n"):
        source += "\n"
    return _Construction(dialect, fields).value(_tree(source), 0)


def _tree(source: str) -> Node | None:
    """The tree of the one document of a text; None for an empty one. Raises Refused, TooMuch.

    Agents differ in how many line ends around it they take for a part of it. Nothing but a block
    scalar is another one for those, so the text is parsed once for all of them.
    """
    if "|" not in source and ">" not in source:
        with suppress(Refused):
            return _parsed(source.strip("\n"))
    return _parsed(source)  # else the line of what is wrong would be another one


@lru_cache(maxsize=512)
def _parsed(source: str) -> Node | None:
    if len(source) > 2 * LONGEST:  # a repair makes a text longer
        raise TooMuch(f"it has more than {LONGEST:,} characters")
    if pairs := yaml.flat_pairs(source):
        return Pairs([(Scalar(key, plain=True), Scalar(value, plain=True)) for key, value in pairs])
    return _Composition(_events(source)).document()


def _events(source: str) -> Iterator[Event]:
    try:
        yield from yaml.events(source)
    except yaml.Unparsable as error:
        if error.is_deep:
            raise TooMuch("it is nested too deeply") from error
        raise Refused(str(error) or "it is no YAML", error.line) from error


class _Composition:
    """Builds a tree from events. Aliases share the node of their anchor."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def document(self) -> Node | None:
        """The only document. Raises Refused where there are several."""
        from ruamel.yaml import events as kinds

        root: Node | None = None
        documents = 0
        for event in self._events:
            match event:
                case kinds.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise Refused("it has more than one document")
                case kinds.NodeEvent():
                    root = self._node(event, 0)
                case _:
                    pass
        return root

    def _node(self, event: Event, depth: int) -> Node:
        from ruamel.yaml import events as kinds

        self._count += 1
        if depth > DEEPEST or self._count > MOST:
            raise TooMuch(
                "it is nested too deeply" if depth > DEEPEST else "it has too many values"
            )
        anchor = getattr(event, "anchor", None)
        match event:
            case kinds.AliasEvent():
                if anchor not in self._anchors:
                    raise Refused("it has an alias without an anchor")
                return self._anchors[anchor]
            case kinds.ScalarEvent():
                node: Node = Scalar(str(event.value), event.style is None, _tag(event))
                self._name(event, node)
                return node
            case kinds.SequenceStartEvent():
                return self._items(event, depth)
            case _:
                return self._pairs(event, depth)

    def _name(self, event: Event, node: Node) -> None:
        if anchor := getattr(event, "anchor", None):
            self._anchors[anchor] = node

    def _items(self, start: Event, depth: int) -> Items:
        from ruamel.yaml import events as kinds

        node = Items([], _tag(start))
        self._name(start, node)
        for event in self._events:
            if isinstance(event, kinds.SequenceEndEvent):
                break
            node.items.append(self._node(event, depth + 1))
        return node

    def _pairs(self, start: Event, depth: int) -> Pairs:
        from ruamel.yaml import events as kinds

        node = Pairs([], _tag(start))
        self._name(start, node)
        for event in self._events:
            if isinstance(event, kinds.MappingEndEvent):
                break
            key = self._node(event, depth + 1)
            node.pairs.append((key, self._node(next(self._events), depth + 1)))
        return node


def _tag(event: Event) -> str:
    """The explicit tag of a node; empty without one."""
    return str(getattr(event, "ctag", None) or "").removeprefix(_CORE_TAG).removeprefix("!!")


_KNOWN_TAGS: Final = frozenset(
    {"", "!", "str", "null", "bool", "int", "float", "timestamp", "map", "seq"}
)


class _Construction:
    """Makes values of a tree, as one dialect does."""

    def __init__(self, dialect: YamlLibrary, fields: frozenset[str]) -> None:
        self._dialect = dialect
        self._fields = fields
        self._count = 0

    def value(self, node: Node | None, depth: int) -> Value:
        self._count += 1
        if depth > DEEPEST or self._count > MOST:
            raise TooMuch("it expands to too much")
        if node is None:
            return None
        is_known = node.tag in _KNOWN_TAGS or self._knows_bytes(node)
        if not is_known and not self._dialect.own_tags:
            raise Refused(f"it has an unknown tag {node.tag[:40]!r}")
        match node:
            case Scalar():
                return self._scalar(node)
            case Items(items):
                return [self.value(item, depth + 1) for item in items]
            case Pairs():
                return self._mapping(node, depth)

    def _knows_bytes(self, node: Node) -> bool:
        """Whether a node is base64, of which the library makes bytes."""
        return node.tag == "binary" and self._dialect.schema in (*_YAML_1_1, Schema.JS_3)

    def _scalar(self, node: Scalar) -> Value:
        text = node.text.translate(_STAND_BACK)
        schema = self._dialect.schema
        if self._knows_bytes(node):
            return _NoText(_bytes(text))
        if node.tag == "null" and schema is not Schema.CORE:
            if schema not in _YAML_1_1 and not _NULL.fullmatch(text):
                raise Refused("it has a text for the tag of nothing")
            return None
        is_text = node.tag == "str" or node.tag not in _KNOWN_TAGS or (node.tag == "!" and text)
        if is_text or (not node.plain and node.tag in ("", "!")):
            if not self._dialect.pairs and _PAIRS.search(text):
                raise Refused("it has an escape of half a character")
            return _PAIRS.sub(_joined, text)
        return resolve(text, schema)

    def _mapping(self, node: Pairs, depth: int) -> dict[str, Value]:
        fields: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        merges = [value for key, value in node.pairs if self._is_merge(key)]
        if len(merges) > 1 and self._dialect.schema is Schema.YAML_1_1_LOOSE:
            raise Refused("it merges twice")
        # PyYAML prefers what it merges last.
        for each in reversed(merges) if self._dialect.schema is Schema.YAML_1_1 else merges:
            for key, value in self._merged(each, depth).items():
                merged.setdefault(key, value)
        for key_node, value_node in node.pairs:
            if self._is_merge(key_node):
                continue
            key = self._key(key_node, depth)
            if key in fields:
                self._check_duplicate(key, depth)
            fields[key] = self.value(value_node, depth + 1)
        return {**merged, **fields} if merged else fields

    def _is_merge(self, key: Node) -> bool:
        return key == Scalar("<<", plain=True) and self._dialect.merges

    def _check_duplicate(self, key: str, depth: int) -> None:
        match self._dialect.duplicates:
            case Duplicates.LAST:
                return
            case Duplicates.REFUSED_FIELDS if depth or key not in self._fields:
                return
            case _:
                raise Refused(f"it has {key[:60]!r} twice")

    def _key(self, node: Node, depth: int) -> str:
        if isinstance(node, Scalar):
            return node.text.translate(_STAND_BACK)
        if self._dialect.schema is Schema.TEXT and not depth:
            raise Refused("it has a key that is no text")
        return text_of(self.value(node, depth + 1))

    def _merged(self, node: Node, depth: int) -> Mapping[str, Value]:
        sources = node.items if isinstance(node, Items) else [node]
        result: dict[str, Value] = {}
        for source in sources:
            if not isinstance(source, Pairs):
                if self._dialect.schema is Schema.CORE:
                    continue
                raise Refused("it merges what is no mapping")
            value = self.value(source, depth + 1)
            for key, each in value.items() if isinstance(value, dict) else ():
                result.setdefault(key, each)
        return result


_PAIRS: Final = regex("[\ud800-\udfff]+")


def _joined(match: re.Match[str]) -> str:
    """Characters of the two escapes that JSON writes for each; U+FFFD for half of one."""
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_NULL: Final = regex(r"~|null|Null|NULL|")
_BOOL_1_1: Final = regex(
    r"(yes|Yes|YES|true|True|TRUE|on|On|ON)|no|No|NO|false|False|FALSE|off|Off|OFF"
)
_BOOL_LOOSE: Final = regex(f"{_BOOL_1_1.pattern}|(y|Y)|n|N")
_BOOL: Final = regex(r"(true|True|TRUE)|false|False|FALSE")
_INT_1_1: Final = regex(
    r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)"
)
_INT_JS_3: Final = regex(
    r"[-+]?(?:0b[01][01_]*|0x[0-9a-fA-F][0-9a-fA-F_]*|0[0-7_]*|[1-9][0-9_]*(?::[0-5]?[0-9])*)"
)
_INT_JS_4: Final = regex(
    r"[-+]?(?:0b[01][01_]*|0x[0-9a-fA-F][0-9a-fA-F_]*|0o[0-7][0-7_]*|[0-9][0-9_]*)"
)
_INT: Final = regex(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT_1_1: Final = regex(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FLOAT_JS_4: Final = regex(
    r"[-+]?(?:[0-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FLOAT_JS_3: Final = regex(rf"{_FLOAT_JS_4.pattern}|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*")
_FLOAT: Final = regex(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DATE: Final = regex(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_MOMENT: Final = regex(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})(?:[Tt]|[ \t]+)"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]*))?"
    r"(?:[ \t]*(?:(?P<zulu>Z)|(?P<sign>[-+])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?))?"
)
_LONGEST_NUMBER: Final = 200


def resolve(text: str, schema: Schema) -> Value:
    """What a plain scalar is in a schema."""
    if schema is Schema.TEXT:
        return None if _NULL.fullmatch(text) else text
    if _NULL.fullmatch(text):
        return None
    if (match := _BOOLS.get(schema, _BOOL).fullmatch(text)) is not None:
        return match.lastindex is not None
    if len(text) > _LONGEST_NUMBER:
        return text
    return _number(text, schema)


_YAML_1_1: Final = frozenset({Schema.YAML_1_1, Schema.YAML_1_1_LOOSE})
_BOOLS: Final = {Schema.YAML_1_1: _BOOL_1_1, Schema.YAML_1_1_LOOSE: _BOOL_LOOSE}
_FLOATS: Final = {
    Schema.YAML_1_1: _FLOAT_1_1,
    Schema.YAML_1_1_LOOSE: _FLOAT_JS_3,
    Schema.JS_3: _FLOAT_JS_3,
    Schema.JS_4: _FLOAT_JS_4,
    Schema.CORE: _FLOAT,
}
_INTS: Final = {
    Schema.YAML_1_1: _INT_1_1,
    Schema.YAML_1_1_LOOSE: _INT_1_1,
    Schema.JS_3: _INT_JS_3,
    Schema.JS_4: _INT_JS_4,
    Schema.CORE: _INT,
}


def _number(text: str, schema: Schema) -> Value:
    is_js = schema in (Schema.JS_3, Schema.JS_4)
    if is_js and text.endswith("_"):
        return text
    try:
        if _INTS[schema].fullmatch(text):
            return _whole(text.replace("_", ""), old_octal=schema in (*_YAML_1_1, Schema.JS_3))
        if _FLOATS[schema].fullmatch(text):
            return _fraction(text.replace("_", ""))
    except ValueError:  # It has underscores where a digit has to be.
        if is_js:
            return float("nan")
        raise Refused("it has a number without a digit") from None
    if schema is not Schema.CORE and (match := _DATE.fullmatch(text)) is not None:
        try:
            return date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            if schema in _YAML_1_1:
                raise Refused("it has a date that does not exist") from None
            return text
    if schema is not Schema.CORE and (match := _MOMENT.fullmatch(text)) is not None:
        return _NoText(_moment(match) if schema in _YAML_1_1 else text)
    return text


def _moment(match: re.Match[str]) -> str:
    """A date with a time as Python prints it. Raises Refused."""
    year, month, day = (int(match[at]) for at in ("year", "month", "day"))
    hour, minute, second = (int(match[at]) for at in ("hour", "minute", "second"))
    fraction = int((match["fraction"] or "").ljust(6, "0")[:6])
    zone = UTC if match["zulu"] else None
    try:
        if match["hours"]:
            offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
            zone = timezone(-offset if match["sign"] == "-" else offset)
        return str(datetime(year, month, day, hour, minute, second, fraction, zone))
    except ValueError:
        raise Refused("it has a date that does not exist") from None


def _bytes(text: str) -> str:
    """Base64 as Python prints its bytes: the model reads what is in it. Raises Refused."""
    try:
        return repr(b64decode(text.encode("ascii")))
    except ValueError:
        raise Refused("it has no base64 where its tag says so") from None


class _NoText(str):
    """A date with a time, or bytes: its library makes something of it that is no text."""

    __slots__ = ()


def is_text(value: Value) -> bool:
    """Whether a library gives text."""
    return isinstance(value, str) and not isinstance(value, _NoText)


def _whole(text: str, *, old_octal: bool) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if ":" in digits:
        total = 0
        for part in digits.split(":"):
            total = total * 60 + int(part)
        return sign * total
    for mark, base in (("0x", 16), ("0o", 8), ("0b", 2)):
        if digits.startswith(mark):
            return sign * int(digits[2:], base)
    if old_octal and len(digits) > 1 and digits.startswith("0"):
        return sign * int(digits, 8)
    return sign * int(digits)


def _fraction(text: str) -> float:
    lower = text.lower()
    if "inf" in lower:
        return float("-inf") if text.startswith("-") else float("inf")
    if "nan" in lower:
        return float("nan")
    if ":" in lower:
        total = 0.0
        for part in lower.lstrip("+-").split(":"):
            total = total * 60 + float(part)
        return -total if lower.startswith("-") else total
    return float(lower)


def text_of(value: Value) -> str:
    """A value as Python prints it. Bounded by what was parsed."""
    return str(value)


def strings_in(value: Value) -> Iterator[str]:
    """Every key and text below a value."""
    match value:
        case dict():
            for key, each in value.items():
                yield key
                yield from strings_in(each)
        case list():
            for each in value:
                yield from strings_in(each)
        case None:
            return
        case _:
            yield str(value)
