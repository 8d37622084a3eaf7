"""Sentences as words in one perspective, so that "I live in Bonn" and "User lives in Bonn" agree.

A word is what stands between spaces, with its sign, separators and unit: "1,500", "<12", "-18" and
"$500" are one word each. Only punctuation at its ends is taken off.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from reviewdeck.text.languages import Language, language_of
from reviewdeck.values import dataclass

ME: Final = "@user"
"""The user, as the user says it (I, me) and as an entry does (user, the user)."""
MINE: Final = "@user's"

_OPENING: Final = frozenset("([{\"“„«»‹›'‘`")
_CLOSING: Final = frozenset(")]}\"”“«»‹›'’`,;:.!?。！？、，；：")
_KEPT: Final = frozenset(",;:()–")
"""Punctuation that counts: a comma after "no" changes what a sentence says."""
_DASHES: Final = frozenset("–—-")
_CHUNK: Final = re.compile(r"\S+")
_CODE: Final = re.compile(r"`([^\s`]+)`")

SHORT_PLEASE: Final = re.compile(r"\bpl[sz]\b", re.I)
_SPELT: Final = {
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "cant": "can not",
    "wont": "will not",
    "ive": "I have",
    "youre": "you are",
    "thats": "that is",
    "theres": "there is",
    "whats": "what is",
}
_CONTRACTIONS: Final = (
    (re.compile(r"\bcan(?:no|')t\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"\bshan't\b", re.I), "shall not"),
    (re.compile(r"(?<=\w)n't\b", re.I), " not"),
    (re.compile(r"\bi'm\b", re.I), "I am"),
    (re.compile(r"(?<=name)'s\b|(?<=\w)'s(?=\s+(?:an?|the|my|our|in|on|at|not)\b)", re.I), " is"),
    (re.compile(r"(?<=\b[iI])'d\b"), " would"),
    (re.compile(r"(?<=\w)'ve\b", re.I), " have"),
    (re.compile(r"(?<=\w)'ll\b", re.I), " will"),
    (re.compile(r"(?<=\w)'re\b", re.I), " are"),
    (re.compile(rf"\b({'|'.join(_SPELT)})\b", re.I), lambda match: _SPELT[match[1].lower()]),
    (re.compile(r"\bby the way\b", re.I), "btw"),
    (re.compile(r"\bthank you\b", re.I), "thanks"),
    (SHORT_PLEASE, "please"),
    (re.compile(r"\b(?:keep|bear) in mind\b|\bfor the record\b", re.I), "note"),
    (re.compile(r"(?<=\w)-(?=[^\W\d_])", re.I), " "),
    (re.compile(r"(?<=\bis )named\b|(?<=\bam )named\b|(?<=\bare )named\b"), "called"),
)  # fmt: skip
_IM: Final = re.compile(r"\bim\b", re.I)
"""In English "I'm", in German "in dem"."""
CONTRACTED: Final = re.compile(r"['’](?:s|m|d|re|ve|ll)\b")
"""The short form of a verb at the end of a word."""
_MINE_BEHIND: Final = re.compile(
    r"\b(?:(?:[Dd](?:er|ie|as|en|em))\s+)?(\w+)\s+(?:des\s+(?:Nutzers|Benutzers|Anwenders)"
    r"|der\s+(?:Nutzerin|Benutzerin|Anwenderin))\b"
)
"""A German genitive behind what the user has."""
_ENTRY_ME: Final = re.compile(
    r"(?<!@)\b(?:the |der |die |den |dem )?(?:user|nutzer(?:in)?|benutzer(?:in)?|anwender(?:in)?)"
    r"('s)?(?![\w'])",
    re.I,
)
_SAYS_ME: Final = frozenset({"i", "me", "myself", "ich", "mich", "mir"})
_SAYS_MINE: Final = re.compile(r"(?:my|mine|mein(?:e|en|em|er|es)?)\Z", re.I)
_AGREES_WORDS: Final = (
    "am:is are:is have:has do:does go:goes bin:ist habe:hat werde:wird weiß:weiß mag:mag"
    " kann:kann will:will muss:muss darf:darf soll:soll möchte:möchte esse:isst"
    " vergesse:vergisst fahre:fährt lese:liest spreche:spricht nehme:nimmt gebe:gibt sehe:sieht"
    " schlafe:schläft trage:trägt laufe:läuft halte:hält helfe:hilft treffe:trifft"
    " sammle:sammelt wasche:wäscht lade:lädt"
)
_AGREES: Final = dict(pair.split(":") for pair in _AGREES_WORDS.split())
"""Verbs of the first person, as the third has them."""
_SIBILANT: Final = ("s", "x", "z", "ch", "sh", "o")
_DENTAL: Final = ("t", "d", "chn", "ffn", "gn", "tm", "ckn")


@dataclass(frozen=True, slots=True)
class Word:
    """One word or one mark of punctuation that counts."""

    raw: str
    text: str
    """Folded; the user and what is the user's under one name."""
    is_first: bool = False
    """Whether it begins its sentence, where a capital says nothing."""


def typed_words(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence that the user typed."""
    return _words(sentence, by_user=True)


def entry_words(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence of an entry, which speaks of the user."""
    return _words(sentence, by_user=False)


@lru_cache(maxsize=4096)
def _words(sentence: str, *, by_user: bool) -> tuple[Word, ...]:
    text = unicodedata.normalize("NFC", sentence).replace("’", "'")
    text = _CODE.sub(r"\1", text)
    for pattern, expanded in _CONTRACTIONS:
        text = pattern.sub(expanded, text)
    if by_user and _IM.search(text) and language_of(text, least=1) is Language.ENGLISH:
        text = _IM.sub("I am", text)
    if not by_user:
        text = _MINE_BEHIND.sub(rf"{MINE} \1", text)
        text = _ENTRY_ME.sub(lambda match: MINE if match[1] else ME, text)
    words: list[Word] = []
    begins = True
    for chunk in _CHUNK.findall(text):
        for piece in _pieces(chunk):
            words.append(Word(piece, _one_person(piece), begins))
            begins = False
        begins = chunk.endswith((".", "!", "?"))
    return tuple(words)


def _pieces(chunk: str) -> Iterator[str]:
    """A chunk without the punctuation at its ends, of which some counts."""
    if chunk in _DASHES:
        yield "–"
        return
    start, end = 0, len(chunk)
    while start < end and chunk[start] in _OPENING:
        start += 1
    while end > start and chunk[end - 1] in _CLOSING:
        end -= 1
    yield from (sign for sign in chunk[:start] if sign in _KEPT or sign in '"“„«»‹›`[{')
    if start < end:
        yield chunk[start:end]
    yield from (sign for sign in chunk[end:] if sign in _KEPT or sign in '"”“«»‹›`]}')


def _one_person(piece: str) -> str:
    folded = piece.casefold()
    if folded in _SAYS_ME:
        return ME
    return MINE if _SAYS_MINE.match(folded) else folded


def is_same(entry: Sequence[Word], at: int, typed: Sequence[Word], place: int) -> bool:
    """Whether two words are one: the same letters, the same person, or the verb of one."""
    word, said = entry[at], typed[place]
    if word.text == said.text:
        return word.text in (ME, MINE) or _same_capitals(word, said)
    return word.text in _third_person(said.text) and _is_verb_of_user(typed, place)


def _same_capitals(word: Word, said: Word) -> bool:
    """Whether a word is written alike, or its first letter begins a sentence."""
    is_plain = _is_plain(word.raw) and _is_plain(said.raw)
    return word.raw == said.raw or (is_plain and (word.is_first or said.is_first))


def _is_plain(raw: str) -> bool:
    """Whether it is letters alone, the first of which may be a capital: no path, option or code."""
    letters = raw.replace("'", "")
    return letters.isalpha() and not any(letter.isupper() for letter in letters[1:])


def _is_verb_of_user(typed: Sequence[Word], place: int) -> bool:
    """Whether a word stands where the verb of "I" does."""
    if place + 1 < len(typed) and typed[place + 1].text == ME and place < 3:
        return True
    at = place - 1
    while at >= 0 and _is_adverb(typed[at].text):
        at -= 1
    if at < 0:
        return False
    if typed[at].text in ("and", "or", "und", "oder", ","):
        return any(word.text == ME for word in typed[:at])
    return typed[at].text == ME


_ADVERBS_WORDS: Final = (
    "also always never usually often rarely seldom hardly barely really still already only mostly"
    " just sometimes not no longer ever even then auch immer nie oft selten kaum"
)
_ADVERBS: Final = frozenset(_ADVERBS_WORDS.split())


def _is_adverb(word: str) -> bool:
    """Whether a word may stand between "I" and its verb."""
    return word in _ADVERBS or word.endswith("ly")


@lru_cache(maxsize=2048)
def _third_person(verb: str) -> frozenset[str]:
    """The forms that a verb of "I" may have after "user"."""
    forms = {_AGREES[verb]} if verb in _AGREES else set()
    if not verb.isalpha() or len(verb) < 2:
        return frozenset(forms)
    if verb.endswith("y") and verb[-2] not in "aeou":
        forms.add(f"{verb[:-1]}ies")
    else:
        forms.add(f"{verb}es" if verb.endswith(_SIBILANT) else f"{verb}s")
    if verb.endswith("e") and len(verb) > 3:
        stem = verb[:-1]
        forms.add(f"{stem}et" if stem.endswith(_DENTAL) else f"{stem}t")
    return frozenset(forms)
