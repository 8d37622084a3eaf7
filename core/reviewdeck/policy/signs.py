"""What has to be there for a check to find anything: it is asked only where it is.

Most rules have nothing to say of most texts, and to ask eighty of them costs more than what the
few that speak find out. So a check names its signs: concepts that have to be mentioned, patterns
of which one has to match, or something about the proposal. Where none of a check's signs is, the
check would have found nothing; a check without signs is always asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeAlias, TypeVar

from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.screen import Screened

T = TypeVar("T")
R = TypeVar("R")


class Trait(Enum):
    """What can be said of a proposal without reading it."""

    UNUSUAL = auto()
    """A character that is not printable ASCII."""
    ALIKE = auto()
    """Something resembles it."""
    NOTICED = auto()
    """Planning noticed something."""
    UNREADY = auto()
    """It cannot be applied as it is."""
    SKILL = auto()
    """It changes a skill."""


Sign: TypeAlias = Concept | tuple[Concept, ...] | Screened | Trait
"""One concept or several that have to be named all; a pattern; a trait."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What has to be there: one of these."""

    concepts: frozenset[tuple[Concept, ...]] = frozenset()
    patterns: frozenset[int] = frozenset()
    """By their numbers on the screen."""
    traits: frozenset[Trait] = frozenset()

    def __or__(self, other: Signs) -> Signs:
        """What has to be there for one of two checks."""
        return Signs(
            self.concepts | other.concepts,
            self.patterns | other.patterns,
            self.traits | other.traits,
        )


def signs(*given: Sign) -> Signs:
    """One of these has to be there."""
    found = Signs()
    for one in given:
        match one:
            case Concept():
                found |= Signs(concepts=frozenset({(one,)}))
            case Trait():
                found |= Signs(traits=frozenset({one}))
            case Screened():
                found |= Signs(patterns=frozenset({one.number}))
            case _:
                found |= Signs(concepts=frozenset({one}))
    return found


@dataclass(frozen=True, slots=True)
class Signed(Generic[T, R]):
    """A check together with its signs."""

    call: Callable[[T], Iterable[R]]
    signs: Signs

    def __call__(self, about: T) -> Iterable[R]:
        """What the check finds."""
        return self.call(about)


def signed(
    *given: Sign,
) -> Callable[[Callable[[T], Iterable[R]]], Signed[T, R]]:
    """Marks a check: where none of these is, it finds nothing."""
    wanted = signs(*given)
    return lambda call: Signed(call, wanted)


def signs_of(check: object) -> Signs | None:
    """The signs of a check; None for one that is always asked."""
    return check.signs if isinstance(check, Signed) else None
