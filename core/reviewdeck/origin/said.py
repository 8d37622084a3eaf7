"""Whether the user said a text: all its words stand in one message that the user typed.

No likeness and no share of the words: a file's fact that was padded with the user's words has a
word that the user did not say. What remains is that words can be put together in another way, so
each of them has to stand on the same side of a negation. English and German.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reviewdeck.model import Utterance

LONGEST: Final = 2_000
"""Characters of a text that a user may have said: no message that counts as typed is longer."""

_WORD: Final = re.compile(r"\w+(?:[.'’/:@+#-]+\w+)*[+#]*")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_REQUEST: Final = re.compile(
    r"\b(?:please|(?:can|could|would|will) you|bitte|kannst du|könntest du|würdest du)\b", re.I
)
"""What asks for something to be done, and so says what is wanted."""
_ORDINAL: Final = re.compile(r"\A(\d+)(?:st|nd|rd|th)\Z")
_END: Final = re.compile(r"[.!?;:,\n…—–()\[\]{}\"„“”«»](?=\s|$)|\n|[\"„“”«»()]|\s[—–-]\s")

_PEOPLE_WORDS: Final = (
    "user user's users i i'm i'd i've i'll me my mine myself we we're we've us our ours you "
    "your yours yourself agent assistant hermes he she his her him they them their theirs "
    "nutzer nutzerin benutzer benutzerin anwender ich mir mich mein meine meinen meinem meiner "
    "meines wir uns unser unsere unseren unserem unserer du dir dich dein deine deinen deinem "
    "deiner sie ihr ihre ihren ihrem ihrer er ihm ihn sein seine seinen seinem seiner agenten"
)
_FUNCTION_WORDS: Final = (
    "a an the and or but if then so as at by for from in into is it its of onto out per to up "
    "with about than that this these those there here be am are was were been being do does did "
    "done has have had having will would could might shall when while which who whom whose what "
    "where how on also too just very please thanks it's that's there's let's via any some all both "
    "each such own same because since during between through again further once other "
    "ein eine einen einem einer eines der die das den dem des und oder aber wenn dann so als "
    "am an aus bei beim für im in ins ist es mit von vom zu zum zur durch dass daß dies diese "
    "dieser dieses diesen diesem dort hier sind war waren wird werden wurde wurden hat habe haben "
    "hatte hatten könnte möchte möchten will wollen auch noch schon sehr bitte danke was wer wo "
    "wie welche welcher welches man sich da weil damit denn doch mal ja"
)
_NEGATION_WORDS: Final = (
    "not no never none nothing nobody neither nor without cannot can't don't doesn't didn't "
    "won't wouldn't shouldn't mustn't isn't aren't wasn't weren't haven't hasn't couldn't dont "
    "doesnt didnt wont cant isnt avoid avoids stop instead rather over unless except hate hates "
    "dislike dislikes "
    "nicht nie niemals kein keine keinen keinem keiner keines nichts niemand ohne weder statt "
    "anstatt außer ungern hasse hasst vermeide vermeidet"
)
_ENDING_WORDS: Final = (
    "s es 's e ed d ing y ies ied ying en er ers em n ne nen t te ten tet st est et ens in "
    "innen ion ions ly"
)
_PEOPLE: Final = frozenset(_PEOPLE_WORDS.split())
_FUNCTION: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that carry nothing by themselves. Words of order, measure and duty are not among them."""
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())
_BACKWARD: Final = frozenset({"nicht", "nie", "niemals", "ungern"})
"""Negations that German puts behind what they deny."""
_USE: Final = frozenset({"use", "uses", "used", "using"})
"""The one common word whose stem is too short to be told."""
_ENDINGS: Final = frozenset(_ENDING_WORDS.split()) | {""}


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    is_denied: bool
    clause: int


def said_by_user(text: str, utterances: Sequence[Utterance]) -> str:
    """The sentence or message in which the user said this text; empty when nobody did."""
    wanted = [one for one in _words(text) if _carries(one.text)] if len(text) <= LONGEST else []
    if not wanted:
        return ""
    for utterance in utterances:
        told = _told(utterance.text) if utterance.is_typed else ""
        if told and _says(told, wanted):
            return next((one for one in _sentences(told) if _says(one, wanted)), told)
    return ""


def closest_typed(text: str, utterances: Sequence[Utterance]) -> str:
    """The typed sentence with the most words of a text; empty when none has any."""
    wanted = {one.text for one in _words(text[:LONGEST]) if _carries(one.text)}
    best, most = "", 0
    for sentence in (one for said in utterances if said.is_typed for one in _sentences(said.text)):
        shared = sum(any(_same(one.text, word) for one in _words(sentence)) for word in wanted)
        if shared > most:
            best, most = sentence, shared
    return best


def about(texts: Sequence[str], utterances: Sequence[Utterance]) -> tuple[Utterance, ...]:
    """The utterances that are evidence for these texts: the typed ones that share a word with
    one of them, and all that nobody typed.
    """
    wanted = {one.text for text in texts for one in _words(text[:LONGEST]) if _carries(one.text)}
    return tuple(
        one
        for one in utterances
        if not one.is_typed
        or any(_same(said.text, word) for said in _words(one.text) for word in wanted)
    )


def _says(message: str, wanted: Sequence[_Word]) -> bool:
    said = _words(message)
    return all(
        any(one.is_denied == word.is_denied and _same(one.text, word.text) for one in said)
        for word in wanted
    )


@lru_cache(maxsize=2048)
def _told(message: str) -> str:
    """A message without what it only asks: who asks whether something is so does not say so."""
    sentences = _sentences(message)
    if all(not one.endswith("?") or _REQUEST.search(one) for one in sentences):
        return message.strip()
    kept = [one for one in sentences if not one.endswith("?") or _REQUEST.search(one)]
    return "\n".join(kept)


def _sentences(message: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(message) if one.strip()]


@lru_cache(maxsize=2048)
def _words(text: str) -> tuple[_Word, ...]:
    """The words of a text, each with whether its clause denies it. Negations are left out."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return tuple(word for at, clause in enumerate(_clauses(plain)) for word in _denied(clause, at))


def _clauses(text: str) -> Iterator[str]:
    at = 0
    for end in _END.finditer(text):
        yield text[at : end.end()]
        at = end.end()
    yield text[at:]


def _denied(clause: str, at: int) -> Iterator[_Word]:
    words = [match[0].strip("'’") for match in _WORD.finditer(clause)]
    denied = not _BACKWARD.isdisjoint(words)
    for word in words:
        if word in _NEGATIONS:
            denied = True
        elif word in ("but", "aber", "sondern"):
            denied = False
        else:
            yield _Word(word, denied, at)


def _carries(word: str) -> bool:
    return word not in _PEOPLE and word not in _FUNCTION


@lru_cache(maxsize=8192)
def _same(one: str, other: str) -> bool:
    """Whether two words are one but for their endings. Numbers and names have to be equal."""
    if one == other or {one, other} <= _USE:
        return True
    if not (one.isalpha() and other.isalpha()):
        return _bare(one) == _bare(other)
    pairs = enumerate(zip(one, other, strict=False))
    common = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return any(
        length >= 3 and _is_ending(one, length) and _is_ending(other, length)
        for length in (common, common - 1)
    )


def _bare(word: str) -> str:
    """A name without its possessive, a number without what makes it a place in a row."""
    return _ORDINAL.sub(r"\1", word.removesuffix("'s"))


def _is_ending(word: str, length: int) -> bool:
    rest = word[length:]
    if rest in {"", "s", "'s", "es", "ed", "ing"} or (rest == "d" and word[length - 1] == "e"):
        return True
    if length > 3 and rest in _ENDINGS:
        return True
    # A consonant is doubled before some endings: planned, running.
    return bool(rest) and rest[0] == word[length - 1] and rest[1:] in {"ed", "ing", "er"}
