"""The forms in which a typed sentence of English or German surely tells what lasts.

A clause has a subject and a verb of the simple present that tells what is, or is done time and
again. Behind "is" stands a name, a number, a noun, the place of a thing, or a word of a closed list
of what lasts. The past counts where it tells of a life, or of a year or month. What has no such
form is not known to last, whatever its words are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.origin.clauses import (
    ACTS,
    BE,
    HAVE,
    HELPS,
    NAMING,
    PLACED,
    WE,
    WILL,
    Predicate,
    folded,
    is_past,
    read_clauses,
)
from reviewdeck.origin.phrases import any_of, words_of
from reviewdeck.origin.wording import typed_words
from reviewdeck.policy.statement import DONE, LASTING, past_of, third_of
from reviewdeck.text.languages import Language
from reviewdeck.text.lazy import regex
from reviewdeck.values import dataclass

_AGAIN: Final = any_of(
    r"""
    \w+day of the (?:month|week|quarter|year) | every | each | daily | nightly | weekly | monthly
    yearly | always | never | usually | often | mostly | sometimes | rarely | seldom | regularly
    normally | by default | as a rule | whenever | weekends | \w+days
    \w+day (?:mornings|afternoons|evenings|nights) | stand-?ups? | (?:once|twice|times) (?:a|per)
    most (?:days|nights|evenings|mornings|weeks|of the time)
    \w+day (?:to|until|till|through) \w+day | (?:in|at) (?:the )?(?:mornings?|evenings?|night)
    in (?:the )?(?:summer|winter|spring|autumn) | at weekends | jede[nmrs]? | immer | nie | oft
    selten | manchmal | meistens? | normalerweise | stets | täglich | wöchentlich | monatlich
    jährlich | abends | morgens | nachts | \w+tags | mittwochs | \w+tag bis \w+tag
    """
)
"""Words of what comes again."""
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|januar"
    "|februar|märz|mai|juni|juli|oktober|dezember"
)
_HOURS: Final = (
    r"\d{1,2}|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eins|zwei"
    "|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
)
_AT_A_TIME: Final = regex(
    r"\b(?:at|by|until|till|um|bis|gegen)\s+"
    r"(?:(?:half|quarter)\s+(?:past|to)\s+|halb\s+|viertel\s+\w+\s+)?"
    rf"(?:\d{{1,2}}[:.]\d\d(?!\d)|(?:{_HOURS})(?![:.]\d)"
    r"(?=\s*(?:[ap]\.?m\b|o'clock|uhr|[,.;!)]|\Z)|\s+(?:and|but|so|und)\b)"
    rf"|(?<=um )(?:{_HOURS})\b(?!\s*(?:%|prozent|euro|grad|\w*meter)))"
    r"|\b(?:(?:on|by|until|till)\s+(?:the\s+)?\d{1,2}(?:st|nd|rd|th)"
    r"|(?:am|bis(?:\s+zum)?)\s+\d{1,2}\.)"
    rf"(?!\s+(?:floor|stock|of\s+\w|{_MONTHS})|\d)"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag"
    r"|mittwoch)\b",
    re.IGNORECASE,
)
"""An hour, a weekday or a day of a month, which alone is an appointment."""
_KEEPS_HOURS: Final = any_of(
    r"""
    opens? | closes? | gets? up | wakes? up | sleeps? | goes? to bed | runs? | birthdays? | born
    anniversary | geburtstag\w* | öffne\w* | schließ\w* | stehe? | laufen
    """
)
"""What has an hour each day, or a day each year."""
_OF_A_LIFE: Final = any_of(
    r"""
    used to | was born | were born | studied | graduated | grew up | majored | trained as
    founded | worked (?:as|at|for|in) | lived in | served (?:in|as) | started school
    took over as | geboren | aufgewachsen | studiert\w* | gelernt | promovier\w*
    (?:was|were) \w+en in
    """
)
_SINCE: Final = any_of(
    rf"""
    since | seit | for (?:\w+ ){{0,3}}(?:years|decades|ages) | never | always | (?:19|20)\d\d
    (?:in|im|of|by|until|from) (?:early |late )?(?:{_MONTHS})
    """
)
"""With this, the past and what is under way tell when they were, or what still is."""
_OF_NOW: Final = words_of(
    "think guess suppose hope wonder wait feel see hear look seem appear believe expect say ask"
    " agree disagree promise swear bet doubt remember forget leave arrive land return get fail"
    " crash freeze happen hurt ache finish die start stop wish need brauche suche warte komme gehe"
    " glaube denke hoffe finde fuhle versuche bitte werde schaue brauchen suchen warten kommen"
    " gehen glauben denken hoffen versuchen werden"
)
"""What somebody does, feels or asks for at the moment of telling, in the present."""
_OF_THINGS_NOW: Final = frozenset(
    form
    for verb in words_of(
        "seem appear feel pass leave arrive land return fail crash freeze happen hurt"
    )
    for form in (verb, third_of(verb))
)
_BROKEN: Final = any_of(
    r"""
    do(?:es)? not (?:work|start|boot|load|build|compile|open|close|respond|turn|run|connect|print)
    (?:geht|gehen|läuft|laufen|funktioniert|funktionieren|startet|lädt) (?:\w+ )?(?:nicht|kaputt)
    """
)
_FOR_A_WHILE: Final = any_of(
    r"""
    cold | fever | flu | (?:head|tooth|stomach|back|ear|belly)ache | cough | hangover | sore
    \w*pox | covid | bad | appointment | meeting | call | exam | interview | flight | deadline
    date | dentist | tickets? | problems? | issues? | errors? | bugs? | conflicts? | questions?
    troubles? | idea | feeling | leak | mess | disaster | delay | outage | puncture
    flat (?:tyre|tire) | visitors? | guests? | left\Z | \w*termin | zahnarzt\w* | \w*besprechung
    prüfung | verabredung | besuch | karten | hunger | durst | fieber | schnupfen | husten
    \w*schmerzen | grippe | erkältung | frage | problem\w* | verspätung | stau | strom | internet
    wlan | empfang | signal | zeit | angst | lust | windpocken | minutes? | hours?
    """
)
"""What somebody or something has for a while."""
_UNDER_WAY: Final = any_of(
    r"""
    learning | studying | living | teaching | training | eating | working as
    writing (?:my|a) (?:\S+ ){0,2}(?:thesis|dissertation|book|novel)
    """
)
"""What lasts though it ends in -ing."""
_WISHES: Final = words_of("want need would mochte will wants needs")
_ONE: Final = words_of(
    "to a an some another help it one more ein eine einen noch mehr hilfe wissen jetzt mal"
)
"""What is wished once."""
_HAS_TO: Final = words_of("must should muss mussen soll sollen")
_ABLE: Final = words_of(
    "eat drink have be climb swim drive ride stand hear smell see walk speak read tell use work"
)
"""What somebody who cannot do it cannot do for long."""
_LIES: Final = words_of("stehe sitze liege stehen sitzen liegen steht sitzt liegt")
_PEOPLE: Final = WE | words_of(
    "he she they er sie mother mum mom dad father parents brother sister wife husband partner son"
    " daughter kid kids child children friend boss colleague flatmate neighbour neighbor uncle aunt"
    " cousin girlfriend boyfriend grandma grandpa granny cat dog mutter mama papa oma opa vater"
    " eltern bruder schwester frau mann sohn tochter kind kinder freund freundin chef chefin"
    " kollege kollegin nachbar hund katze"
)
"""Who is at a place for a time alone."""
_BELONGS: Final = any_of(
    r"""
    as an? | board | team | committee | choir | band | council | union | university
    college | faculty | department | grade | class | plan | research | sales | marketing | IT | HR
    QA | finance | staff | wheelchair | rollstuhl | industry | army | spectrum | diet | shifts?
    vorstand | verein | \w*club | chor | uni | universität | klasse | als
    (?:on|auf) (?-i:[A-Z])\w+
    """
)
"""Where somebody belongs."""
_TELLS: Final = words_of(
    "from of into aus against gegen for fur von about over under with mit than as behind near"
    " unter uber"
)
"""Prepositions behind "is" that tell what somebody is or has, and no place."""
_STATES: Final = words_of(
    "krankenhaus hospital urlaub arbeit ordnung betrieb wartung reparatur verzug stau eimer gange"
    " bau umbau % percent prozent phone telefon"
)
_OFF: Final = words_of("behind ahead late early left short away")
"""Behind a number: "3 points behind"."""
_BESIDE: Final = words_of("next close left right opposite")
_ONLY_WITH: Final = words_of(
    "deployed disabled enabled paused started restored deleted committed dropped used needed"
    " renamed mounted edited logged placed detected planned expected saved good bad better best"
    " hard new due"
)
"""What lasts only with "in", "by", "to" or the like behind it."""
_ENDS: Final = words_of("parked tired excited involved red gefunden umgezogen lost stuck")
_IS_LONG: Final = words_of(
    "called named allergic intolerant vegetarian vegan pescatarian coeliac celiac diabetic"
    " asthmatic dyslexic autistic epileptic deaf blind colourblind colorblind bald handed sighted"
    " bilingual fluent native religious single tall short small tiny big large huge long wide high"
    " deep narrow old older young younger wooden metal clay wood steel glass plastic stone brick"
    " concrete cotton leather wool electric manual digital analogue public private internal"
    " external local remote optional mandatory sensitive responsible keen fond afraid free"
    " proprietary source only immutable hybrid freelance strict picky superstitious different"
    " separate identical same male female gay trans pregnant blue yellow black white grey gray"
    " brown purple orange pink halal kosher worth like similar capital multilingual taught"
    " employed time utc allergisch vegetarisch linkshandig taub farbenblind gross klein alt jung"
    " lang breit hoch tief schwarz weiss blau gelb grau braun offentlich privat intern extern lokal"
    " berufstatig selbststandig selbstandig freiberuflich verantwortlich zustandig schwerhorig"
    " zweisprachig katholisch evangelisch empfindlich lieber"
)
"""How somebody or something is for long, besides what was done to it."""
_DONE: Final = (
    (LASTING | DONE | frozenset(map(past_of, ACTS)))
    | words_of("built sold held made done sent taught known shown drawn given bought")
) - _IS_LONG
_HAPPENED: Final = words_of(
    "been gone eaten fallen forgotten broken stolen frozen chosen driven ridden risen sung swum"
    " drunk begun rung shrunk sunk worn torn sworn seen spoken woken thrown blown grown flown"
    " hidden bitten shaken taken gotten beaten become come proven"
)
"""What has happened, behind "has", and is no quality behind "is"."""
_GERMAN_DONE: Final = tuple(word for word in LASTING if word.endswith(("t", "en")))
_GERMAN_WHO: Final = ("erin", "istin", "arier", "iker", "pfleger", "lehrer", "loge", "eurin")
"""Ends of German words of what somebody is, which may be typed without a capital."""
_PARTICIPLE: Final = regex(r"\w*ge\w{2,}(?:t|en)|\w*(?:be|ver|er|ent|zer)\w{3,}(?:t|en)|\w{3,}iert")
_NO_KIND: Final = words_of("downstairs upstairs overseas indoors outdoors yours ours theirs hers")
"""What ends as words of several do, and is none: "my parents are teachers"."""
_IS_NOW: Final = words_of(
    "down up off on green full empty slow stale busy ready open closed broken locked corrupt dead"
    " offline online dirty wrong weird fast flaky unreachable drained kaputt voll leer langsam weg"
)
"""How what has a name may be at the moment."""
_NAMED: Final = any_of(
    r"""
    name | queue | timezone | time zone | allergies | hobbies | interests | language | linter
    formatter | editor | shell | framework | database | browser | major | profession | nickname
    username | handle | stack | currency | keyboard | layout
    (?:favou?rite|preferred|default|main|usual|native) \w+ | \w*sprache | beruf | lieblings\w+
    """
)
"""What has a name, which may be typed without a capital."""
_CODE: Final = regex(r"`[^`]+`")
_NEAR: Final = 5
"""Words at most that tell what."""
_SHORT_IS: Final = regex(r"\b(it|he|she|that|there)'s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What holds for all clauses of a sentence."""

    text: str
    language: Language
    is_asked: bool
    comes_again: bool


def has_lasting_form(sentence: str, language: Language, *, is_asked: bool) -> bool:
    """Whether each clause of a sentence whose verb is known surely tells what lasts.

    What was asked to be remembered may tell of the past, and of an hour.
    """
    named = _CODE.sub("Name", sentence.replace("’", "'"))
    words = typed_words(_SHORT_IS.sub(r"\1 is", named))
    text = " ".join(word.raw for word in words)
    whole = _Sentence(text, language, is_asked, _AGAIN.search(sentence) is not None)
    is_appointed = is_appointment(sentence) and not is_asked
    if not whole.comes_again and (is_appointed or _BROKEN.search(text)):
        return False
    clauses = read_clauses(words, language)
    if not clauses or (clauses[0].predicate is None and not is_asked):
        return False
    told = (each for at, each in enumerate(clauses) if not at or each.tells_more)
    return all(_lasts(each.predicate, whole) for each in told if each.predicate)


def is_appointment(sentence: str) -> bool:
    """Whether a sentence names an hour or a day, of what has none each day or year."""
    return _AT_A_TIME.search(sentence) is not None and _KEEPS_HOURS.search(sentence) is None


def _keeps_hours(verb: str, rest: Sequence[str]) -> bool:
    return _KEEPS_HOURS.match(" ".join((verb, *rest))) is not None


def is_act(sentence: str) -> bool:
    """Whether a sentence without a function word is an order, or of the past: "Sofia quit"."""
    texts = [folded(word) for word in typed_words(sentence)]
    return bool(texts) and (texts[0] in ACTS | {"let's"} or any(map(is_past, texts[1:2])))


def _lasts(told: Predicate, whole: _Sentence) -> bool:
    verb, rest = told.verb, told.rest
    speaks = told.subject in WE
    if is_past(verb):
        return whole.is_asked or _is_dated(whole)
    if verb in WILL and whole.language is Language.ENGLISH:
        return False
    what = " ".join(told.raw[: len([*_head(rest)])])
    is_short = _FOR_A_WHILE.search(what) is not None
    if verb in BE:
        return whole.comes_again or (not is_short and _is_for_long(told, whole))
    if verb in HAVE or verb == "gibt":
        is_state = rest[:1] == ("been",) and not _IS_NOW.isdisjoint(rest[1:2])
        return _is_had(told, whole) and (whole.comes_again or not (is_short or is_state))
    if verb in _LIES and told.subject in _PEOPLE and len(rest) > 1:
        return whole.comes_again or _is_place(told)
    if verb in _WISHES and (speaks or verb.endswith("s")):
        return whole.comes_again or _ONE.isdisjoint(rest[verb == "would" :][:1])
    if verb == "can" and "can not" in whole.text and rest and not whole.comes_again:
        return rest[0] in _ABLE
    if speaks and verb in _HAS_TO:
        return whole.comes_again
    if speaks and verb in HELPS and rest:
        verb, rest = rest[0], rest[1:]
    of_now = _OF_NOW if speaks else _OF_THINGS_NOW
    is_known = (
        whole.comes_again or whole.is_asked or rest[:1] in (("that",), ("via",), ("through",))
    )
    return is_known or verb not in of_now or _keeps_hours(verb, rest)


def _is_dated(whole: _Sentence) -> bool:
    return (_OF_A_LIFE.search(whole.text) or _SINCE.search(whole.text)) is not None


def _is_had(told: Predicate, whole: _Sentence) -> bool:
    """Whether "has" tells what somebody has, and no act that is done."""
    rest = told.rest
    if not rest or rest[0] == "to":
        return False
    if whole.language is Language.GERMAN:
        is_done = _PARTICIPLE.fullmatch(rest[-1]) and told.raw[-1][:1].islower()
        return not is_done or whole.is_asked or _is_dated(whole)
    is_done = rest[0] != "got" and (rest[0] in _DONE | _HAPPENED or is_past(rest[0]))
    return not is_done or whole.comes_again or whole.is_asked or _is_dated(whole)


def _is_for_long(told: Predicate, whole: _Sentence) -> bool:
    """Whether what stands behind "is" lasts."""
    rest, raw = told.rest, told.raw
    if not rest:
        return False
    first, second = rest[0], "".join(rest[1:2])
    is_german = whole.language is Language.GERMAN
    if first in _TELLS or (is_german and rest[-1].endswith(_GERMAN_DONE) and rest[-1] not in _ENDS):
        return second not in ("", "to") or is_german
    if first in PLACED or (first in _BESIDE and second in ("to", "of", "from")):
        return _is_place(told)
    if first in NAMING or first.endswith("'s"):
        return second not in ("bit", "little", "lot")
    if raw[0][:1].isupper() or not raw[0].isalpha():
        return _OFF.isdisjoint(rest)
    if first.endswith("ing"):
        text = " ".join(raw)
        return (_UNDER_WAY.match(text) or _SINCE.search(text)) is not None
    if first in _ENDS or (is_german and first.endswith(_GERMAN_WHO)):
        return first not in _ENDS
    if first in _DONE or (is_german and first.endswith(_GERMAN_DONE)):
        return (first in LASTING and first not in _ONLY_WITH) or second in PLACED
    head = [*_head(rest)]
    if any(word in _IS_LONG | LASTING | _ONLY_WITH for word in head):
        return head[-1] not in _ONLY_WITH or not PLACED.isdisjoint(rest[len(head) : len(head) + 1])
    return _is_kind(told, head) or (_NAMED.search(whole.text) is not None and first not in _IS_NOW)


def _is_kind(told: Predicate, head: Sequence[str]) -> bool:
    """Whether it tells what several are, or a name with its number: "postgres 15"."""
    first = head[0]
    is_plural = told.verb == "are" and first.endswith("s") and first not in _NO_KIND
    is_numbered = len(head) > 1 and head[1][:1].isdigit()
    return (is_plural or is_numbered) and first not in _IS_NOW


def _head(words: Sequence[str]) -> Iterator[str]:
    """The words up to a preposition, which tell what somebody or something is or has."""
    for word in words[:_NEAR]:
        if word in PLACED and word != "an":
            return
        yield word


def _is_place(told: Predicate) -> bool:
    """Whether somebody belongs there, or a thing is at a place that is named."""
    rest, raw = told.rest, told.raw
    if told.subject in _PEOPLE:
        return _BELONGS.search(" ".join(raw)) is not None
    if len(rest) < 2 or rest[0] == "out" or "%" in rest[1] or not _STATES.isdisjoint(rest[1:3]):
        return False
    is_bare = raw[1].isalpha() and raw[1].islower() and not raw[1].endswith("s")
    return not is_bare or rest[1] in NAMING | {"to", "of"} or len(rest) > 2
