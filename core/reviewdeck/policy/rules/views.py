"""The views of a text: as it is, and with the disguises undone that it shows; and their words.

Everything takes time in proportion to the text. No pattern looks for two words with an open gap
between them: the words are found in one pass, and a rule asks whether words of several classes
stand close together in one clause, or what follows a word.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import accumulate, chain, compress, count
from operator import add
from typing import Final, NamedTuple

from reviewdeck.policy.rules.folding import (
    CODES,
    DIGIT_INSIDE,
    DIGITS,
    IMITATING,
    IMITATIONS,
    SPLIT,
    SPREAD,
    Disguise,
    Offsets,
    decoded,
    without_spread,
)
from reviewdeck.policy.rules.reach import ahead_of
from reviewdeck.policy.rules.vocabulary import Follows, Near, Words, compiled, vocabulary

CODE: Final = re.compile(
    r"[={}\\;$]|\w[(\[]|[)\]][.(]|\w\.\w|[\"'`]\s?:|:\s?[\"'`\[{]|::|[-=]>|(?<![\w.])/\w|</?\w"
    r"|\n[^\S\n]*\n"
)
"""What stands between words of code, and not between words of a sentence."""
STATEMENT: Final = re.compile(rf"{CODE.pattern}|[\"'`,()\[\]{{}}:\n]")
"""What parts the words of code itself: a list of arguments sends nothing."""
_PARTING: Final[Mapping[str, re.Pattern[str]]] = {
    "code": CODE,
    "stop": re.compile(rf"{CODE.pattern}|[.,:;!?()|—–。，、；：！？]|\s-\s"),
    "sentence": re.compile(rf"{CODE.pattern}|[.!?。！？](?:\s|\Z)|[。！？]"),
}
_BETWEEN: Final = re.compile(r"[\W_]")
_FOREIGN: Final = re.compile(r"([^\x00-\x7f]+)")
_ASCII_BETWEEN: Final = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
"""The same as a table, which is much faster."""
_CLAUSE_END: Final = re.compile(
    r"[.!?;。！？]+[\"'”’)\]]*(?:\s|\Z)|[。！？]|\n\s*(?=\n|[-*•#>|]\s|\d+[.)]\s)"
)
_LAST_WORD: Final = re.compile(r"([^\W_]+)([\W_]*)\Z")
_MANY: Final = 4
"""Words with digits inside; fewer are taken for names like h264."""
_CLOSE: Final = 7
"""Words so close belong together, whatever stands between them."""
_BACK: Final = 80
"""Characters in which the words before another one are looked for."""
_LEADING: Final = frozenset(".!?;:,\n(\"'“„|>*`]-")


class Mention(NamedTuple):
    """The characters of a word or a phrase in the view."""

    start: int
    end: int


def parted(text: str) -> str:
    """The text with a blank in the place of each character between words."""
    if text.isascii():
        return text.translate(_ASCII_BETWEEN)
    parts = _FOREIGN.split(text)  # every other one is not of ASCII
    parts[::2] = [part.translate(_ASCII_BETWEEN) for part in parts[::2]]
    parts[1::2] = [_BETWEEN.sub(" ", part) for part in parts[1::2]]
    return "".join(parts)


class View:
    """One way of reading a text, with a way back that is taken only where something was found."""

    def __init__(
        self, text: str, find_offsets: Offsets | None = None, words: Words | None = None
    ) -> None:
        self.text = text
        self.find_offsets = find_offsets
        self._given = words
        self._matches: dict[Disguise, Sequence[re.Match[str]]] = {}
        self._mentions: dict[str, Sequence[Mention]] = {}

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
        found = self._matches.get(disguise)
        if found is None:
            found = self._matches[disguise] = disguise.matches(self.text)
        return found

    @cached_property
    def _read(self) -> Words:
        if self._given is not None:
            return self._given
        parts, known = parted(self.text).split(" "), vocabulary()
        return known.words(parts, known.triggers({*parts}), self.text)

    @property
    def words(self) -> Set[str]:
        """The different words."""
        return {*self._read.parts}

    @property
    def bits(self) -> int:
        """A bit for each class of which a word may stand here, and for each phrase."""
        return self._read.bits

    def mentions(self, words: str) -> Sequence[Mention]:
        """Where the words of a class stand, in order."""
        if words not in self._mentions:
            self._mentions[words] = sorted(self._mentions_of(words))
        return self._mentions[words]

    def _mentions_of(self, words: str) -> Iterator[Mention]:
        for word in self._read.sought:
            for term in vocabulary().begun_by(word).terms.get(words, ()):
                for at in self._places[word]:
                    if (last := term.last(self._in_order, at)) is not None:
                        yield self._mention(at, last)
        for unspaced in self._read.unspaced.get(words, ()):
            yield from (Mention(*match.span()) for match in compiled(unspaced).finditer(self.text))

    def _mention(self, first: int, last: int) -> Mention:
        """From the word of one number to the word of another."""
        return Mention(self._starts[first], self._starts[last] + len(self._in_order[last]))

    @cached_property
    def _in_order(self) -> Sequence[str]:
        return list(filter(None, self._read.parts))

    @cached_property
    def _starts(self) -> Sequence[int]:
        behind = map(add, accumulate(map(len, self._read.parts), initial=0), count())
        return list(compress(behind, self._read.parts))

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """For each word that is looked for, the numbers of the words that it is."""
        places: dict[str, list[int]] = {word: [] for word in self._read.sought}
        all_words = self._in_order
        for at in compress(count(), map(places.__contains__, all_words)):
            places[all_words[at]].append(at)
        return places

    def has(self, *classes: str) -> bool:
        """Whether words stand here with which terms of each of these classes begin."""
        needed = vocabulary().bits(*classes)
        return self.bits & needed == needed

    def places_of(self, phrase: Near | Follows, *, is_code: bool) -> Iterator[Mention]:
        """Every place where a phrase stands."""
        if isinstance(phrase, Follows):
            begin, followed_at = phrase.on & self._read.sought, compiled(phrase.then).match
            for at in sorted(chain.from_iterable(map(self._places.__getitem__, begin))):
                start = self._starts[at]
                if match := followed_at(self.text, start + len(self._in_order[at])):
                    yield Mention(start, match.end())
            return
        parting = _PARTING.get(phrase.parted_by)
        if is_code and phrase.parted_by in ("", "code"):
            parting = STATEMENT if phrase.parted_by else CODE
        for mention in self.together(phrase, parting):
            if phrase.is_order and not self.begins_order(mention):
                continue
            if not (phrase.unless_negated and self.is_negated(mention)):
                yield mention

    def together(self, near: Near, parting: re.Pattern[str] | None = None) -> Iterator[Mention]:
        """The places where words of all these classes stand so close, and nothing parts them."""
        if not self.has(*near.words):
            return
        if len(near.words) == 1:
            yield from self.mentions(near.words[0])
            return
        latest: list[Mention | None] = [None] * len(near.words)
        """Of each class the last mention; in order, where the last run up to it began."""
        all_mentions = (
            (mention, at) for at, words in enumerate(near.words) for mention in self.mentions(words)
        )
        for mention, at in sorted(all_mentions):
            latest[at] = latest[at - 1] if near.in_order and at else mention
            current = [mention for mention in latest if mention is not None]
            if len(current) < len(latest) or (near.in_order and at < len(latest) - 1):
                continue
            first = current[-1] if near.in_order else min(current)
            width = self._number(mention.start) - self._number(first.start)
            if width <= near.within and (
                width <= _CLOSE or self.is_one_clause(first.start, mention.end)
            ):
                if parting is not None and parting.search(self.text, first.end, mention.start):
                    continue
                yield Mention(first.start, max(mention.end, first.end))
                latest = [None] * len(latest)
                if not near.in_order:  # it may stand together with what follows too
                    latest[at] = mention

    def _number(self, at: int) -> int:
        """The number of the word at a place. Without spaces, four characters are a word."""
        number = bisect_right(self._starts, at) - 1
        return number + (at - self._starts[number]) // 4 if number >= 0 else 0

    @cached_property
    def _clause_ends(self) -> Sequence[int]:
        return [match.start() for match in _CLAUSE_END.finditer(self.text)]

    def is_one_clause(self, start: int, end: int) -> bool:
        """Whether no clause ends between these places, in whichever order they come."""
        start, end = min(start, end), max(start, end)
        at = bisect_left(self._clause_ends, start)
        return at == len(self._clause_ends) or self._clause_ends[at] >= end - 1

    def begins_order(self, mention: Mention) -> bool:
        """Whether a verb stands where an order begins: first in its clause, or after a lead."""
        before = ahead_of(self.text, mention.start, _BACK)
        return _begins_order(before, mention.start <= _BACK)

    def is_negated(self, mention: Mention) -> bool:
        """Whether one of the two words before says not, never, nobody."""
        before = ahead_of(self.text, mention.start, _BACK)
        return _NEGATED.search(before) is not None


@lru_cache(maxsize=1024)
def _begins_order(before: str, is_whole: bool) -> bool:
    """Whether an order begins behind these words, which may be all that there are."""
    last = _LAST_WORD.search(before)
    if last is None:
        return is_whole or not _LEADING.isdisjoint(before)
    previous, gap = last.groups()
    leads = vocabulary().listed["leads"]
    return previous in leads or (gap != "'" and not _LEADING.isdisjoint(gap))


_NEGATED: Final = re.compile(
    r"(?<![^\W_])(?:not|never|don|won|cannot|t|doesn|nobody|no|without|nicht|nie|niemals|kein"
    r"|keine|keinen)[\s'’]+(?:[^\W_]+[\s'’]+)?\Z"
)


class FoldedText:
    """The views of one text: as it is, and with the disguises undone that it shows."""

    def __init__(self, plain: View, is_code: bool, may_hide: bool) -> None:
        self.plain = plain
        """Lower case, compatible forms, no accents, nothing invisible."""
        self.may_hide = may_hide
        """Whether words may be disguised in it."""
        self.disguised = _disguised(plain) if may_hide else ()
        """Words with digits or signs in the place of letters, in the plain view."""
        self.views = self._views(is_code=is_code) if may_hide else (plain,)
        """The plain one; with its letters restored; with its words put together again."""

    def _views(self, *, is_code: bool) -> tuple[View, ...]:
        views = [self.plain]
        view = _replaced(self.plain, CODES, decoded)
        if not view.text.isascii() and IMITATING.search(view.text):
            view = View(view.text.translate(IMITATIONS), view.find_offsets)
        if self.disguised or len(view.matches(DIGIT_INSIDE)) >= _MANY:
            view = View(view.text.translate(DIGITS), view.find_offsets)
        if view is not self.plain:
            views.append(view)
        if is_code:  # names of two words are put together there
            return tuple(views)
        joined = _replaced(_replaced(view, SPREAD, without_spread), SPLIT, lambda _: "")
        if joined is not view:
            views.append(joined)
        return tuple(views)


def _disguised(view: View) -> Sequence[tuple[int, int]]:
    matches = view.matches(DIGIT_INSIDE)
    meant = {word: word.translate(DIGITS) for word in {match.group() for match in matches}}
    hidden = {word for word, other in meant.items() if vocabulary().is_whole(other)}
    return [match.span() for match in matches if match.group() in hidden]


def _replaced(view: View, disguise: Disguise, put: Callable[[re.Match[str]], str]) -> View:
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

    return View("".join((*parts, view.text[at:])), find_offsets)


def is_near(
    view: View, mention: Mention, places: Sequence[int], *, before: int, after: int
) -> bool:
    """Whether one of these places stands so close, and in the same clause."""
    first = bisect_left(places, mention.start - before)
    near = (place for place in places[first : first + 8] if place <= mention.end + after)
    return any(view.is_one_clause(mention.start, place) for place in near)
