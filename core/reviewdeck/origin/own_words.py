"""The user's own sentence in the place of an entry that tells it in other words.

An agent's wording is never taken for the user's. But where an entry comes near to a typed sentence,
that sentence itself may be kept: it is a plain statement or a standing wish, it can be understood
alone, and the entry tells no other number, name, person, denial or condition, as an agent does that
has misread it. A second sentence goes with it where the first points to the one before it, or lacks
a number or a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviewdeck.origin.asides import without_asides
from reviewdeck.origin.contradiction import OURS, contradicts, lacks, stretches
from reviewdeck.origin.derivation import EDGE, derives
from reviewdeck.origin.inflection import content, shares
from reviewdeck.origin.lasting import is_standing_wish, lasts, tells_what_lasts
from reviewdeck.origin.leaning import points_back
from reviewdeck.origin.phrases import ATTRIBUTED, DOUBTED, IRONIC, any_of, words_of
from reviewdeck.origin.typed import Sentence, read_sentences
from reviewdeck.origin.wording import MINE, typed_words
from reviewdeck.policy.statement import orders
from reviewdeck.text.languages import language_of
from reviewdeck.text.lazy import regex

LONGEST: Final = 300
"""Characters of a sentence that is kept in the place of an entry."""
_TIMES: Final = 3
"""They are at most so many times as long as the entry, or as one of so many characters."""
_SHORT: Final = 40
_ORDER_TO_KEEP: Final = regex(
    r"\A(?:(?:please|pls|and|also|hey|hi|ok|so)[,\s]+)*(?:(?:remember|memori[sz]e|note|know"
    r"|(?:keep|bear) in mind|fyi|for (?:the )?future(?: reference)?)(?:\s+that\b|\s*[:,])"
    r"|merke? dir(?: bitte)?\s*:)\s+(?=\w)",
    re.IGNORECASE,
)
"""Before a statement: that it is to be kept."""
_NAME: Final = 3
"""Words that name what the next sentence tells of."""
_WISH: Final = any_of("always | never | call me | immer | nie")
"""What tells the language as well as a function word does."""
_SAYS_LITTLE: Final = EDGE | words_of(", . : always never immer nie")
_YOU: Final = any_of(
    "you | your | yours | yourself | du | dir | dich | dein\\w* | euch | sie bitte"
)
_OTHERWISE: Final = (ATTRIBUTED, DOUBTED, IRONIC)
"""What is not stated as so."""


def own_words(entry: str, near: Sentence, spoken: Sequence[Sentence]) -> str:
    """The typed sentences that are kept in the place of an entry; empty where none are."""
    near = replace(near, text=_plain(near.text))
    is_same = _same_letters(near.text) == _same_letters(entry)
    if is_same and lasts(near.text) and not contradicts(entry, near.text):
        return near.text
    most = min(LONGEST, _TIMES * max(len(entry), _SHORT))
    if len(near.text) > most:
        return ""
    led = [each for each in spoken if _leads(each, near, entry)] if points_back(near.text) else []
    if led:
        return _kept([*led, near], entry, most)
    is_lacking = lacks(entry, near.text)
    alone = "" if is_lacking else _kept([near], entry, most)
    if not is_lacking and len(read_sentences(entry)) == 1:
        return alone
    both = [near, *_for_the_rest(entry, near, spoken)]
    return _kept(sorted(both, key=lambda each: (each.message, each.at)), entry, most) or alone


def _same_letters(sentence: str) -> str:
    return sentence.casefold().strip().rstrip(".!")


def _kept(chosen: Sequence[Sentence], entry: str, most: int) -> str:
    """What is kept of these sentences, as one text; empty where one of them cannot be kept."""
    first, last = chosen[0], chosen[-1]
    in_a_row = first.message == last.message and last.at - len(chosen) + 1 == first.at
    kept = [
        _kept_part(
            each,
            entry,
            leads=in_a_row and each is not last,
            is_led=in_a_row and each is not first,
        )
        for each in chosen
    ]
    text = _ORDER_TO_KEEP.sub("", " ".join([*map(_ended, kept[:-1]), *kept[-1:]]))
    return text if all(kept) and len(text) <= most and not contradicts(entry, text) else ""


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!")) else f"{sentence}."


def _plain(sentence: str) -> str:
    """A sentence without what stands around its statement, and with an end."""
    text = without_asides(sentence)
    return text if sentence.endswith(text) else _ended(text)


def _kept_part(sentence: Sentence, entry: str, *, leads: bool, is_led: bool) -> str:
    """The shortest clause of a sentence that has all the words of an entry that it has.

    It stands alone by the steps of a derivation, and may be the whole; empty where none is kept.
    """
    text = _plain(sentence.text)
    if sentence.objection:
        return ""
    words = [word for word in content(entry) if shares(word, content(text))]
    for part in [] if leads else stretches(text):
        others = content(part)
        if (
            all(shares(word, others) for word in words)
            and derives(part, text)
            and _may_be_kept(part, leads=leads, is_led=is_led)
        ):
            return part if text.endswith(part) else f"{part}."
    return text if _may_be_kept(text, leads=leads, is_led=is_led) else ""


def _leads(first: Sentence, second: Sentence, entry: str) -> bool:
    """Whether a sentence stands just before another one and shares a word with an entry."""
    is_before = first.message == second.message and first.at + 1 == second.at
    return is_before and any(shares(word, content(entry)) for word in content(first.text))


def _for_the_rest(entry: str, near: Sentence, spoken: Sequence[Sentence]) -> list[Sentence]:
    """The sentence that shares most of the words of an entry that the nearest one has not."""
    words = content(near.text)
    rest = [word for word in content(entry) if not shares(word, words)]
    counts = [
        (sum(shares(word, content(other.text)) for word in rest), other)
        for other in spoken
        if (other.message, other.at) != (near.message, near.at) and not other.objection
    ]
    most = max((count for count, _ in counts), default=0)
    best = [other for count, other in counts if count == most]
    return best if most and len(best) == 1 else []


def _may_be_kept(sentence: str, *, leads: bool, is_led: bool) -> bool:
    """Whether a typed sentence can be understood, as something that holds.

    One that leads to the next may be a few words that name something, to which that one may point.
    """
    words = typed_words(sentence)
    is_name = leads and (len(words) <= _NAME or words[0].text in OURS | {MINE})
    is_short = is_name and len(words) <= _NAME
    is_wish = _WISH.search(sentence) and len({word.text for word in words} - _SAYS_LITTLE) > 1
    is_read = is_wish or language_of(sentence, least=1) is not None
    if not (is_name or is_read):
        return False
    if any(each.search(sentence) for each in _OTHERWISE):
        return False
    if not (is_short or tells_what_lasts(sentence)):
        return False
    if not is_led and points_back(sentence):
        return False
    told = _ORDER_TO_KEEP.sub("", sentence)
    is_addressed = _YOU.search(told) is not None or orders(told)
    return is_standing_wish(sentence) or not is_addressed
