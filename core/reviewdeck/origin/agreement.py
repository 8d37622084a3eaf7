"""Whether a text agrees with what was typed: the weaker question, for a conversation of the user
and the agent alone.

Each sentence of the text has to come near a typed statement, and may not differ from it in what
turns a meaning round: who it is about, numbers, names, order, negations, conditions and the like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from reviewdeck.model import Edit, Hearing, MemoryAdd, SkillCreate, SkillWriteFile, Utterance
from reviewdeck.origin.inflection import (
    bases,
    clauses_about,
    clauses_of,
    content,
    is_light,
    is_liking,
    shares,
)
from reviewdeck.origin.phrases import ATTRIBUTED, CONDITIONAL, MODAL, NEGATIVE, RESTRICTED
from reviewdeck.origin.said import (
    EDGE,
    LONGEST,
    keeps_nothing,
    nearest,
    objection_beside,
    parts_of,
    said_by_user,
    says,
)
from reviewdeck.origin.skill_request import hear_request
from reviewdeck.origin.typed import Sentence, sentences_of
from reviewdeck.origin.wording import CAPITALS_MATTER, ME, MINE, Word, entry_words, typed_words
from reviewdeck.text.languages import Language, language_of

ENOUGH: Final = 0.6
"""The part of the words of an entry that its sentence and the ones beside it have to share."""

_SIGN: Final = re.compile(r"`[^`\s]+\s[^`]*`|[<>=≤≥≠~±→←↔|^*\\%]|->|(?<!\w)[-+−](?=[\d\s])")
_NUMBER_WORDS_WORDS: Final = (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million half double twice dozen null zwei drei vier fünf sechs sieben acht"
    " neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig hundert tausend million halb"
    " doppelt zweimal dutzend monday tuesday wednesday thursday friday saturday sunday january"
    " february april june july august september october november december montag dienstag"
    " mittwoch donnerstag freitag samstag sonntag januar februar märz juni juli oktober dezember"
)
_NUMBER_WORDS: Final = frozenset(_NUMBER_WORDS_WORDS.split())
"""Words of an amount or a day: as strict as a number."""
_FREE: Final = frozenset(
    {"call", "name", "team", "project", "own", "wish", "mean", "speak", "be", "can", "move", "sign"}
)
"""Words with which an agent tells what was typed without them."""
_SHORT: Final = 5
"""Telling words of a sentence of which none may be left out."""
_BINDING: Final = re.compile(
    r"(?:in|on|at|with|during|under|given|bei|mit|an|am|im|unter|während|dem|as(?! well)|to my"
    r"|between|unless|for(?! the (?:future|record))|für"
    r"|to the best|from what|soweit|wie|meines|nach)\s+\w"
    r"|.*\b(?:permitting|willing|allowing|barring|zufolge|nach|laut)\b",
    re.IGNORECASE,
)
_LEADS_WORDS: Final = (
    "do not remember note know that dass daß for you should i'd like want always from now"
)
_LEADS: Final = frozenset(_LEADS_WORDS.split()) | EDGE
"""Words before the first that is told, which bind nothing."""
_SPEAKERS: Final = frozenset({ME, "he", "she", "they", "er", "sie", "we", "wir"})
_PARTICIPLE: Final = re.compile(r"\b([a-zäöüß]\w{3,}(?:en|t))\W*\Z")
_HALF: Final = re.compile(r"\b(?:half|quarter|\w*einhalb|halb\w*|viertel)\b", re.IGNORECASE)
_UNIT: Final = re.compile(
    r"(?:second|minute|hour|day|week|month|year|decade|mile|pound|kilo|met(?:er|re)|lit(?:er|re)"
    r"|sekunde|stunde|tage?|woche|monat|jahr|meile|pfund|euro|dollar)(?:e?n|e?s)?",
    re.IGNORECASE,
)
"""What a number in words may be followed by, and no other number."""
_OPPOSITES: Final = (
    ("open", "opens", "opened"), ("closed", "closes", "shut", "locked"),
    ("start", "starts", "begin", "begins"), ("end", "ends", "finish", "finishes", "stops"),
    ("fast", "quick"), ("slow",), ("before",), ("after",), ("morning",), ("evening", "night"),
    ("left",), ("right",), ("first",), ("last",),
    ("better",), ("worse",), ("past",), ("to",), ("auf",), ("zu",), ("an",), ("aus",),
    ("old", "older", "oldest"), ("new", "newer", "younger", "newest", "youngest", "latest"),
    ("earliest", "earlier"), ("latest", "later"), ("ascending",), ("descending",),
    ("minimum", "min", "shortest", "smallest", "lowest", "fewest", "worst", "slowest"),
    ("maximum", "max", "longest", "biggest", "largest", "highest", "best", "fastest"),
    ("more", "most", "higher"), ("less", "least", "fewer", "lower"), ("big", "large", "long"),
    ("small", "short", "little"), ("allow", "allowed", "allows"), ("forbidden", "banned"),
    ("enabled", "on"), ("disabled", "off"), ("buy", "buys", "bought"), ("sell", "sells", "sold"),
    ("like", "likes", "love", "loves", "prefer", "prefers"), ("hate", "hates", "dislikes"),
    ("to",), ("from",), ("with",), ("without",), ("over", "above"), ("under", "below"),
    ("am",), ("pm",), ("north",), ("south",), ("east",), ("west",), ("hot", "warm"), ("cold",),
    ("true",), ("false",), ("can", "able"), ("unable",), ("married",), ("divorced", "single"),
    ("public",), ("private",), ("internal",), ("external",), ("mother",), ("father",),
    ("son",), ("daughter",), ("brother",), ("sister",), ("wife",), ("husband",),
)  # fmt: skip
_PAIRS: Final = tuple(
    pair for one, two in zip(_OPPOSITES[::2], _OPPOSITES[1::2], strict=True)
    for pair in ((frozenset(one), frozenset(two)), (frozenset(two), frozenset(one)))
)  # fmt: skip
_BESIDE: Final = re.compile(
    r"\b(?:next to|near|close to|beside|opposite|behind|outside|around|in front of|across"
    r"|neben|bei|hinter|vor|gegenüber|nahe)\b",
    re.IGNORECASE,
)
_COMPARES: Final = re.compile(r"\b(\w+er|worse|less)\s+(?:than|als)\b", re.IGNORECASE)
_DONE_BY: Final = re.compile(
    r"\b(?<!one )(?:by|than|als|von|durch)\s+(?:the\s+|an?\s+|de[rnm]\s+|die\s+)?(\w+)",
    re.IGNORECASE,
)
_OWNER: Final = re.compile(
    r"\b(?!(?:it|that|what|there|let|he|she|who|how|where)'s)(\w+)['’]s\b", re.IGNORECASE
)
_LIKES: Final = re.compile(r"\b(?:likes?|loves?|prefers?|mag|bevorzugt)\b", re.IGNORECASE)
_RELATIONS: Final = frozenset({"from", "to", "than", "by", "von", "nach", "als"})
_FINITE: Final = re.compile(r"\b(?:is|are|was|were|has|does|did|ist|sind|hat|war)\b", re.IGNORECASE)
_FUTURE: Final = re.compile(r"\b(?:will|shall|wird|werden?|werde)\b|'ll\b")
_PAST: Final = re.compile(
    r"\b(?:was|were|had|did|wore|led|kept|held|slept|ate|drank|drove|rode|spoke|stood|wrote|sang|taught"
    r"|froze|ran|went|war|waren|hatten?|wurden?|ging(?:en)?|fuhr(?:en)?|wohnten?|arbeiteten?|spielten?"
    r"|stand(?:en)?)\b",
    re.IGNORECASE,
)
"""What once was so; what somebody took, bought or began may be so still."""
_YOU: Final = frozenset({"you", "your", "yours", "yourself", "du", "dich", "dir", "dein", "deine"})
_AGENT: Final = frozenset({"agent", "assistant", "hermes", "claude", "bot", "assistent"})
_PLEASE: Final = frozenset({"please", "bitte", "and", "und"})
_SUBJECTS: Final = frozenset({"i", "we", "ich", "wir"})
_SELVES: Final = frozenset({ME, MINE, "we", "our", "wir", "unser", "unsere"})
_USERS: Final = frozenset({"user", "team", "project"})
_THE: Final = frozenset({"the", "a", "an", "our", "his", "her", "der", "die", "das", "ein", "eine"})
_OBJECTS: Final = frozenset({"me", "us", "mir", "mich", "uns"})
_OTHERS: Final = frozenset({"he", "she", "they", "er", "sie", "somebody", "someone", "jemand"})


def hear(text: str, utterances: Sequence[Utterance]) -> Hearing:
    """What the typed words say about a text: what says it, what is close, what speaks against."""
    typed = [utterance for utterance in utterances if utterance.is_typed]
    if len(text) > LONGEST:
        return Hearing(objection=f"It is longer than {LONGEST:,} characters.")
    spoken = sentences_of(typed)
    near = nearest(text, spoken)
    closest = near.text if near else ""
    if said := said_by_user(text, typed):
        return Hearing(said, closest)
    if unkept := keeps_nothing(spoken):
        return Hearing("", closest, f"You asked not to keep something: “{unkept}”")
    for part in parts_of(text):
        if objection := _objection(part, spoken):
            return Hearing("", closest, objection)
    return Hearing("", closest)


def hearings(edits: Sequence[Edit], utterances: Sequence[Utterance]) -> tuple[Hearing, ...]:
    """What the typed words say about each text that these edits add."""
    return tuple(
        hear_request(utterances)
        if isinstance(edit, SkillCreate)
        else hear(edit.content, utterances)
        for edit in edits
        if isinstance(edit, MemoryAdd | SkillCreate | SkillWriteFile)
    )


def _objection(part: str, spoken: Sequence[Sentence]) -> str:
    """Why a part of an entry does not agree with what was typed; empty when it does."""
    near = nearest(part, spoken)
    if near is None:
        return "Nothing that you typed is close to it."
    if near.objection:
        return f"What is closest to it does not state it: {near.objection}."
    said = says(part, near.text)
    if objection := objection_beside(near, spoken, part):
        return objection
    if said:
        return ""
    if language_of(f"{near.text} {part}") is None:
        return f"Only its very words would do in this language. The closest is: “{near.text}”"
    words = content(part)
    others = [sentence for sentence in spoken if not sentence.objection]
    heard = {word for sentence in others for word in words if shares(word, content(sentence.text))}
    if len(heard) < ENOUGH * len(words):
        return f"Too little of it was typed. The closest is: “{near.text}”"
    if other := _missing(words, near.text):
        return f"It leaves out {other!r} of: “{near.text}”"
    return next(filter(None, _differences(part, near, spoken)), "")


def _missing(words: Sequence[str], sentence: str) -> str:
    """A telling word of a short sentence that is not told: it may be the one that matters."""
    clauses = clauses_about(words, sentence)
    typed = [word for word in content(clauses) if "'" not in word and not _says_little(word)]
    told = [*words, *(part for word in words for part in word.split("-"))]
    gone = [word for word in typed if not shares(word, told)]
    return gone[0] if gone and len(typed) <= _SHORT else ""


def _leaves_out_verb(part: str, clauses: str) -> bool:
    """Whether a German sentence ends with a participle that is not told."""
    match = _PARTICIPLE.search(clauses)
    is_german = match is not None and language_of(clauses) is Language.GERMAN
    return is_german and match is not None and not shares(match[1].casefold(), content(part))


def _leaves_out_opening(entry: Sequence[Word], sentence: str) -> bool:
    """Whether a sentence begins with words that bind it, before the first that is told."""
    told = content(" ".join(word.raw for word in entry))
    is_about_user = any(word.text in _SELVES for word in entry)
    opening: list[Word] = []
    for word in typed_words(sentence):
        if shares(word.raw.casefold(), told) or (is_about_user and word.text in _SELVES):
            break
        opening.append(word)
    words = [word.text for word in opening if word.text not in _LEADS]
    if _BINDING.match(" ".join(word.raw for word in opening)):
        return True
    # Somebody who thinks, knows or does something with what follows.
    return not is_about_user and len(words) > 1 and not _SPEAKERS.isdisjoint(words)


def _says_little(word: str) -> bool:
    """Whether a word may stand in an entry without having been typed."""
    return is_light(word) or is_liking(word) or not bases(word).isdisjoint(_FREE)


def _differences(part: str, near: Sentence, spoken: Sequence[Sentence]) -> Iterator[str]:
    entry = entry_words(part)
    all_typed = [word for sentence in spoken for word in typed_words(sentence.text)]
    yield _other_facts(entry, typed_words(near.text), all_typed)
    if _is_recombined(part, near, spoken):
        yield "It puts together what was said of different things."
    clauses = clauses_about(content(part), near.text)
    statements = [sentence.text for sentence in spoken if not sentence.objection]
    yield from (_left_out(entry, clause) for clause in clauses_of(clauses))
    yield from (f"{why}: “{near.text}”" for why in _other_sense(part, clauses, near.text))
    if not (_is_same_subject(entry, clauses) and _is_own_clause(part, statements)):
        yield f"It is about somebody else than: “{near.text}”"


def _other_sense(part: str, clauses: str, sentence: str) -> Iterator[str]:
    """How a part of an entry and the clauses about it differ in what turns a meaning round."""
    words = content(part)
    nearest = _nearest(words, (clauses,))
    denied, denies = len(NEGATIVE.findall(clauses)), len(NEGATIVE.findall(part))
    differences = (
        ("has a sign, and differs from", bool(_SIGN.search(part) or _SIGN.search(sentence))),
        ("differs in a negation from", denied != denies),
        ("differs in a condition from", _is_in_one(CONDITIONAL, part, sentence)),
        ("differs in a possibility or a duty from", _is_in_one(MODAL, part, clauses)),
        (
            "differs in a limit from",
            _is_in_one(RESTRICTED, part, clauses) or _is_in_one(_HALF, part, sentence),
        ),
        ("gives another source than", _is_in_one(ATTRIBUTED, part, sentence)),
        (
            "has the opposite of a word in",
            any(_has_opposite(part, at) for at in (clauses, nearest)),
        ),
        ("tells as present what was past in", any(_is_past_of(w, words) for w in content(clauses))),
        ("differs in its time from", _is_in_one(_PAST, part, clauses)),
        ("tells as present what is to come in", _is_in_one(_FUTURE, part, clauses)),
        ("has another unit than", _has_other_unit(entry_words(part), typed_words(sentence))),
        ("turns round who does it in", _is_passive(part, clauses) or _is_passive(clauses, part)),
        ("leaves out the beginning of", _leaves_out_opening(entry_words(part), sentence)),
        ("leaves out the verb at the end of", _leaves_out_verb(part, clauses)),
        ("compares otherwise than", _compared(part) != _compared(clauses)),
        ("differs in a place from", _is_in_one(_BESIDE, part, clauses)),
        ("leaves out who says it in", _is_introduced(part, sentence)),
        ("has a word without the capital of", _loses_capital(part, sentence)),
        ("leaves out whose it is in", _has_other_owner(part, clauses)),
        ("leaves out what is liked in", _narrows(part, clauses)),
    )
    return (f"It {how}" for how, is_so in differences if is_so)


def _compared(text: str) -> list[str]:
    """The words before a comparison, such as *slower* in *slower than*."""
    return [match[1].casefold() for match in _COMPARES.finditer(text)]


def _is_introduced(part: str, sentence: str) -> bool:
    """Whether the words before a colon give the sentence to somebody, and the entry to nobody."""
    head, colon, _ = sentence.partition(": ")
    words = [word.text for word in typed_words(head) if word.text not in _LEADS]
    is_told = any(shares(word, content(part)) for word in content(head))
    return bool(colon) and len(words) > 1 and not is_told


def _loses_capital(part: str, sentence: str) -> bool:
    """Whether an entry makes a common word of a name; in German every noun has a capital."""
    if language_of(f"{sentence} {part}") is not Language.ENGLISH:
        return False
    names = {
        word.raw.casefold()
        for word in typed_words(sentence)
        if word.raw.istitle() and not word.is_first and word.text != ME
    }
    lower = {word.raw for word in typed_words(sentence) if word.raw.islower()}
    return any(word.raw in names - lower for word in entry_words(part))


def _is_in_one(pattern: re.Pattern[str], part: str, sentence: str) -> bool:
    return bool(pattern.search(part)) != bool(pattern.search(sentence))


def _other_facts(entry: Sequence[Word], typed: Sequence[Word], all_typed: Sequence[Word]) -> str:
    """A number, a name or a person that was not typed, or that stands in another order."""
    places: dict[str, list[int]] = {}
    is_german = language_of(" ".join(word.raw for word in entry)) is Language.GERMAN
    for at, word in enumerate(entry):
        kind = _kind(word, entry, at, typed)
        if not kind:
            continue
        place = next((n for n, other in enumerate(typed) if _is_same_fact(word, other)), None)
        if place is not None:
            places.setdefault(kind, []).append(place)
        elif kind == "number":
            return f"{word.raw!r} does not stand in the closest sentence."
        elif word.raw != ME and not any(_is_same_fact(word, other) for other in all_typed):
            return f"{word.raw!r} was not typed."
    if is_german:  # Every noun has a capital there.
        places.pop("name", None)
    if any(first > second for kind in places.values() for first, second in pairwise(kind)):
        return "It has names or numbers in another order."
    return ""


def _kind(word: Word, entry: Sequence[Word], at: int, typed: Sequence[Word]) -> str:
    if _is_number(word):
        return "number"
    if word.text == ME or word.text in _AGENT or _is_name(word, entry, at):
        return "name"
    named = any(_is_name(other, typed, n) for n, other in enumerate(typed) if other.raw == word.raw)
    return "name" if word.is_first and named else ""


def _is_same_fact(word: Word, other: Word) -> bool:
    if word.text == ME or word.text in _AGENT:
        return other.text in (ME, "we", "wir") if word.text == ME else other.text in _YOU
    if _fact(word.raw) != _fact(other.raw):
        return False
    letters = word.raw.removesuffix("'s")
    is_acronym = sum(map(str.isupper, letters)) > 1 or letters.casefold() in CAPITALS_MATTER
    return not is_acronym or other.raw.removesuffix("'s") == letters


def _left_out(entry: Sequence[Word], clause: str) -> str:
    """A number or a name that stands in a clause between words that the entry has."""
    told = {_fact(word.raw) for word in entry}
    facts = content(" ".join(word.raw for word in entry))
    typed = typed_words(clause)
    about = [at for at, word in enumerate(typed) if shares(_fact(word.raw), facts)]
    for at in range(about[0], about[-1] + 1) if about else ():
        word = typed[at]
        if (_is_number(word) or _is_name(word, typed, at)) and _fact(word.raw) not in told:
            return f"It leaves out {word.raw!r} between words that it has."
    for before, word in pairwise(typed):
        is_part = _is_number(before) and _is_number(word) and _fact(word.raw) in told
        if is_part and _fact(before.raw) not in told:
            return f"It leaves out {before.raw!r} of a number."
    return ""


def _fact(raw: str) -> str:
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|'s\Z|(?<=\d)(?:-[a-z]+)+\Z", "", raw.casefold())
    return text.removesuffix("s") if text.isalpha() else text


def _is_number(word: Word) -> bool:
    return (
        any(character.isdigit() for character in word.raw)
        or _fact(word.raw) in _NUMBER_WORDS
        or word.raw.casefold() in _NUMBER_WORDS
    )


def _is_name(word: Word, entry: Sequence[Word], at: int) -> bool:
    return (
        word.text not in (ME, MINE)
        and any(character.isupper() for character in word.raw)
        and (not word.is_first or sum(map(str.isupper, word.raw)) > 1)
    )


def _is_recombined(part: str, near: Sentence, spoken: Sequence[Sentence]) -> bool:
    """Whether an entry turns words round, or takes some from a clause built like another."""
    is_own = any(word.text in _SELVES for word in typed_words(near.text))
    if _is_turned(_in_order(part), _in_order(near.text), is_own=is_own):
        return True
    heard = [clause for sentence in spoken for clause in clauses_of(sentence.text)]
    return any(_is_mixed(clause, heard) for clause in clauses_of(part))


def _is_mixed(part: str, heard: Sequence[str]) -> bool:
    """Whether a clause of an entry has words of two clauses about things of one kind."""
    words = content(part)
    nearest = _nearest(words, heard)
    its = content(nearest)
    beside = dict(zip(heard[1:], heard, strict=False))
    missing = [word for word in words if not shares(word, its)]
    for clause in heard:
        others = content(clause)
        if clause == nearest or not any(shares(word, others) for word in missing):
            continue
        if _is_parallel(part, nearest, clause) or any(
            shares(word, its) and (not is_light(word) or _are_named(nearest, clause))
            for word in others
        ):
            return True
        if beside.get(clause) == nearest and _leave_out(words, its) and _leave_out(words, others):
            return True
    return False


def _leave_out(told: Sequence[str], heard: Sequence[str]) -> bool:
    """Whether a clause has a telling word that is not told."""
    return any(not shares(word, told) and not is_light(word) for word in heard)


def _nearest(words: Sequence[str], sentences: Sequence[str]) -> str:
    """The clause of these sentences that shares most words."""
    clauses = [clause for sentence in sentences for clause in clauses_of(sentence)]
    return max(
        clauses,
        key=lambda clause: sum(shares(word, content(clause)) for word in words),
        default="",
    )


def _is_turned(told: Sequence[str], typed: Sequence[str], *, is_own: bool) -> bool:
    """Whether three words, or all of two, come in another order than they were typed in.

    All that were typed, where no "I" or "we" is left out with which they may change places.
    """
    places = [next((n for n, other in enumerate(typed) if shares(w, (other,))), -1) for w in told]
    known = [place for place in places if place >= 0]
    if len(known) == 2 or (not is_own and set(places) == set(range(len(typed)))):
        return any(first > second for first, second in pairwise(dict.fromkeys(known)))
    return any(a > b > c for a, b, c in zip(known, known[1:], known[2:], strict=False))


def _in_order(text: str) -> list[str]:
    words = [word.text for word in entry_words(text)]
    telling = content(text)
    return [word for word in words if word in _RELATIONS or word in telling]


def _is_parallel(part: str, one: str, two: str) -> bool:
    """Whether two clauses each have a number or a name, and the entry only that of the second."""
    told = _facts(entry_words(part))
    first, second = _facts(typed_words(one)), _facts(typed_words(two))
    return bool(first - told) and bool(second & told) and not first & told


def _are_named(one: str, two: str) -> bool:
    """Whether two clauses each have a number or a name."""
    return bool(_facts(typed_words(one))) and bool(_facts(typed_words(two)))


def _facts(words: Sequence[Word]) -> frozenset[str]:
    """The numbers and names among words."""
    return frozenset(
        _fact(word.raw)
        for at, word in enumerate(words)
        if _is_number(word) or _is_name(word, words, at)
    )


def _is_past_of(word: str, told: Sequence[str]) -> bool:
    """Whether a typed word is the past of a verb that the entry has in the present."""
    return (
        word.endswith("ed")
        and word not in told
        and any(other.endswith("s") and shares(word, (other,)) for other in told)
    )


def _is_own_clause(part: str, statements: Sequence[str]) -> bool:
    """Whether no clause of an entry about the user comes from one that begins with another."""
    for clause in clauses_of(part):
        words = entry_words(clause)
        if not words or words[0].text != ME:
            continue
        nearest = _nearest(content(clause), statements)
        first = next(iter(content(nearest)), "")
        has_me = any(word.text in (ME, MINE, "we", "wir") for word in typed_words(nearest))
        if not has_me and not shares(first, content(clause)):
            return False
    return True


def _has_other_unit(entry: Sequence[Word], typed: Sequence[Word]) -> bool:
    """Whether a number is followed by another unit than where it was typed."""
    units = [
        (_fact(number.raw), unit.raw)
        for number, unit in pairwise(entry)
        if _is_number(number)
        and (number.raw[-1:].isdigit() or _UNIT.fullmatch(unit.raw))
        and unit.raw.isalpha()
        and content(unit.raw)
    ]
    raw = {word.raw for word in typed}
    words = content(" ".join(raw))
    return any(
        unit not in raw if len(unit) <= 3 else not shares(unit.casefold(), words)
        for _, unit in units
    )


def _is_passive(part: str, clauses: str) -> bool:
    """Whether only one of two texts says by whom something is done, and the other has that word."""
    if _DONE_BY.search(clauses):
        return False
    words = content(clauses)
    return any(shares(match[1].casefold(), words) for match in _DONE_BY.finditer(part))


def _has_other_owner(part: str, clauses: str) -> bool:
    """Whether something typed as somebody's is told without its owner."""
    told, typed = part.casefold(), clauses.casefold()
    owners = {owner.casefold() for owner in _OWNER.findall(part)} - _USERS
    return any(owner.casefold() not in told for owner in _OWNER.findall(clauses)) or any(
        owner in typed and f"{owner}'s" not in typed.replace("’", "'") for owner in owners
    )


def _narrows(part: str, clauses: str) -> bool:
    """Whether an entry about what the user likes leaves a word of it out."""
    words = content(part)
    return _LIKES.search(part) is not None and any(
        not shares(word, words) and not is_liking(word) for word in content(clauses)
    )


def _has_opposite(part: str, clauses: str) -> bool:
    told, heard = (frozenset(re.findall(r"\w+", text.casefold())) for text in (part, clauses))
    return any(
        told & one and heard & two and not heard & one and not told & two for one, two in _PAIRS
    )


def _is_done_to(entry: Sequence[Word], typed: Sequence[Word]) -> bool:
    """Whether somebody did to the user what the entry has the user do to them."""
    heard = [word.raw.casefold() for word in typed if word.raw.casefold() not in _PLEASE]
    at = next((n for n, word in enumerate(heard) if word in _OBJECTS), None)
    is_order = at is not None and at < 2
    if at is None or is_order or any(w in _SUBJECTS or w.startswith(("i'", "we'")) for w in heard):
        return False
    told = content(" ".join(word.raw for word in entry))
    is_first = any(word.text in (ME, "we", "wir") for word in entry[:2])
    return is_first and any(shares(word, told) for word in content(" ".join(heard[:at]))[:1])


def _is_same_subject(entry: Sequence[Word], clauses: str) -> bool:
    """Whether an entry about the user stands beside words of the user about themselves."""
    typed = typed_words(clauses)
    if _is_done_to(entry, typed):
        return False
    texts = [word.text for word in typed]
    first = [word.text for word in entry[:3]]
    if any(word.text in _AGENT for word in entry):
        return any(text in _YOU for text in texts) and first[:1] != [ME]
    if first[:1] in (["we"], ["wir"]):
        return any(text in _SUBJECTS or text in (ME, "our", "unser") for text in texts)
    if first[:1] != [ME]:
        return True
    if any(text in _OTHERS or text in _YOU for text in texts[:2]) or texts[:1] == [MINE]:
        return False
    if MINE in texts and ME not in texts and texts[0] in _THE:
        return False
    if any(text in (ME, MINE, "we", "wir") for text in texts):
        return True
    told = content(" ".join(word.raw for word in entry))
    begins_with_verb = len(texts) > 1 and texts[1].endswith("s") and texts[0] not in _NUMBER_WORDS
    is_fragment = not (begins_with_verb or _FINITE.search(clauses))
    about = (word for word in content(clauses) if not (is_liking(word) or word == "keep"))
    return is_fragment and shares(next(about, ""), told)
