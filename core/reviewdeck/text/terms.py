"""The terms of a text: its words by their stems; in a script without spaces, pairs of characters.

The one tokeniser for what is compared and what is searched.
"""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, pairwise
from sys import intern
from types import ModuleType
from typing import Final, Protocol

from reviewdeck.text.languages import Language, is_german

NEARLY_FROM: Final = 80.0
"""How much two texts have in common, 0 to 100, from which they say nearly the same."""
LONGEST: Final = 60
"""Characters of a term; a longer word is cut."""
MOST: Final = 400
"""Words of one text: all those of a text that may be applied automatically."""

_WORD: Final = re.compile(r"\w+(?:[.'’/:_-]+\w+)*")
_UNSPACED: Final = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Runs of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which write no spaces."""
_UNSPACED_FILLERS: Final = re.compile(
    "用户|用戶|使用者|使用|喜欢|喜歡|偏好|需要|应该|應該|总是|總是|ユーザー?|利用者|です|ます|します|好き|必要"
)
"""What `FILLERS` are in English, in Chinese and Japanese: no term has a part of one."""
_JOINTS: Final = re.compile(r"[./:_'’-]+")
_SHORTEST_STEM: Final = 3
_FILLER_WORDS: Final = (
    "a an and are as at be been but by can do does for from had has have i if in into is it its "
    "of on or that the their them then there these they this to was were when which will with "
    "you your user use uses used using always should prefer prefers preferred like likes want "
    "wants need needs"
)
FILLERS: Final = frozenset(_FILLER_WORDS.split())
"""Words that are no terms: nearly every entry has some."""
_SILENT_WORDS: Final = """
about above after again ain all also am another any anything aren away
because become became before being below between both came cannot come comes could couldn
d did didn doesn doing don down during each either every few gets give given
gives go goes going gone got hasn haven having he her here hers him his how
instead isn just keep keeps kept kind less let liked ll lot lots m made
make makes many may me might mine more most much must my neither never no none nor not nothing now
off often once one ones only onto other our ours out over own per
put puts quite rather re s same several shall she since so some something still
such t take taken takes than theirs therefore thing
things those though through too took two under until up upon us
ve very via wanted wasn way ways we well went what where whether
while who whom whose why within without won would yet yours
"""
_SILENT: Final = frozenset(_SILENT_WORDS.split())
_COMMON_WORDS: Final = """
add agent app application back big build case change check code command contain current data
day different end expect explain file find first follow form happen help high home house idea
include item job know large last level life line list long look low machine main man mean
month move name next note number open option page part people person place plan point
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


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@cache
def _stemmer(language: Language) -> Callable[[], _Stemmer]:
    module = import_module(f"{_languages()}.{language.lower()}_stemmer")
    stemmer: Callable[[], _Stemmer] = getattr(module, f"{language.title()}Stemmer")
    return stemmer


@cache
def _languages() -> str:
    """The name of a package with the stemmers, each loaded by itself.

    Their own package loads all 33 languages, which takes as long as the rest of `diff`, and
    another program's stemmer where that is installed: terms are stored, and do not depend on that.
    """
    spec = find_spec("snowballstemmer")
    if spec is None:
        raise ModuleNotFoundError("There is no package snowballstemmer.", name="snowballstemmer")
    package = ModuleType(f"{__name__}.snowball")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[package.__name__] = package
    return package.__name__


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: Language = Language.ENGLISH) -> str:
    """A word in lower case without its inflection. Numbers and names in code have none."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha() or _UNSPACED.search(word):
        return intern(word)
    # A stemmer holds the word that it works on: each has its own, as threads stem at once.
    # Interned: thousands of texts are cached, and they share their words.
    return intern(_stemmer(language)().stemWord(word[:LONGEST]))


def words_of(text: str) -> list[str]:
    """The words, numbers and pairs of characters of a text in lower case, in order."""
    if text.isascii():
        return _WORD.findall(text.casefold())
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return list(chain.from_iterable(map(_with_pairs, words)))


def _with_pairs(word: str) -> Sequence[str]:
    if not _UNSPACED.search(word):
        return (word,)
    runs = (run for run in _UNSPACED.split(word) if run)
    return tuple(
        chain.from_iterable(
            map("".join, pairwise(run)) if len(run) > 1 and _UNSPACED.fullmatch(run) else (run,)
            for run in runs
        )
    )


def is_telling(word: str) -> bool:
    """Whether a word in lower case says something by itself: no number, filler or silent word."""
    is_known = word in FILLERS or word in _SILENT
    return len(word) >= _SHORTEST_STEM and not word.isdigit() and not is_known


def normalise(text: str) -> str:
    """The words and numbers of a text in lower case, one space between them."""
    return " ".join(words_of(text))


@lru_cache(maxsize=1 << 12)
def stems_of(text: str) -> Mapping[str, str]:
    """The words of a text that say something, in order: the first form of each by its stem."""
    words = words_of(text if text.isascii() else _UNSPACED_FILLERS.sub(" ", text))[:MOST]
    language = Language.GERMAN if is_german(words) else Language.ENGLISH
    forms: dict[str, str] = {}
    for word in words:
        if word not in FILLERS:
            forms.setdefault(stem(word[:LONGEST], language), word)
    return forms


def telling(forms: Mapping[str, str]) -> tuple[str, ...]:
    """What words tell, by stem and form: no everyday word, parts of a compound, one of synonyms."""
    return tuple(chain.from_iterable(_told_by(*word) for word in forms.items()))


@lru_cache(maxsize=1 << 15)
def _told_by(base: str, form: str) -> tuple[str, ...]:
    same = _same()
    if form.isalpha() or any(map(str.isdigit, form)):
        return () if form in _SILENT else (same.get(base, base),)
    parts = (stem(part) for part in _JOINTS.split(form) if part and part not in _SILENT)
    return tuple(same.get(part, part) for part in parts if part not in FILLERS)


@lru_cache(maxsize=1 << 10)
def terms_of(text: str) -> tuple[str, ...]:
    """The terms by which a text is found, each once, and the one that only the same text has."""
    forms = stems_of(text)
    return tuple(dict.fromkeys((*forms, *telling(forms), whole(text))))


def whole(text: str) -> str:
    """The term of a text as a whole: equal but for case, spacing and punctuation."""
    words = normalise(text) or text
    return f"={hashlib.sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


@lru_cache(maxsize=1 << 15)
def weight(term: str) -> float:
    """How telling a shared stem is: a name or a version counts more than an everyday word."""
    if term in _common():
        return 1.0
    if term.isalpha():
        return 2.0
    return 1.0 if term.isdigit() and len(term) < 3 else 3.0


def roots(terms: Iterable[str]) -> tuple[str, ...]:
    """Letters that every English word has which tells one of these terms, in lower case.

    A stem is its word's beginning but for the last letter ("happi", "tri"), save for "dying" and
    the like. Where one of some synonyms stands for all, so may any of them.
    """
    wanted = frozenset(terms)
    stems = (*wanted, *(base for base, first in _same().items() if first in wanted))
    return tuple({base[:-1] if _is_bent(base) else base for base in stems})


def _is_bent(base: str) -> bool:
    return base.isalpha() and (len(base) > _SHORTEST_STEM or base.endswith(("i", "y")))


@cache
def _common() -> frozenset[str]:
    return frozenset(map(stem, _COMMON_WORDS.split()))


@cache
def _same() -> dict[str, str]:
    return {
        stem(word): stem(words[0])
        for words in map(str.split, _SAME_WORDS.strip().split("\n"))
        for word in words[1:]
    }
