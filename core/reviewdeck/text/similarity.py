"""Finds texts about the same subject, and describes how they differ.

Two texts have the same subject if one has nearly all the words of the other, or if they share
enough telling words (names, numbers, rare words), compared by their stems.

Similarity alone decides nothing: an update ("prefers tabs", then "prefers spaces") is more similar
to the entry it updates than a duplicate in other words is. So only equality, up to case, spacing
and punctuation, counts as a duplicate; texts with the same subject are shown to a person with the
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
_STAYS_DOUBLED: Final = frozenset("lsz")

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
    """The stems of a word in lower case: one, or one for each part of a compound."""
    parts = (word,) if word.isalpha() or _DIGIT.search(word) else _JOINTS.split(word)
    return tuple(intern(sign) for part in parts if (sign := _telling_stem(part)) is not None)


@lru_cache(maxsize=1 << 15)
def weight(sign: str) -> float:
    """How telling a shared stem is: a name or a version counts more than an everyday word."""
    if sign in _COMMON:
        return 1.0
    if sign.isalpha():
        return 2.0
    return 1.0 if sign.isdigit() and len(sign) < 3 else 3.0


def _telling_stem(word: str) -> str | None:
    """The stem of a word, or of its synonym; None for a stop word."""
    if not word or word in _SILENT:
        return None
    base = stem(word)
    return _SAME.get(base, base)


def stem(word: str) -> str:
    """A word without its inflection, by simple rules on its letters."""
    if not word.isalpha() or len(word) <= _SHORTEST_STEM:
        return word
    base = _participle(_stem_of_plural(word))
    if base.endswith("ly") and len(base) > 5:
        base = base[:-2]
    return base[:-1] if base.endswith("e") and len(base) > 4 else base


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
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= _SHORTEST_STEM and _VOWEL.search(base):
            is_doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in _STAYS_DOUBLED
            return base[:-1] if is_doubled else base
    return word


_SILENT = frozenset(_SILENT_WORDS.split())
_COMMON = frozenset(map(stem, _COMMON_WORDS.split()))
_SAME = {
    stem(word): stem(words[0])
    for words in map(str.split, _SAME_WORDS.strip().split("\n"))
    for word in words[1:]
}


SAME_SUBJECT_FROM: Final = 66.0
"""Token set ratio, 0 to 100, from which two texts count as being about the same subject."""
SHARED_FROM: Final = 3.0
"""Least weight of the telling words that two texts share, to have the same subject."""
SHARED_PART: Final = 0.4
"""Least share of the weight of the shorter text's telling words that the shared ones have."""
PHRASE_LESS: Final = 1.0
"""Weight taken off for two words that are adjacent in both texts: they name one thing."""
LONGER_PART: Final = 0.125
"""`SHARED_PART` for the longer text: a page has some of the words of any sentence."""
MAX_WORDS: Final = 600
"""Words of a text that are compared for similarity; equality compares all of them."""
LONGEST_WORD: Final = 60
LONGEST_KEY: Final = 4_000
"""Characters that are compared: the comparison is quadratic, and no real entry is longer."""

_WORD: Final = re.compile(r"\w+(?:[.'’/:_-]+\w+)*")
_UNSPACED: Final = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Runs of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which write no spaces."""
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


class MatchKind(StrEnum):
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
    kind: MatchKind
    reason: str
    """The equality or the difference, in words for an operator."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The words, numbers and negation in which two texts differ."""

    words: tuple[tuple[str, ...], tuple[str, ...]]
    """Content words in only one of the texts: of the first, of the second."""
    numbers: tuple[tuple[str, ...], tuple[str, ...]]
    """Likewise words that contain a digit."""
    negated: bool
    """Whether exactly one of the texts has a negation."""

    @property
    def reason(self) -> str:
        """The difference in words for an operator; empty when there is none."""
        reasons = []
        if self.negated:
            reasons.append("one of them says no")
        if any(self.numbers):
            reasons.append(f"numbers: {_both_sides(self.numbers)}")
        if any(self.words):
            reasons.append(f"words: {_both_sides(self.words)}")
        return "; ".join(reasons)


def find_similar(text: str, candidates: Sequence[str], *, reasons: bool = True) -> list[Match]:
    """The candidates that are related to the text, the most alike first.

    Two texts share a subject by rapidfuzz's token set ratio over their content words, or by the
    telling words that they have in common.
    Linear in the number of candidates: 10,000 of 100 characters take a tenth of a second. A caller
    with an index looks up `rare_words` there and passes only those candidates. Without `reasons`,
    matches of the same subject have no reason, which takes longer to compute than the match.
    """
    reading = _read(text)
    text_weight = _total_weight(reading.signs)
    matches: list[Match] = []
    near: list[tuple[int, str]] = []
    scores: dict[int, float] = {}
    for index, candidate in enumerate(candidates):
        if candidate == text:
            matches.append(Match(index, 100.0, MatchKind.EXACT, "the same text"))
            continue
        candidate_reading = _read(candidate)
        if reading.words == candidate_reading.words and _is_same_normalised(text, candidate):
            matches.append(Match(index, 100.0, MatchKind.NORMALISED, _NORMALISED_REASON))
            continue
        if not reading.subject or not reading.subject.isdisjoint(candidate_reading.subject):
            near.append((index, candidate_reading.key))
        is_near = len(reading.signs & candidate_reading.signs) > 1  # hardly ever
        if is_near and (score := _shared_score(text, candidate, text_weight)):
            scores[index] = score
    for index, score in _same_subject(reading.key, near):
        scores[index] = max(score, scores.get(index, 0.0))
    for index, score in scores.items():
        reason = _difference(text, candidates[index]) if reasons else ""
        matches.append(Match(index, score, MatchKind.SAME_SUBJECT, reason))
    return sorted(matches, key=lambda match: (-match.score, _KINSHIPS.index(match.kind)))


_KINSHIPS = tuple(MatchKind)
_NORMALISED_REASON = "the same words; case, spacing or punctuation differ"


def _same_subject(key: str, near: Sequence[tuple[int, str]]) -> list[tuple[int, float]]:
    """Index and score of the candidates with the same subject by token set ratio, in order."""
    if not near:  # nearly always
        return []
    scored = process.extract(
        key,
        [key_line for _, key_line in near],
        scorer=fuzz.token_set_ratio,
        processor=None,
        score_cutoff=SAME_SUBJECT_FROM,
        limit=None,
    )
    return sorted((near[place][0], score) for _, score, place in scored)


def _shared_score(text: str, candidate: str, text_weight: float) -> float:
    """A score for two texts that share enough telling words; 0 for all others."""
    text_signs, candidate_signs = _read(text).signs, _read(candidate).signs
    shared = text_signs & candidate_signs
    common = _total_weight(shared)
    shorter, longer = sorted((text_weight, _total_weight(candidate_signs)))
    least = max(SHARED_FROM, shorter * SHARED_PART, longer * LONGER_PART)
    if common < least:
        return 0.0
    # "Rowing club" is one name of two words: a text about its dues is not one about its boats.
    phrases = _phrases(text) & _phrases(candidate)
    common -= sum(PHRASE_LESS for phrase in phrases if phrase <= shared)
    if common < least:
        return 0.0
    above = (common / shorter - SHARED_PART) / (1 - SHARED_PART)
    return SAME_SUBJECT_FROM + above * (99.0 - SAME_SUBJECT_FROM)


@lru_cache(maxsize=1 << 10)
def _phrases(text: str) -> frozenset[frozenset[str]]:
    """The pairs of adjacent telling words."""
    telling = list(chain.from_iterable(map(signs, _split(text)[:MAX_WORDS])))
    return frozenset(frozenset(pair) for pair in pairwise(telling) if pair[0] != pair[1])


def _total_weight(text_signs: Iterable[str]) -> float:
    return sum(map(weight, text_signs))


def _difference(text: str, candidate: str) -> str:
    return contradicts(text, candidate).reason or "the same words in another order"


def _is_same_normalised(text: str, candidate: str) -> bool:
    normal = normalise(text)
    return bool(normal) and normal == normalise(candidate)


def rare_words(text: str, counts: Mapping[str, int], most: int = 4) -> tuple[str, ...]:
    """The content words of a text that occur least often in a corpus, for an index to look up.

    `counts` has the number of texts in which a word (in lower case) occurs; words that occur in
    none are left out. A related text that shares none of the words is missed.
    """
    form_counts = {form: amount for form in _forms(text) if (amount := counts.get(form))}
    return tuple(sorted(form_counts, key=lambda word: (form_counts[word], word))[:most])


def _forms(text: str) -> Iterable[str]:
    """The content words of a text in the forms that another text may have."""
    for stem in _read(text).subject:
        yield stem
        if len(stem) > 2 and stem.isalpha():
            yield f"{stem}s"


def contradicts(a: str, b: str) -> Difference:
    """The words, the numbers and the negation in which two texts differ."""
    words_a, words_b = _read(a).words, _read(b).words
    only_a, only_b = words_a - words_b, words_b - words_a
    return Difference(
        words=(_without_numbers(only_a - _NEGATIONS), _without_numbers(only_b - _NEGATIONS)),
        numbers=(_with_numbers(only_a), _with_numbers(only_b)),
        negated=words_a.isdisjoint(_NEGATIONS) != words_b.isdisjoint(_NEGATIONS),
    )


def percent_alike(a: str, b: str) -> float:
    """How much of two texts is the same, 0 to 100, whatever the order of their words."""
    return fuzz.token_sort_ratio(normalise(a)[:LONGEST_KEY], normalise(b)[:LONGEST_KEY])


def shared_words(a: str, b: str) -> tuple[str, ...]:
    """A text's content words that another one has too, in its order, each in its first form."""
    subject = _read(b).subject
    forms: dict[str, str] = {}
    for word in _split(a)[:MAX_WORDS]:
        forms.setdefault(_singular(word[:LONGEST_WORD]), word)
    return tuple(form for stem, form in forms.items() if stem in subject)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, by their stems; numbers and names as they are."""
    return _read(text).subject


def normalise(text: str) -> str:
    """The words and numbers of a text in lower case, one space between them."""
    return " ".join(_split(text))


def clusters(
    texts: Sequence[str], anchors: Sequence[Hashable | None] = ()
) -> list[tuple[int, ...]]:
    """Groups of at least two indices of texts that are alike or have the same anchor.

    A text joins the first cluster whose first text it is like. An anchor is something that only
    one of two proposals can have, such as the entry they replace; None is no anchor.
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
            for word in _read(text).subject | _read(text).signs:
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
    words = _read(text).subject | _read(text).signs
    near = sorted({group for word in words for group in by_word.get(word, ())})
    matches = find_similar(text, [texts[groups[group][0]] for group in near])
    return near[matches[0].index] if matches else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The words of a text, in the forms that comparisons need."""

    words: frozenset[str]
    """The content words by their stems."""
    subject: frozenset[str]
    """`words` without negations."""
    key: str
    """The subject in one line, for the token set ratio."""
    signs: frozenset[str]
    """The stems of its telling words, synonyms replaced by one of them."""


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> _Reading:
    split_words = _split(text)[:MAX_WORDS]
    if max(map(len, split_words), default=0) > LONGEST_WORD:
        split_words = [word[:LONGEST_WORD] for word in split_words]
    words = _content_stems(split_words)
    subject = words if words.isdisjoint(_NEGATIONS) else words - _NEGATIONS
    return _Reading(
        words, subject, _key_line(subject), frozenset(chain.from_iterable(map(signs, split_words)))
    )


def _content_stems(words: Sequence[str]) -> frozenset[str]:
    telling = set(words) - _FILLERS
    return frozenset(map(_singular, telling))


def _key_line(subject: frozenset[str]) -> str:
    joined = " ".join(subject)
    # The ratio takes words in any order, but a cut has to be deterministic: sort first.
    return joined if len(joined) <= LONGEST_KEY else " ".join(sorted(joined.split()))[:LONGEST_KEY]


def _split(text: str) -> list[str]:
    if text.isascii():
        return _WORD.findall(text.casefold())
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return list(chain.from_iterable(map(_with_pairs, words)))


def _with_pairs(word: str) -> Sequence[str]:
    """A word; a run of a script that writes no spaces as its pairs of characters."""
    if not _UNSPACED.search(word):
        return (word,)
    runs = (run for run in _UNSPACED.split(word) if run)
    return tuple(
        chain.from_iterable(
            map("".join, pairwise(run)) if len(run) > 1 and _UNSPACED.fullmatch(run) else (run,)
            for run in runs
        )
    )


@lru_cache(maxsize=1 << 15)
def _singular(word: str) -> str:
    """A word without its final s, if it looks like a plural."""
    is_plural = len(word) > 3 and word[-1] == "s" != word[-2] and word.isalpha()
    # Interned: thousands of readings are cached, and they share their words.
    return intern(word[:-1] if is_plural else word)


def _without_numbers(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if not _NUMBER.search(word)))


def _with_numbers(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if _NUMBER.search(word)))


def _both_sides(sides: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    left, right = (", ".join(side[:5]) or "–" for side in sides)
    return f"{left} / {right}"
