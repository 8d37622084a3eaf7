"""Patterns that are asked only where they may match: all of them are looked for at once first.

RE2 looks at once for the words that have to be there for a pattern to match (`FilteredRE2`), most
texts hold nearly none of them, and what is left is asked pattern by pattern. What RE2 looks for is
always at least what the pattern itself finds: case is ignored, counted gaps are open, and what has
to stand around a match is left out. So a pattern that is passed over would have found nothing.

In a long text, only words are looked for: those of all patterns are found in one pass that no text
makes slow. So it is with a text that the two engines read differently (anything but plain ASCII):
what they differ about is none of those words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Protocol, cast

from reviewdeck.policy.loosening import loosened, wording

LONGEST: Final = 4_000
"""Characters of a text in which whole patterns are looked for. RE2 may be slow where a text begins
many matches."""

_MEMORY = 32 << 20
"""Bytes that a pattern may take."""

_OTHERWISE = re.compile(r"[^\n\t\r\x20-\x7e]")
_LETTERS = str.maketrans(
    "\u0130\u0131\u017f\u212a\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86\u1c87",
    "iisk\u0432\u0434\u043e\u0441\u0442\u0442\u044a\u0463",
)
"""What Python takes for these letters where case is ignored; RE2 need not."""
_CASED = re.compile(
    r"[^\W\d_\x00-\x7f\u0430-\u045f\u0590-\u109f\u1100-\u139f\u1780-\u17ff\u3040-\ud7af]"
)
"""A letter beyond ASCII that both engines may not take for the same in another case."""
_NONE: Iterator[re.Match[str]] = iter(())


class Screened:
    """A pattern, as `re.compile` gives it, that is asked only where it may match."""

    __slots__ = ("_find", "_search", "number", "plain")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.plain = re.compile(source, flags)
        self.number = self._enter()
        self._find, self._search = self.plain.finditer, self.plain.search

    def _enter(self) -> int:
        return _SCREEN.add(self.plain)

    @property
    def pattern(self) -> str:
        """As it is written."""
        return self.plain.pattern

    def may_match(self, text: str) -> bool:
        """Whether it may match anywhere in this text."""
        return self.number in may_match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every place where it matches."""
        return self._find(text) if self.may_match(text) else _NONE

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where it matches."""
        return self._search(text) if self.may_match(text) else None


class Worded(Screened):
    """A pattern of which only words are looked for, however short the text is.

    For those that few proposals are asked: what is looked for whole takes longer with each.
    """

    __slots__ = ()

    def _enter(self) -> int:
        return _WORDS.add(self.plain)

    def may_match(self, text: str) -> bool:
        """Whether it may match anywhere in this text."""
        return self.number in by_words(text)


class Group:
    """Several patterns that are looked for together."""

    def __init__(self, patterns: Iterable[Screened]) -> None:
        self._patterns = tuple(patterns)
        self.numbers = frozenset(one.number for one in self._patterns)

    def asked(self, text: str) -> Sequence[Screened]:
        """Those of them that may match."""
        possible = may_match(text)
        if self.numbers.isdisjoint(possible):
            return ()
        return [one for one in self._patterns if one.number in possible]


def screened(source: str, flags: int = 0) -> Screened:
    """A pattern of a rule."""
    return Screened(source, flags)


def worded(source: str, flags: int = 0) -> Worded:
    """A pattern of a rule that few proposals are asked."""
    return Worded(source, flags)


@lru_cache(maxsize=64)
def may_match(text: str) -> AbstractSet[int]:
    """The numbers of the screened patterns that may match a text."""
    if len(text) > LONGEST or _OTHERWISE.search(text):
        return by_words(text)
    return _may_match(text.lower())


@lru_cache(maxsize=64)
def _may_match(lowered: str) -> AbstractSet[int]:
    """A text is screened as it is and folded, and in lower case that is the same."""
    return _SCREEN.look(lowered)


@lru_cache(maxsize=64)
def by_words(text: str) -> AbstractSet[int]:
    """The numbers of the patterns whose words are in a text, of all there are."""
    if text.isascii():
        return _by_words(text.lower())
    return _by_words(text.translate(_LETTERS).lower())


@lru_cache(maxsize=64)
def _by_words(lowered: str) -> AbstractSet[int]:
    return _WORDS.look(lowered)


def patterns() -> dict[int, re.Pattern[str]]:
    """The patterns that are looked for whole, by their numbers."""
    return {number: _WORDS.patterns[number] for number in _SCREEN.numbers}


def all_patterns() -> dict[int, re.Pattern[str]]:
    """Every pattern by its number."""
    return dict(enumerate(_WORDS.patterns))


class _Filter(Protocol):
    def Add(self, pattern: str, options: object) -> int: ...
    def Compile(self) -> None: ...
    def Match(self, text: bytes, potential: bool) -> list[int] | None: ...


class _Words:
    """The words of all patterns, looked for at once."""

    def __init__(self) -> None:
        self.patterns: list[re.Pattern[str]] = []
        self._filter: _Filter | None = None
        self._foreign: frozenset[int] = frozenset()

    def add(self, pattern: re.Pattern[str]) -> int:
        self.patterns.append(pattern)
        self._filter = None
        by_words.cache_clear()
        _by_words.cache_clear()
        return len(self.patterns) - 1

    def look(self, text: str) -> AbstractSet[int]:
        looked_for = self._filter or self._build()
        found = looked_for.Match(text.encode("utf-8", "replace"), True)
        possible = frozenset(found or ())
        # Which letters are the same in another case is not agreed on beyond ASCII.
        return possible if text.isascii() else possible | self._foreign

    def _build(self) -> _Filter:
        self._filter = _filter_of(map(wording, self.patterns))
        self._foreign = frozenset(
            number for number, one in enumerate(self.patterns) if _CASED.search(one.pattern)
        )
        return self._filter


class _Screen:
    """Those patterns that are looked for whole: each whose words are there."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._filter: _Filter | None = None

    def add(self, pattern: re.Pattern[str]) -> int:
        self.numbers.append(_WORDS.add(pattern))
        self._filter = None
        may_match.cache_clear()
        _may_match.cache_clear()
        return self.numbers[-1]

    def look(self, text: str) -> AbstractSet[int]:
        found = (self._filter or self._build()).Match(text.encode("utf-8", "replace"), False)
        return frozenset(map(self.numbers.__getitem__, found or ()))

    def _build(self) -> _Filter:
        self._filter = _filter_of(loosened(_WORDS.patterns[number]) for number in self.numbers)
        return self._filter


def _filter_of(patterns: Iterable[str]) -> _Filter:
    """What RE2 cannot read is taken to match everywhere."""
    import re2  # type: ignore[import-untyped]  # it ships no types

    built = cast("_Filter", re2.Filter())
    for pattern in patterns:
        try:
            built.Add(pattern, _options())
        except re2.error:
            built.Add("", _options())
    built.Compile()
    return built


def _options() -> object:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return options


_WORDS, _SCREEN = _Words(), _Screen()
