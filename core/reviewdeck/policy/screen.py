"""Patterns that are asked only where they may match: all of them are looked for at once first.

RE2 goes over a text once for every pattern of the policy together, and most texts hold none of
them. What RE2 looks for is always at least what the pattern itself finds: case is ignored, counted
gaps are open, and what has to stand around a match is left out. So a pattern that is passed over
would have found nothing, and a text that RE2 reads otherwise than Python (anything but plain
ASCII) is not screened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Protocol, cast

LONGEST: Final = 4_000
"""Characters of a text that is screened. RE2 may be slow where a text begins many matches."""

_MEMORY = 32 << 20
"""Bytes that the set of all patterns may take."""

_OTHERWISE = re.compile(r"[^\n\t\r\x20-\x7e]")
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_LETTER, _ESCAPED = re.compile("[A-Za-z]"), re.compile(r"\\.")
_MOST = 3
"""A count from here on is left open."""

_FLAGS = ((re.MULTILINE, "m"), (re.DOTALL, "s"))
_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_NONE: Iterator[re.Match[str]] = iter(())


class Screened:
    """A pattern, as `re.compile` gives it, that is asked only where it may match."""

    __slots__ = ("_find", "_search", "number", "plain")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.plain = re.compile(source, flags)
        self.number = _SCREEN.add(self.plain)
        self._find, self._search = self.plain.finditer, self.plain.search

    @property
    def pattern(self) -> str:
        """As it is written."""
        return self.plain.pattern

    def may_match(self, text: str) -> bool:
        """Whether it may match anywhere in this text."""
        possible = may_match(text)
        return possible is None or self.number in possible

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every place where it matches."""
        possible = may_match(text)
        return self._find(text) if possible is None or self.number in possible else _NONE

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where it matches."""
        possible = may_match(text)
        return self._search(text) if possible is None or self.number in possible else None


class Group:
    """Several patterns that are looked for together."""

    def __init__(self, patterns: Iterable[Screened]) -> None:
        self._patterns = tuple(patterns)
        self._numbers = frozenset(one.number for one in self._patterns)

    def asked(self, text: str) -> Sequence[Screened]:
        """Those of them that may match."""
        possible = may_match(text)
        if possible is None:
            return self._patterns
        if self._numbers.isdisjoint(possible):
            return ()
        return [one for one in self._patterns if one.number in possible]


def screened(source: str, flags: int = 0) -> Screened:
    """A pattern of a rule."""
    return Screened(source, flags)


@lru_cache(maxsize=64)
def may_match(text: str) -> AbstractSet[int] | None:
    """The numbers of the patterns that may match a text; None when each has to be asked."""
    if len(text) > LONGEST or _OTHERWISE.search(text):
        return None
    return _may_match(text.lower())


@lru_cache(maxsize=64)
def _may_match(lowered: str) -> AbstractSet[int] | None:
    """A text is screened as it is and folded, and in lower case that is the same."""
    return _SCREEN.look(lowered)


def patterns() -> tuple[re.Pattern[str], ...]:
    """Every pattern that is screened; the numbers begin with 1."""
    return _SCREEN.patterns


class _Set(Protocol):
    def Add(self, pattern: str) -> int: ...
    def Compile(self) -> None: ...
    def Match(self, text: str) -> list[int]: ...


class _Screen:
    """All patterns, looked for at once."""

    def __init__(self) -> None:
        self.patterns: tuple[re.Pattern[str], ...] = ()
        self._set: _Set | None = None

    def add(self, pattern: re.Pattern[str]) -> int:
        self.patterns += (pattern,)
        self._set = None
        may_match.cache_clear()
        _may_match.cache_clear()
        return len(self.patterns)

    def look(self, text: str) -> AbstractSet[int] | None:
        found = (self._set or self._build()).Match(text)
        # The first one is empty and matches everything: without it, RE2 ran out of memory.
        return frozenset(found) if 0 in found else None

    def _build(self) -> _Set:
        import re2  # type: ignore[import-untyped]  # it ships no types

        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY
        built = cast("_Set", re2.Set.SearchSet(options))
        built.Add("")
        for pattern in self.patterns:
            try:
                built.Add(loosened(pattern))
            except re2.error:
                built.Add("")
        built.Compile()
        self._set = built
        return built


_SCREEN = _Screen()


def loosened(pattern: re.Pattern[str]) -> str:
    """What RE2 looks for in the place of a pattern: everything that it finds, and more."""
    flags = "".join(letter for flag, letter in _FLAGS if pattern.flags & flag)
    return f"(?i{flags})" + "".join(_loosened(pattern.pattern))


def _loosened(source: str) -> Iterator[str]:
    at = 0
    while at < len(source):
        count = _COUNT.match(source, at)
        if source[at] == "\\":
            yield "" if source[at + 1] == "Z" else source[at : at + 2]
            at += 2
        elif source[at] == "[":
            end = _class_end(source, at)
            yield _any_case(source[at:end])
            at = end
        elif source.startswith(_AROUND, at):
            at = _group_end(source, at)
        elif count:
            yield _open(count)
            at = count.end()
        else:
            yield "" if source[at] == "$" else source[at]
            at += 1


def _any_case(characters: str) -> str:
    """A class. In lower case, one that leaves letters out leaves out too much."""
    is_wide = characters.startswith("[^") and _LETTER.search(_ESCAPED.sub("", characters))
    return r"(?s:.)" if is_wide else characters


def _open(count: re.Match[str]) -> str:
    least, most = int(count[1] or 0), count[3] if count[2] else count[1]
    if most and int(most) <= _MOST:
        return count[0]
    return ("*", "+")[least] if least < 2 else f"{{{min(least, _MOST)},}}"


def _class_end(source: str, at: int) -> int:
    at += 2 if source[at + 1] == "^" else 1
    at += source[at] == "]"
    while source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1


def _group_end(source: str, at: int) -> int:
    depth = 0
    while True:
        if source[at] == "\\":
            at += 1
        elif source[at] == "[":
            at = _class_end(source, at) - 1
        else:
            depth += (source[at] == "(") - (source[at] == ")")
        at += 1
        if not depth:
            return at
