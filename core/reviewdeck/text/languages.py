"""The language of a text by its function words: English, German, or another one."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from functools import lru_cache
from typing import Final


class Language(StrEnum):
    """The languages whose sentences the gate can read."""

    ENGLISH = "English"
    GERMAN = "German"


_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENGLISH_WORDS: Final = (
    "the a an and or of to in is are was were be been has have had do does did not for from with"
    " at by on that this these those it its his her their they he she we our my i you your who"
    " which than as but if when while about into over under after before because so very there"
    " here will would can could may might should must user user's users i'm don't doesn't isn't"
    " dont doesnt isnt didnt cant ive thats i've we've we're they're it's there's can't"
    " no only every each some any all more most one two please"
)
_ENGLISH: Final = frozenset(_ENGLISH_WORDS.split())
_GERMAN_WORDS: Final = (
    "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren"
    " hat habe haben hatte wird werden wurde nicht kein keine keinen mit für von vom zu zum zur"
    " in im ins auf aus bei beim nach seit über unter vor durch ohne um als wie dass daß wenn weil"
    " ich mir mich mein meine meinen er sie es wir uns unser unsere sein seine ihr ihre nutzer"
    " nutzerin benutzer benutzerin am an auch noch nur immer man sich dieser diese dieses zwei"
    " bitte"
)
_GERMAN: Final = frozenset(_GERMAN_WORDS.split())
_FOREIGN_WORDS: Final = (
    "les une du est sont dans pour avec sur que qui pas ce cette il elle nous vous ils mon mes"
    " aux mais où être avoir utilisateur una por para su sus pero muy está usuario gli che sono"
    " della delle nel nella suo utente uma em não seu sua usuário meu minha ao şi și este cu"
    " din utilizatorul sunt het een niet zijn voor ik mijn aan bij naar ook maar gebruiker geen"
    " och att det som på av är för inte med till jag han hon ett användaren og til ikke jeg"
    " brukeren bruker af nie się jest że jak przez jego jej użytkownik oraz není uživatel nebo"
    " jako bir için ile değil kullanıcı çok ei että käyttäjä mutta niin nem egy az és hogy"
    " felhasználó"
)
_FOREIGN: Final = frozenset(_FOREIGN_WORDS.split())
"""Function words that neither English nor German has, and no common name."""


@lru_cache(maxsize=4096)
def language_of(text: str, least: int = 2) -> Language | None:
    """The language of a text with this many function words of it, and none that only others have.

    Letters of another script are another language.
    """
    words = [match[0].casefold().replace("’", "'") for match in _WORD.finditer(text)]
    if any(character >= "\u0250" for word in words for character in word):
        return None
    if any(word in _FOREIGN for word in words):
        return None
    english = sum(word in _ENGLISH for word in words)
    german = sum(word in _GERMAN for word in words)
    if max(english, german) < least:
        return None
    return Language.GERMAN if german > english else Language.ENGLISH


def is_german(words: Collection[str]) -> bool:
    """Whether words in lower case have more function words of German than of English."""
    return sum(word in _GERMAN for word in words) > sum(word in _ENGLISH for word in words)
