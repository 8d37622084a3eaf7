"""Sequences whose items are made when somebody asks for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class OnDemand(Sequence[Item]):
    """A list of any length costs only what is looked at."""

    @abstractmethod
    def make(self, place: int, /) -> Item:
        """The item in this place, from 0."""

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        chosen = range(len(self))[place]
        return self.make(chosen) if isinstance(chosen, int) else [*map(self.make, chosen)]
