"""Signs that rules of prose look for: words that stand together, and what follows a word."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from reviewdeck.policy.rules.folding import FoldedText, Mention, bit_of, needed_bits
from reviewdeck.policy.rules.lexicon import Tag
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit

CODE: Final = re.compile(
    r"[={}\\;$]|\w[(\[]|[)\]][.(]|\w\.\w|[\"'`]\s?:|:\s?[\"'`\[{]|::|[-=]>|(?<![\w.])/\w|</?\w"
    r"|\n[^\S\n]*\n"
)
"""What stands between words of code, and not between words of a sentence."""
STOP: Final = re.compile(rf"{CODE.pattern}|[.,:;!?()|—–。，、；：！？]|\s-\s")
"""What parts the words of a sentence, or ends it."""


@dataclass(frozen=True, slots=True)
class Together:
    """Words of several tags close together in one clause, and what they mean."""

    message: str
    tags: tuple[Tag, ...]
    within: int = 10
    """Words from the first to the last."""
    in_order: bool = False
    unless_negated: bool = False
    """Whether `never`, just before it, turns it into good advice."""
    is_order: bool = False
    """Whether it counts only where an order begins."""
    memory_only: bool = False
    joined: re.Pattern[str] | None = None
    """What may not stand between them."""

    def mentions(self, view: FoldedText, *, is_code: bool = False) -> Iterator[Mention]:
        """Every place where they stand so."""
        joined = self.joined or (CODE if is_code else None)
        for mention in view.together(self.tags, self.within, in_order=self.in_order, joined=joined):
            if self.is_order and not view.begins_order(mention):
                continue
            if not (self.unless_negated and view.is_negated(mention)):
                yield mention


@dataclass(frozen=True, slots=True)
class After:
    """One of these words with what follows it. A space in the pattern is any white space."""

    message: str
    words: frozenset[str]
    pattern: str
    memory_only: bool = False

    def mentions(self, view: FoldedText, *, is_code: bool = False) -> Iterator[Mention]:
        """Every place where they stand so."""
        pattern = compiled(self.pattern)
        for mention in view.mentions_of(self.words):
            if match := pattern.match(view.text, mention.end):
                yield mention._replace(end=match.end())


Sign: TypeAlias = Together | After


def after(message: str, words: str, pattern: str, *, memory_only: bool = False) -> After:
    """A sign, with its words as one string."""
    return After(message, frozenset(words.split()), pattern, memory_only)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when a text first has a word in front of it."""
    return re.compile(pattern.replace(" ", r"\s+"))


class Signs:
    """Several signs. The words of a text say which of them can stand there: mostly none."""

    def __init__(self, *signs: Sign) -> None:
        self._signs = [
            (needed_bits(sign.tags) if isinstance(sign, Together) else bit_of(sign.words), sign)
            for sign in signs
        ]

    def may_stand_in(self, mask: int) -> bool:
        """Whether a text with these bits may have one of them."""
        return any(mask & needed == needed for needed, _ in self._signs)

    def mentions(
        self, view: FoldedText, *, is_code: bool = False, is_memory: bool = True
    ) -> Iterator[tuple[Sign, Mention]]:
        """Every place in a view where one of them stands."""
        mask = view.mask
        for needed, sign in self._signs:
            if mask & needed == needed and (is_memory or not sign.memory_only):
                for mention in sign.mentions(view, is_code=is_code):
                    yield sign, mention

    def hits(self, piece: AddedText) -> Iterator[Hit]:
        """Every place in any view of a text where one of them stands."""
        for view in piece.reading.views:
            is_memory = piece.place is Destination.MEMORY
            for sign, mention in self.mentions(view, is_code=piece.is_code, is_memory=is_memory):
                yield Hit(sign.message, piece, *view.span(mention.start, mention.end))


def is_near(
    view: FoldedText, mention: Mention, places: Sequence[int], *, before: int, after: int
) -> bool:
    """Whether one of these places stands so close, and in the same clause."""
    first = bisect_left(places, mention.start - before)
    near = (place for place in places[first : first + 8] if place <= mention.end + after)
    return any(view.is_one_clause(mention.start, place) for place in near)
