"""Bytes by their SHA-256. Nearly equal ones are stored as differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from reviewdeck.ledger.database import Transaction, Values, insert
from reviewdeck.model import Revision, revision_of
from reviewdeck.values import dataclass

WORTH = 256
"""Content shorter than this is stored whole."""
_CHUNK = 500
_BLOBS = "SELECT sha, data, base, head, tail FROM blob WHERE sha IN :shas"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delta:
    """Bytes as the head of a base, own bytes, and the tail of that base."""

    head: int
    own: bytes
    tail: int

    def on(self, base: bytes) -> bytes:
        """The bytes themselves."""
        return base[: self.head] + self.own + base[len(base) - self.tail :]


def delta_of(data: bytes, base: bytes) -> Delta:
    """The difference of some bytes from a base."""
    most = min(len(data), len(base))
    head = _shared(most, lambda n: data[:n] == base[:n])
    longest_tail = most - head
    tail = _shared(longest_tail, lambda n: data[len(data) - n :] == base[len(base) - n :])
    return Delta(head, data[head : len(data) - tail], tail)


def nearest(data: bytes, bases: Sequence[bytes]) -> tuple[bytes, Delta] | None:
    """The base that shares most of the bytes; None when storing them whole is as well."""
    if len(data) < WORTH:
        return None
    for base in bases:
        if base.startswith(data):
            return base, Delta(len(data), b"", 0)
    shortest = min(
        ((base, delta_of(data, base)) for base in bases),
        key=lambda candidate: len(candidate[1].own),
        default=None,
    )
    return shortest if shortest is not None and 2 * len(shortest[1].own) <= len(data) else None


def _shared(most: int, is_shared: Callable[[int], bool]) -> int:
    """The greatest number up to `most` for which a monotone predicate holds."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_shared(middle):
            low = middle
        else:
            high = middle - 1
    return low


def bytes_of(tx: Transaction, shas: Iterable[str]) -> dict[str, bytes]:
    """The stored bytes under these SHA-256; those that are not stored are left out."""
    contents: dict[str, bytes] = {}
    for chunk in chunks(dict.fromkeys(shas)):
        rows = tx.rows(_BLOBS, {"shas": chunk})
        bases = bytes_of(
            tx, {base for _, _, base, _, _ in rows if base is not None} - contents.keys()
        )
        for sha, data, base, head, tail in rows:
            if base is None:
                contents[sha] = data
            else:
                contents[sha] = Delta(head, data, tail).on(bases.get(base) or contents[base])
    return contents


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Parts that fit into one statement."""
    iterator = iter(values)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def keep_bytes(tx: Transaction, contents: Iterable[bytes | None]) -> None:
    """Stores bytes under their SHA-256."""
    by_sha = {revision_of(data): data for data in contents if data is not None}
    _keep(tx, [{"sha": sha, "data": data} for sha, data in by_sha.items()])


def _keep(tx: Transaction, rows: Iterable[Values]) -> None:
    # Two that store the same bytes wait for each other: not in a circle, when all go in order. So
    # a transaction stores what it has at once, not part by part.
    insert(tx, "blob", sorted(rows, key=itemgetter("sha")), missing=True)


def keep_near(
    tx: Transaction, parts: Iterable[tuple[Mapping[Revision, bytes], Sequence[bytes]]]
) -> None:
    """Stores bytes, each as a difference from a base of its part, which is stored whole already."""
    rows: dict[str, Values] = {}
    for by_sha, bases in parts:
        shas = {base: revision_of(base) for base in bases}
        for sha, data in by_sha.items():
            row: dict[str, Any] = {"sha": sha, "data": data}
            row |= {"base": None, "head": None, "tail": None}
            match = None if sha in shas.values() else nearest(data, bases)
            if match is not None:
                base, delta = match
                row |= {"data": delta.own, "base": shas[base]}
                row |= {"head": delta.head, "tail": delta.tail}
            rows.setdefault(sha, row)
    _keep(tx, rows.values())
