"""A text as the vocabulary rules read it: folded, cut into words, with the concepts they name.

Everything here takes time in proportion to the text. No rule searches for two words with a gap
between them by a pattern; it asks whether two concepts stand close together.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, product
from typing import NamedTuple, TypeAlias

from reviewdeck.model import Span
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.lexicon import LEXICON
from reviewdeck.policy.lexicon_habits import HABITS
from reviewdeck.policy.lexicon_matters import MATTERS
from reviewdeck.policy.limits import SCAN_LIMIT

HOLD_LIMIT = 20_000
"""What is longer is held for its length alone, so rules that only hold need not look further."""

NEAR = 70
"""How many characters apart two words may stand and still belong together."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INVISIBLE = frozenset({"Cf", "Cc", "Cs", "Mn", "Me"})
_LOOKALIKES = str.maketrans(
    "авеікмнорсстухгԁјѕԛԝһαβεικνορτυχγηω", "abeikmhopcctyxrdjsqwhabeikvoptuxyhw"
)
_LEET = str.maketrans("013457@$", "oieasta" + "s")
_RUN = re.compile(r"[a-z0-9@$]+")
_LONGEST_WORD, _MOST_ONES = 40, 4
"""What has more is no word that is disguised."""
_BETWEEN = re.compile(r"[a-z][013457@$]+[a-z]|[013457@$][a-z]{2}")


class Mention(NamedTuple):
    """One place of the folded text that names a concept. A text may have thousands of them."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A folded text and where it names what."""

    folded: str
    offsets: Sequence[int] | None
    """Index in the original per folded character; None when they are the same."""
    mentions: Mapping[Concept, Sequence[Mention]] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    """The folded text, and it again with imitated letters undone: all of one length."""

    def span(self, start: int, end: int) -> Span:
        """The characters of the original text that these folded ones come from."""
        if self.offsets is None or not self.offsets:
            return Span(start, end)
        return Span(self.offsets[start], self.offsets[max(start, end - 1)] + 1)

    def all(self, *concepts: Concept) -> Iterator[Mention]:
        """Every mention of one of these concepts."""
        for concept in concepts:
            yield from self.mentions.get(concept, ())

    def has(self, *concepts: Concept) -> bool:
        """Whether one of these concepts is named at all."""
        return any(self.mentions.get(concept) for concept in concepts)

    def near(self, *concepts: Concept, within: int = NEAR) -> Mention | None:
        """The first place where all of these concepts stand close together."""
        return next(self.every_near(*concepts, within=within), None)

    def every_near(self, *concepts: Concept, within: int = NEAR) -> Iterator[Mention]:
        """Every place where all of these concepts stand close together."""
        first, *others = (self.mentions.get(concept, ()) for concept in concepts)
        for mention in first:
            nearest = [_nearest(other, mention, within) for other in others]
            if all(nearest):
                ends = [mention, *(near for near in nearest if near is not None)]
                yield Mention(min(m.start for m in ends), max(m.end for m in ends))


def read(text: str) -> Reading:
    """Reads the first part of a text, up to the scan limit."""
    folded, offsets = fold(text[:SCAN_LIMIT])
    variants = {folded}
    if not folded.isascii():
        variants.add(folded.translate(_LOOKALIKES))
    if _BETWEEN.search(folded):
        variants.add(_straight_throughout(folded))
    found = defaultdict[Concept, list[Mention]](list)
    for variant in variants:
        _note_mentions(variant, found)
    once: Callable[[list[Mention]], Iterable[Mention]] = set if len(variants) > 1 else iter
    ordered = {concept: sorted(once(mentions)) for concept, mentions in found.items()}
    return Reading(folded, offsets, ordered, tuple(sorted(variants, key=folded.__ne__)))


def _straight_throughout(folded: str) -> str:
    if "1" not in folded:
        return folded.translate(_LEET)
    return _RUN.sub(lambda run: straightened(run[0]), folded)


def straightened(word: str) -> str:
    """A word with letters for the digits that imitate them: each one is an I or an L."""
    if "1" not in word or len(word) > _LONGEST_WORD:
        return word.translate(_LEET)
    return _with_ones(word)


@lru_cache(maxsize=1 << 10)
def _with_ones(word: str) -> str:
    plain = word.translate(_LEET)
    first, *pieces = word.split("1")
    if len(pieces) > _MOST_ONES:
        return plain
    for letters in product("il", repeat=len(pieces)):
        read = first + "".join(map("".join, zip(letters, pieces, strict=True)))
        if names_a_concept(read := read.translate(_LEET)):
            return read
    return plain


def names_a_concept(word: str) -> bool:
    """Whether a folded word is in the lexicon."""
    return bool(_concepts_of(word))


def fold(text: str) -> tuple[str, Sequence[int] | None]:
    """Lower case, compatible forms, no accents, nothing invisible; and where each one was."""
    if text.isascii():
        return text.lower(), None
    folded = {character: _fold_one(character) for character in set(text)}
    parts = list(map(folded.__getitem__, text))
    if all(len(part) == 1 for part in folded.values()):
        return "".join(parts), None
    offsets = [index for index, part in enumerate(parts) for _ in part]
    return "".join(parts), offsets


@lru_cache(maxsize=20_000)
def _fold_one(character: str) -> str:
    if character in "\n\t":
        return character
    plain = unicodedata.normalize("NFKD", character)
    kept = "".join(c for c in plain if unicodedata.category(c) not in _INVISIBLE)
    return kept.casefold().replace("ı", "i").replace("ł", "l").replace("ø", "o")


_UNSPACED = re.compile("[\u0590-\U0010ffff]")
"""Letters of scripts whose words are looked for inside of others."""
_Phrases: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], Concept]]]
"""By their second word, phrases that begin with the same word: what follows, and the concept."""
_Named: TypeAlias = tuple[tuple[Concept, ...], _Phrases | None]
"""What a word names, and the phrases that it begins."""


@dataclass(frozen=True, slots=True)
class _Index:
    exact: dict[str, tuple[Concept, ...]]
    stems: dict[str, tuple[Concept, ...]]
    stem_lengths: tuple[int, ...]
    stem_heads: frozenset[str]
    """What stems begin with: as many letters as the shortest has."""
    phrases: Mapping[str, _Phrases]
    unspaced: dict[Concept, tuple[frozenset[str], re.Pattern[str]]]
    """What words begin with, and the words."""


@lru_cache(maxsize=1)
def _index() -> _Index:
    exact: dict[str, tuple[Concept, ...]] = {}
    stems: dict[str, tuple[Concept, ...]] = {}
    phrases: dict[str, dict[str, list[tuple[tuple[str, ...], Concept]]]] = defaultdict(dict)
    unspaced: dict[Concept, list[str]] = {}
    for concept, terms in chain(LEXICON.items(), MATTERS.items(), HABITS.items()):
        for term in fold(terms)[0].split():
            if _UNSPACED.search(term):
                unspaced.setdefault(concept, []).append(term.replace("_", " "))
            elif "_" in term:
                head, second, *rest = term.split("_")
                phrases[head].setdefault(second, []).append((tuple(rest), concept))
            elif term.endswith("*"):
                stems[term[:-1]] = (*stems.get(term[:-1], ()), concept)
            else:
                exact[term] = (*exact.get(term, ()), concept)
    lengths = tuple(sorted({len(stem) for stem in stems}))
    return _Index(
        exact,
        stems,
        lengths,
        frozenset(stem[: lengths[0]] for stem in stems),
        dict(phrases),
        {concept: _beginning(terms) for concept, terms in unspaced.items()},
    )


def _beginning(terms: Sequence[str]) -> tuple[frozenset[str], re.Pattern[str]]:
    return frozenset(term[0] for term in terms), re.compile("|".join(map(re.escape, terms)))


_mention = partial(tuple.__new__, Mention)
"""As `Mention(start, end)`, in half the time."""


_Found: TypeAlias = defaultdict[Concept, list[Mention]]


def _note_mentions(folded: str, found: _Found) -> None:
    # Most words name nothing, and most texts have far fewer different words than words.
    words = _WORD.findall(folded)
    naming = {word: named for word in set(words) if any(named := _named_by(word))}
    if naming:
        _note_named(folded, words, naming, found)
    if _UNSPACED.search(folded):
        letters = frozenset(folded)
        for concept, (begin, pattern) in _index().unspaced.items():
            if not begin.isdisjoint(letters):
                spans = [_mention(one.span()) for one in pattern.finditer(folded)]
                found[concept] += spans


def _note_named(
    folded: str, words: Sequence[str], naming: Mapping[str, _Named], found: _Found
) -> None:
    ends: list[int] | None = None
    last = len(words) - 1
    for position, word in enumerate(_WORD.finditer(folded)):
        if (named := naming.get(words[position])) is None:
            continue
        concepts, phrases = named
        span = word.span()
        for concept in concepts:
            found[concept].append(_mention(span))
        if not phrases or position == last:
            continue
        for rest, concept in phrases.get(_straight(words[position + 1]), ()):
            until = position + 2 + len(rest)
            if tuple(map(_straight, words[position + 2 : until])) == rest:
                ends = ends or [one.end() for one in _WORD.finditer(folded)]
                found[concept].append(Mention(span[0], ends[until - 1]))


@lru_cache(maxsize=1 << 12)
def _named_by(word: str) -> _Named:
    word = _straight(word)
    return _concepts_of(word.removesuffix("'s")), _index().phrases.get(word)


def _straight(word: str) -> str:
    return word.replace("’", "'")


@lru_cache(maxsize=1 << 12)
def _concepts_of(word: str) -> tuple[Concept, ...]:
    index, length = _index(), len(word)
    if word[: index.stem_lengths[0]] not in index.stem_heads:
        return index.exact.get(word, ())
    found = [
        named for n in index.stem_lengths if n <= length and (named := index.stems.get(word[:n]))
    ]
    return (*index.exact.get(word, ()), *chain.from_iterable(found))


def _nearest(mentions: Sequence[Mention], to: Mention, within: int) -> Mention | None:
    at = bisect_left(mentions, to.start, key=lambda m: m.start)
    beside = [m for m in mentions[max(0, at - 1) : at + 2] if m != to]
    close = [m for m in beside if m.start - to.end <= within and to.start - m.end <= within]
    return min(close, key=lambda m: abs(m.start - to.start), default=None)
