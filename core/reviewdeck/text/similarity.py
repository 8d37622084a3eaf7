"""Which texts are about the same thing, and in what they differ.

Two texts are about the same thing if they have nearly the same words, however long the rest is, or
share enough telling words, by their stems, where the rest is put differently.

Similarity never decides by itself: an update ("prefers tabs", then "prefers spaces") is more
similar to what it updates than a true duplicate in other words is. So only equality, up to case,
spacing and punctuation, counts as a duplicate; the same subject is shown to a person with the
difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import Final

from rapidfuzz import fuzz, process

_JOINTS: Final = re.compile(r"[./:_'’-]+")
_DIGIT: Final = re.compile(r"\d")
_VOWEL: Final = re.compile(r"[aeiouy]")
_SHORTEST_STEM: Final = 3
_KEPT_DOUBLE: Final = frozenset("lsz")

_SILENT_WORDS: Final = """
a about above after again ain all also am an and another any anything are aren as at away be
because become been before being below between both but by came can cannot come comes could couldn
d did didn do does doesn doing don down during each either every few for from gets give given
gives go goes going gone got had has hasn have haven having he her here hers him his how i if in
instead into is isn it its just keep keeps kept kind less let like liked likes ll lot lots m made
make makes many may me might mine more most much must my neither never no none nor not nothing now
of off often on once one ones only onto or other our ours out over own per prefer preferred
prefers put puts quite rather re s same several shall she should since so some something still
such t take taken takes than that the their theirs them then there therefore these they thing
things this those though through to too took two under until up upon us use used user uses using
ve very via want wanted wants was wasn way ways we well went were what when where whether which
while who whom whose why will with within without won would yet you your yours
"""
_COMMON_WORDS: Final = """
add agent am app application back big build case change check code command contain current data
day different end expect explain file find first follow form happen help high home house idea
include item job know large last level life line list live long look low machine main man mean
month move name need next note number open option page part people person place plan pm point
problem program project question read room run say second see server set show side skill small
special start state step support system task tell text think time tool try turn type version week
whole woman word work world write year
"""
_SAME_WORDS: Final = """
short brief concise terse
answer reply response
document doc documentation manual
picture image photo
dark black
folder directory
meeting appointment
start begin
finish end stop
delete remove
error failure fail
car vehicle
film movie
job work
company firm
mail email
alert alarm
machine computer laptop pc
kilometre kilometer km
colour color
schedule timetable
"""


@lru_cache(maxsize=1 << 15)
def signs(word: str) -> tuple[str, ...]:
    """The stem of a word in lower case, or those of its parts where it is put together of words."""
    parts = (word,) if word.isalpha() or _DIGIT.search(word) else _JOINTS.split(word)
    return tuple(intern(sign) for part in parts if (sign := _sign(part)) is not None)


@lru_cache(maxsize=1 << 15)
def weight(sign: str) -> float:
    """How much it tells that two texts share it: a name or a version more than an everyday word."""
    if sign in _COMMON:
        return 1.0
    if sign.isalpha():
        return 2.0
    return 1.0 if sign.isdigit() and len(sign) < 3 else 3.0


def _sign(word: str) -> str | None:
    """Its stem, or that of the word that says the same; None for one that tells nothing."""
    if not word or word in _SILENT:
        return None
    found = stem(word)
    return _SAME.get(found, found)


def stem(word: str) -> str:
    """A word without what inflection adds to it, as far as its letters tell."""
    if not word.isalpha() or len(word) <= _SHORTEST_STEM:
        return word
    found = _participle(_stem_of_plural(word))
    if found.endswith("ly") and len(found) > 5:
        found = found[:-2]
    return found[:-1] if found.endswith("e") and len(found) > 4 else found


def _stem_of_plural(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _participle(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= _SHORTEST_STEM and _VOWEL.search(rest):
            is_doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in _KEPT_DOUBLE
            return rest[:-1] if is_doubled else rest
    return word


_SILENT = frozenset(_SILENT_WORDS.split())
_COMMON = frozenset(map(stem, _COMMON_WORDS.split()))
_SAME = {
    stem(word): stem(words[0])
    for words in map(str.split, _SAME_WORDS.strip().split("\n"))
    for word in words[1:]
}


SAME_SUBJECT_FROM: Final = 66.0
"""Token set likeness, 0 to 100, from which two texts are taken to be about the same thing."""
SHARED_FROM: Final = 3.0
"""Weight of the telling words that two texts have to share where they say the rest differently."""
SHARED_PART: Final = 0.4
"""Part of the telling words of the shorter one, by weight, that has to be among them."""
PHRASE_LESS: Final = 1.0
"""What two words count less that stand side by side in both: they name one thing."""
LONGER_PART: Final = 0.125
"""The same of the longer one: a page has some of the words of any sentence."""
MAX_WORDS: Final = 600
"""Words of a text that are looked at for likeness; equality looks at all of them."""
LONGEST_WORD: Final = 60
LONGEST_KEY: Final = 4_000
"""Characters that are compared: the comparison is quadratic, and nobody says more in an entry."""

_WORD: Final = re.compile(r"\w+(?:[.'’/:_-]+\w+)*")
_NUMBER: Final = re.compile(r"\d")
_NEGATION_WORDS: Final = (
    "no not never none without nothing neither nor cannot can't don't doesn't didn't won't isn't "
    "aren't wasn't shouldn't mustn't avoid stop instead dislikes hates disabled off"
)
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())
_FILLER_WORDS: Final = (
    "a an and are as at be been but by can do does for from had has have i if in into is it its "
    "of on or that the their them then there these they this to was were when which will with "
    "you your user use uses used using always should prefer prefers preferred like likes want "
    "wants need needs"
)
_FILLERS: Final = frozenset(_FILLER_WORDS.split())


class Kinship(StrEnum):
    """How two texts are related. Unrelated ones are not reported."""

    EXACT = "exact"
    NORMALISED = "normalised"
    """The same words and numbers; case, spacing or punctuation differ."""
    SAME_SUBJECT = "same-subject"
    """A possible update or duplicate: for a person to look at."""


@dataclass(frozen=True, slots=True)
class Match:
    """One candidate that is related to a text."""

    index: int
    """Among the candidates."""
    score: float
    """0 to 100; 100 for exact and normalised matches."""
    kinship: Kinship
    reason: str
    """What is the same or differs, in words for an operator."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one text says and the other does not."""

    words: tuple[tuple[str, ...], tuple[str, ...]]
    """Content words that stand in one only: of the first, of the second."""
    numbers: tuple[tuple[str, ...], tuple[str, ...]]
    """The same for what contains a digit."""
    negated: bool
    """Whether one of them says no where the other does not."""

    @property
    def is_contradiction(self) -> bool:
        """Whether both cannot well be true: each has its own number or word, or one says no."""
        return self.negated or all(self.numbers) or all(self.words)

    @property
    def reason(self) -> str:
        """The difference in words for an operator; empty when there is none."""
        said = []
        if self.negated:
            said.append("one of them says no")
        if any(self.numbers):
            said.append(f"numbers: {_versus(self.numbers)}")
        if any(self.words):
            said.append(f"words: {_versus(self.words)}")
        return "; ".join(said)


def alike(text: str, candidates: Sequence[str], *, reasons: bool = True) -> list[Match]:
    """The candidates that are related to the text, the most alike first.

    Two texts share a subject by rapidfuzz's token set ratio over their content words, or by the
    telling words that they have in common.
    Linear in the number of candidates: 10,000 of 100 characters take a tenth of a second. An
    adapter with an index hands in what `rare_words` finds there instead of everything. Without
    `reasons` those that only share a subject do not say in what they differ, which takes longer
    than to find them.
    """
    told = _told(text)
    weighed = _weighed(told.signs)
    found: list[Match] = []
    near: list[tuple[int, str]] = []
    scores: dict[int, float] = {}
    for index, candidate in enumerate(candidates):
        if candidate == text:
            found.append(Match(index, 100.0, Kinship.EXACT, "the same text"))
            continue
        other = _told(candidate)
        if told.words == other.words and _is_same_normalised(text, candidate):
            found.append(Match(index, 100.0, Kinship.NORMALISED, _DRESSED))
            continue
        if not told.subject or not told.subject.isdisjoint(other.subject):
            near.append((index, other.key))
        is_near = len(told.signs & other.signs) > 1  # hardly ever
        if is_near and (score := _in_common(text, candidate, weighed)):
            scores[index] = score
    for index, score in _of_one_subject(told.key, near):
        scores[index] = max(score, scores.get(index, 0.0))
    for index, score in scores.items():
        reason = _difference(text, candidates[index]) if reasons else ""
        found.append(Match(index, score, Kinship.SAME_SUBJECT, reason))
    return sorted(found, key=lambda match: (-match.score, _KINSHIPS.index(match.kinship)))


_KINSHIPS = tuple(Kinship)
_DRESSED = "the same words; case, spacing or punctuation differ"


def _of_one_subject(key: str, near: Sequence[tuple[int, str]]) -> list[tuple[int, float]]:
    """Those of these candidates that are about the same thing, in their order."""
    if not near:  # nearly always
        return []
    scored = process.extract(
        key,
        [other for _, other in near],
        scorer=fuzz.token_set_ratio,
        processor=None,
        score_cutoff=SAME_SUBJECT_FROM,
        limit=None,
    )
    return sorted((near[place][0], score) for _, score, place in scored)


def _in_common(text: str, candidate: str, weighed: float) -> float:
    """A score for two texts that share enough telling words; 0 for all others."""
    one, other = _told(text).signs, _told(candidate).signs
    shared = one & other
    common = _weighed(shared)
    shorter, longer = sorted((weighed, _weighed(other)))
    least = max(SHARED_FROM, shorter * SHARED_PART, longer * LONGER_PART)
    if common < least:
        return 0.0
    # "Rowing club" is one name of two words: a text about its dues is not one about its boats.
    named = _phrases(text) & _phrases(candidate)
    common -= sum(PHRASE_LESS for phrase in named if phrase <= shared)
    if common < least:
        return 0.0
    above = (common / shorter - SHARED_PART) / (1 - SHARED_PART)
    return SAME_SUBJECT_FROM + above * (99.0 - SAME_SUBJECT_FROM)


@lru_cache(maxsize=1 << 10)
def _phrases(text: str) -> frozenset[frozenset[str]]:
    """The pairs of telling words that stand side by side."""
    said = list(chain.from_iterable(map(signs, _split(text)[:MAX_WORDS])))
    return frozenset(frozenset(pair) for pair in pairwise(said) if pair[0] != pair[1])


def _weighed(found: Iterable[str]) -> float:
    return sum(map(weight, found))


def _difference(text: str, candidate: str) -> str:
    return contradicts(text, candidate).reason or "the same words in another order"


def _is_same_normalised(text: str, candidate: str) -> bool:
    normal = normalise(text)
    return bool(normal) and normal == normalise(candidate)


def rare_words(text: str, counts: Mapping[str, int], most: int = 4) -> tuple[str, ...]:
    """The content words of a text that occur least often in a corpus, for an index to look up.

    `counts` says in how many texts a word occurs, in lower case; a word that occurs in none finds
    nothing and is left out. A related text that shares none of the words is missed.
    """
    known = {form: amount for form in _forms(text) if (amount := counts.get(form))}
    return tuple(sorted(known, key=lambda word: (known[word], word))[:most])


def _forms(text: str) -> Iterable[str]:
    """The content words of a text as they may stand in another."""
    for stem in _told(text).subject:
        yield stem
        if len(stem) > 2 and stem.isalpha():
            yield f"{stem}s"


def contradicts(a: str, b: str) -> Difference:
    """The words, the numbers and the negation in which two texts differ."""
    one, other = _told(a).words, _told(b).words
    left, right = one - other, other - one
    return Difference(
        words=(_words(left - _NEGATIONS), _words(right - _NEGATIONS)),
        numbers=(_numbers(left), _numbers(right)),
        negated=one.isdisjoint(_NEGATIONS) != other.isdisjoint(_NEGATIONS),
    )


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, by their stems; numbers and names as they are."""
    return _told(text).subject


def normalise(text: str) -> str:
    """The words and numbers of a text in lower case, one space between them."""
    return " ".join(_split(text))


def clusters(
    texts: Sequence[str], anchors: Sequence[Hashable | None] = ()
) -> list[tuple[int, ...]]:
    """Indices of texts that say the same, or that fight over one anchor; at least two each.

    A text joins the first cluster whose first text it is like. An anchor is whatever two proposals
    cannot both have: the entry that they replace. None is no anchor.
    """
    groups: list[list[int]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    by_anchor: dict[Hashable, int] = {}
    for index, text in enumerate(texts):
        anchor = anchors[index] if index < len(anchors) else None
        group = by_anchor.get(anchor) if anchor is not None else None
        if group is None:
            group = _group_of(text, texts, groups, by_word)
        if group is None:
            group = len(groups)
            groups.append([])
            for word in _told(text).subject | _told(text).signs:
                by_word[word].append(group)
        groups[group].append(index)
        if anchor is not None:
            by_anchor.setdefault(anchor, group)
    return [tuple(group) for group in groups if len(group) > 1]


def _group_of(
    text: str,
    texts: Sequence[str],
    groups: Sequence[Sequence[int]],
    by_word: dict[str, list[int]],
) -> int | None:
    words = _told(text).subject | _told(text).signs
    near = sorted({group for word in words for group in by_word.get(word, ())})
    matches = alike(text, [texts[groups[group][0]] for group in near])
    return near[matches[0].index] if matches else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a text says, in the forms that comparing needs."""

    words: frozenset[str]
    """The content words by their stems."""
    subject: frozenset[str]
    """The same without those that only say no."""
    key: str
    """The subject in one line: what the token set ratio looks at."""
    signs: frozenset[str]
    """What its telling words come to, by stems and words that say the same."""


@lru_cache(maxsize=1 << 12)
def _told(text: str) -> _Reading:
    said = _split(text)[:MAX_WORDS]
    if max(map(len, said), default=0) > LONGEST_WORD:
        said = [word[:LONGEST_WORD] for word in said]
    words = _content(said)
    subject = words if words.isdisjoint(_NEGATIONS) else words - _NEGATIONS
    return _Reading(
        words, subject, _line(subject), frozenset(chain.from_iterable(map(signs, said)))
    )


def _content(said: Sequence[str]) -> frozenset[str]:
    telling = set(said) - _FILLERS
    return frozenset(map(_singular, telling))


def _line(subject: frozenset[str]) -> str:
    joined = " ".join(subject)
    # The ratio takes words in any order; what is cut off has to be the same each time.
    return joined if len(joined) <= LONGEST_KEY else " ".join(sorted(joined.split()))[:LONGEST_KEY]


def _split(text: str) -> list[str]:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _WORD.findall(plain.casefold())


@lru_cache(maxsize=1 << 15)
def _singular(word: str) -> str:
    """A word that ends in s without it, if that looks like a plural of a plain word."""
    is_plural = len(word) > 3 and word[-1] == "s" != word[-2] and word.isalpha()
    # Interned: thousands of texts are kept, and they are made of the same words.
    return intern(word[:-1] if is_plural else word)


def _words(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if not _NUMBER.search(word)))


def _numbers(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if _NUMBER.search(word)))


def _versus(sides: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    left, right = (", ".join(side[:5]) or "–" for side in sides)
    return f"{left} / {right}"
