"""Whether something typed takes a typed sentence back, changes it, or asks not to keep it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from reviewdeck.origin.contradiction import NUMERALS
from reviewdeck.origin.derivation import EDGE
from reviewdeck.origin.elsewhere import is_unread, may_change
from reviewdeck.origin.inflection import clauses_about, content, is_light, shares
from reviewdeck.origin.phrases import (
    ANSWERS_BACK,
    ASKS_BACK,
    CHANGES,
    NEGATIVE,
    NO_KEEP,
    SCENE,
    WITHDRAWS,
    WITHDRAWS_FIRST,
    WITHDRAWS_LAST,
    words_of,
)
from reviewdeck.origin.typed import QUESTION_OBJECTION, Sentence
from reviewdeck.origin.wording import ME, MINE, typed_words
from reviewdeck.text.lazy import regex

ANSWERS: Final = 2
"""So many messages behind a sentence may take it back without naming it."""
_FEW: Final = 2
"""So many words are no sentence: they may stand for some of the one before."""
_SHORT: Final = 6
"""So many words with an apology behind them say what was meant."""
_UNSPACED: Final = re.compile(
    "[^\x00-\u4dff\ua000-\U0010ffff我你您他她它们的是在有不了这那一个帮请写]"
)
_SHORT_UNSPACED: Final = 8
"""So many characters are a few words, where no space parts them."""
_DAY: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\Z|(?:\w+tag|mittwoch|sonnabend)s?\Z"
)
_MONTH: Final = re.compile(
    r"(?:(?:jan|febr)uar|märz|mai|jun|jul|august|(?:sept|nov|dez)ember|oktober"
    r"|january|february|march|april|may|june|july|october|december)[ei]?\Z"
)
_ASKS_MORE: Final = regex(
    r"\s*(?:(?:and|but|so|ok|okay|also|und|aber)[,\s]+)*(?:wh\w+|how|w(?:er|e[mn]|as|ann|arum|ieso"
    r"|ie|o(?:hin|her|mit|rum|für|von)?|elche\w*)|(?:can|could|will|would) (?:you|u)"
    r"|k(?:annst|önntest) du)\b",
    re.IGNORECASE,
)
"""The beginning of a question for what nobody said, or of a request."""
_ASKS_WHAT: Final = regex(
    r"\s*(?:(?:and|so|but|ok|okay)[,\s]+)*(?:what|which|where)\s+(?:\w+\s+)?"
    r"(?:can|could|should|do|would)\s+(?:i|we)\b",
    re.IGNORECASE,
)
_INSTEAD: Final = regex(r"\binstead\b(?! of\b)", re.IGNORECASE)
"""It puts nothing in the place of what was said where it is asked what to take."""
_OR: Final = re.compile(r"(?<=\w)\s+(?:or|oder)\s", re.IGNORECASE)
_DOUBTS: Final = words_of(
    "really actually truly still even indeed dont doesnt didnt isnt arent hm hmm wait"
    " wirklich echt tatsächlich überhaupt"
)
"""What a question adds that asks whether something is so."""
_OWN: Final = frozenset({ME, MINE, "we", "our", "wir"})


@lru_cache(maxsize=4096)
def takes_back(text: str) -> bool:
    every = (NO_KEEP, WITHDRAWS, CHANGES, SCENE)
    return any(pattern.search(text) for pattern in every)


def keeps_nothing(spoken: Iterable[Sentence]) -> str:
    """The sentence that asks for something not to be kept; empty when there is none."""
    return next((sentence.text for sentence in spoken if _asks_for_nothing(sentence.text)), "")


@lru_cache(maxsize=4096)
def _asks_for_nothing(text: str) -> bool:
    return NO_KEEP.search(text) is not None


def objection_beside(sentence: Sentence, spoken: Sequence[Sentence], part: str) -> str:
    """Why another typed sentence speaks against this one; empty when none does."""
    about = content(part)
    for other in spoken:
        if other is sentence or other.text == sentence.text:
            continue
        is_later = (other.message, other.at) > (sentence.message, sentence.at)
        if _is_against(other, sentence, about, is_later=is_later):
            return f"Another sentence may change it: “{other.text}”"
    return ""


def _is_against(
    other: Sentence, sentence: Sentence, about: Sequence[str], *, is_later: bool
) -> bool:
    words, its_words = content(other.text), content(sentence.text)
    shared = [word for word in about if shares(word, words) and shares(word, its_words)]
    telling = [word for word in shared if not is_light(word)]
    if not is_later:
        return bool(telling) and (
            bool(WITHDRAWS.search(other.text)) or _denies(other, sentence, shared)
        )
    distance = other.message - sentence.message
    text = _INSTEAD.sub("", other.text) if _ASKS_WHAT.match(other.text) else other.text
    if WITHDRAWS.search(text):
        return True
    if distance <= ANSWERS and _answers(other, sentence):
        return True
    if distance and CHANGES.search(other.text) and _is_own(other.text):
        return True
    if other.objection == QUESTION_OBJECTION:
        is_next = distance == 1 and other.at == 0
        is_next = is_next or (not distance and other.at == sentence.at + 1)
        if is_next and ASKS_BACK.match(other.text):
            return True
        is_most = bool(telling) and 2 * len(shared) >= len(about)
        return is_most and _asks_whether(other.text, its_words)
    if telling and (CHANGES.search(other.text) or _denies(other, sentence, shared)):
        return True
    half = max(1.0, min(len(about), len(words)) / 2)
    if len(shared) < half:
        return False
    if _begins_alike(other.text, sentence.text):
        return True
    says_more = any(not shares(word, its_words) for word in words)
    return bool(telling) and distance > 0 and says_more


def _asks_whether(question: str, its_words: Sequence[str]) -> bool:
    """Whether a question asks if a sentence of these words is so: it has hardly another word."""
    if _ASKS_MORE.match(question):
        return False
    asked = (word for word in content(_OR.split(question)[0]) if word not in _DOUBTS)
    return all(shares(word, its_words) for word in asked)


def _answers(other: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence just behind another one may put it right."""
    if WITHDRAWS_FIRST.match(other.text) or ANSWERS_BACK.match(other.text):
        return True
    is_question = other.objection == QUESTION_OBJECTION
    if is_unread(sentence.text) and may_change(other.text) and not is_question:
        return True
    return _puts_right(other, sentence)


def _puts_right(other: Sentence, sentence: Sentence) -> bool:
    """Whether a few words are what a word of a sentence should have been: "9:45", "Marten"."""
    letters = {*_UNSPACED.findall(other.text)}
    if letters and len(other.text) <= _SHORT_UNSPACED and not letters.isdisjoint(sentence.text):
        return True
    words = [word.text for word in typed_words(other.text) if word.text not in EDGE]
    if len(words) <= _SHORT and WITHDRAWS_LAST.search(other.text):
        return True
    if (
        len(words) > _FEW and not all(map(_is_number, words))
    ) or other.objection == QUESTION_OBJECTION:
        return False
    said = [word.text for word in typed_words(sentence.text)]
    return any(_is_respelt(word, each) for word in words for each in said)


def _is_respelt(word: str, said: str) -> bool:
    """Whether both are numbers, or the same letters but for one or two next to each other."""
    if shares(word, (said,)):
        return False
    if any(kind(word) and kind(said) for kind in (_is_number, _DAY.match, _MONTH.match)):
        return True
    short, long = sorted((word, said), key=len)
    if len(short) <= _FEW or len(long) - len(short) > 1:
        return False
    alike = _shared_start(short, long)
    alike += _shared_start(short[alike:][::-1], long[::-1])
    return alike >= len(long) - (2 if len(short) == len(long) > 4 else 1)


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMERALS


def _shared_start(one: str, two: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _begins_alike(first: str, second: str) -> bool:
    """Whether two sentences begin with the same two words: "I live in", "My cat is"."""
    one, two = ([word.text for word in typed_words(text)[:2]] for text in (first, second))
    return one == two


def _is_own(text: str) -> bool:
    return any(word.text in _OWN for word in typed_words(text))


def _denies(other: Sentence, sentence: Sentence, shared: Sequence[str]) -> bool:
    """Whether only one of two sentences denies something about these words."""
    one, two = (clauses_about(shared, each.text) for each in (other, sentence))
    return bool(NEGATIVE.search(one)) != bool(NEGATIVE.search(two))
