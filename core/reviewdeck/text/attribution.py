"""Which of many texts a sentence may come from, by the telling words that they share.

Shared words are evidence and no proof: a model writes many words by itself.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from heapq import nlargest
from itertools import chain
from typing import Final

from reviewdeck.text.languages import Language, is_german
from reviewdeck.text.terms import FILLERS, LONGEST, roots, stem, telling, weight, words_of
from reviewdeck.values import dataclass

LEAST: Final = 3.0
"""Least weight of the shared words, unless they are all that a text or the question tells."""
_LEAST_SHARE: Final = 0.12
"""Least share of what both texts tell that the shared words have, from 0 to 1."""
MOST: Final = 10
"""Texts that are reported."""
_SHOWN: Final = 8
"""Shared words that are named."""
_NEAREST: Final = 4
"""Sentences of a long text that are compared with one other text."""
_MOST_ROOTS: Final = 60
"""Of more roots than this, a longer text has nearly always one."""
_ENDS: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|[\r\n]+")


@dataclass(frozen=True, slots=True)
class Attribution:
    """One text that a sentence may come from."""

    index: int
    """Among the texts."""
    score: float
    """0 to 100: how much of what both tell they share; 100 where one has the other word for word.
    """
    words: tuple[str, ...]
    """The shared words as the sentence has them, the most telling first."""
    own_words: tuple[str, ...] = ()
    """The same as the text has them, in the same order."""
    is_verbatim: bool = False
    """Whether one of them has the other word for word."""


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, none of them blank."""
    return [part for part in (piece.strip() for piece in _ENDS.split(text)) if part]


def attribute(text: str, texts: Sequence[str], most: int = MOST) -> list[Attribution]:
    """The texts that a sentence of this one may come from, the likeliest first.

    Linear in the length of both. A word counts for less the more of the texts have it.
    """
    reader = _Reader(text)
    words = {at: words_of(each) for at, each in enumerate(texts) if reader.may_share(each)}
    matching = reader.matching(set(chain.from_iterable(words.values())))
    found = [at for at, each in words.items() if not matching.isdisjoint(each)]
    rarity = reader.rarity([words[at] for at in found], len(texts))
    scored = (reader.score(at, words[at], rarity) for at in found)
    ranked = [each for each in scored if each is not None]
    return nlargest(most, ranked, key=lambda each: (each.is_verbatim, each.score, -each.index))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of the text that is looked for."""

    terms: frozenset[str]
    words: Mapping[str, str]
    """The first word that tells each of the terms."""
    line: str
    """Its words in one line, with a space at either end."""


class _Reader:
    """A text whose sentences are looked for in others, read once."""

    def __init__(self, text: str) -> None:
        language = Language.GERMAN if is_german(words_of(text)) else Language.ENGLISH
        self._language = language
        self.terms = cache(self._terms)
        read = (self._sentence(each) for each in dict.fromkeys(sentences(text)))
        self._sentences = [each for each in read if each.terms]
        self._with: dict[str, list[int]] = {}
        for number, each in enumerate(self._sentences):
            for term in each.terms:
                self._with.setdefault(term, []).append(number)
        letters = roots(self._with)
        is_useful = language is Language.ENGLISH and len(letters) <= _MOST_ROOTS
        self._roots = letters if is_useful else None

    def _terms(self, word: str) -> tuple[str, ...]:
        return () if word in FILLERS else telling({stem(word[:LONGEST], self._language): word})

    def _sentence(self, text: str) -> _Sentence:
        told: dict[str, str] = {}
        words = words_of(text)
        for word in words:
            for term in self.terms(word):
                told.setdefault(term, word)
        return _Sentence(frozenset(told), told, _line(words))

    def may_share(self, text: str) -> bool:
        """Whether a text or a word may share a term: letters are found faster than words."""
        if self._roots is None or not text.isascii():
            return True
        folded = text.lower()
        return any(root in folded for root in self._roots)

    def matching(self, words: Iterable[str]) -> frozenset[str]:
        """The words that tell what any sentence tells."""
        known = self._with.keys()
        likely = filter(self.may_share, words)
        return frozenset(word for word in likely if not known.isdisjoint(self.terms(word)))

    def rarity(self, found: Sequence[Sequence[str]], amount: int) -> Mapping[str, float]:
        """How much each term counts, 0 to 1: a term of one text counts whole."""
        texts = Counter(chain.from_iterable(map(self._told, found)))
        whole = math.log1p(amount)
        return {term: math.log1p(amount / count) / whole for term, count in texts.items()}

    def _told(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(chain.from_iterable(map(self.terms, words)))

    def score(
        self, index: int, words: Sequence[str], rarity: Mapping[str, float]
    ) -> Attribution | None:
        """How much of a text the best sentence shares; None where that tells nothing."""
        own, line = self._told(words), _line(words)
        own_weight = sum(map(weight, own))
        best: tuple[bool, float, int] | None = None
        for number in self._nearest(own, rarity):
            sentence = self._sentences[number]
            common = sentence.terms & own
            least = min(LEAST, own_weight)
            if len(self._sentences) == 1:  # Who asks about one word wants to know about it.
                least = min(least, sum(map(weight, sentence.terms)))
            if sum(map(weight, common)) < least:
                continue
            is_verbatim = line in sentence.line or sentence.line in line
            told, theirs, both = (_sum(each, rarity) for each in (sentence.terms, own, common))
            share = both / math.sqrt(told * theirs)
            if is_verbatim or share >= _LEAST_SHARE:
                best = max(best or (False, 0.0, number), (is_verbatim, share, number))
        if best is None:
            return None
        is_verbatim, share, number = best
        named = sorted(
            self._sentences[number].terms & own,
            key=lambda term: (-weight(term) * rarity.get(term, 1.0), term),
        )
        said = self._sentences[number].words
        theirs_by_term = {term: word for word in reversed(words) for term in self.terms(word)}
        pairs = {said[term]: theirs_by_term[term] for term in reversed(named)}
        shown = [*pairs.items()][::-1][:_SHOWN]
        score = 100.0 if is_verbatim else min(99.0, 100.0 * share)
        return Attribution(
            index,
            score,
            tuple(word for word, _ in shown),
            tuple(word for _, word in shown),
            is_verbatim,
        )

    def _nearest(self, own: Iterable[str], rarity: Mapping[str, float]) -> list[int]:
        """The sentences that share most with a text: of a long text few are worth a look."""
        shares: dict[int, float] = {}
        for term in own:
            value = weight(term) * rarity.get(term, 1.0)
            for number in self._with.get(term, ()):
                shares[number] = shares.get(number, 0.0) + value
        return nlargest(_NEAREST, shares, key=lambda number: (shares[number], -number))


def _sum(terms: Iterable[str], rarity: Mapping[str, float]) -> float:
    return sum(weight(term) * rarity.get(term, 1.0) for term in terms)


def _line(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "
