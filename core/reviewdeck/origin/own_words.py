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
from typing import Final

from reviewdeck.origin.derivation import EDGE
from reviewdeck.origin.inflection import clauses_about, content, is_light, shares
from reviewdeck.origin.phrases import (
    ATTRIBUTED,
    CONDITIONAL,
    IRONIC,
    MODAL,
    NEGATIVE,
    PASSING,
    STANDING,
    any_of,
)
from reviewdeck.origin.typed import Sentence
from reviewdeck.origin.wording import ME, MINE, Word, entry_words, typed_words
from reviewdeck.policy.statement import orders, states
from reviewdeck.text.languages import language_of


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


LONGEST: Final = 300
"""Characters of a sentence that is kept in the place of an entry."""
_TIMES: Final = 3
"""They are at most so many times as long as the entry, or as one of so many characters."""
_SHORT: Final = 40
_NAME: Final = 3
"""Words that name what the next sentence tells of."""
_WE: Final = _words("we wir")
_SELF: Final = _WE | {ME, "user"}
_OURS: Final = frozenset(
    ["our", "ours", "us", "unser", "unsere", "unseren", "unserem", "unserer", "uns"]
)
_OTHERS: Final = frozenset(
    ["his", "her", "hers", "their", "theirs", "sein", "seine", "ihr", "ihre"]
)
_OWNER: Final = re.compile(r"(?!(?:he|she|it|that|there|here|what|who|let)'s)\w+'s")
_JOINTS: Final = frozenset(
    [",", ";", "–", ":", "and", "but", "und", "aber", "so", "because", "weil", "denn"]
)
_CHOICES: Final = any_of(
    """
    both (?:are|is|work)\\w* | neither | none of | all (?:two|three|of) | former | latter
    (?:first|second|third|last|other|short|long|shorter|longer|new|old) (?:option|variant|version
    |draft|suggestion|idea|approach|answer|proposal|example|try|attempt) | (?:option|variant) \\w
    that (?:is|was|one) | (?:the|this|that|my|our|other) \\w* ?ones?
    the (?:first|second|third|last|other)(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|best|more|always)\\b)
    (?:likes?|prefers?|wants?|takes?) \\d+(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|always|every\\w+)\\b)
    (?:erste|zweite|dritte|letzte|andere)n? (?:option|variante|version|vorschlag|idee|entwurf)
    """.replace("\n    |", "|")
)
"""Words that choose among what was named before."""
_PRONOUNS: Final = any_of(
    r"""
    it | its | he | him | she | they | them | theirs | this | these | those | there | here | same
    es | er | ihn | ihm | ihnen | dies\w* | dort | hier | da | davon | damit | daran | dabei
    dafür | that(?=\s*[,.;!]|\s*\Z)
    """
)
"""Words that point to what was said before, which a sentence alone has to have itself."""
_CONTRACTED: Final = re.compile(r"['’](?:s|re|ll|d|ve)\b")
_YOU: Final = any_of(
    "you | your | yours | yourself | du | dir | dich | dein\\w* | euch | sie bitte"
)
_UNREAL: Final = any_of(
    "if (?:i|we|he|she|it|they) were | were i | had i | if only | wenn ich \\w+ wäre | wäre ich"
)
_NORMS: Final = any_of(
    """
    must | should | has to | have to | needs? to | ought | shall | used to | allowed to | able to
    supposed to | meant to | almost | nearly | pretty much | would (?:like|rather|prefer|hate|love)
    muss | müssen | soll | sollen | sollte\\w* | darf | fast | möchte\\w*
    """
)
"""What ought to be or once was: a sentence that says so says it also when it is kept."""
_ASKS_FOR_ONE: Final = any_of(
    r"""
    (?:i|we)(?: just)?(?: want| need| would like| would love|'d like|'d love) (?:a|an|some|another)
    (?:i|we)(?: just)?(?: want| need| would like| would love|'d like|'d love) (?:one|two|help|more)
    (?:i|we)(?: just)?(?: want| need| would like) to (?:know|see|hear|ask|find|get|have|buy|go)
    (?:i|we)'d (?:like|love) to
    (?:i am|i'm|we are|we're) (?:just )?(?:looking|searching|trying|waiting|wondering|asking)
    (?:i am|i'm|we are|we're) going to | looking for
    i'll | i will | we'll | we will | let's | let me
    (?:i|we) (?:agree|disagree|accept|approve|choose|pick|vote)
    (?:i|we)(?: just| already| have|'ve)* (?:sent|fixed|ran|tried|checked|opened|deleted|installed)
    (?:i|we)(?: just| already| have|'ve)* (?:pushed|merged|committed|restarted|uploaded|copied)
    ich (?:brauche|möchte|will|suche|hätte gern\w*) (?:ein\w*|noch|mehr|hilfe|wissen|jetzt)
    """
)
"""A wish for one thing, which is fulfilled once it is there, an answer, or what was done once."""
_ONCE: Final = any_of(
    "used to | nearly | almost | meant to | wanted | as a child | früher | damals | fast"
)
_STATES: Final = re.compile(
    r"\b(?:is|are|'s|'re)\s+(?:(?:now|still|all|already|fully|completely|currently)\s+)?"
    r"(?:down|up|broken|red|green|failing|stuck|blocked|offline|online|open|closed|merged|deployed"
    r"|pending|done|finished|ready|missing|empty|full|crashed|crashing|hanging|frozen|locked|gone"
    r"|disabled|enabled|commented\s+out|checked\s+(?:in|out)|up\s+to\s+date|out\s+of\s+date|outdated"
    r"|resolved|fixed|unfinished|running|passing|flaky|on\s+fire|in\s+review|in\s+progress|delayed)"
    r"(?=\s*(?:[,.;!)]|\Z)|\s+(?:again|now|and|but|because|since|until|till|due)\b)"
    r"|\b(?:ist|sind)\s+(?:(?:jetzt|noch|schon|alle|wieder|komplett)\s+)?(?:kaputt|rot|grün|offen|zu"
    r"|offline|online|fertig|leer|voll|gesperrt|weg|auskommentiert|aus|an|blockiert|geschlossen"
    r"|abgestürzt|erledigt|gemergt|deployt)(?=\s*(?:[,.;!)]|\Z)|\s+(?:und|aber|weil|seit|bis)\b)"
    r"|\b(?:i|we)\s+(?:(?:just|already|have|also)\s+|'ve\s+)*(?:\w+ed|put|took|made|wrote|sent|ran|did"
    r"|got|found|left|shut|cut|reset|broke|built|set|gave|threw)\s+(?:out\s+|up\s+|off\s+|down\s+)?"
    r"(?:the|this|that|it|them|both|these|those)\b",
    re.IGNORECASE,
)
"""A state that passes, at the end of its clause, and what was done to a thing once."""
_DOUBTED: Final = any_of(
    """
    as far as | memory serves | convinced | with (?:a bit of |some )?luck | the plan (?:is|was)
    i remember | i recall
    i (?:guess|suppose|assume|bet) | in theory | on paper | nehme? an | soweit ich | meines wissens
    zufolge | mit (?:etwas )?glück | überzeugt | call(?:s|ed)? \\w+ \\w+ \\w+
    """
)
_OTHERWISE: Final = (ATTRIBUTED, _UNREAL, _DOUBTED, _ASKS_FOR_ONE, _STATES, IRONIC)
"""What is not stated as so, passes, or asks for one thing."""
_MAY: Final = re.compile(r"(?<=\w )(?:May|Mai)\b")
_NUMBER: Final = re.compile(r"[-+<>≤≥=~±$€£]*\d[\d.,:/]*(?<=\d)[%°$€£²³⁰¹⁴-⁹]*")
_CAPITALS: Final = re.compile("[A-Z]{2,}")
"""US and MIT, which are no "us" and no "mit"."""
_COMPARATORS: Final = re.compile(r"[<>≤≥]=?|~>")
_NUMERALS: Final = _words(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"
    " thousand million half twice zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
    " zwanzig hundert tausend halb"
)
_UNITS: Final = _words(
    "am pm km m cm mm mi miles mile kg g mg lb lbs l ml h min s ms gb mb kb tb percent degrees"
    " celsius fahrenheit euro euros dollars usd eur days weeks months years hours minutes seconds"
    " tagen tage wochen monate jahre stunden minuten uhr"
    " litre litres liter liters gallon gallons pint pints cup cups ounce ounces oz pound pounds"
    " foot feet inch inches yard yards metre metres meter meters kilometre kilometres kilometer"
    " kilometers gram grams kilo kilos kilogram kilograms ton tons watt watts kw volt volts"
    " francs day week month year hour minute second"
)
_TO: Final = {"than": "to", "over": "to"}
"""The words of a comparison in one form."""
_MARKS: Final = _words(", ; – :")
_LOOSE: Final = _MARKS | _words("and or und oder is are ist sind the a an") | {ME, MINE}
"""Words on whose sides the same things may change places."""
_PAIRS: Final = _words(
    "before|after vor|nach above|below over|under über|unter more|less mehr|weniger most|least"
    " all|some alle|einige every|some always|sometimes immer|manchmal first|last erste|letzte"
    " left|right links|rechts inside|outside north|south east|west morning|evening morgens|abends"
    " opens|closes open|closed öffnet|schließt starts|ends starts|stops begins|ends daily|weekly"
    " weekly|monthly odd|even upper|lower upstream|downstream hot|cold warm|kalt summer|winter"
    " older|newer älter|neuer larger|smaller größer|kleiner faster|slower schneller|langsamer"
)
_OPPOSITES: Final = frozenset(
    both
    for one, _, other in (pair.partition("|") for pair in _PAIRS)
    for both in ((one, other), (other, one))
)
_WISHES: Final = any_of("wants? | prefers? | likes? | loves? | möchte | will | bevorzugt | mag")


def own_words(entry: str, near: Sentence, spoken: Sequence[Sentence]) -> str:
    """The typed sentences that are kept in the place of an entry; empty where none are."""
    most = min(LONGEST, _TIMES * max(len(entry), _SHORT))
    if len(near.text) > most:
        return ""
    chosen = [near]
    if _points_back(near.text):
        chosen = [*(each for each in spoken if _leads(each, near, entry)), near]
    typed = tuple(word for each in chosen for word in typed_words(each.text))
    told = entry_words(entry)
    if len(chosen) == 1 and (_other_number(told, typed) or _other_name(told, typed)):
        chosen += _for_the_rest(entry, near, spoken)
        chosen.sort(key=lambda each: (each.message, each.at))
    text = " ".join(each.text for each in chosen)
    if len(text) > most or _contradicts(entry, text):
        return ""
    first, last = chosen[0], chosen[-1]
    in_a_row = first.message == last.message and last.at - len(chosen) + 1 == first.at
    kept = (
        not each.objection
        and _may_be_kept(
            each.text,
            leads=in_a_row and each is not last,
            is_led=in_a_row and each is not first,
        )
        for each in chosen
    )
    return text if all(kept) else ""


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
        if other is not near and not other.objection
    ]
    most = max((count for count, _ in counts), default=0)
    best = [other for count, other in counts if count == most]
    return best if most and len(best) == 1 else []


def _may_be_kept(sentence: str, *, leads: bool, is_led: bool) -> bool:
    """Whether a typed sentence can be understood, as something that holds.

    One that leads to the next may be a few words that name something, to which that one may point.
    """
    is_name = leads and len(typed_words(sentence)) <= _NAME
    if language_of(sentence, least=1) is None and not is_name:
        return False
    if any(each.search(sentence) for each in _OTHERWISE) or _is_hedged(sentence):
        return False
    if PASSING.search(_CONTRACTED.sub("", sentence)):
        return False
    if not is_led and _points_back(sentence):
        return False
    if STANDING.search(sentence):
        return True
    if _YOU.search(sentence) or orders(sentence):
        return False
    words = typed_words(sentence)
    start = next((at for at, word in enumerate(words) if word.text not in EDGE | {","}), len(words))
    return is_name or _is_stated(words[start:], sentence)


def _is_hedged(sentence: str) -> bool:
    text = _MAY.sub(" ", sentence.replace("’", "'"))
    text = _NORMS.sub(" ", re.sub(r"\b([Ii]|[Ww]e)'d\b", r"\1 would", text))
    return MODAL.search(text) is not None


def _points_back(sentence: str) -> bool:
    """Whether a word points to something that the sentence does not name before it."""
    return chooses(sentence) or _is_unnamed(_PRONOUNS, sentence)


def chooses(sentence: str) -> bool:
    """Whether it chooses among what it does not name: "the first option", "the red one"."""
    return _is_unnamed(_CHOICES, sentence)


def _is_unnamed(words: re.Pattern[str], sentence: str) -> bool:
    text = _CONTRACTED.sub(" is", sentence)
    for match in words.finditer(text):
        before = [word.text for word in typed_words(text[: match.start()])]
        if match.group().casefold().endswith(("one", "ones")):
            named = [word for word in before if content(word) and not is_light(word)]
            least = 2 if _SELF & set(before[:2]) else 1
        else:
            joint = max((at for at, word in enumerate(before) if word in _JOINTS), default=0)
            named = [word for word in before[:joint] if content(word)]
            least = 2
        if len(named) < least:
            return True
    return False


def _is_stated(words: tuple[Word, ...], sentence: str) -> bool:
    """Whether words begin with a subject and its verb, or with when it holds."""
    texts = [word.text for word in words]
    if len(texts) < 3:
        return False
    if texts[0] in _WE or (texts[0] == ME and words[0].raw.casefold() in ("i", "ich")):
        return True
    return states(sentence)


def _contradicts(entry: str, sentence: str) -> bool:
    """Whether an entry tells something otherwise than what was typed, or something besides."""
    told, typed = entry_words(entry), typed_words(sentence)
    if _other_number(told, typed) or _other_name(told, typed) or _is_turned_round(told, typed):
        return True
    if {*_COMPARATORS.findall(entry)} - {*_COMPARATORS.findall(sentence)}:
        return True
    shared = [word for word in content(entry) if shares(word, content(sentence))]
    about = clauses_about(shared, sentence)
    if _is_negative(entry) != _is_negative(about):
        return True
    if any(each.search(about) and not each.search(entry) for each in (CONDITIONAL, _ONCE)):
        return True
    return _is_of_another(told, typed, entry, sentence)


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


def _numbers(words: tuple[Word, ...]) -> list[tuple[str, str]]:
    """Each number, and the word behind it."""
    found = []
    for word, following in zip(words, (*words[1:], Word("", "")), strict=True):
        is_number = word.text in _NUMERALS
        for number in [word.text] if is_number else _NUMBER.findall(word.text):
            found.append((number, following.text))
    return found


def _other_name(told: tuple[Word, ...], typed: tuple[Word, ...]) -> str:
    typed_content = content(" ".join(word.raw for word in typed))
    raw = {word.raw for word in typed}
    for word in told:
        if _CAPITALS.fullmatch(word.raw) and word.raw not in raw:
            return word.raw
        is_name = word.raw[:1].isupper() and not word.is_first and word.text not in (ME, MINE)
        for part in content(word.raw) if is_name else ():
            if not shares(part, typed_content):
                return word.raw
    return ""


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
    if first == ME:
        return not is_of_me and not (STANDING.search(sentence) and _WISHES.search(entry))
    if any(word.text == MINE for word in told) and not is_of_me and not texts & ({MINE} | _OURS):
        return any(text in _OTHERS or _OWNER.fullmatch(text) for text in texts)
    return False
