"""What is stored under a key: a JSON text, and until when it counts."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias

from reviewdeck.errors import BadInput

DEEPEST: Final = 64
"""Levels of lists and objects in one value."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value as JSON text."""

    text: str
    until: float | None = None
    """When it ceases to count, in seconds of the epoch; None for never."""

    def is_live(self, now: datetime) -> bool:
        """Whether it still counts. At the very moment of its end it does not."""
        return self.until is None or now.timestamp() < self.until


Cells: TypeAlias = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Changes:
    """What one step makes of the cells of a scope, all of it or nothing."""

    put: Cells = field(default_factory=dict)
    drop: Collection[str] = ()

    def applied(self, cells: Cells) -> dict[str, Cell]:
        """The cells afterwards."""
        kept = {key: cell for key, cell in cells.items() if key not in self.drop}
        return kept | dict(self.put)


def encode(value: object) -> str:
    """A value as JSON text, the same on every storage. Raises BadInput for what is not JSON."""
    _check(value, DEEPEST)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _refusal("text with half a surrogate pair") from error
    return text


def decode(text: str) -> Any:
    """The value of a JSON text: a fresh copy each time."""
    return json.loads(text)


def _check(value: object, depth: int) -> None:
    """Refuses what JSON would turn into something else: tuples, sets, keys that are numbers."""
    if depth == 0:
        raise _refusal(f"more than {DEEPEST} levels")
    if value is None or type(value) in (bool, int, str):
        return
    if type(value) is float and math.isfinite(value):
        return
    if type(value) is list:
        for item in value:
            _check(item, depth - 1)
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise _refusal(f"a key of type {type(key).__name__}")
            _check(item, depth - 1)
    else:
        raise _refusal(repr(value) if type(value) is float else f"a {type(value).__name__}")


def _refusal(what: str) -> BadInput:
    return BadInput(
        f"Only JSON can be kept here, and this is not: {what}.",
        hint="Null, true, false, finite numbers, text, lists, and objects with text as keys.",
    )
