"""Which words tell what a text is about: stems, words that say the same, words that tell little."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern
from typing import Final

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
    found = _participle(_singular(word))
    if found.endswith("ly") and len(found) > 5:
        found = found[:-2]
    return found[:-1] if found.endswith("e") and len(found) > 4 else found


def _singular(word: str) -> str:
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
