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
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from rapidfuzz import fuzz, process

from reviewdeck.text.languages import Language, is_german
from reviewdeck.text.terms import NEARLY_FROM, normalise, stem, stems_of, telling, weight, words_of
from reviewdeck.values import dataclass

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
LONGEST_KEY: Final = 4_000
"""Characters that are compared: the comparison is quadratic, and no real entry is longer."""

_NUMBER: Final = re.compile(r"\d")
_NEGATION_WORDS: Final = (
    "no not never none without nothing neither nor cannot can't don't doesn't didn't won't isn't "
    "aren't wasn't shouldn't mustn't avoid stop instead dislikes hates disabled off"
)
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())

_CONDITION_WORDS: Final = (
    "if unless when whenever while until till before after during only except but besides because "
    "was were had sometimes usually mostly formerly maybe perhaps "
    "nicht kein keine keinen keinem keiner keines nie niemals ohne statt weder wenn falls sofern "
    "solange außer nur aber bis bevor nachdem während weil war waren hatte manchmal meist "
    "vielleicht"
)
_CONDITIONS: Final = _NEGATIONS | frozenset(_CONDITION_WORDS.split())
"""Words by which a sentence holds sometimes, no more, or not at all."""
_IDLE_WORDS: Final = "a an the is are user users user's"
_IDLE_GERMAN_WORDS: Final = (
    "der die das den dem des ein eine einen einem einer eines ist sind nutzer nutzers nutzerin"
    " benutzer benutzers benutzerin"
)
_IDLE: Final = {
    Language.ENGLISH: frozenset(_IDLE_WORDS.split()),
    Language.GERMAN: frozenset(_IDLE_GERMAN_WORDS.split()),
}
"""Words without which an entry says the same."""
_LETTER: Final = re.compile(r"(?<=[^.!?]\s)A\b")
"""A letter that names something, and no article."""
_SYMBOL: Final = re.compile(r"[+#<>=≤≥≠%$€£°@&|~^]|(?<![\w.])[-−](?=\d)")
"""What tells another name or number and is no part of a word: C++, C#, <5, -5."""
_PAST: Final = ("ed", "te", "ten")
"""Ends of a word that its stem lacks, though they tell what no longer holds."""

_USERS_WORDS: Final = (
    "user's nutzers nutzerin benutzers my our mein meine meinen meiner meinem unser unsere"
)
_USERS: Final = frozenset(_USERS_WORDS.split())
"""Words for what is the user's, which nearly every entry has: two texts share nothing by them."""


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
    with an index of terms passes only the texts that share some. Without `reasons`,
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
        has_same_words = reading.forms.keys() == candidate_reading.forms.keys()
        if has_same_words and _is_same_normalised(text, candidate):
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
    told = telling(stems_of(text))
    return frozenset(frozenset(pair) for pair in pairwise(told) if pair[0] != pair[1])


def _total_weight(text_signs: Iterable[str]) -> float:
    return sum(map(weight, text_signs))


def _difference(text: str, candidate: str) -> str:
    return contradicts(text, candidate).reason or "the same words in another order"


def _is_same_normalised(text: str, candidate: str) -> bool:
    normal = normalise(text)
    return bool(normal) and normal == normalise(candidate)


def contradicts(a: str, b: str) -> Difference:
    """The words, the numbers and the negation in which two texts differ."""
    first, second = _read(a), _read(b)
    only_first = [form for base, form in first.forms.items() if base not in second.forms]
    only_second = [form for base, form in second.forms.items() if base not in first.forms]
    return Difference(
        words=(_without_numbers(only_first), _without_numbers(only_second)),
        numbers=(_with_numbers(only_first), _with_numbers(only_second)),
        negated=first.is_negated != second.is_negated,
    )


def percent_alike(a: str, b: str) -> float:
    """How much of two texts is the same, 0 to 100, whatever the order of their words."""
    return fuzz.token_sort_ratio(normalise(a)[:LONGEST_KEY], normalise(b)[:LONGEST_KEY])


def shared_words(a: str, b: str) -> tuple[str, ...]:
    """A text's content words that another one has too, in its order, each in its first form.

    Everyday words such as "before" are among them only where there are no others.
    """
    subject = _read(b).subject
    forms = _read(a).forms.items()
    shared = {base: form for base, form in forms if base in subject and form not in _USERS}
    told = tuple(form for base, form in shared.items() if telling({base: form}))
    return told or tuple(shared.values())


def shared_weight(a: str, b: str) -> float:
    """How telling the words are that two texts share."""
    return _total_weight(_read(a).signs & _read(b).signs)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, by their stems; numbers and names as they are."""
    return _read(text).subject


@dataclass(frozen=True, slots=True)
class Saying:
    """A text as it is compared, to be read once for many comparisons."""

    words: str
    """Normalised, with a space at either end."""
    conditions: tuple[str, ...]
    """Its words that deny or limit it, and its symbols."""
    told: tuple[str, ...]
    """The stems of its words in order, without those that tell nothing; numbers as they are."""

    def says_as_well(self, other: Saying) -> bool:
        """Whether it has all words of another one in a row, under the same conditions."""
        return (
            self.conditions == other.conditions
            and bool(other.words.strip())
            and other.words in self.words
        )

    def says_nearly(self, other: Saying) -> bool:
        """Whether both are nearly the same, and only articles, "is", "the user" or endings differ.

        The order counts: "tabs to spaces" is not "spaces to tabs".
        """
        return (
            bool(self.told)
            and self.told == other.told
            and self.conditions == other.conditions
            and fuzz.ratio(self.words[:LONGEST_KEY], other.words[:LONGEST_KEY]) >= NEARLY_FROM
        )


def saying_of(text: str) -> Saying:
    """A text, read."""
    words = words_of(text)
    language = Language.GERMAN if is_german(words) else Language.ENGLISH
    idle = _IDLE[language] - ({"a"} if _LETTER.search(text) else set())
    told = (_told(word, language) for word in words if word not in idle)
    limits = (*(word for word in words if word in _CONDITIONS), *_SYMBOL.findall(text))
    return Saying(f" {' '.join(words)} ", tuple(sorted(limits)), tuple(told))


def _told(word: str, language: Language) -> str:
    return word if word.endswith(_PAST) else stem(word, language)


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
    text: str, texts: Sequence[str], groups: Sequence[Sequence[int]], by_word: dict[str, list[int]]
) -> int | None:
    words = _read(text).subject | _read(text).signs
    near = sorted({group for word in words for group in by_word.get(word, ())})
    matches = find_similar(text, [texts[groups[group][0]] for group in near])
    return near[matches[0].index] if matches else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The words of a text, in the forms that comparisons need."""

    forms: Mapping[str, str]
    """The content words by their stems, in order."""
    subject: frozenset[str]
    """Their stems without negations."""
    key: str
    """The subject in one line, for the token set ratio."""
    signs: frozenset[str]
    """The stems of its telling words, synonyms replaced by one of them."""

    @property
    def is_negated(self) -> bool:
        """Whether it has a negation."""
        return len(self.subject) < len(self.forms)


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> _Reading:
    forms = stems_of(text)
    subject = frozenset(base for base, form in forms.items() if form not in _NEGATIONS)
    return _Reading(forms, subject, _key_line(subject), frozenset(telling(forms)))


def _key_line(subject: frozenset[str]) -> str:
    joined = " ".join(subject)
    # The ratio takes words in any order, but a cut has to be deterministic: sort first.
    return joined if len(joined) <= LONGEST_KEY else " ".join(sorted(joined.split()))[:LONGEST_KEY]


def _without_numbers(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        sorted(word for word in words if not _NUMBER.search(word) and word not in _NEGATIONS)
    )


def _with_numbers(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if _NUMBER.search(word)))


def _both_sides(sides: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    left, right = (", ".join(side[:5]) or "–" for side in sides)
    return f"{left} / {right}"
