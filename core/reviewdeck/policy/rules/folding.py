"""A text as the rules read it: folded, with a way back to its characters, and its disguises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

_UNSEEN: Final = frozenset({"Cf", "Cc", "Cs", "Mn", "Me"})
_ODD: Final = re.compile(r"([^\t\n -~]+)")
_LINE_ENDS: Final = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

Offsets: TypeAlias = Callable[[], Sequence[int]]
"""Finds for each character of a folded text its place in the original one."""


@dataclass(frozen=True, slots=True, eq=False)
class Disguise:
    """A way in which words are hidden: a pattern, and one of which a part is in every match."""

    pattern: re.Pattern[str]
    mark: re.Pattern[str]
    is_word: bool = False
    """Whether no match has a blank: then it is looked for only in words with its mark."""

    def matches(self, text: str) -> Sequence[re.Match[str]]:
        """All matches in a text."""
        if self.is_word:
            return tuple(in_words(self.pattern, self.mark, text))
        return tuple(self.pattern.finditer(text)) if self.mark.search(text) else ()


_TO_BLANK: Final = re.compile(r"\S*")
_CLOSE: Final = 16
_WORD: Final = 128
"""Characters of words that are not read one by one."""


def in_words(pattern: re.Pattern[str], sign: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern without blanks, which is tried only around what all of them have."""
    done = further = 0
    while match := sign.search(text, done):
        # Where one such word follows the other, more and more of them are taken at once.
        further = 2 * further + _WORD if match.start() < done + _CLOSE else 0
        start = _start_of_word(text, done, match.start())
        blank = _TO_BLANK.match(text, min(match.end() + further, len(text)))
        done = blank.end() if blank else len(text)
        yield from pattern.finditer(text, start, done)


def _start_of_word(text: str, first: int, at: int) -> int:
    """Where the word begins that goes on at a place, and no further back than `first`."""
    before = text[max(first, at - _WORD) : at]
    if not before or before[-1].isspace():
        return at
    last = len(before.rsplit(None, 1)[-1])
    at -= last
    if last == len(before):
        while at > first and not text[at - 1].isspace():
            at -= 1
    return at


IMITATIONS: Final = str.maketrans(
    "авеікмнорсстухгԁјѕԛԝһӏαβεικνορτυχγηω", "abeikmhopcctyxrdjsqwhlabeikvoptuxyhw"
)
"""Cyrillic and Greek letters, and the Latin letter that each one looks like."""
IMITATING: Final = re.compile("[\u0370-\u03ff\u0400-\u052f]")
DIGITS: Final = str.maketrans("013457@$!|", "oieastasil")
DIGIT_INSIDE: Final = Disguise(
    re.compile(
        r"(?<![\w.\-/+@#:$])(?=[a-z@$]{0,20}[013457@$])(?=[0-9@$]{0,20}[a-z])[a-z0-9@$!|]{3,30}"
        r"(?![\w@]|\.\w)"
    ),
    re.compile(r"[0-9@$](?:(?<=[a-z@$].)|(?=[a-z@$]))"),
    is_word=True,
)
SPREAD: Final = Disguise(
    re.compile(r"[^\W\d_](?<![^\W_].)(?:[ .\-*_|/~+\t]{1,3}[^\W\d_](?![^\W_])){4,}"),
    re.compile(r"[ .\-*_|/~+\t][^\W\d_](?:[ .\-*_|/~+\t]{1,3}[^\W\d_](?![^\W_])){2}"),
)
"""A word with its letters apart."""
SPLIT: Final = Disguise(
    re.compile(
        r"(?:[*_`~\u00b7](?<=[^\W\d_].)[*_`~\u00b7]{0,3}"
        r"|<(?<=[^\W\d_].)[^<>\n]{0,40}>(?:<[^<>\n]{0,40}>)*)(?=[^\W\d_])"
    ),
    re.compile(
        r"[*_`~\u00b7<](?:(?<=[^\W\d_][*_`~\u00b7])[*_`~\u00b7]{0,3}[^\W\d_]|(?<=[^\W\d_]<))"
    ),
)
"""Marks inside of a word."""
CODES: Final = Disguise(
    re.compile(
        r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]{2,6});|&#([0-9]{2,7});",
        re.I,
    ),
    re.compile(r"[\\%&][0-9a-fxu#]", re.I),
)
"""Letters written as codes."""
MAY_HIDE: Final = re.compile(
    r"[\\%&0-9@$*_`~\u00b7<](?:(?<=[\\%&])[0-9a-fxu#]|(?<=[0-9@$])(?:(?<=[a-z@$].)|(?=[a-z@$]))"
    r"|(?<=[^\W\d_][*_`~\u00b7])[*_`~\u00b7]{0,3}[^\W\d_]|(?<=[^\W\d_]<))"
)
"""What is in every folded text with letters as codes, or digits or marks inside of a word."""


@lru_cache(maxsize=1)  # Most memories are one block, of which more than one rule asks.
def fold(text: str) -> tuple[str, Offsets | None]:
    """A text in lower case and compatible forms, without accents and what shows nothing.

    With it what finds the place of each character, where places moved.
    """
    if text.isascii():
        return text.lower(), None
    parts = _ODD.split(text)  # every other one has letters and signs of ASCII alone
    odd = ["".join(map(_folded, part)) for part in parts[1::2]]
    is_longer = [len(_folded(character)) != 1 for character in set("".join(parts[1::2]))]
    parts[::2] = [part.lower() for part in parts[::2]]
    parts[1::2] = odd
    return "".join(parts), None if not any(is_longer) else lambda: [
        index for index, character in enumerate(text) for _ in _folded(character)
    ]


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    if character in _LINE_ENDS:
        return "\n"
    if character in "\n\t":
        return character
    plain = unicodedata.normalize("NFKD", character)
    seen = "".join(part for part in plain if unicodedata.category(part) not in _UNSEEN)
    return seen.casefold().replace("ı", "i").replace("ł", "l").replace("ø", "o")


def without_spread(match: re.Match[str]) -> str:
    """The letters that stand apart, as one word."""
    return "".join(filter(str.isalpha, match.group()))


def decoded(match: re.Match[str]) -> str:
    """The letter that a code stands for."""
    *hexadecimal, decimal = match.groups()
    digits = next(filter(None, hexadecimal), None)
    number = int(digits, 16) if digits else int(decimal)
    is_character = 0x20 <= number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number).lower() if is_character else " "
