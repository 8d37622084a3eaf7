"""What can be understood without the sentence before it.

A memory is read alone: a word that points to another sentence points to nothing there, or to
something else.
"""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.origin.inflection import content, is_light
from reviewdeck.origin.phrases import any_of
from reviewdeck.origin.wording import CONTRACTED, ME, typed_words
from reviewdeck.text.lazy import regex

_CHOICES: Final = any_of(
    """
    both (?:are|is|work)\\w* | neither | none of | all (?:two|three|of) | former | latter
    (?:first|second|third|last|other|short|long|shorter|longer|new|old) (?:option|variant|version
    |draft|suggestion|idea|approach|answer(?! first\\b)|proposal|example|try|attempt)
    (?:option|variant) \\w
    that (?:is|was|one) | (?:the|this|that|my|our|other) \\w* ?ones?
    the (?:first|second|third|last|other)(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|best|more|always)\\b)
    the (?:first|second|third|last|other)(?=\\s(?:is|are)\\b)
    (?:likes?|prefers?|wants?|takes?) \\d+(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|always|every\\w+)\\b)
    the rest | der rest | letztere\\w* | erstere\\w* | beide (?:sind|haben|laufen)
    d(?:er|ie|as) (?:erste|zweite|dritte|vierte|letzte)(?=\\s[a-zäöü]+[tn]\\b)
    (?:erste|zweite|dritte|letzte|andere)n? (?:option|variante|version|vorschlag|idee|entwurf)
    """.replace("\n    |", "|")
)
"""Words that choose among what was named before."""
_PLACED_WORDS: Final = (
    "first second third last other left right upper lower middle next new old same"
)
_PLACED: Final = frozenset(_PLACED_WORDS.split())
_IS_SOMEBODY: Final = regex(r"\s+(?:is|are)\s+(?:my|our)(?:\s+[a-z]+){1,4}\s+[A-Z]\w+")
"""What says who it is: "the coeliac one is my sister Marit"."""
_PRONOUNS: Final = any_of(
    r"""
    it | its | he | him | she | they | them | theirs | this | these | those | there | here | same
    es | er | ihn | ihm | ihnen | dies\w* | dort | hier | da | davon | damit | daran | dabei
    dafür | that(?=\s*[,.;!]|\s*\Z)
    """
)
"""Words that point to what was said before, which a sentence alone has to have itself."""
_LEADS: Final = any_of(
    r"""
    it | its | he | him | his | she | her | they | them | their | theirs | same | it's
    (?:there|that|this|these|those)'s
    (?:this|these|those|that)(?=\s+(?:is|are|was|were|has|have|does|do|can|will|works?)\b|\s*[,.;!])
    there(?!'s|\s+(?:is|are|was|were|has|have|will|can|must)\b) | here
    the others?(?!\s+hand\b) | d(?:ie|er|as|en|em) andere\w*
    er | sie | ihn | ihm | ihnen | ihre?[nmrs]? | sein | seine | dort | davon | damit | daran
    dabei | dafür
    (?:das|dies|es)(?=\s+(?:ist|sind|war|hat|wird|läuft|liegt|steht|heißt)\b)
    """
)
"""Those of them that stand for a thing rather than beside its name."""
_SELF: Final = frozenset({"we", "wir", ME, "user"})
_JOINTS: Final = frozenset(
    [",", ";", "–", ":", "and", "but", "und", "aber", "so", "because", "weil", "denn"]
)


def points_back(sentence: str) -> bool:
    """Whether a word points to something that the sentence does not name before it."""
    return leans_on_another(sentence) or _is_unnamed(_PRONOUNS, sentence)


def chooses(sentence: str) -> bool:
    """Whether it chooses among what it does not name: "the first option", "the red one"."""
    return _is_unnamed(_CHOICES, sentence)


def leans_on_another(sentence: str) -> bool:
    """Whether it tells of a thing that only another sentence names: "It is the staging one"."""
    return chooses(sentence) or any(
        not content(sentence[: match.start()]) for match in _LEADS.finditer(sentence)
    )


def _is_unnamed(words: re.Pattern[str], sentence: str) -> bool:
    text = CONTRACTED.sub(" is", sentence)
    for match in words.finditer(text):
        before = [word.text for word in typed_words(text[: match.start()])]
        if match.group().casefold().endswith(("one", "ones")):
            named = [word for word in before if content(word) and not is_light(word)]
            least = 2 if _SELF & set(before[:2]) else 1
            is_placed = _PLACED & set(match.group().casefold().split())
            if not is_placed and _IS_SOMEBODY.match(text, match.end()):
                continue
        else:
            joint = max((at for at, word in enumerate(before) if word in _JOINTS), default=0)
            named = [word for word in before[:joint] if content(word)]
            least = 2
        if len(named) < least:
            return True
    return False
