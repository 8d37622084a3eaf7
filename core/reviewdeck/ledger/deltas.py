"""Bytes that are nearly other bytes: kept as what differs, and given back to the byte.

A batch of a thousand additions goes through a thousand revisions of one document. Nearly all of
each is in the last one, so what is stored of it is where it ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

WORTH = 256
"""Fewer bytes than this are stored as they are."""


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
