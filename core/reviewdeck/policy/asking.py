"""Which rules may have something to say of a proposal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from reviewdeck.model import MemoryAdd, MemoryRemove, MemoryReplace, Ready
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.rule import InText, Piece, Place, Rule, Subject
from reviewdeck.policy.screen import may_match
from reviewdeck.policy.signs import Signs, Trait, signs_of

_OF_MEMORY = (MemoryAdd, MemoryReplace, MemoryRemove)

Chooser: TypeAlias = Callable[[Subject], Sequence[int]]
"""Gives the places of the rules that have to be asked, in their order."""


def chooser(rules: Sequence[Rule]) -> Chooser:
    """Tells which of these rules have to be asked: the others would find nothing."""
    every = range(len(rules))
    of_place = {place: _Index(rules, place) for place in Place}

    def choose(subject: Subject) -> Sequence[int]:
        # A text of several parts, or one that is shortened for some rules, is rare.
        if len(subject.edits) != 1 or len(subject.pieces) != 1 or subject.brief is not subject:
            return every
        (piece,) = subject.pieces
        return sorted(of_place[piece.place].asked(piece, subject))

    return choose


class _Index:
    """The rules that look at texts of one place, by what has to be there for them to speak."""

    def __init__(self, rules: Sequence[Rule], place: Place) -> None:
        self._always: set[int] = set()
        self._of_concept = defaultdict[Concept, list[tuple[frozenset[Concept], int]]](list)
        self._of_pattern = defaultdict[int, list[int]](list)
        self._of_trait = defaultdict[Trait, list[int]](list)
        for number, rule in enumerate(rules):
            check = rule.check
            if isinstance(check, InText):
                if place in check.places:
                    self._add(number, check.signs)
            else:
                self._add(number, signs_of(check))

    def asked(self, piece: Piece, subject: Subject) -> set[int]:
        """The numbers of the rules to ask about one text."""
        found = set(self._always)
        mentions = piece.reading.mentions
        for concept in mentions:
            for others, number in self._of_concept.get(concept, ()):
                if others <= mentions.keys():
                    found.add(number)
        for trait in _traits(piece, subject):
            found.update(self._of_trait.get(trait, ()))
        for text in {piece.text, *piece.reading.variants}:
            for pattern in may_match(text):
                found.update(self._of_pattern.get(pattern, ()))
        return found

    def _add(self, number: int, signs: Signs | None) -> None:
        if signs is None:
            self._always.add(number)
            return
        for first, *others in signs.concepts:
            self._of_concept[first].append((frozenset(others), number))
        for pattern in signs.patterns:
            self._of_pattern[pattern].append(number)
        for trait in signs.traits:
            self._of_trait[trait].append(number)


def _traits(piece: Piece, subject: Subject) -> Iterator[Trait]:
    if not (piece.text.isascii() and piece.text.isprintable()):
        yield Trait.UNUSUAL
    if subject.alike:
        yield Trait.ALIKE
    if subject.noticed:
        yield Trait.NOTICED
    if not isinstance(subject.outcome, Ready):
        yield Trait.UNREADY
    if not isinstance(subject.edits[0], _OF_MEMORY):
        yield Trait.SKILL
