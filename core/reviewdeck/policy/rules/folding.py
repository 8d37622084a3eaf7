"""A text as the rules read it: folded, cut into words, and with its disguises undone.

Everything takes time in proportion to the text. No pattern looks for two words with an open gap
between them: the words are found in one pass, and a rule asks whether words of several tags stand
close together in one clause, or what follows a word.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import chain, count
from typing import NamedTuple

from reviewdeck.policy.rules.lexicon import Tag

_BETWEEN = re.compile(r"[\W_]")
_ASCII_BETWEEN = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
"""The same as a table, which is much faster."""
_UNSEEN = frozenset({"Cf", "Cc", "Cs", "Mn", "Me"})
_LINE_ENDS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


class Disguise(NamedTuple):
    """A way in which words are hidden: a pattern, and marks of which one is in every match."""

    pattern: re.Pattern[str]
    marks: Sequence[str] = ("",)


_IMITATIONS = str.maketrans(
    "авеікмнорсстухгԁјѕԛԝһӏαβεικνορτυχγηω", "abeikmhopcctyxrdjsqwhlabeikvoptuxyhw"
)
"""Cyrillic and Greek letters, and the Latin letter that each one looks like."""
_IMITATING = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_DIGIT_INSIDE = Disguise(
    re.compile(
        r"(?<![\w.\-/+@#:$])(?=[a-z@$]{0,20}[013457@$])(?=[0-9@$]{0,20}[a-z])[a-z0-9@$!|]{3,30}"
        r"(?![\w@]|\.\w)"
    ),
    marks=tuple("013457@$"),
)
_MANY = 4
"""Words with digits inside; fewer are taken for names like h264."""
SPREAD = Disguise(re.compile(r"[^\W\d_](?<![^\W_].)(?:[ .\-*_|/~+\t]{1,3}[^\W\d_](?![^\W_])){4,}"))
"""A word with its letters apart."""
_SINGLE = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEWEST_LETTERS = 3
"""Different letters of a word that is worth hiding."""
SPLIT = Disguise(
    re.compile(
        r"(?:[*_`~\u00b7](?<=[^\W\d_].)[*_`~\u00b7]{0,3}|<(?<=[^\W\d_].)[^<>\n]{0,40}>(?:<[^<>\n]{0,40}>)*)"
        r"(?=[^\W\d_])"
    ),
    marks=("*", "_", "`", "~", "\u00b7", "<"),
)
"""Marks inside of a word."""
CODES = Disguise(
    re.compile(
        r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]{2,6});|&#([0-9]{2,7});",
        re.I,
    ),
    marks=("\\", "%", "&#"),
)
"""Letters written as codes."""
_UNSPACED = re.compile("[\u0590-\u1fff\u3040-\uffff]")
"""Letters of scripts whose words are looked for inside of others."""
_CLAUSE_END = re.compile(
    r"[.!?;。！？]+[\"'”’)\]]*(?:\s|\Z)|[。！？]|\n\s*(?=\n|[-*•#>|]\s|\d+[.)]\s)"
)
_MET = 65_536
"""Words of which is kept what begins with them."""
_CLOSE = 7
"""Words so close belong together, whatever stands between them."""
_LEADS = frozenset(
    """
    and then also please just simply now must shall should will always or first next finally
    immediately automatically to und dann bitte immer zuerst sofort agent assistant you et puis
    toujours y luego siempre sempre i can may never not t
    """.split()  # noqa: SIM905
)
"""Words after which an order begins."""
_LEADING = frozenset(".!?;:,\n(\"'“„|>*`]-")
_WORD = re.compile(r"[^\W_]+")
_BACK = 80
"""Characters in which the words before another one are looked for."""
_LAST_WORD = re.compile(r"([^\W_]+)([\W_]*)\Z")
_NEGATIONS = frozenset(
    """
    not never don won cannot t doesn nobody no without nicht nie niemals kein keine keinen
    """.split()  # noqa: SIM905
)


_NEGATED = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(_NEGATIONS))})[\s'’]+(?:[^\W_]+[\s'’]+)?\Z")


class Mention(NamedTuple):
    """The characters of a word or a phrase in the view."""

    start: int
    end: int


class FoldedText:
    """One way of reading a text, with a way back to its characters.

    The way back is looked for only where something was found.
    """

    def __init__(self, text: str, find_offsets: Callable[[], Sequence[int]] | None = None) -> None:
        self.text = text
        self.is_ascii = text.isascii()
        self.find_offsets = find_offsets
        self._matches: dict[Disguise, Sequence[re.Match[str]]] = {}
        self._mentions: dict[Tag, Sequence[Mention]] = {}

    @cached_property
    def offsets(self) -> Sequence[int] | None:
        """For each character its place in the original text; None where none moved."""
        return None if self.find_offsets is None else self.find_offsets()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original text that stand behind these of the view."""
        offsets = self.offsets
        if not offsets or start >= len(offsets):
            return start, end
        return offsets[start], offsets[max(start, end - 1)] + 1

    def matches(self, disguise: Disguise) -> Sequence[re.Match[str]]:
        """The matches of a disguise; searched for once."""
        if disguise not in self._matches:
            is_possible = any(mark in self.text for mark in disguise.marks)
            if disguise is SPREAD:
                is_possible = len(self.words & _SINGLE) >= _FEWEST_LETTERS or not self.is_ascii
            elif disguise is _DIGIT_INSIDE and is_possible:
                is_possible = "@" in self.text or "$" in self.text or self._has_mixed_words
            matches = disguise.pattern.finditer(self.text) if is_possible else ()
            self._matches[disguise] = list(matches)
        return self._matches[disguise]

    @property
    def _has_mixed_words(self) -> bool:
        """Whether a word has letters and digits."""
        return any(not word.isalpha() and not word.isdigit() for word in self.words)

    @cached_property
    def words(self) -> Set[str]:
        """The different words."""
        text = self.text
        parted = text.translate(_ASCII_BETWEEN) if self.is_ascii else _BETWEEN.sub(" ", text)
        return frozenset(parted.split())

    @cached_property
    def _starts(self) -> Sequence[int]:
        """Where each word begins."""
        return [match.start() for match in _WORD.finditer(self.text)]

    def _number(self, at: int) -> int:
        """The number of the word at a place. Without spaces, four characters are a word."""
        number = bisect_right(self._starts, at) - 1
        return number + (at - self._starts[number]) // 4 if number >= 0 else 0

    @cached_property
    def mask(self) -> int:
        """A bit for each tag of which a word may stand here, and for each list of words."""
        mask = 0
        for word in self.words:
            mask |= _MASKS[word] if word in _MASKS else _mask_of(word)
        for tag in self._unspaced:
            mask |= tag_bit(tag)
        return mask

    @cached_property
    def _terms(self) -> Mapping[Tag, Sequence[tuple[str, _Term]]]:
        """By tag, the words here with which one of its terms begins."""
        terms: dict[Tag, list[tuple[str, _Term]]] = {}
        for word in self.words:
            for term in _beginning_with(word):
                terms.setdefault(term.tag, []).append((word, term))
        return terms

    @cached_property
    def _unspaced(self) -> Mapping[Tag, Sequence[str]]:
        """By tag, its terms of scripts without spaces that stand here."""
        terms: dict[Tag, list[str]] = {}
        if not self.is_ascii:
            characters = set(self.text)
            for word, tag in _unspaced_terms():
                if word[0] in characters and word in self.text:
                    terms.setdefault(tag, []).append(word)
        return terms

    def mentions(self, tag: Tag) -> Sequence[Mention]:
        """Where the words of a tag stand, in order."""
        if tag not in self._mentions:
            self._mentions[tag] = sorted(self._mentions_of(tag))
        return self._mentions[tag]

    def _mentions_of(self, tag: Tag) -> Iterator[Mention]:
        for word, term in self._terms.get(tag, ()):
            if not term.rest:
                yield from self._places(word)
            elif all(part.endswith("*") or part in self.words for part in term.rest):
                rest = _rest_of(term)
                for place in self._places(word):
                    if match := rest.match(self.text, place.end):
                        yield Mention(place.start, match.end())
        for word in self._unspaced.get(tag, ()):
            at = self.text.find(word)
            while at >= 0:
                yield Mention(at, at + len(word))
                at = self.text.find(word, at + len(word))

    def _places(self, word: str) -> Iterator[Mention]:
        """Where a word stands by itself."""
        text, length = self.text, len(word)
        at = text.find(word)
        while at >= 0:
            end = at + length
            if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
                yield Mention(at, end)
            at = text.find(word, end)

    @cached_property
    def _clause_ends(self) -> Sequence[int]:
        return [match.start() for match in _CLAUSE_END.finditer(self.text)]

    def mentions_of(self, words: Set[str]) -> Iterator[Mention]:
        """The mentions of these words, in order."""
        found = [self._places(word) for word in words & self.words]
        yield from found[0] if len(found) == 1 else sorted(chain.from_iterable(found))

    def has(self, *tags: Tag) -> bool:
        """Whether words of each of these tags stand somewhere."""
        needed = needed_bits(tags)
        return self.mask & needed == needed and all(map(self.mentions, tags))

    def together(
        self,
        tags: Sequence[Tag],
        within: int,
        *,
        in_order: bool = False,
        joined: re.Pattern[str] | None = None,
    ) -> Iterator[Mention]:
        """The places where words of all these tags stand within so many words of one clause.

        Nothing of the pattern `joined` may stand between the first and the last of them.
        """
        if not self.has(*tags):
            return
        if len(tags) == 1:
            yield from self.mentions(tags[0])
            return
        latest: list[Mention | None] = [None] * len(tags)
        """Of each tag the last mention; in order, where the last run up to this tag began."""
        all_mentions = (
            (mention, at) for at, tag in enumerate(tags) for mention in self.mentions(tag)
        )
        for mention, at in sorted(all_mentions):
            latest[at] = latest[at - 1] if in_order and at else mention
            current = [mention for mention in latest if mention is not None]
            if len(current) < len(tags) or (in_order and at < len(tags) - 1):
                continue
            first = current[-1] if in_order else min(current)
            width = self._number(mention.start) - self._number(first.start)
            if width <= within and (
                width <= _CLOSE or self.is_one_clause(first.start, mention.end)
            ):
                if joined is not None and joined.search(self.text, first.end, mention.start):
                    continue
                yield Mention(first.start, max(mention.end, first.end))
                latest = [None] * len(tags)
                if not in_order:  # it may stand together with what follows too
                    latest[at] = mention

    def begins_order(self, mention: Mention) -> bool:
        """Whether a verb stands where an order begins: first in its clause, or after a lead."""
        before = self.text[max(0, mention.start - _BACK) : mention.start]
        last = _LAST_WORD.search(before)
        if last is None:
            return mention.start <= _BACK or not _LEADING.isdisjoint(before)
        previous, gap = last.groups()
        return previous in _LEADS or (gap != "'" and not _LEADING.isdisjoint(gap))

    def is_negated(self, mention: Mention) -> bool:
        """Whether one of the two words before says not, never, nobody."""
        before = self.text[max(0, mention.start - _BACK) : mention.start]
        return _NEGATED.search(before) is not None

    def is_one_clause(self, start: int, end: int) -> bool:
        """Whether no clause ends between these places, in whichever order they come."""
        start, end = min(start, end), max(start, end)
        at = bisect_left(self._clause_ends, start)
        return at == len(self._clause_ends) or self._clause_ends[at] >= end - 1


class Reading:
    """The views of one text: as it is, and with the disguises undone that it shows."""

    def __init__(self, text: str, *, is_code: bool = False) -> None:
        self._is_code = is_code
        self.plain = FoldedText(*fold(text))
        """Lower case, compatible forms, no accents, nothing invisible."""

    @cached_property
    def disguised(self) -> Sequence[tuple[int, int]]:
        """Words with digits or signs in the place of letters, in the plain view."""
        return [
            match.span()
            for match in self.plain.matches(_DIGIT_INSIDE)
            if _is_named(match.group().translate(_DIGITS))
        ]

    @cached_property
    def views(self) -> tuple[FoldedText, ...]:
        """The plain one; with its letters restored; with its words put together again."""
        views = [self.plain]
        view = _replaced(self.plain, CODES, _decoded)
        if _IMITATING.search(view.text):
            view = FoldedText(view.text.translate(_IMITATIONS), view.find_offsets)
        if self.disguised or len(view.matches(_DIGIT_INSIDE)) >= _MANY:
            view = FoldedText(view.text.translate(_DIGITS), view.find_offsets)
        if view is not self.plain:
            views.append(view)
        if self._is_code:  # names of two words are put together there
            return tuple(views)
        joined = _replaced(_replaced(view, SPREAD, _letters_alone), SPLIT, lambda _: "")
        if joined is not view:
            views.append(joined)
        return tuple(views)


def fold(text: str) -> tuple[str, Callable[[], Sequence[int]] | None]:
    """A text normalised, and what finds the place of each character where places moved."""
    if text.isascii():
        return text.lower(), None
    forms = {character: _folded(character) for character in set(text)}
    parts = map(forms.__getitem__, text)
    if all(len(form) == 1 for form in forms.values()):
        return "".join(parts), None
    lengths = {character: len(form) for character, form in forms.items()}
    return "".join(parts), lambda: [
        index for index, character in enumerate(text) for _ in range(lengths[character])
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


def _letters_alone(match: re.Match[str]) -> str:
    return "".join(filter(str.isalpha, match.group()))


def _decoded(match: re.Match[str]) -> str:
    *hexadecimal, decimal = match.groups()
    digits = next(filter(None, hexadecimal), None)
    number = int(digits, 16) if digits else int(decimal)
    is_character = 0x20 <= number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number).lower() if is_character else " "


def _replaced(
    view: FoldedText, disguise: Disguise, put: Callable[[re.Match[str]], str]
) -> FoldedText:
    """The view with each word that is hidden so replaced; the view itself where none is."""
    matches = view.matches(disguise)
    if not matches:
        return view
    parts: list[str] = []
    at = 0
    for match in matches:
        parts += (view.text[at : match.start()], put(match))
        at = match.end()

    def find_offsets() -> Sequence[int]:
        places: list[int] = []
        at = 0
        for match, new in zip(matches, parts[1::2], strict=True):
            places += range(at, match.start())
            places += [match.start()] * len(new)
            at = match.end()
        places += range(at, len(view.text))
        offsets = view.offsets
        return [offsets[place] for place in places] if offsets else places

    return FoldedText("".join((*parts, view.text[at:])), find_offsets)


class _Term(NamedTuple):
    """A word or phrase of the lexicon."""

    tag: Tag
    head: str
    rest: tuple[str, ...]

    def is_head_of(self, word: str) -> bool:
        return _is_word(word, self.head)


_BEGINNING: dict[str, Sequence[_Term]] = {}
"""The terms that begin with a word, for the words that were met."""
_MASKS: dict[str, int] = {}
"""The bits of the words that were met."""
_LISTED: dict[str, int] = {}
"""The bits of words of lists."""
_BITS: dict[Tag, int] = {tag: 1 << number for number, tag in enumerate(Tag)}


def tag_bit(tag: Tag) -> int:
    """The bit that says that a word of this tag may stand in a text."""
    return _BITS[tag]


@lru_cache(maxsize=512)
def needed_bits(tags: Sequence[Tag]) -> int:
    """The bits that a text has where all these tags may stand together."""
    bits = 0
    for tag in tags:
        bits |= _BITS[tag]
    return bits


_NUMBERS = count()


def bit_of(words: Iterable[str]) -> int:
    """A new bit, which says that one of these words stands in a text."""
    bit = 1 << (len(_BITS) + next(_NUMBERS))
    for word in words:
        _LISTED[word] = _LISTED.get(word, 0) | bit
    return bit


def _mask_of(word: str) -> int:
    if len(_MASKS) >= _MET:
        _MASKS.clear()
    mask = _LISTED.get(word, 0)
    for term in _beginning_with(word):
        mask |= _BITS[term.tag]
    _MASKS[word] = mask
    return mask


def _beginning_with(word: str) -> Sequence[_Term]:
    terms = _BEGINNING.get(word)
    if terms is None:
        if len(_BEGINNING) >= _MET:
            _BEGINNING.clear()
        candidates = _terms().get(word[:3], ())
        terms = _BEGINNING[word] = [term for term in candidates if term.is_head_of(word)]
    return terms


@lru_cache(maxsize=2048)
def _rest_of(term: _Term) -> re.Pattern[str]:
    """What follows the first word of a phrase."""
    parts = (re.escape(part).replace(r"\*", r"[^\W_]*") for part in term.rest)
    return re.compile("".join(rf"[\W_]+{part}" for part in parts) + r"(?![^\W_])")


def _is_word(word: str, head: str) -> bool:
    return word.startswith(head[:-1]) if head.endswith("*") else word == head


def _is_named(word: str) -> bool:
    return any(term.is_head_of(word) and not term.rest for term in _terms().get(word[:3], ()))


@lru_cache(maxsize=1)
def _lexicon() -> Sequence[tuple[Tag, str]]:
    return [(tag, term) for tag in Tag for term in fold(tag.value)[0].split()]


@lru_cache(maxsize=1)
def _terms() -> Mapping[str, Sequence[_Term]]:
    """Words and phrases by how their first word begins."""
    terms: dict[str, list[_Term]] = {}
    for tag, term in _lexicon():
        if not _UNSPACED.search(term):
            head, *rest = re.split(r"[_.'-]", term)
            terms.setdefault(head[:3], []).append(_Term(tag, head, tuple(rest)))
    return terms


@lru_cache(maxsize=1)
def _unspaced_terms() -> Sequence[tuple[str, Tag]]:
    return [(term.replace("_", " "), tag) for tag, term in _lexicon() if _UNSPACED.search(term)]
