"""The smallest part of a prompt without which an answer is another one: a bisection.

A state machine that asks for runs and does no I/O. It supposes what is usual: what an answer loses
without some parts, it does not get back when more of them are left out. Two tries tell that an
answer is lost, one that it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

FIRST: Final = 8
"""The likeliest parts, which are tried before all others are halved."""
TRIES: Final = 2
"""Runs that have to agree before an answer counts as lost."""

Left: TypeAlias = frozenset[int]
"""The parts that a run leaves out, by number."""
_Check: TypeAlias = Callable[[Sequence[int]], Generator[Left, bool, bool]]


class Verdict(StrEnum):
    """What a search found out."""

    FOUND = "found"
    ELSEWHERE = "elsewhere"
    """The answer is the same without all parts."""
    UNSAID = "unsaid"
    """The answer does not come with all parts either."""
    VARIES = "varies"
    """The same prompt had the answer in one of two tries: nothing follows from a run."""
    OPEN = "open"
    """The search ended before its end."""


@dataclass(frozen=True, slots=True)
class Causes:
    """The result of a search, or how far it came."""

    verdict: Verdict
    needed: tuple[int, ...] = ()
    """The smallest set that has to be left out: with several, each alone is enough for the answer.
    """
    together: tuple[int, ...] = ()
    """The parts with which alone `needed` gives the answer, where it does not by itself."""
    among: tuple[int, ...] = ()
    """Where the search ended early: the parts of which one is still sought, the likeliest first."""
    runs: int = 0
    varied: int = 0
    """The prompts, besides the whole one, that had the answer in one of two tries."""
    prompts: int = 0
    """The different prompts that were run."""


def most_runs(parts: int, members: int = 1) -> int:
    """The most runs that a search over so many parts takes if it finds so many members."""
    halvings = (max(parts, 1) - 1).bit_length() + (parts > 2 * FIRST)
    # Per member the halvings and whether it is all; before them the whole prompt and none of it.
    return TRIES * (2 + 1 + members * (halvings + 1))


class CauseSearch:
    """A search over numbered parts: `next_run` gives what to leave out, `tell` takes the answer."""

    def __init__(self, order: Sequence[int]) -> None:
        """`order` is every part once, the likeliest first."""
        self._order = tuple(order)
        self._all = frozenset(order)
        self._lost: dict[Left, bool] = {}
        self._runs = 0
        self._varied = 0
        self._needed: list[int] = []
        self._together: list[int] = []
        self._among: tuple[int, ...] = self._order
        self._result: Causes | None = None
        self._search = self._run()
        self._next: Left | None = next(self._search, None)

    def next_run(self) -> Left | None:
        """What the next run leaves out; None at the end."""
        return self._next

    def tell(self, *, holds: bool) -> None:
        """Takes whether the answer of that run held what is sought."""
        self._runs += 1
        try:
            self._next = self._search.send(holds)
        except StopIteration as end:
            self._next = None
            self._result = self._causes(end.value)

    @property
    def result(self) -> Causes:
        """What was found so far."""
        return self._result or self._causes(Verdict.OPEN)

    def _causes(self, verdict: Verdict) -> Causes:
        return Causes(
            verdict,
            tuple(self._needed),
            tuple(self._together),
            self._among if verdict is Verdict.OPEN else (),
            self._runs,
            self._varied,
            len(self._lost),
        )

    def _run(self) -> Generator[Left, bool, Verdict]:
        nothing: Left = frozenset()
        first = yield nothing
        second = yield nothing
        self._lost[nothing] = False
        if first is not second:
            return Verdict.VARIES
        if not first:
            return Verdict.UNSAID
        if not self._order or not (yield from self._is_lost(self._all)):
            return Verdict.ELSEWHERE
        yield from self._members(self._needed, self._without)
        yield from self._members(self._together, self._with_these)
        return Verdict.FOUND

    def _without(self, chosen: Sequence[int]) -> Generator[Left, bool, bool]:
        """Whether the answer is lost without these."""
        return (yield from self._is_lost(frozenset(chosen)))

    def _with_these(self, chosen: Sequence[int]) -> Generator[Left, bool, bool]:
        """Whether the answer comes with these and what is needed alone."""
        kept = {*self._needed, *chosen}
        return not (yield from self._is_lost(self._all - kept))

    def _members(self, members: list[int], is_enough: _Check) -> Generator[Left, bool, None]:
        """Adds parts to `members` until they are enough, and no part of them would be."""
        others = [part for part in self._order if part not in self._needed]
        while not (yield from is_enough(members)):
            found = yield from self._smallest(members, others, is_enough)
            members.append(others[found])
            others = others[:found]
            self._among = tuple(others)

    def _smallest(
        self, members: Sequence[int], others: Sequence[int], is_enough: _Check
    ) -> Generator[Left, bool, int]:
        """The number of the part with which those before it become enough."""
        low, high = 0, len(others)
        middle = FIRST if high > 2 * FIRST else high // 2
        while high - low > 1:
            self._among = tuple(others[low:high])
            if (yield from is_enough([*members, *others[:middle]])):
                high = middle
            else:
                low = middle
            middle = (low + high) // 2
        return high - 1

    def _is_lost(self, left: Left) -> Generator[Left, bool, bool]:
        """Whether the answer is lost without these in both of two tries."""
        if left not in self._lost:
            self._lost[left] = yield from self._tries(left)
        return self._lost[left]

    def _tries(self, left: Left) -> Generator[Left, bool, bool]:
        for number in range(TRIES):
            if (yield left):
                self._varied += number > 0
                return False
        return True
