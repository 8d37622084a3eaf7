"""Many short texts in one piece of memory: as strings they take several times as much. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload


class Texts(Sequence[str]):
    """A text for each place, in small memory. What was put there once stays."""

    def __init__(self, amount: int = 0) -> None:
        self._piece = bytearray()
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
        return self._piece[self._starts[place] : self._ends[place]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return self.of(range(len(self)))

    def of(self, places: Iterable[int]) -> Iterator[str]:
        """The texts of some places."""
        piece, starts, ends = self._piece, self._starts, self._ends
        for place in places:
            yield piece[starts[place] : ends[place]].decode("utf-8", "surrogatepass")

    def put(self, place: int, text: str) -> None:
        """The text of a place."""
        self._starts[place] = len(self._piece)
        self._piece += text.encode("utf-8", "surrogatepass")
        self._ends[place] = len(self._piece)

    def append(self, text: str) -> None:
        """The text of one more place."""
        self._starts.append(len(self._piece))
        self._piece += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._piece))

    def having(self, word: str) -> Callable[[int], bool]:
        """Says whether the text of a place has this in it."""
        find, starts, ends = self._piece.find, self._starts, self._ends
        wanted = word.encode("utf-8", "surrogatepass")
        return lambda place: find(wanted, starts[place], ends[place]) >= 0
