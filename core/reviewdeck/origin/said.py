"""Whether the user said a text: all its words are in one message that the user typed.

An agent puts files, pages, notices and summaries into the rows of the user; only what the account
typed counts. What cannot be recognised (a short paste, a forwarded message, a voice transcript)
counts as typed.

There is no similarity here and no share of words: a fact from a file, padded with words of the
user, has a word that the user did not say. Since words can be recombined, each has to be on the
same side of a negation. English and German.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reviewdeck.model import OriginClass, Participant, Utterance

LONGEST: Final = 2_000
"""Characters of a text that a user may have said: no message that counts as typed is longer."""
NEAR: Final = 0.4
"""The part of the words of a text, or of a sentence where that is shorter, that both share when the
sentence comes close to the text without saying it."""
FEW: Final = 3
"""Words that they share at least, where the text has as many."""

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
    if not utterances or len(text) > LONGEST:
        return ""
    wanted = [one for one in _words(text) if _carries(one.text)]
    if not wanted:
        return ""
    for utterance in utterances:
        told = _told(utterance.text) if utterance.is_typed else ""
        if told and _says(told, wanted):
            return next((one for one in _sentences(told) if _says(one, wanted)), told)
    return ""


def closest_typed(text: str, utterances: Sequence[Utterance]) -> str:
    """The typed sentence that comes closest to a text; empty when none is really close to it."""
    wanted = {one.text for one in _words(text[:LONGEST]) if _carries(one.text)}
    best, most = "", 0
    for sentence in (one for said in utterances if said.is_typed for one in _sentences(said.text)):
        spoken = {one.text for one in _words(sentence) if _carries(one.text)}
        shared = sum(any(_same(one, word) for one in spoken) for word in wanted)
        is_near = shared >= max(min(FEW, len(wanted)), NEAR * min(len(wanted), len(spoken)))
        if is_near and shared > most:
            best, most = sentence, shared
    return best


def about(texts: Sequence[str], utterances: Sequence[Utterance]) -> tuple[Utterance, ...]:
    """The utterances that are evidence for these texts: the typed ones that share a word with
    one of them, and all that nobody typed.
    """
    if not utterances:
        return ()
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


LONGEST_MESSAGE: Final = 800
"""Characters of a message that count as typed; nobody types more at once."""
QUOTED: Final = 100
"""Characters between quotation marks from which somebody else is quoted."""

SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""How the summary of compacted messages begins."""

_ATTACHED: Final = "--- Attached Context ---\n"
_WARNINGS: Final = "--- Context Warnings ---\n"
_BLOCK: Final = re.compile(r"^(🌐|📄|📁|🧾) (\S[^\n]{0,200})", re.MULTILINE)
_LOCAL_BLOCKS: Final = {"📄": "@file", "📁": "@folder", "🧾": "@diff"}
SKILL_MARK: Final = "[IMPORTANT: The user "
"""How a row begins into which a skill was put."""
_SKILL: Final = re.compile(r'\[IMPORTANT: The user (?:has invoked|launched)[^"\n]{0,80}"([^"\n]*)"')
_PROCESS: Final = re.compile(r"\[IMPORTANT: Background process ")
_DELEGATION: Final = re.compile(r"\[ASYNC DELEGATION (?:BATCH )?COMPLETE ")
_BACKFILL: Final = "[New message]\n"
_MEDIA: Final = re.compile(
    r"^\[(?:screenshot|image|image_url|input_image|document|file|input_file|audio|input_audio"
    r"|video|block)\]$",
    re.MULTILINE,
)
_FENCE: Final = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*(?:\n(?:.*\n)*?[ \t]*\1[ \t]*$|[^\0]*)", re.MULTILINE
)
_QUOTE_LINE: Final = re.compile(r"^[ \t]*>.*(?:\n|\Z)", re.MULTILINE)
_QUOTATION: Final = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«')


@dataclass(frozen=True, slots=True)
class Typed:
    """What a user's row comes to."""

    words: str
    """What was typed; empty for none."""
    others: tuple[Participant, ...] = ()
    """What else the row brought in."""
    skill: str = ""
    """A skill that was put into the row by its name."""
    is_report: bool = False
    """What an agent that was sent brought back: its own session says what took part."""


def typed_in(text: str, pastes: Sequence[str] = ()) -> Typed:
    """What the account typed of one of its rows."""
    if text.startswith(SUMMARIES):
        # A message may have been joined to it, with what was attached to that.
        _, mark, rest = text.partition(_ATTACHED)
        return Typed("", tuple(_attached(rest)) if mark else ())
    if text.startswith("["):
        return _notice(text)
    if _BACKFILL in text:
        return Typed("", (_other("other people's messages", OriginClass.OUTSIDE),))
    head, mark, rest = text.partition(_ATTACHED)
    others = list(_attached(rest)) if mark else []
    if media := _MEDIA.search(text):
        others.append(_other("attachment", OriginClass.OUTSIDE, media[0]))
    words, cut = _own_words(head.partition(_WARNINGS)[0], pastes)
    return Typed(words, (*others, *cut))


def _notice(text: str) -> Typed:
    """A row that the agent's program wrote in the user's name."""
    if skill := _SKILL.match(text):
        return Typed("", skill=skill[1] or "?")
    if _PROCESS.match(text):
        return Typed("", (_other("notice of a process", OriginClass.WORKSPACE),))
    if _DELEGATION.match(text):
        return Typed("", is_report=True)
    return Typed("", (_other("notice", OriginClass.OUTSIDE, text),))


def _attached(text: str) -> Iterable[Participant]:
    found = False
    for block in _BLOCK.finditer(text):
        found = True
        name = _LOCAL_BLOCKS.get(block[1])
        if name is None:
            yield _other("@url", OriginClass.OUTSIDE, block[2])
        else:
            yield _other(name, OriginClass.WORKSPACE, block[2])
    if not found:
        yield _other("attached context", OriginClass.OUTSIDE)


def _own_words(text: str, pastes: Sequence[str]) -> tuple[str, list[Participant]]:
    """The text without what was quoted, fenced or pasted into it."""
    others: list[Participant] = []
    for paste in pastes:
        if paste and paste in text:
            text = text.replace(paste, "\n")
            others.append(_other("paste", OriginClass.WORKSPACE))
    for name, cut in (("fenced block", _FENCE.sub), ("quote", _QUOTE_LINE.sub)):
        shorter = cut("\n", text)
        if shorter != text:
            others.append(_other(name, OriginClass.WORKSPACE))
        text = shorter
    shorter = _QUOTATION.sub(lambda match: match[0] if len(match[0]) < QUOTED else "\n", text)
    if shorter != text:
        others.append(_other("quote", OriginClass.WORKSPACE))
    text = shorter
    if len(text.strip()) > LONGEST_MESSAGE:
        others.append(_other("long block", OriginClass.WORKSPACE))
        text = ""
    return text.strip(), others


def _other(name: str, origin: OriginClass, detail: str = "") -> Participant:
    return Participant(name, origin, detail)
