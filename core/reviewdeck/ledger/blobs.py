"""Bytes by their SHA-256. Those that are nearly other bytes are kept as the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from reviewdeck.ledger.cells import dump, shield

Run: TypeAlias = Callable[[str, Mapping[str, object]], Sequence[Sequence[Any]]]
"""Runs one SELECT with `:name` parameters and gives all rows, as the cells hold them."""

AMONG = "IN (SELECT value FROM json_each(:among))"
"""Whether a column is one of those that are `listed` under this name."""

WORTH = 256
"""Fewer bytes than this are stored as they are."""
_CHUNK = 500
_BLOBS = f"SELECT sha, data, base, head, tail FROM blob WHERE sha {AMONG}"  # noqa: S608 - constant

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delta:
    """Bytes as the beginning of others, something of their own, and the end of those others."""

    head: int
    own: bytes
    tail: int

    def on(self, base: bytes) -> bytes:
        """The bytes themselves."""
        return base[: self.head] + self.own + base[len(base) - self.tail :]


def delta_of(data: bytes, base: bytes) -> Delta:
    """What of these bytes is not in the others."""
    most = min(len(data), len(base))
    head = _shared(most, lambda n: data[:n] == base[:n])
    rest = most - head
    tail = _shared(rest, lambda n: data[len(data) - n :] == base[len(base) - n :])
    return Delta(head, data[head : len(data) - tail], tail)


def nearest(data: bytes, bases: Sequence[bytes]) -> tuple[bytes, Delta] | None:
    """The one of these that most of the bytes are in; None when storing them whole is as well."""
    if len(data) < WORTH:
        return None
    for base in bases:
        if base.startswith(data):
            return base, Delta(len(data), b"", 0)
    found = min(
        ((base, delta_of(data, base)) for base in bases),
        key=lambda one: len(one[1].own),
        default=None,
    )
    return found if found is not None and 2 * len(found[1].own) <= len(data) else None


def _shared(most: int, is_shared: Callable[[int], bool]) -> int:
    """The greatest number up to `most` for which this holds; it holds for all smaller ones."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_shared(middle):
            low = middle
        else:
            high = middle - 1
    return low


def bytes_of(run: Run, shas: Iterable[str]) -> dict[str, bytes]:
    """The stored bytes under these SHA-256; those that are not stored are left out."""
    found: dict[str, bytes] = {}
    for chunk in chunks(dict.fromkeys(shas)):
        rows = run(_BLOBS, {"among": listed(chunk)})
        bases = bytes_of(
            run, {base for _, _, base, _, _ in rows if base is not None} - found.keys()
        )
        for sha, data, base, head, tail in rows:
            if base is None:
                found[sha] = data
            else:
                found[sha] = Delta(head, data, tail).on(bases.get(base) or found[base])
    return found


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Parts that fit into one statement."""
    iterator = iter(values)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def listed(values: Iterable[str]) -> str:
    """Any number of values as one: for what `AMONG` asks about.

    A statement with a place for each of them has to be put together anew for each number of them.
    """
    return dump([shield(value) for value in values])
