"""One pass over a whole text: which of its blocks may have what a rule looks for.

A text has hundreds of blocks, and hardly any of them has a word or sign that a rule knows. The text
is folded, cut into words and searched for each sign once; a rule looks into those blocks alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from reviewdeck.policy.rules.folding import IMITATING, MAY_HIDE, SPREAD, fold
from reviewdeck.policy.rules.views import FoldedText, View, parted
from reviewdeck.policy.rules.vocabulary import Words, vocabulary


@dataclass(frozen=True)
class Sought:
    """What a rule looks for in a block. It does not look into one that has none of it."""

    phrases: tuple[str, ...] = ()
    """The rules under which `patterns.toml` lists its phrases."""
    words: tuple[tuple[str, ...], ...] = ()
    """Classes of words, of which one group is there as a whole."""
    sign: re.Pattern[str] | None = None
    """What is in everything else that it finds, in the folded text."""
    written: re.Pattern[str] | None = None
    """The same in the text as it is written."""
    disguised: bool = False
    """Whether it looks for disguises themselves."""
    unless_parted: bool = False
    """Whether it looks into all of a memory, and of a text of one block."""

    @cached_property
    def needs(self) -> Sequence[int]:
        """The bits of a text with each of them."""
        known = vocabulary()
        phrases = (known.rule_bits(rule) for rule in self.phrases)
        return (*phrases, *(known.bits(*words) for words in self.words))


class Survey:
    """What the blocks of one text may have, and each of them read."""

    def __init__(self, blocks: Sequence[tuple[str, bool]], *, is_memory: bool) -> None:
        """Of each block its text, and whether that is code."""
        self._blocks = blocks
        self._is_memory = is_memory
        self._folded = [fold(text) for text, _ in blocks]
        self._text = "\n".join(text for text, _ in self._folded)
        self._starts = [*accumulate((len(text) + 1 for text, _ in self._folded), initial=0)]
        """Where each block begins in the folded text, and one place behind its end."""
        self._hiding = set(self._having(MAY_HIDE))
        self._hiding.update(at for at in self._having(SPREAD.mark) if not blocks[at][1])
        if not self._text.isascii():
            self._hiding.update(self._having(IMITATING))
        self._readings: dict[int, FoldedText] = {}

    def reading(self, number: int) -> FoldedText:
        """A block folded, with its words."""
        found = self._readings.get(number)
        if found is None:
            view = View(*self._folded[number], self._words[number])
            found = FoldedText(view, self._blocks[number][1], number in self._hiding)
            self._readings[number] = found
        return found

    def with_any_of(self, sought: Sought) -> Sequence[int]:
        """The numbers of the blocks that may have what is sought."""
        if sought.unless_parted and (self._is_memory or len(self._blocks) == 1):
            return range(len(self._blocks))
        needs = sought.needs
        found = {at for at, bits in self._bits for need in needs if bits & need == need}
        if (sign := sought.sign) is not None:
            found.update(self._having(sign))
        if sought.disguised:
            found |= self._hiding
        elif sign is not None:
            for at in self._hiding - found:
                if any(sign.search(view.text) for view in self.reading(at).views[1:]):
                    found.add(at)
        if (written := sought.written) is not None:
            found.update(at for at, (text, _) in enumerate(self._blocks) if written.search(text))
        return sorted(found)

    def _having(self, sign: re.Pattern[str]) -> Iterator[int]:
        """The blocks with a sign in their plain view: it does not reach into the next one."""
        text, at = self._text, 0
        while match := sign.search(text, at):
            number = bisect_right(self._starts, match.start()) - 1
            at = self._starts[number + 1]
            if match.end() < at or sign.search(text, match.start(), at - 1):
                yield number

    @cached_property
    def _words(self) -> Sequence[Words]:
        """The words of each block."""
        known, text = vocabulary(), parted(self._text)
        triggers = known.triggers(set(text.split()))
        unspaced = self._text if known.unspaced_in(self._text) else ""
        return [
            known.words(text[start : end - 1].split(" "), triggers, unspaced[start : end - 1])
            for start, end in pairwise(self._starts)
        ]

    @cached_property
    def _bits(self) -> Sequence[tuple[int, int]]:
        """The blocks with words of a class or a phrase, and a bit for each of these."""
        found: list[tuple[int, int]] = []
        possible = vocabulary().possible
        for number, words in enumerate(self._words):
            bits = words.bits
            if number in self._hiding:
                for view in self.reading(number).views:
                    bits |= view.bits | possible(view.bits, self._is_memory).rules
            elif bits:
                bits |= possible(bits, self._is_memory).rules
            if bits:
                found.append((number, bits))
        return found
