"""A text as the rules read it: normalised, cut into words, with the tags of the lexicon.

Everything takes time in proportion to the text. No pattern looks for two words with a gap between
them: a rule asks whether words of several tags stand close together in one sentence, and the
words are found in one pass.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from reviewdeck.policy.plain_rules.lexicon import LEXICON, Tag

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSEEN = frozenset({"Cf", "Cc", "Cs", "Mn", "Me"})
_IMITATIONS = str.maketrans(
    "авеікмнорсстухгԁјѕԛԝһӏαβεικνορτυχγηω", "abeikmhopcctyxrdjsqwhlabeikvoptuxyhw"
)
"""Cyrillic and Greek letters, and the Latin letter that each one looks like."""
_IMITATING = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_DIGIT_INSIDE = re.compile(r"[a-z][013457@$!|]+[a-z]|(?<![\w.])[013457@$][a-z]{2}")
_SPREAD = re.compile(r"(?<![^\W_])[^\W\d_](?:[ .\-*_|/~+\t]{1,3}[^\W\d_](?![^\W_])){4,}")
_SPLIT = re.compile(
    r"(?<=[^\W\d_])(?:\*{1,3}|_{1,3}|`{1,2}|~{1,2}|\u00b7|<[^<>\n]{0,40}>)+(?=[^\W\d_])"
)
_CODES = re.compile(
    r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]{2,6});|&#([0-9]{2,7});"
)
_PARTS = re.compile(r"[_.-]")
_UNSPACED = re.compile("[\u0590-\U0010ffff]")
"""Letters of scripts whose words are looked for inside of others."""
_BREAK = re.compile(r"[.!?;。！？]+[\"'”’)\]]*(?:\s|\Z)|[。！？]|\n\s*(?=\n|[-*•#>|]\s|\d+[.)]\s)")
_CLOSE = 7
"""Words so close belong together, whatever stands between them."""


class Mention(NamedTuple):
    """Words of one tag: which ones, and where they stand in the view."""

    first: int
    last: int
    start: int
    end: int


class View:
    """One way of reading a text, with a way back to its characters."""

    def __init__(self, text: str, offsets: Sequence[int] | None = None) -> None:
        self.text = text
        self._offsets = offsets

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original text that stand behind these of the view."""
        offsets = self._offsets
        if not offsets or start >= len(offsets):
            return start, end
        return offsets[start], offsets[max(start, end - 1)] + 1

    @cached_property
    def mentions(self) -> Mapping[Tag, Sequence[Mention]]:
        """By tag, where its words stand, in order."""
        found: dict[Tag, list[Mention]] = {}
        words = _WORD.findall(self.text)
        naming = {word: named for word in set(words) if any(named := _named_by(word))}
        if naming:
            _note(self.text, words, naming, found)
        if _UNSPACED.search(self.text):
            _note_unspaced(self.text, found)
        return found

    @cached_property
    def breaks(self) -> Sequence[int]:
        """Where sentences and items end."""
        return [match.start() for match in _BREAK.finditer(self.text)]

    def has(self, *tags: Tag) -> bool:
        """Whether words of each of these tags stand somewhere."""
        return all(tag in self.mentions for tag in tags)

    def together(
        self, tags: Sequence[Tag], within: int, *, in_order: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Where words of all these tags stand within so many words of one sentence."""
        if not self.has(*tags):
            return
        lists = [self.mentions[tag] for tag in tags]
        rarest = min(range(len(lists)), key=lambda at: len(lists[at]))
        for mention in lists[rarest]:
            picked = _picked(lists, rarest, mention, within, in_order=in_order)
            if picked is None:
                continue
            start = min(one.start for one in picked)
            end = max(one.end for one in picked)
            width = max(one.last for one in picked) - min(one.first for one in picked)
            if width <= within and (width <= _CLOSE or self._is_one_sentence(start, end)):
                yield start, end

    def begins_order(self, mention: Mention) -> bool:
        """Whether a verb stands where an order begins: first in its sentence, or after a lead."""
        before = self.text[max(0, mention.start - 60) : mention.start]
        return not before.strip() or _LEAD.search(before) is not None

    def is_negated(self, start: int) -> bool:
        """Whether one of the two words before says not, never, nobody."""
        before = self.text[max(0, start - 30) : start]
        return _NEGATED.search(before) is not None

    def is_one_clause(self, start: int, end: int) -> bool:
        """Whether no sentence ends between these places."""
        return self._is_one_sentence(min(start, end), max(start, end))

    def _is_one_sentence(self, start: int, end: int) -> bool:
        at = bisect_left(self.breaks, start)
        return at == len(self.breaks) or self.breaks[at] >= end - 1


_LEAD = re.compile(
    r"(?:[.!?;:,\n(\"'“„|>*`\]-]|\b(?:and|then|also|please|just|simply|now|must|shall|should|will"
    r"|always|or|first|next|finally|immediately|automatically|to|und|dann|bitte|immer|zuerst|sofort"
    r"|agent|assistant|you|et|puis|toujours|y|luego|siempre|sempre|i|can|may|may|never|not|don't))"
    r"[\s\W]*\Z"
)
_NEGATED = re.compile(
    r"\b(?:not|never|don't|don’t|won't|cannot|can't|doesn't|nobody|no|without|nicht|nie|niemals"
    r"|kein|keine|keinen)\s+(?:\w+\s+)?\Z"
)


class Reading:
    """The views of one text: as it is, and with each kind of disguise undone that it shows."""

    def __init__(self, text: str) -> None:
        folded, offsets = fold(text)
        self.plain = View(folded, offsets)
        """Lower case, compatible forms, no accents, nothing invisible."""
        self._text = text

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The plain view first."""
        return (self.plain, *self.undone)

    @cached_property
    def undone(self) -> tuple[View, ...]:
        """Views with imitated letters, spread or split words, or codes undone."""
        base = self.plain.text
        offsets = self.plain._offsets  # a view of the view
        views: list[View] = []
        if _IMITATING.search(base):
            views.append(View(base.translate(_IMITATIONS), offsets))
        if _DIGIT_INSIDE.search(base):
            views.append(View(base.translate(_DIGITS), offsets))
        for pattern, put in ((_SPREAD, _letters_alone), (_SPLIT, _nothing), (_CODES, _decoded)):
            if pattern.search(base):
                views.append(_replaced(base, offsets, pattern, put))
        return tuple(views)


def fold(text: str) -> tuple[str, Sequence[int] | None]:
    """A text normalised, and for each character its place where places moved."""
    if text.isascii():
        return text.lower(), None
    forms = {character: _folded(character) for character in set(text)}
    parts = list(map(forms.__getitem__, text))
    if all(len(form) == 1 for form in forms.values()):
        return "".join(parts), None
    return "".join(parts), [index for index, part in enumerate(parts) for _ in part]


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    if character in "\n\t":
        return character
    if character in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029":
        return "\n"
    plain = unicodedata.normalize("NFKD", character)
    seen = "".join(part for part in plain if unicodedata.category(part) not in _UNSEEN)
    return seen.casefold().replace("ı", "i").replace("ł", "l").replace("ø", "o")


def _letters_alone(match: re.Match[str]) -> str:
    return "".join(character for character in match.group() if character.isalpha())


def _nothing(match: re.Match[str]) -> str:
    return ""


def _decoded(match: re.Match[str]) -> str:
    *hexadecimal, decimal = match.groups()
    digits = next(filter(None, hexadecimal), None)
    number = int(digits, 16) if digits else int(decimal)
    return (
        chr(number).lower() if 0x20 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else " "
    )


def _replaced(
    text: str,
    offsets: Sequence[int] | None,
    pattern: re.Pattern[str],
    put: Callable[[re.Match[str]], str],
) -> View:
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for match in pattern.finditer(text):
        new = put(match)
        parts += (text[at : match.start()], new)
        places += range(at, match.start())
        places += [match.start()] * len(new)
        at = match.end()
    parts.append(text[at:])
    places += range(at, len(text))
    if offsets:
        places = [offsets[place] for place in places]
    return View("".join(parts), places)


def _picked(
    lists: Sequence[Sequence[Mention]],
    pivot: int,
    mention: Mention,
    within: int,
    *,
    in_order: bool,
) -> list[Mention] | None:
    """One mention of each list close to this one; in the order of the lists where that counts."""
    picked: list[Mention] = []
    for number, mentions in enumerate(lists):
        if number == pivot:
            picked.append(mention)
            continue
        side = 0 if not in_order else (-1 if number < pivot else 1)
        near = _nearest(mentions, mention, within, side)
        if near is None:
            return None
        picked.append(near)
    if in_order and any(left.first > right.first for left, right in pairwise(picked)):
        return None
    return picked


def _nearest(mentions: Sequence[Mention], to: Mention, within: int, side: int) -> Mention | None:
    at = bisect_left(mentions, to.first, key=lambda one: one.first)
    best: Mention | None = None
    for one in mentions[max(0, at - 1) : at + 2]:
        if one is to or (side < 0 and one.first > to.first) or (side > 0 and one.first < to.first):
            continue
        gap = max(one.first - to.last, to.first - one.last)
        if gap <= within and (
            best is None or gap < max(best.first - to.last, to.first - best.last)
        ):
            best = one
    return best


@dataclass(frozen=True, slots=True)
class _Index:
    exact: Mapping[str, tuple[Tag, ...]]
    stems: Mapping[str, tuple[Tag, ...]]
    lengths: tuple[int, ...]
    """How long stems are."""
    phrases: Mapping[str, Sequence[tuple[tuple[str, ...], Tag]]]
    """By its first word, the rest of each phrase."""
    unspaced: Sequence[tuple[str, Tag]]


@lru_cache(maxsize=1)
def _index() -> _Index:
    exact: dict[str, tuple[Tag, ...]] = {}
    stems: dict[str, tuple[Tag, ...]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], Tag]]] = {}
    unspaced: list[tuple[str, Tag]] = []
    for tag, terms in LEXICON.items():
        for term in fold(terms)[0].split():
            if _UNSPACED.search(term):
                unspaced.append((term, tag))
            elif len(parts := _PARTS.split(term)) > 1:
                head, *rest = parts
                phrases.setdefault(head, []).append((tuple(rest), tag))
            elif term.endswith("*"):
                stems[term[:-1]] = (*stems.get(term[:-1], ()), tag)
            else:
                exact[term] = (*exact.get(term, ()), tag)
    return _Index(exact, stems, tuple(sorted({len(stem) for stem in stems})), phrases, unspaced)


_Named = tuple[tuple[Tag, ...], Sequence[tuple[tuple[str, ...], Tag]]]


@lru_cache(maxsize=8192)
def _named_by(word: str) -> _Named:
    index = _index()
    word = word.replace("’", "'")
    bare = word.removesuffix("'s")
    tags = {*index.exact.get(word, ()), *index.exact.get(bare, ())}
    for length in index.lengths:
        if length > len(bare):
            break
        tags.update(index.stems.get(bare[:length], ()))
    return tuple(sorted(tags)), index.phrases.get(bare, ())


def _note(
    text: str,
    words: Sequence[str],
    naming: Mapping[str, _Named],
    found: dict[Tag, list[Mention]],
) -> None:
    spans: list[tuple[int, int]] = [match.span() for match in _WORD.finditer(text)]
    for at, word in enumerate(words):
        if (named := naming.get(word)) is None:
            continue
        tags, phrases = named
        start, end = spans[at]
        for tag in tags:
            found.setdefault(tag, []).append(Mention(at, at, start, end))
        for rest, tag in phrases:
            last = at + len(rest)
            if last < len(words) and all(
                _is_word(words[at + 1 + step], wanted) for step, wanted in enumerate(rest)
            ):
                found.setdefault(tag, []).append(Mention(at, last, start, spans[last][1]))


def _is_word(word: str, wanted: str) -> bool:
    bare = word.replace("’", "'").removesuffix("'s")
    return bare.startswith(wanted[:-1]) if wanted.endswith("*") else bare == wanted


def _note_unspaced(text: str, found: dict[Tag, list[Mention]]) -> None:
    """Terms of scripts without spaces. There, four characters count as a word."""
    for term, tag in _index().unspaced:
        at = text.find(term)
        while at >= 0:
            found.setdefault(tag, []).append(Mention(0, 0, at, at + len(term)))
            at = text.find(term, at + len(term))
    for tag, mentions in found.items():
        found[tag] = sorted(
            Mention(one.start // 4, one.end // 4, one.start, one.end) for one in mentions
        )
