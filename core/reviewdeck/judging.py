"""Who judges: this process, and beside it another one where a backlog is long enough for two."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

from reviewdeck.model import Judgement, Likeness, StagedProposal
from reviewdeck.policy.in_force import Policy

FROM = 2_000
"""From so many proposals on an aide is worth what it takes to start one."""

AHEAD = 1_024
"""So many that are judged already wait for an answer of the aide before it is waited for."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """All that the rules look at, beside the live texts."""

    staged: StagedProposal
    alike: tuple[Likeness, ...]
    skills: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the policy says of a case."""

    judgement: Judgement
    """An aide leaves the trail out: it is long, and only who asks about one proposal reads it."""
    asked: frozenset[str]
    """What was looked for in the live texts."""


class Aide(Protocol):
    """Judges beside this process, by the same rules."""

    @property
    def is_there(self) -> bool:
        """Whether answers are still to come from it. What it owes then is to be judged here."""
        ...

    def take(self, case: Case) -> bool:
        """Takes a case; False when it has enough to do or cannot judge this one."""
        ...

    def answer(self, *, wait: bool) -> Judged | None:
        """The answer to the first case that it owes one for; None when there is none yet."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Sends it away."""
        ...


StartAide: TypeAlias = Callable[[Policy, str], Aide | None]
"""Starts one that judges by a policy beside these live texts; None where there is no use in it."""


def alone(policy: Policy, live_text: str) -> None:
    """Nobody helps."""


@dataclass(slots=True)
class _Waiting(Generic[T]):
    item: T
    judged: Judged | None


class Judges(Generic[T]):
    """Gives to each item its judgement, in their order, whoever judges it.

    The aide has always something to do. What comes while it has enough is judged here, so the two
    share the work as fast as each of them is.
    """

    def __init__(
        self, case: Callable[[T], Case], judge: Callable[[T], Judged], aide: Aide | None
    ) -> None:
        self._case = case
        self._judge = judge
        self._aide = aide
        self._waiting: deque[_Waiting[T]] = deque()

    def each(self, items: Iterable[T]) -> Iterator[tuple[T, Judged]]:
        """The items with their judgements."""
        for item in items:
            is_taken = self._aide is not None and self._aide.take(self._case(item))
            self._waiting.append(_Waiting(item, None if is_taken else self._judge(item)))
            yield from self._ready(AHEAD)
        yield from self._ready(0)

    def _ready(self, most: int) -> Iterator[tuple[T, Judged]]:
        """The first ones, as far as they are judged; so that no more than these wait."""
        while self._waiting:
            first = self._waiting[0]
            judged = first.judged or self._answer(first.item, wait=len(self._waiting) > most)
            if judged is None:
                return
            self._waiting.popleft()
            yield first.item, judged

    def _answer(self, item: T, *, wait: bool) -> Judged | None:
        answer = self._aide.answer(wait=wait) if self._aide is not None else None
        if answer is None and (self._aide is None or not self._aide.is_there):
            return self._judge(item)
        return answer
