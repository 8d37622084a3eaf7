"""Many short texts in one buffer: as strings they take several times the memory. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload


class Texts(Sequence[str]):
    """A text for each place, in one buffer. A text that was put there stays."""

    def __init__(self, amount: int = 0) -> None:
        self._buffer = bytearray()
        self._starts = array("I", bytes(4 * amount))
        self._ends = array("I", bytes(4 * amount))

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return self._buffer[self._starts[place] : self._ends[place]].decode(
            "utf-8", "surrogatepass"
        )

    def __iter__(self) -> Iterator[str]:
        return self.of(range(len(self)))

    def of(self, places: Iterable[int]) -> Iterator[str]:
        """The texts of some places."""
        buffer, starts, ends = self._buffer, self._starts, self._ends
        for place in places:
            yield buffer[starts[place] : ends[place]].decode("utf-8", "surrogatepass")

    def put(self, place: int, text: str) -> None:
        """Sets the text of a place."""
        self._starts[place] = len(self._buffer)
        self._buffer += text.encode("utf-8", "surrogatepass")
        self._ends[place] = len(self._buffer)

    def append(self, text: str) -> None:
        """Adds the text of one more place."""
        self._starts.append(len(self._buffer))
        self._buffer += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._buffer))

    def contains(self, word: str) -> Callable[[int], bool]:
        """The predicate whether the text of a place contains this word."""
        find, starts, ends = self._buffer.find, self._starts, self._ends
        encoded = word.encode("utf-8", "surrogatepass")
        return lambda place: find(encoded, starts[place], ends[place]) >= 0
