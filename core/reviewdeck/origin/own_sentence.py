"""A typed sentence as an entry tells it: of the user, in the third person."""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.origin.wording import is_adverb, third_person
from reviewdeck.text.languages import Language, language_of

_CONTRACTED: Final = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_NEGATED: Final = {"don't": "doesn't", "haven't": "hasn't"}
_UNCHANGED_WORDS: Final = (
    "can could will would shall should must may might was had did went got made took saw said told"
    " came knew thought bought found left kept met ran wrote read grew began became mag kann muss"
    " darf soll weiß war hatte wurde möchte"
)
_UNCHANGED: Final = frozenset(_UNCHANGED_WORDS.split())
"""Verbs that the third person has like the first."""
_IRREGULAR: Final = frozenset({"is", "has", "does", "goes", "ist", "hat", "wird"})
_WORD: Final = re.compile(r"\s+(\w+(?:['’]t\b)?)")
_PARTS: Final = re.compile(
    r"\b(?:(?P<short>I)['’](?P<verb>m|ve|ll|d)|(?P<me>I|[Ii]ch)|(?P<mine>[Mm]y|[Mm]ine)|(?P<to>me))\b"
)


def as_entry(sentence: str) -> str:
    """The sentence with "User" for "I" and the verb that goes with it.

    A sentence in another language than English and German, or of nobody, is returned as it is.
    """
    language = language_of(sentence)
    if language is None and not re.match(r"I\b|My\b", sentence):
        return sentence
    parts: list[str] = []
    at = 0
    is_named = False
    while match := _PARTS.search(sentence, at):
        parts.append(sentence[at : match.start()])
        at = match.end()
        if match["mine"]:
            is_first = not "".join(parts).strip()
            parts.append("User's" if is_first else "their" if is_named else "user's")
        elif match["to"]:
            parts.append("them" if is_named else "user")
        elif match["short"]:
            parts.append(f"User {_CONTRACTED[match['verb']]}")
        else:
            words, at = _with_verb(sentence, at, is_german=language is Language.GERMAN)
            parts.append(f"User{words}")
        is_named = True
    return "".join((*parts, sentence[at:]))


def _with_verb(sentence: str, at: int, *, is_german: bool) -> tuple[str, int]:
    """The words behind "I" up to its verb, which is in the third person, and where they end."""
    end = at
    while match := _WORD.match(sentence, end):
        word = match[1]
        if not is_adverb(word.casefold()):
            return f"{sentence[at : match.start(1)]}{_verb(word, is_german)}", match.end()
        end = match.end()
    return "", at


def _verb(word: str, is_german: bool) -> str:
    if "'" in word or "’" in word:
        return _NEGATED.get(word.replace("’", "'").casefold(), word)
    if word.casefold() in _UNCHANGED or word.endswith("ed"):
        return word
    forms = third_person(word.casefold())
    known = sorted(forms & _IRREGULAR) or sorted(forms, key=lambda form: form.endswith("t"))
    return (known[-1] if is_german else known[0]) if known else word
