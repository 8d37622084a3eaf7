"""Frozen values to plain JSON and back, by the types of their fields.

A value that does not fit those types raises KeyError, TypeError or ValueError.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, NewType, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

_Read: TypeAlias = Callable[[Any], Any]

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Lists for tuples, objects for values and mappings; base64 for bytes; times in ISO 8601."""
    return _writer(type(value))(value)  # type: ignore[arg-type]  # a class has a hash


@cache
def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, datetime):
        return lambda value: value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if issubclass(kind, bytes):
        return lambda value: base64.b64encode(value).decode("ascii")
    if issubclass(kind, tuple):
        return lambda value: [*map(to_plain, value)]
    if issubclass(kind, Mapping):
        return lambda value: {name: to_plain(element) for name, element in value.items()}
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return lambda value: {name: to_plain(getattr(value, name)) for name in names}
    return lambda value: value


def from_plain(kind: type[T], raw: Any) -> T:
    """The value of this type that `to_plain` was given; a missing field has its default."""
    read: _Read = _reader(kind)  # type: ignore[arg-type]  # a class has a hash
    value: T = read(raw)
    return value


@cache
def _reader(kind: Any) -> _Read:
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return _value_reader(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is datetime:
        return datetime.fromisoformat
    if kind is bytes:
        return partial(base64.b64decode, validate=True)
    if isinstance(kind, NewType):
        return _reader(kind.__supertype__)
    if origin is UnionType:
        inner = _reader(next(part for part in parts if part is not NoneType))
        return lambda raw: None if raw is None else inner(raw)
    if origin is tuple and parts[-1] is ...:
        each = _reader(parts[0])
        return lambda raw: tuple(map(each, _checked(raw, list)))
    if origin is tuple:
        readers = [_reader(part) for part in parts]
        return lambda raw: tuple(read(part) for read, part in zip(readers, raw, strict=True))
    if origin is Mapping:
        of_value = _reader(parts[1])
        return lambda raw: {
            name: of_value(element) for name, element in _checked(raw, dict).items()
        }
    allowed = (int, float) if kind is float else kind
    return lambda raw: _checked(raw, allowed)


def _value_reader(kind: type[Any]) -> _Read:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}

    def read(raw: Any) -> Any:
        checked = _checked(raw, dict)
        return kind(**{name: of(checked[name]) for name, of in readers.items() if name in checked})

    return read


def _checked(raw: Any, kind: type[Any] | tuple[type[Any], ...]) -> Any:
    if not isinstance(raw, kind):
        raise TypeError(f"{type(raw).__name__} in the place of {kind}")
    return raw
