"""Whether a text is plainly a preference, a fact about an environment or a convention.

Rules that look for bad words miss what is wrong in other words. So a memory also has to have the
build of a plain fact, sentence by sentence: somebody's taste or habit, or what something ordinary
is made of, called, written in or kept in. Everything else is for a person to confirm: what is
equated with something, what is claimed to be enough, harmless, usual or unlimited, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from reviewdeck.policy.plain_languages import NOT_ENGLISH, is_plain_elsewhere
from reviewdeck.policy.plain_lost import LOST
from reviewdeck.policy.plain_tools import TASTE, TOOLS
from reviewdeck.policy.plain_verbs import (
    DOINGS,
    FILL,
    FORMS,
    HABITS,
    PARTICIPLES,
    STYLES,
    TASTES,
    WISHES,
    WORKINGS,
)
from reviewdeck.policy.plain_words import (
    CALLED,
    COUNTS,
    GLUE,
    KINDS,
    PERSONS,
    ROLES,
    STATES,
    THINGS,
)
from reviewdeck.policy.wordlist import words

_BREAK = re.compile(
    r"(?:[.!?;](?=\s|$)|[。！？；।]|\n|\s[—–-]\s|,\s+(?=(?:so|but|because|since|and|which"
    r"|who)\s)|,?\s+(?=(?:although|though|because|so\s+that|in\s+order\s+to)\s))\s*"
)
_TOKEN = re.compile(r"`[^`]*`|\"[^\"]{1,40}\"|“[^”]{1,40}”|[^\s,()\[\]\"“”„«»]+")
_ADJUNCT = re.compile(
    r"(?:in|for|on|at|within|when|while|during|inside|besides|outside|under|by default)\b"
    r"[^,.;]{0,60},\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"([A-Za-z][\w '-]{1,30}):\s+(\S.*)", re.DOTALL)
_MARKS = re.compile(r"[^\w\s'’-]|\d|_")
_VERBS = TASTES | HABITS | WORKINGS | PARTICIPLES | DOINGS | STYLES
_BE = frozenset({"is", "are", "was", "were", "is:", "isn't", "aren't"})
_SAYING = _VERBS | _BE
_SENTENCE = _BE | TASTES
_WORKING = WORKINGS | _BE
_OPENING = PARTICIPLES | WORKINGS | HABITS
_DONE = PARTICIPLES | DOINGS
_NAMES = TOOLS | TASTE
_ORDINARY = GLUE | THINGS | TOOLS | TASTE | ROLES | PERSONS | STATES | KINDS
_TOOL = re.compile(
    r"the\s+(?:\w+\s+){0,2}?(?:(?:package|process|window|version|task|state|font|plugin)\s+manager"
    r"|formatter|linter|editor|database|shell|framework|language|bundler|runner|broker|orm|ide|os"
    r"|compiler|renderer|router|cache|queue|theme|font)\b"
)
_RELATIVE = frozenset({"that", "which", "whom", "whose"})
_HELPERS = words("should must can may will does do did doesn't don't didn't could would might")
_PASSES_OVER = words("ignores skips ignore skip drops trims strips")
_READERS = words("parser importer reader lexer tokenizer tokeniser loader compiler formatter")
_LATIN_ON = 0x24F
_LANGUAGE = re.compile(
    r"(?:[\w-]+\s+){0,2}?(?:[a-z]+(?:ish|ese|ian|an|ch|ic|ew|ew|indi|hai|tch|rew|li|du|mil|gu)"
    r"|greek|"
    r"irish|welsh|zulu|basque|ic|to|gRPC|grpc|rest|http|s?ql|json)\b"
)
_WORKS = words(
    "thesis book novel blog game course talk article podcast newsletter lecture essay film"
)
_RISKY = words(
    "kill skip disable no bypass unsafe insecure debug allow force audit ignore override"
)
_WHERE = frozenset({"in", "on", "at", "under", "below", "inside", "between", "next", "within"})
_OVERSIGHT = re.compile(
    r"(?:to be|being) (?:asked|consulted|warned|told|shown)\b.{0,60}\b(?:before|first|when|if"
    r"|each)\b"
    r"|to (?:see|review|check|approve|confirm|read)\b"
    r".{0,60}\b(?:before|first|beforehand|when|if|each|every)\b"
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    """Lower case, without marks around it."""
    is_name: bool
    """A proper name, an acronym, a number, a path or a piece of code."""

    @property
    def is_known(self) -> bool:
        return self.is_name or is_ordinary_word(self.text)


def unplain(text: str) -> Iterator[tuple[int, int]]:
    """The clauses of a text that do not have the build of a plain fact."""
    start = 0
    ends = [(found.start(), found.end()) for found in _BREAK.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        if text[start:end].strip() and not is_plain(text[start:end]):
            yield start, end
        start = following


@lru_cache(maxsize=64)
def is_plain(clause: str) -> bool:
    """Whether one clause has the build of a plain fact."""
    clause = re.sub(
        r"^\s*(?:[-*•]|so|but|because|although|though|since|and|which|who)\s+", "", clause
    )
    stripped = _ADJUNCT.sub("", clause.strip(), count=1) if _ADJUNCT.match(clause) else clause
    label = _LABEL.fullmatch(stripped.strip())
    if label and _is_labelled(label.group(1), label.group(2)):
        return True
    return not _words_of(stripped) or _is_english(stripped) or is_plain_elsewhere(stripped)


def _is_english(clause: str) -> bool:
    words = _words_of(clause)
    if any(word.text in NOT_ENGLISH for word in words):
        return False
    return _is_style(words) or _is_statement(words) or _is_fragment(words)


def _is_labelled(label: str, text: str) -> bool:
    return all(word.is_known for word in _words_of(label)) and _mostly_known(_words_of(text))


@lru_cache(maxsize=64)
def _words_of(text: str) -> tuple[_Word, ...]:
    found: list[_Word] = []
    for place, match in enumerate(_TOKEN.finditer(text)):
        raw = match.group().strip(".,:;!?'’…")
        if not raw:
            continue
        lower = raw.replace("’", "'").lower()
        marked = bool(_MARKS.search(raw)) or ord(raw[0]) > _LATIN_ON or match.group()[0] in '`"“'
        upper = raw[0].isupper() and (place > 0 or not is_ordinary_word(lower))
        found.append(_Word(lower, marked or upper))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def is_ordinary_word(word: str) -> bool:
    """Whether a word, in lower case, is one that plain facts are made of."""
    bare = word.removesuffix("'s").removesuffix("s'")
    if bare in _ORDINARY:
        return True
    if "-" in bare:
        return is_ordinary_word(bare.rpartition("-")[2]) or bare.rpartition("-")[2] in PARTICIPLES
    return bare.endswith("s") and bare[:-1] in THINGS


def _mostly_known(words: Sequence[_Word], share: float = 0.5) -> bool:
    known = sum(word.is_known or word.text in _SAYING for word in words)
    return bool(words) and known >= share * len(words)


def _is_fragment(words: Sequence[_Word]) -> bool:
    """A line without a verb: macOS 15 on an M3."""
    if any(word.text in _SENTENCE or word.text in _HELPERS for word in words):
        return False
    is_latin = any(word.text[0].isascii() and word.text[0].isalnum() for word in words)
    return is_latin and len(words) <= 14 and all(word.is_known for word in words)


def _is_style(words: Sequence[_Word]) -> bool:
    """A convention about form, put as an order: use four spaces."""
    first, *rest = words
    return first.text in STYLES and len(rest) <= 12 and _mostly_known(rest, 0.8)


def _is_statement(words: Sequence[_Word]) -> bool:
    for place, word in enumerate(words):
        if place > 11:
            return False
        subject, rest = words[:place], words[place + 1 :]
        if word.text in _BE and not (word.is_name and place):
            return _is_subject(subject) and _is_said_to_be(subject, rest)
        if word.text in TASTES and _is_person(subject):
            return _is_taste(rest)
        if word.text in HABITS and _is_person(subject) and _is_subject(subject):
            speaks = word.text in {"speaks", "speak"}
            fits = not speaks or _is_language(rest)
            return fits and _is_rest(rest) and not _is_sourced(word.text, rest)
        if place and word.text in _PASSES_OVER and subject[-1].text in _READERS:
            return _is_rest(rest)
        if (
            place
            and word.text in WORKINGS
            and _is_subject(subject)
            and not _opens_noun(words, place)
        ):
            return _is_rest(rest) and not _is_sourced(word.text, rest)
        if not place and word.text in _OPENING and _is_rest(rest):
            return True
        if word.text in {"should", "must", "can", "will", "may", "have", "has"} and place:
            return (
                word.text in {"should", "can"}
                and _is_subject(subject)
                and _mostly_known(rest, 0.75)
            )
    return False


def _opens_noun(words: Sequence[_Word], place: int) -> bool:
    """Whether a word that may be a verb is part of the subject: the build uses, test runs."""
    if words[place].text not in THINGS:
        return False
    following = words[place + 1].text if place + 1 < len(words) else ""
    before = words[place - 1].text
    return following in _WORKING or before in {"a", "an", "the", "this", "our", "of"}


def _is_subject(subject: Sequence[_Word]) -> bool:
    """Ordinary things all through, but for one word that describes them."""
    unknown = [
        place for place, word in enumerate(subject) if not word.is_known and word.text not in _VERBS
    ]
    if not subject:
        return True
    if subject[-1].text == "to" or any(word.text in _HELPERS for word in subject):
        return False
    if len(unknown) == 1 and unknown[0] and subject[unknown[0] - 1].text in CALLED:
        return len(subject) <= 11
    described = len(unknown) == 1 and unknown[0] < len(subject) - 1
    describes = described and not subject[unknown[0]].text.endswith("ing")
    return len(subject) <= 11 and not _is_lost(subject) and (not unknown or describes)


def _is_person(subject: Sequence[_Word]) -> bool:
    texts = [word.text for word in subject if word.text not in GLUE]
    return all(text in PERSONS for text in texts) or (
        len(subject) == 1 and subject[0].is_name and not _MARKS.search(subject[0].text)
    )


def _is_taste(rest: Sequence[_Word]) -> bool:
    text = " ".join(word.text for word in rest)
    if _OVERSIGHT.match(text):
        return True
    if any(_is_done(word) for word in rest[1:]):
        return False
    if not rest or _is_lost(rest) or rest[0].text in {"that", "if", "us"}:
        return False
    if text.startswith(("when ", "it when ")):
        return _is_statement(rest[1 + (rest[0].text == "it") :])
    if rest[0].text == "it" or not all(_is_wish(one, two) for one, two in pairwise(rest)):
        return False
    if len(rest) <= 3:
        return any(word.is_known for word in rest)
    return _mostly_known(rest) and _has_topic(rest)


def _is_done(word: _Word) -> bool:
    """Whether something is wanted done, but for how it is written."""
    return (word.text.endswith("ed") or word.text in PARTICIPLES) and word.text not in FORMS


def _is_wish(one: _Word, two: _Word) -> bool:
    """Whether what somebody wants is a thing or a habit, not that something be done."""
    return one.text != "to" or two.is_known or two.text in WISHES


def _is_rest(rest: Sequence[_Word]) -> bool:
    if not rest or rest[0].text in {"no", "only"} or _is_lost(rest):
        return False
    return _has_topic(rest) and _mostly_known(rest) if len(rest) > 3 else _mostly_known(rest, 0.3)


def _is_language(rest: Sequence[_Word]) -> bool:
    return bool(rest) and _LANGUAGE.match(" ".join(word.text for word in rest)) is not None


def _has_topic(words: Sequence[_Word]) -> bool:
    return any(word.is_name or (word.text not in GLUE and word.is_known) for word in words)


def _is_said_to_be(subject: Sequence[_Word], rest: Sequence[_Word]) -> bool:
    first, *others = [word for word in rest if word.text not in FILL] or [_Word("", is_name=False)]
    rest = [first, *others]
    if first.text in {"called", "named"} and len(others) <= 3:
        return bool(others) and not _is_lost(others)
    if first.text in _DONE:
        return not others or _is_rest(others)
    if first.text in STATES:
        return len(others) <= 1 or _mostly_known(others)
    if first.text in _WHERE:
        return _has_topic(others) and _mostly_known(others, 0.6) and not _is_lost(others)
    if first.text == "about":
        return any(word.text in _WORKS for word in subject) and not _is_lost(others)
    if first.text == "from":
        return _is_person(subject) and any(word.is_name for word in others)
    if first.text in COUNTS or first.text[:1].isdigit():
        return _mostly_known(rest, 0.75)
    if first.text in {"a", "an"} or first.text.removesuffix("s") in KINDS:
        kinds = [word for word in rest if word.text.removesuffix("s") in KINDS]
        return bool(kinds) and _mostly_known(rest) and not _is_lost(rest)
    return _is_made_of(subject, rest) or _is_equated(subject, rest) or _is_tool(subject, rest)


def _is_made_of(subject: Sequence[_Word], rest: Sequence[_Word]) -> bool:
    """Timestamps are ISO 8601 strings."""
    if not rest[0].is_name or len(rest) > 5 or _names_somebody(subject):
        return False
    return rest[-1].text in THINGS or all(word.is_name for word in rest if word.text not in GLUE)


def _is_equated(subject: Sequence[_Word], rest: Sequence[_Word]) -> bool:
    """The linter is ruff: a role, and what fills it."""
    opens = next((word for word in rest if word.text not in {"the", "a", "an", "called"}), rest[0])
    is_list = any(word.text in {"names", "types", "kinds"} for word in subject)
    if not (opens.is_name or opens.text in TOOLS | TASTE or is_list):
        return False
    is_role = any(word.text.removesuffix("s") in ROLES or word.text in ROLES for word in subject)
    names = [word for word in rest if word.is_name or word.text in _NAMES]
    if len(rest) <= 6 and any(word.text in {"names", "types", "kinds"} for word in subject):
        names = [word for word in rest if word.is_known]
    return is_role and bool(names) and not _is_lost(rest) and _mostly_known(rest, 0.7)


def _is_tool(subject: Sequence[_Word], rest: Sequence[_Word]) -> bool:
    """Homebrew is the package manager."""
    text = " ".join(word.text for word in rest)
    return len(subject) == 1 and subject[0].is_known and bool(_TOOL.match(text))


def _is_lost(words: Sequence[_Word]) -> bool:
    if any(word.is_name and word.text.endswith("'s") and word.text != "let's" for word in words):
        return True  # what is somebody's is for that somebody to say
    if any(one.text in _RELATIVE and two.is_name for one, two in pairwise(words)):
        return True  # what somebody sends or says
    if any(_RISKY & set(re.split(r"[_\W]+", word.text)) for word in words if "_" in word.text):
        return True  # a setting that says by its name what it does away with
    return LOST.search(" ".join(word.text for word in words)) is not None


def _names_somebody(subject: Sequence[_Word]) -> bool:
    return any(word.text in PERSONS or word.is_name for word in subject)


def _is_sourced(verb: str, rest: Sequence[_Word]) -> bool:
    """Whether it says from where something is taken that is used."""
    taken = verb in {
        "uses",
        "use",
        "used",
        "takes",
        "take",
        "gets",
        "get",
        "has",
        "follows",
        "follow",
        "runs",
        "run",
    }
    return taken and any(word.text == "from" for word in rest)
