"""Words that carry something by themselves, compared without their inflection."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from reviewdeck.text.languages import Language, language_of

_WORD: Final = re.compile(r"\w+(?:[.'’/:@+#-]+\w+)*[+#]*")
_ORDINAL: Final = re.compile(r"\A(\d+)(?:st|nd|rd|th)\Z")
_VOWEL: Final = re.compile("[aeiouyäöü]")
_SILENT_ENGLISH_WORDS: Final = (
    "user users user's i i'm i'd i've i'll me my mine myself we we're we've us our ours you your"
    " yours yourself agent assistant hermes he she his her him they them their theirs a an the"
    " and or but then so as at by for from in into is it its of onto out per to up with about"
    " than that this these those there here be am are was were been being do does did done has"
    " have had having will would could when while which who whom whose what where how on also too"
    " just very please thanks it's that's there's let's via any some such own same because since"
    " during through again further not no don't doesn't isn't can't"
)
_SILENT_ENGLISH: Final = frozenset(_SILENT_ENGLISH_WORDS.split())
_SILENT_GERMAN_WORDS: Final = (
    "nutzer nutzers nutzerin benutzer benutzerin anwender ich mir mich mein meine meinen meinem"
    " meiner meines wir uns unser unsere unseren unserem unserer du dir dich dein deine deinen"
    " deinem deiner sie ihr ihre ihren ihrem ihrer er ihm ihn sein seine seinen seinem seiner ein"
    " eine einen einem einer eines der die das den dem des und oder aber wenn dann als an aus bei"
    " beim für im ins ist mit von vom zu zum zur durch dass daß dies diese dieser dieses diesen"
    " diesem dort hier sind war waren wird werden wurde wurden hat habe haben hatte hatten auch"
    " noch schon sehr bitte danke was wer wo wie man sich da weil damit denn doch mal ja nicht"
    " kein keine"
)
_SILENT_GERMAN: Final = frozenset(_SILENT_GERMAN_WORDS.split())
_SILENT: Final = {
    Language.ENGLISH: _SILENT_ENGLISH,
    Language.GERMAN: _SILENT_GERMAN | {"user"},
    None: _SILENT_ENGLISH | _SILENT_GERMAN,
}
_LIGHT_WORDS: Final = (
    "use work call make go get take have keep need want like love prefer live run write read"
    " say see know give put think look come time day week year month thing one two way people"
    " good new old first last always never every next yes still now today text line name answer"
    " help back part"
)
_LIGHT: Final = frozenset(_LIGHT_WORDS.split())
"""Words that many sentences about other matters share."""
_SHORT_FORMS: Final = {
    "app": "application",
    "config": "configuration",
    "dad": "father",
    "mom": "mother",
    "mum": "mother",
    "kid": "child",
    "children": "child",
    "db": "database",
    "dir": "directory",
    "doc": "documentation",
    "env": "environment",
    "lib": "library",
    "repo": "repository",
    "spec": "specification",
}
_ENDINGS_WORDS: Final = "e en em er es et est ens t te ten tet st n ne nen s innen"
_ENDINGS: Final = tuple(_ENDINGS_WORDS.split())


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """The words of a text that carry something, folded, each once and in order."""
    folded = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    words = (match[0].strip("'") for match in _WORD.finditer(folded))
    silent = _SILENT[language_of(text)]
    return tuple(dict.fromkeys(word for word in words if word not in silent))


_CLAUSE: Final = re.compile(
    r"\s*(?:[,;:()–—]\s|\s(?:and|but|so|because|und|aber|sondern|weil|denn)\s)\s*"
)
_BUT: Final = re.compile(r"\b(?:anything|everything|nothing|all) but\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def clauses_of(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence, parted by punctuation and conjunctions."""
    sentence = _BUT.sub("hardly", sentence)
    return tuple(clause for clause in _CLAUSE.split(sentence) if clause.strip())


def clauses_about(words: Sequence[str], sentence: str) -> str:
    """The clauses of a sentence from the first to the last that has one of these words."""
    clauses = clauses_of(sentence)
    about = [
        at
        for at, clause in enumerate(clauses)
        if any(shares(word, words) for word in content(clause))
    ]
    return ", ".join(clauses[about[0] : about[-1] + 1]) if about else sentence


def shares(word: str, others: Sequence[str]) -> bool:
    """Whether one of these words is this one but for its inflection."""
    return word in others or any(not bases(word).isdisjoint(bases(other)) for other in others)


def is_light(word: str) -> bool:
    """Whether a word says little about what a sentence is about."""
    return not bases(word).isdisjoint(_LIGHT)


@lru_cache(maxsize=16384)
def bases(word: str) -> frozenset[str]:
    """The words of which a word may be an inflected form. Numbers and names have no other form."""
    word = word.removesuffix("'s")
    if not word.isalpha():
        return frozenset({_ORDINAL.sub(r"\1", word)})
    found = {word, *_english_bases(word)}
    stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    found.update(stem for stem in stems if len(stem) > 3)
    return frozenset({*found, *(_SHORT_FORMS[base] for base in found & _SHORT_FORMS.keys())})


def _english_bases(word: str) -> Iterator[str]:
    """Of *plans*, *planned*, *planning*: plan; of *uses* and *using*: use; of *tries*: try."""
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            yield word[:-2]
        if word.endswith("ies"):
            yield f"{word[:-3]}y"
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or not _VOWEL.search(stem):
            continue
        yield f"{stem}e"
        if len(stem) < 3:
            continue
        yield stem
        if ending == "ed" and stem.endswith("i"):
            yield f"{stem[:-1]}y"
        if stem[-1] == stem[-2]:
            yield stem[:-1]
