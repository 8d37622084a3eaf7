"""How much a text reads like texts that were written to do harm: a linear model, a second opinion.

Word lists know the words that somebody thought of. This weighs all words of a text, pairs of them,
parts and beginnings of them and the concepts that they name, by weights that were learnt from many
honest and hostile texts (`benchmarks/policy_weights.py` learns them from the corpora of the tests).
It is only ever a reason to hold. Features are hashed to places of a table, as in Weinberger et al.,
Feature Hashing for Large Scale Multitask Learning (2009), so that the table stays small.
"""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import exp, sqrt
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from reviewdeck.policy.reading import Reading

PLACES = 1 << 20
"""Weights of one table."""
LONGEST = 4_000
"""Characters of a memory text that are weighed; what is longer is held for its length."""
_TABLES = "weights.bin"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"[^\n.!?;。！？]+(?:[.!?;](?!\s|$)[^\n.!?;。！？]*)*")
_FRONT = re.compile(r"\A---[ \t]*\n.*?^description:(?P<said>[^\n]*)\n.*?^---[ \t]*$", re.S | re.M)
_ADDRESS = re.compile(
    r"https?://\S{1,400}|(?<!\S)\S{0,80}\w@\w\S{0,80}|(?<![\w-])\w[\w-]{0,60}(?:\.\w[\w-]{0,60}){1,8}"
)
_MAYBE = re.compile(r"://|@|\.\w")
"""What every address has something of."""
_DAMPED = 3
"""So that the few words of a short text do not weigh as much as all of a long one."""
_UNSPACED_ON = 0x2E00
_PART = zlib.crc32(b"c:")
"""The sum of a part of a word goes on from here."""
_STEM = 6
"""Letters of a word that its forms have in common."""
_FEWEST = 3
"""Characters of a sentence that is worth weighing."""


class Table(StrEnum):
    """What a table of weights was learnt from."""

    MEMORY = "memory texts"
    PASSING = "memory texts that hold for a day"
    SENTENCE = "sentences of skills"
    SKILL = "skills as a whole"


@dataclass(frozen=True, slots=True)
class Weights:
    """One table: what each place weighs, and what every text begins with."""

    bias: float
    unit: float
    """What a weight of one stands for."""
    table: Sequence[int]
    filled: float = 0.0
    """The share of places that weigh anything."""


Kind: TypeAlias = AbstractSet[int]
"""Features of one kind: their places in a table."""
Said: TypeAlias = tuple[Kind, ...]
"""What is said of a text: words, pairs of words, parts of words, beginnings of words, concepts, how
it is written."""
_PARTS = 2


def margin(said: Said, weights: Weights) -> float:
    """How far a text lies on the hostile side; below nought it reads like an honest one.

    Each kind of feature is scaled by the root of how many there are, so that long texts do not
    weigh more than short ones.
    """
    total = 0.0
    for kind in said:
        total += sum(_weights_of(kind, weights)) * scale(kind)
    return weights.bias + weights.unit * total


def _weights_of(kind: Kind, weights: Weights) -> Sequence[int]:
    if len(kind) > 1:
        return itemgetter(*kind)(weights.table)  # type: ignore[no-any-return]  # a tuple of them
    return [weights.table[place] for place in kind]


def unmarked(said: Said) -> Said:
    """The same without how it is written: of a skill, that says nothing."""
    return said[:-1]


def familiar(said: Said, weights: Weights) -> float:
    """How much of a text's words is known: 1 all of it, about nought none, as in a cipher.

    Places of the table are shared, so that some of what is not known seems to be: as many as of
    all places are filled.
    """
    parts = said[_PARTS]
    if not parts:
        return 1.0
    known = 1 - _weights_of(parts, weights).count(0) / len(parts)
    return (known - weights.filled) / (1 - weights.filled)


def scale(kind: Kind) -> float:
    """What each feature of a kind counts."""
    return 1 / sqrt(len(kind) + _DAMPED)


def share(found: float) -> int:
    """A margin as a number from 0 to 100."""
    return round(100 / (1 + exp(-max(-30.0, min(30.0, found)))))


def said_of(reading: Reading, start: int = 0, end: int | None = None) -> Said:
    """What is said of a text, or of one stretch of it."""
    end = len(reading.folded) if end is None else end
    spoken = [_named(found.group()) for found in _words(reading.folded, start, end)]
    known = [_features(word) for word in dict.fromkeys(spoken)]
    parts: set[int] = set()
    parts.update(*[one.parts for one in known])
    return (
        {one.word for one in known},
        {_pair(before, word) for before, word in pairwise(("^", *spoken, "$"))},
        parts,
        {one.stem for one in known},
        {place for place, _ in _concepts(reading, start, end)},
        set(_marks(reading.folded[start:end])),
    )


def heaviest(
    reading: Reading, stretch: tuple[int, int], weights: Weights, most: int = 3
) -> tuple[tuple[int, int], ...]:
    """Where the words stand that speak most for harm, the heaviest first."""
    weight = weights.table.__getitem__
    words, pairs, parts, stems, concepts, _ = map(scale, said_of(reading, *stretch))
    found: dict[str, tuple[float, tuple[int, int]]] = {}
    before = "^"
    for one in _words(reading.folded, *stretch):
        word = _named(one.group())
        known = _features(word)
        own = weight(known.word) * words + weight(known.stem) * stems
        beside = weight(_pair(before, word)) * pairs + sum(map(weight, known.parts)) * parts
        found.setdefault(word, (own + beside, one.span()))
        before = word
    named = [(weight(place) * concepts, span) for place, span in _concepts(reading, *stretch)]
    ordered = sorted(one for one in (*found.values(), *named) if one[0] > 0)
    return tuple(dict.fromkeys(span for _, span in reversed(ordered[-most:])))


def sentences(reading: Reading) -> Iterator[tuple[int, int]]:
    """Where the sentences of a folded text stand."""
    for found in _SENTENCE.finditer(reading.folded):
        if len(found.group().strip()) >= _FEWEST:
            yield found.span()


def without_front(reading: Reading) -> tuple[tuple[int, int], ...]:
    """Where the sentences of a skill stand: its description, and what follows the front matter."""
    front = _FRONT.match(reading.folded)
    if front is None:
        return tuple(sentences(reading))
    rest = (span for span in sentences(reading) if span[0] >= front.end())
    return (front.span("said"), *rest)


def _words(folded: str, start: int, end: int) -> list[re.Match[str]]:
    """The words of a stretch, but for those of addresses and file names: other rules know these."""
    if _MAYBE.search(folded, start, end) is None:
        return list(_WORD.finditer(folded, start, end))
    addresses = [found.span() for found in _ADDRESS.finditer(folded, start, end)]
    begins = [span[0] for span in addresses]
    words = []
    for found in _WORD.finditer(folded, start, end):
        before = bisect_right(begins, found.start()) - 1
        if before < 0 or found.start() >= addresses[before][1]:
            words.append(found)
    return words


def _named(word: str) -> str:
    if word.isalpha():  # nearly always
        return word
    return "0" if any(character.isdigit() for character in word) else word


@lru_cache(maxsize=1 << 14)
def _place(feature: str) -> int:
    return zlib.crc32(feature.encode("utf-8", "replace")) & (PLACES - 1)


def _pair(before: str, word: str) -> int:
    # Most pairs are new, so that to remember them takes longer than to work them out.
    return zlib.crc32(f"b:{before} {word}".encode("utf-8", "replace")) & (PLACES - 1)


class _Features(NamedTuple):
    """The places of a word, of its beginning and of its parts."""

    word: int
    stem: int
    parts: tuple[int, ...]


@lru_cache(maxsize=1 << 12)
def _features(word: str) -> _Features:
    return _Features(_place(f"w:{word}"), _place(f"s:{word[:_STEM]}"), _parts(word))


def _parts(word: str) -> tuple[int, ...]:
    """Three to five letters of a word, and one or two of a script that has no spaces."""
    bounded = f"<{word[:40]}>"
    if bounded.isascii():
        return _ascii_parts(bounded.encode())
    parts = {bounded[at : at + n] for n in (3, 4, 5) for at in range(len(bounded) - n + 1)}
    if ord(word[0]) >= _UNSPACED_ON:
        parts |= {word[at : at + n] for n in (1, 2) for at in range(min(len(word), 200) - n + 1)}
    return tuple(sorted({_place(f"c:{part}") for part in parts}))


def _ascii_parts(bounded: bytes) -> tuple[int, ...]:
    """The same where a letter is a byte: nearly always, and no part has to be encoded by itself."""
    crc, begun, mask = zlib.crc32, _PART, PLACES - 1
    last = len(bounded) - 2
    found = {crc(bounded[at : at + 3], begun) & mask for at in range(last)}
    found.update([crc(bounded[at : at + 4], begun) & mask for at in range(last - 1)])
    found.update([crc(bounded[at : at + 5], begun) & mask for at in range(last - 2)])
    return tuple(sorted(found))


def _concepts(reading: Reading, start: int, end: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for concept, mentions in reading.mentions.items():
        first = bisect_left(mentions, start, key=lambda mention: mention.start)
        if first < bisect_right(mentions, end - 1, key=lambda mention: mention.start):
            found = mentions[first]
            yield _place(f"k:{concept.name}"), (found.start, found.end)


_CODE = re.compile(r"`")
_FILE = re.compile(r"\w/\w|\.[a-z]{2,4}\b")
_COUNTED = (
    ("n", re.compile(r"\d+"), 3),
    ("s", re.compile(r"[.!?。！？](?:\s|\Z)"), 4),
)
_SEEN = (
    ("code", _CODE),
    ("file", _FILE),
    ("link", re.compile(r"://")),
    ("colon", re.compile(r":(?:\s|\Z)")),
    ("part", re.compile(r";")),
    ("quote", re.compile(r"[\"“„«「]")),
    ("arrow", re.compile(r"->|→|=>")),
)


def _marks(folded: str) -> Iterator[int]:
    """How a text is written: with code, numbers, names of files; how long; in which letters."""
    for name, pattern in _SEEN:
        if pattern.search(folded):
            yield _place(f"m:{name}")
    for name, pattern, most in _COUNTED:
        yield _place(f"m:{name}{min(most, len(pattern.findall(folded)))}")
    yield _place(f"m:l{min(7, len(folded) // 40)}")
    if not folded.isascii():
        yield _place("m:letters")


@lru_cache(maxsize=1)
def tables() -> dict[Table, Weights]:
    """The weights that were learnt, read from the file beside this module."""
    packed_bytes = files(__package__).joinpath(_TABLES).read_bytes()
    unpacking = zlib.decompressobj()
    found = {}
    for table in Table:  # one after the other: all of them at once would take room twice
        found[table] = _unpacked(unpacking.decompress(packed_bytes, 8 + PLACES))
        packed_bytes = unpacking.unconsumed_tail
    return found


def packed(learnt: dict[Table, Weights]) -> bytes:
    """The weights as the file holds them: per table two numbers and a byte for every place."""
    parts = [_packed(learnt[table]) for table in Table]
    return zlib.compress(b"".join(parts), 9)


def _packed(weights: Weights) -> bytes:
    numbers = array("f", [weights.bias, weights.unit])
    return numbers.tobytes() + array("b", weights.table).tobytes()


def _unpacked(raw: bytes) -> Weights:
    bias, unit = array("f", raw[:8])
    table = array("b")
    table.frombytes(memoryview(raw)[8:])
    return Weights(bias, unit, table, 1 - table.count(0) / PLACES)
