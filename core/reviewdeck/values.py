"""Dataclasses that cost little to declare, for modules that every command loads.

For each class the standard library compiles six functions, of which a run calls few: that was a
third of the time of `reviewdeck list`. Here comparison, hash and the refusal of changes need no
compiling, and an `__init__` is compiled when it is first called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, fields
from inspect import Parameter, Signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen=False, slots=False, kw_only=False, eq=True):
        """As the standard library's."""

        def declare(cls):
            own = {*vars(cls)}
            declared = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
            )(cls)
            declared.__signature__ = _SIGNATURE
            for name, method in _methods_of(declared, frozen=frozen, slots=slots, eq=eq):
                if name not in own:
                    setattr(declared, name, method)
            return declared

        return declare


def _methods_of(
    cls: type[Any], *, frozen: bool, slots: bool, eq: bool
) -> Iterator[tuple[str, Callable[..., Any] | None]]:
    compared = [field.name for field in fields(cls) if field.compare]
    cells = attrgetter(*compared) if compared else lambda _: ()

    def __init__(self: Any, *args: object, **named: object) -> None:
        cls.__init__ = compiled = _compiled_init(cls)
        compiled(self, *args, **named)

    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(cells(self) == cells(other))

    def __hash__(self: Any) -> int:
        return hash(cells(self))

    yield from (("__init__", __init__), ("__repr__", _repr))
    if eq:
        yield from (("__eq__", __eq__), ("__hash__", __hash__ if frozen else None))
    if frozen:
        yield from (("__setattr__", _refuse), ("__delattr__", _refuse))
    if frozen and slots:
        yield from (("__getstate__", _state), ("__setstate__", _restore))


def _compiled_init(cls: type[Any]) -> Callable[..., None]:
    """The `__init__` that the standard library makes of these fields."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    plain, named, body = list[str](), list[str](), list[str]()
    for field in fields(cls):
        name, given = field.name, field.name
        parameter = name
        if field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
            given = name if field.init else f"_default_{name}"
        elif field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_missing"
            given = f"_make_{name}()"
            if field.init:
                given += f" if {name} is _missing else {name}"
        elif not field.init:
            continue  # its `__post_init__` sets it
        if field.init:
            (named if field.kw_only else plain).append(parameter)
        body.append(f"_set(self, {name!r}, {given})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(("self", *plain, *(["*"] if named else []), *named))
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({parameters}):\n {lines}", known)  # noqa: S102 - the names of our fields
    compiled: Callable[..., None] = known["__init__"]
    compiled.__qualname__ = f"{cls.__qualname__}.__init__"
    return compiled


class _FieldSignature:
    """What `help` and an editor show of a class, made when they ask."""

    def __get__(self, value: object, owner: type[Any]) -> Signature:
        try:
            hints = get_type_hints(owner)
        except (
            NameError
        ):  # a type that refers to itself is a text, as the standard library leaves it
            hints = {field.name: field.type for field in fields(owner)}
        return Signature(
            [
                Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                    default=_default_of(field),
                    annotation=hints[field.name],
                )
                for field in fields(owner)
                if field.init
            ]
        )


_SIGNATURE = _FieldSignature()


def _default_of(field: dataclasses.Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return Parameter.empty if field.default_factory is MISSING else field.default_factory


def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
