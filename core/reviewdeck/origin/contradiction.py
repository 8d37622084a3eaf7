"""Whether an entry tells something otherwise than what was typed, or something besides.

Another number, unit, name, person, denial or condition; the opposite of a word, or what changes
places; one clause out of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from reviewdeck.origin.derivation import derives
from reviewdeck.origin.inflection import clauses_about, content, is_light, shares
from reviewdeck.origin.lasting import is_standing_wish
from reviewdeck.origin.phrases import CONDITIONAL, NEGATIVE, any_of, words_of
from reviewdeck.origin.typed import read_sentences
from reviewdeck.origin.wording import ME, MINE, Word, entry_words, typed_words
from reviewdeck.text.lazy import regex

_CUT: Final = regex(
    r"\s*[,;–]\s+(?!that\b|das[sß]\b)(?:(?:and|und|but|aber|so)\s+)?|\s+(?:and|und)\s+"
)
"""Where one clause ends and the next begins."""
_MOST_CUTS: Final = 6
"""A sentence with more of them is kept as a whole."""
_WE: Final = words_of("we wir")
OURS: Final = frozenset(
    ["our", "ours", "us", "unser", "unsere", "unseren", "unserem", "unserer", "uns"]
)
_OTHERS: Final = frozenset(
    ["his", "her", "hers", "their", "theirs", "sein", "seine", "ihr", "ihre"]
)
_HAS: Final = words_of("has hat")
_LIKED: Final = words_of("favourite favorite preferred")
_LIKES: Final = words_of("likes loves prefers")
_OWNER: Final = regex(r"(?!(?:he|she|it|that|there|here|what|who|let)'s)\w+'s")
_ONCE: Final = any_of(
    """
    was | were | used to | nearly | almost | meant to | wanted | as a child
    war | waren | früher | damals | fast
    """
)
_NUMBER: Final = regex(r"[-+<>≤≥=~±$€£]*\d[\d.,:/]*(?<=\d)[%°$€£²³⁰¹⁴-⁹]*")
_CAPITALS: Final = regex("[A-Z]{2,}")
"""US and MIT, which are no "us" and no "mit"."""
_COMPARATORS: Final = regex(r"[<>≤≥]=?|~>")
NUMERALS: Final = words_of(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty thirty forty fifty hundred thousand million half twice"
    " zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
    " zwanzig hundert tausend halb"
)
_IN_DIGITS: Final = {
    word: str(number)
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, word in enumerate(words.split(), 2)
}
_UNITS: Final = words_of(
    "am pm km m cm mm mi miles mile kg g mg lb lbs l ml h min s ms gb mb kb tb percent degrees"
    " celsius fahrenheit euro euros dollars usd eur days weeks months years hours minutes seconds"
    " tagen tage wochen monate jahre stunden minuten uhr"
    " litre litres liter liters gallon gallons pint pints cup cups ounce ounces oz pound pounds"
    " foot feet inch inches yard yards metre metres meter meters kilometre kilometres kilometer"
    " kilometers gram grams kilo kilos kilogram kilograms ton tons watt watts kw volt volts"
    " francs day week month year hour minute second ft yd qt pt gal mph kmh knots hz khz mhz ghz"
    " kwh mah ppm bar psi dollar franc yen yuan sek chf gbp stunde tag woche monat jahr"
    " zentimeter millimeter milliliter gramm prozent grad"
)
_TO: Final = {"than": "to", "over": "to"}
"""The words of a comparison in one form."""
_MARKS: Final = words_of(", ; – :")
_LOOSE: Final = _MARKS | words_of("and or und oder is are ist sind the a an") | {ME, MINE}
"""Words on whose sides the same things may change places."""
_PAIRS: Final = words_of(
    "before|after vor|nach above|below over|under über|unter more|less mehr|weniger most|least"
    " all|some alle|einige every|some all|only every|only each|only everyone|only alle|nur"
    " all|half alle|halbe always|sometimes immer|manchmal first|last erste|letzte"
    " left|right links|rechts inside|outside north|south east|west morning|evening morgens|abends"
    " opens|closes open|closed öffnet|schließt starts|ends starts|stops begins|ends daily|weekly"
    " weekly|monthly odd|even upper|lower upstream|downstream hot|cold warm|kalt summer|winter"
    " light|dark hell|dunkel"
    " older|newer älter|neuer larger|smaller größer|kleiner faster|slower schneller|langsamer"
)
_OPPOSITES: Final = frozenset(
    both
    for one, _, other in (pair.partition("|") for pair in _PAIRS)
    for both in ((one, other), (other, one))
)
_WISHES: Final = any_of(
    "wants? | prefers? | likes? | loves? | avoids? | möchte | will | bevorzugt | mag"
)


def stretches(sentence: str) -> list[str]:
    """The stretches of a sentence between two places where clauses meet, the shortest first."""
    cuts = [*_CUT.finditer(sentence)]
    if len(cuts) > _MOST_CUTS:
        return []
    begins = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(sentence)]
    stretches = {sentence[begin:end] for begin in begins for end in ends if begin < end}
    return sorted(stretches - {sentence}, key=lambda stretch: (len(stretch), stretch))


def contradicts(entry: str, sentence: str) -> bool:
    """Whether an entry tells something otherwise than what was typed, or something besides."""
    told, typed = entry_words(entry), typed_words(sentence)
    if _other_number(told, typed) or _other_name(told, typed) or _is_turned_round(told, typed):
        return True
    if _other_unit(told, typed):
        return True
    if {*_COMPARATORS.findall(entry)} - {*_COMPARATORS.findall(sentence)}:
        return True
    shared = [word for word in content(entry) if shares(word, content(sentence))]
    about = clauses_about(shared, sentence)
    if _is_negative(entry) != _is_negative(about):
        return True
    if any(each.search(about) and not each.search(entry) for each in (CONDITIONAL, _ONCE)):
        return True
    return _is_of_another(told, typed, entry, sentence) or _is_recombined(entry, sentence)


def lacks(entry: str, sentence: str) -> bool:
    """Whether a sentence lacks a number or a name of an entry."""
    told, typed = entry_words(entry), typed_words(sentence)
    return bool(_other_number(told, typed) or _other_name(told, typed))


def _is_negative(text: str) -> bool:
    """Whether it denies something; two denials in a sentence lift each other."""
    return len(NEGATIVE.findall(text)) % 2 == 1


def _other_number(told: tuple[Word, ...], typed: tuple[Word, ...]) -> str:
    numbers, words = _numbers(typed), {word.text for word in typed}
    for number, unit in _numbers(told):
        counted = [other for same, other in numbers if same == number]
        if not counted:
            return number
        if content(unit) and not shares(unit, counted) and shares(unit, [u for _, u in numbers]):
            return f"{number} {unit}"
        if unit in _UNITS and unit not in words:
            return f"{number} {unit}"
    return ""


def _other_unit(told: tuple[Word, ...], typed: tuple[Word, ...]) -> bool:
    """Whether an entry tells by one unit what was typed by another: "per hour", "per minute"."""
    ends = ([word.text.split("/")[-1] for word in words] for words in (told, typed))  # req/s
    one, two = ([unit for unit in each if unit in _UNITS] for each in ends)
    return any(not shares(unit, two) for unit in one if unit != "am") and any(
        not shares(unit, one) for unit in two if unit != "am"
    )


def _numbers(words: tuple[Word, ...]) -> list[tuple[str, str]]:
    """Each number, and the word behind it."""
    found = []
    for word, following in zip(words, (*words[1:], Word("", "")), strict=True):
        is_number = word.text in NUMERALS
        in_digits = _IN_DIGITS.get(word.text, word.text)
        for number in [in_digits] if is_number else _NUMBER.findall(word.text):
            found.append((number, following.text))
    return found


def _other_name(told: tuple[Word, ...], typed: tuple[Word, ...]) -> str:
    typed_content = content(" ".join(word.raw for word in typed))
    raw = {word.raw for word in typed}
    joined = {one.text + two.text for one, two in pairwise(typed)}  # "swift ui"
    for word in told:
        if _CAPITALS.fullmatch(word.raw) and word.raw not in raw:
            if not _is_short_for(word, typed):
                return word.raw
            continue
        is_name = word.raw[:1].isupper() and not word.is_first and word.text not in (ME, MINE)
        for part in content(word.raw) if is_name else ():
            if not shares(part, typed_content) and part not in joined:
                return word.raw
    return ""


def _is_short_for(word: Word, typed: Sequence[Word]) -> bool:
    """Whether capitals stand for a typed word: "JS" for "JavaScript" or "js", "GCP" for three."""
    if content(word.text) and word.text in {each.text for each in typed}:
        return True
    initials = "".join(each.raw[0] if each.raw[0].isupper() else " " for each in typed)
    inner = {"".join(filter(str.isupper, each.raw)) for each in typed}
    return word.raw in initials or word.raw in inner


def _is_turned_round(told: tuple[Word, ...], typed: tuple[Word, ...]) -> bool:
    """Whether an entry has the opposite of a word, or puts before a word what stands behind it."""
    sentence = [_TO.get(word.text, word.text) for word in typed]
    telling = {word for word in sentence if content(word) and not is_light(word)}
    entry = [_TO.get(word.text, word.text) for word in told]
    entry = [
        next((each for each in telling if word not in sentence and shares(word, (each,))), word)
        for word in entry
    ]
    only_told, only_typed = {*entry} - {*sentence}, {*sentence} - {*entry}
    if any(one in only_told and other in only_typed for one, other in _OPPOSITES):
        return True
    for pivot in {*entry} & {*sentence} - _LOOSE:
        at, place = entry.index(pivot), sentence.index(pivot)
        is_passive = entry[at + 1 : at + 2] == ["by"], sentence[place + 1 : place + 2] == ["by"]
        if pivot in entry[at + 1 :] or pivot in sentence[place + 1 :] or any(is_passive):
            continue
        left, right = (side & telling for side in _sides(entry, at))
        before, behind = (side & telling for side in _sides(sentence, place))
        if (behind - before) & (left - right) and (before - behind) & (right - left):
            return True
    return False


def _sides(words: Sequence[str], at: int) -> tuple[set[str], set[str]]:
    """What stands before and behind a word, up to a mark between clauses."""
    marks = [place for place, word in enumerate(words) if word in _MARKS]
    first = max((mark for mark in marks if mark < at), default=-1)
    last = min((mark for mark in marks if mark > at), default=len(words))
    return {*words[first + 1 : at]}, {*words[at + 1 : last]}


def _is_of_another(
    told: tuple[Word, ...], typed: tuple[Word, ...], entry: str, sentence: str
) -> bool:
    """Whether an entry tells of the user what the sentence tells of somebody else."""
    texts = {word.text for word in typed}
    is_of_me = bool(texts & ({ME} | _WE))
    first = told[0].text if told else ""
    if first == MINE and told[1:] and not texts & _WE and not _is_named(told[1:], sentence):
        return True
    belongs = {word for before, word in pairwise(told) if before.text in ("of", "von")}
    if any(word.text == ME for word in told if word not in belongs):
        is_of_me = is_of_me or _is_had(told, typed)
        return not is_of_me and not (is_standing_wish(sentence) and _WISHES.search(entry))
    if any(word.text == MINE for word in told) and not is_of_me and not texts & ({MINE} | OURS):
        return any(text in _OTHERS or _OWNER.fullmatch(text) for text in texts)
    return False


def _is_had(told: Sequence[Word], typed: Sequence[Word]) -> bool:
    """Whether what an entry says the user has, or likes most, is typed as "my …"."""
    mine = [behind for word, behind in pairwise(typed) if word.text == MINE]
    if {"called", "named", "heisst"} & {word.text for word in told[1:3]}:
        return any(behind.text == "name" for behind in mine)
    if told[1:2] and told[1].text in _HAS:
        had = next((word.text for word in told[2:] if content(word.text)), "")
        return any(shares(had, (behind.text,)) for behind in mine)
    is_liked = any(behind.text in _LIKED for behind in mine)
    is_told = told[1:2] != () and told[1].text in _LIKES
    return is_liked and is_told and any(word.text == "is" for word in typed)


def _is_named(words: Sequence[Word], sentence: str) -> bool:
    """Whether a sentence has the noun, or the name behind it, with which these words begin."""
    names = [word.raw for word in words[1:3] if word.raw[:1].isupper()]
    return any(
        not content(name) or any(shares(part, content(sentence)) for part in content(name))
        for name in (words[0].raw, *names)
    )


def _is_recombined(entry: str, sentence: str) -> bool:
    """Whether one clause of an entry has words of two clauses of which each stands alone."""
    if _CUT.search(entry.rstrip(".")) or len(read_sentences(entry)) > 1:
        return False
    clauses = [content(part) for part in stretches(sentence) if derives(part, sentence)]
    told = {word for word in content(entry) if shares(word, content(sentence))}
    parts = [{word for word in told if shares(word, clause)} for clause in clauses]
    return told not in parts and any(
        one - other and other - one for one in parts for other in parts
    )
