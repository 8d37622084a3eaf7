"""The port for storages of working memory: cells by scope and key.

A cell is a JSON text with an expiry. Reserved keys have a prefix that a user's key may not have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from reviewdeck.errors import BadInput
from reviewdeck.text.json import load_json

DEEPEST: Final = 64
"""Nested lists and objects in one value, at most."""


@dataclass(frozen=True, slots=True)
class StoredCell:
    """One value as JSON text."""

    text: str
    until: float | None = None
    """When it expires, in seconds since the epoch; None for never."""

    def is_live(self, now: datetime) -> bool:
        """Whether it has not expired. At the exact moment of expiry it has."""
        return self.until is None or now.timestamp() < self.until


Cells: TypeAlias = Mapping[str, StoredCell]


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one atomic step to the cells of a scope."""

    put: Cells = field(default_factory=dict)
    drop: Collection[str] = ()

    def applied(self, cells: Cells) -> dict[str, StoredCell]:
        remaining = {key: cell for key, cell in cells.items() if key not in self.drop}
        return remaining | dict(self.put)


def encode(value: object) -> str:
    """A value as JSON text, the same on every storage. Raises BadInput for what is not JSON."""
    _check(value, DEEPEST)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _refusal("text with half a surrogate pair") from error
    except ValueError as error:
        raise _refusal("a number of thousands of digits") from error
    return text


def decode(text: str) -> Any:
    """The value of a JSON text: a fresh copy each time."""
    return load_json(text)


def _check(value: object, depth: int) -> None:
    """Raises BadInput for values that JSON would change: tuples, sets, keys that are numbers."""
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


def _refusal(problem: str) -> BadInput:
    return BadInput(
        f"Only JSON can be kept here, and this is not: {problem}.",
        hint="Null, true, false, finite numbers, text, lists, and objects with text as keys.",
    )


T = TypeVar("T")

Work: TypeAlias = Callable[[Cells], tuple[Changes, T]]
"""From the present cells to the changes and an answer.

It is called again if another writer was faster, so it must have no side effects.
"""


class Storage(Protocol):
    """A store of cells by scope and key. Every method raises StorageUnavailable.

    A storage ignores expiry, which needs its caller's clock. It may drop scopes that are not
    attached and were not written to for long.
    """

    @property
    def name(self) -> str:
        """Its name for people: `in process`, `sqlite`, `redis`."""

    @property
    def is_using_fallback(self) -> bool:
        """Whether it replaces a configured storage that does not answer."""

    def get(self, scope: str, key: str) -> StoredCell | None:
        """One cell, or None."""

    def cells(self, scope: str) -> Cells:
        """All cells of a scope."""

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        """Stores one cell."""

    def change(self, scope: str, work: Work[T]) -> T:
        """Applies `work` to all cells of a scope, atomically among all writers."""

    def attach(self, scope: str) -> None:
        """Marks a scope as in use: it is not dropped until `detach`."""

    def detach(self, scope: str) -> None:
        """The counterpart of `attach`."""

    def check(self) -> None:
        """Raises StorageUnavailable if it cannot be used."""

    def close(self) -> None:
        """Closes files and connections. May be called twice."""


RESERVED: Final = "_"
META: Final = "_meta"
TASK: Final = "_task"
NOTES: Final = "_notes"
CHECKPOINT: Final = "_checkpoint:"
LONGEST_KEY: Final = 500
"""Characters of a key."""


def check_key(key: str) -> str:
    """The key, if it may be used. Raises BadInput for a reserved or empty one."""
    if key.startswith(RESERVED):
        raise BadInput(
            f"The key {key[:40]!r} is reserved.",
            hint="Keys that begin with an underscore are kept for tasks, notes and checkpoints.",
        )
    if not key or len(key) > LONGEST_KEY or "\x00" in key:
        raise BadInput(f"A key is text of 1 to {LONGEST_KEY} characters, without NUL.")
    try:
        key.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("A key cannot hold half a surrogate pair.") from error
    return key


def is_user_key(key: str) -> bool:
    """Whether a key is not a reserved one."""
    return not key.startswith(RESERVED)


def matches(key: str, glob: str) -> bool:
    """Whether a user's key matches a glob: `*`, `?`, `[abc]`."""
    return is_user_key(key) and fnmatchcase(key, glob)
