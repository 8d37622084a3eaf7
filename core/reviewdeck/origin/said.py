"""Whether the user said a text: all its words are in one message that the user typed.

An agent puts files, pages, notices and summaries into the rows of the user; only what the account
typed counts. What cannot be recognised (a short paste, a forwarded message, a voice transcript)
counts as typed.

There is no similarity here and no share of words: a fact from a file, padded with words of the
user, has a word that the user did not say. Words are compared without their inflection. Since they
can be recombined, each has to be on the same side of a negation. English and German.
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
"""A question that asks for something to be done, and so says what is wanted."""
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
_PEOPLE: Final = frozenset(_PEOPLE_WORDS.split())
_FUNCTION: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that carry nothing by themselves. Words of order, measure and duty are not among them."""
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())
_BACKWARD: Final = frozenset({"nicht", "nie", "niemals", "ungern"})
"""Negations that German puts behind what they deny."""
_WISH: Final = "wish"
"""Stands for the user's wish, in whichever words it is made."""
_PREFERENCES: Final = frozenset(
    {_WISH, "prefer", "prefers", "preferred", "lieber", "bevorzuge", "bevorzugt"}
)
_WORSE: Final = frozenset({"to", "than", "als", "vor", "gegenüber"})
"""Words that name, after a preference, what is liked less."""
_SHORT_FORMS: Final = {
    "app": "application",
    "config": "configuration",
    "db": "database",
    "dir": "directory",
    "doc": "documentation",
    "env": "environment",
    "lib": "library",
    "repo": "repository",
    "spec": "specification",
}
_VOWEL: Final = re.compile("[aeiouyäöü]")
_GERMAN: Final = re.compile(
    r"\b(?:nutzer(?:in)?|benutzer(?:in)?|ich|mein[a-z]{0,2}|und|der|das|ist|mit|für|von|nicht"
    r"|kein[a-z]{0,2})\b"
)
"""Words that no English text has."""
_GERMAN_ENDING_WORDS: Final = "e en em er es et est ens t te ten tet st n ne nen s innen"
_GERMAN_ENDINGS: Final = tuple(_GERMAN_ENDING_WORDS.split())
_ENTRY_WISH: Final = re.compile(
    r"\A(?:the )?user (?:(does not|doesn't) )?(?:prefers?|likes?|loves?|wants?)\b"
)
"""A user's wish in the words of an entry."""
_OWN_WISH: Final = re.compile(
    r"\b(?:i|we)(?:'d| would)(?: much)? rather(?: (not))?(?: (?:see|have|get))?\b"
    r"|\b(?:i|we)(?:'d| would)? (?:(don't|do not|never) )?(?:(?:also|always|really|much) )?"
    r"(?:prefer|like|love|want)\b"
    r"|\bplease (?:(never|do not|don't)|always)\b"
)
"""A wish in the words of the user."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    bases: frozenset[str]
    is_denied: bool
    clause: int

    def is_same(self, other: _Word) -> bool:
        """Whether two words are one but for their inflection."""
        return not self.bases.isdisjoint(other.bases)

    def says(self, other: _Word) -> bool:
        """Whether they are one, and both denied or neither."""
        return self.is_denied == other.is_denied and self.is_same(other)


def said_by_user(text: str, utterances: Sequence[Utterance]) -> str:
    """The sentence or message in which the user said this text; empty when nobody did."""
    if not utterances or len(text) > LONGEST:
        return ""
    entry = _plain(text)
    is_german = _GERMAN.search(entry) is not None
    words = _content(entry, is_german)
    wish = _content(_with_wish(entry, _ENTRY_WISH), is_german)
    if not words:
        return ""
    for utterance in utterances:
        message = _without_questions(utterance.text) if utterance.is_typed else ""
        sentences = _sentences(message)
        if message and _says(message, words, is_german):
            return next(
                (sentence for sentence in sentences if _says(sentence, words, is_german)), message
            )
        if wish != words:
            for sentence in sentences:
                if _wishes(sentence, wish):
                    return sentence
    return ""


def closest_typed_sentence(text: str, utterances: Sequence[Utterance]) -> str:
    """The typed sentence that comes closest to a text; empty when none is really close to it."""
    words = _distinct(_content(_plain(text[:LONGEST]), is_german=True))
    closest, most = "", 0
    typed = (utterance.text for utterance in utterances if utterance.is_typed)
    for sentence in (sentence for message in typed for sentence in _sentences(message)):
        spoken = _distinct(_content(_plain(sentence), is_german=True))
        shared = sum(any(word.is_same(other) for other in spoken) for word in words)
        is_near = shared >= max(min(FEW, len(words)), NEAR * min(len(words), len(spoken)))
        if is_near and shared > most:
            closest, most = sentence, shared
    return closest


def relevant_utterances(
    texts: Sequence[str], utterances: Sequence[Utterance]
) -> tuple[Utterance, ...]:
    """The utterances that are evidence for these texts: the typed ones that share a word with
    one of them, and all that nobody typed.
    """
    if not utterances:
        return ()
    bases: set[str] = set()
    for text in texts:
        bases.update(*(word.bases for word in _content(_plain(text[:LONGEST]), is_german=True)))
    return tuple(
        utterance
        for utterance in utterances
        if not utterance.is_typed
        or any(
            not bases.isdisjoint(word.bases)
            for word in _words(_plain(utterance.text), is_german=True)
        )
    )


def _says(message: str, words: Sequence[_Word], is_german: bool) -> bool:
    """Whether all these words are in the message."""
    spoken = _words(_plain(message), is_german)
    return all(any(other.says(word) for other in spoken) for word in words)


def _wishes(sentence: str, wish: Sequence[_Word]) -> bool:
    """Whether the user wishes the same in this sentence, in another verb: it has all words of the
    entry's wish, and the clause of its own wish has no other. "I want the part about tabs gone"
    tells no wish for tabs.
    """
    spoken = _content(_with_wish(_plain(sentence), _OWN_WISH), is_german=False)
    clauses = {word.clause for word in spoken if word.text == _WISH}
    return all(any(other.says(word) for other in spoken) for word in wish) and all(
        any(word.says(other) for other in wish) for word in spoken if word.clause in clauses
    )


def _with_wish(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: f"not {_WISH}" if any(match.groups()) else _WISH, text)


@lru_cache(maxsize=2048)
def _without_questions(message: str) -> str:
    """A message without what it only asks: who asks whether something is so does not say so."""
    sentences = _sentences(message)
    statements = [line for line in sentences if not line.endswith("?") or _REQUEST.search(line)]
    return message.strip() if len(statements) == len(sentences) else "\n".join(statements)


def _sentences(message: str) -> list[str]:
    return [line.strip() for line in _SENTENCE.split(message) if line.strip()]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _content(text: str, is_german: bool) -> list[_Word]:
    """The words that carry something by themselves."""
    words = _words(text, is_german)
    return [word for word in words if word.text not in _PEOPLE and word.text not in _FUNCTION]


def _distinct(words: Iterable[_Word]) -> list[_Word]:
    return list({word.text: word for word in words}.values())


@lru_cache(maxsize=2048)
def _words(text: str, is_german: bool) -> tuple[_Word, ...]:
    """The words of a text, each with whether its clause denies it. Negations are left out."""
    return tuple(
        _Word(word, _bases(word, is_german), is_denied, at)
        for at, clause in enumerate(_clauses(text))
        for word, is_denied in _marked_words(clause)
    )


def _clauses(text: str) -> Iterator[str]:
    at = 0
    for end in _END.finditer(text):
        yield text[at : end.end()]
        at = end.end()
    yield text[at:]


def _marked_words(clause: str) -> Iterator[tuple[str, bool]]:
    """The words of a clause and whether each is denied, or liked less than another."""
    words = [match[0].strip("'’") for match in _WORD.finditer(clause)]
    is_denied = not _BACKWARD.isdisjoint(words)
    prefers_at = next((at for at, word in enumerate(words) if word in _PREFERENCES), len(words))
    for at, word in enumerate(words):
        if word in _NEGATIONS or (word in _WORSE and at > prefers_at + 1):
            is_denied = True
        elif word in ("but", "aber", "sondern"):
            is_denied = False
        else:
            yield word, is_denied


@lru_cache(maxsize=8192)
def _bases(word: str, is_german: bool) -> frozenset[str]:
    """The words of which a word may be an inflected form. Numbers and names have no other form."""
    word = word.removesuffix("'s")
    if not word.isalpha():
        return frozenset({_ORDINAL.sub(r"\1", word)})
    bases = {word, *_english_bases(word)}
    if is_german:
        stems = (word.removesuffix(ending) for ending in _GERMAN_ENDINGS if word.endswith(ending))
        bases.update(stem for stem in stems if len(stem) > 3)
    return frozenset({*bases, *(_SHORT_FORMS[base] for base in bases & _SHORT_FORMS.keys())})


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


LONGEST_MESSAGE: Final = 800
"""Characters of a message that count as typed; nobody types more at once."""
QUOTED: Final = 100
"""Characters between quotation marks from which somebody else is quoted."""

SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""The beginning of a summary of compacted messages."""

_ATTACHED: Final = "--- Attached Context ---\n"
_WARNINGS: Final = "--- Context Warnings ---\n"
_BLOCK: Final = re.compile(r"^(🌐|📄|📁|🧾) (\S[^\n]{0,200})", re.MULTILINE)
_LOCAL_BLOCKS: Final = {"📄": "@file", "📁": "@folder", "🧾": "@diff"}
SKILL_MARK: Final = "[IMPORTANT: The user "
"""The beginning of a row into which a skill was put."""
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
class UserRow:
    """The parts of a user's row."""

    words: str
    """The typed words; may be empty."""
    others: tuple[Participant, ...] = ()
    """Participants that the row brought in."""
    skill: str = ""
    """A skill that was put into the row by its name."""
    is_report: bool = False
    """Whether it is the report of a delegated agent, whose own session says what took part."""


def read_user_row(text: str, pastes: Sequence[str] = ()) -> UserRow:
    """The part of a user's row that the account typed."""
    if text.startswith(SUMMARIES):
        # A message may have been joined to it, with what was attached to that.
        _, mark, rest = text.partition(_ATTACHED)
        return UserRow("", tuple(_attached(rest)) if mark else ())
    if text.startswith("["):
        return _notice(text)
    if _BACKFILL in text:
        return UserRow("", (_other("other people's messages", OriginClass.OUTSIDE),))
    head, mark, rest = text.partition(_ATTACHED)
    others = list(_attached(rest)) if mark else []
    if media := _MEDIA.search(text):
        others.append(_other("attachment", OriginClass.OUTSIDE, media[0]))
    words, cut = _own_words(head.partition(_WARNINGS)[0], pastes)
    return UserRow(words, (*others, *cut))


def _notice(text: str) -> UserRow:
    """A row that the agent's program wrote in the user's name."""
    if skill := _SKILL.match(text):
        return UserRow("", skill=skill[1] or "?")
    if _PROCESS.match(text):
        return UserRow("", (_other("notice of a process", OriginClass.WORKSPACE),))
    if _DELEGATION.match(text):
        return UserRow("", is_report=True)
    return UserRow("", (_other("notice", OriginClass.OUTSIDE, text),))


def _attached(text: str) -> Iterable[Participant]:
    has_block = False
    for block in _BLOCK.finditer(text):
        has_block = True
        name = _LOCAL_BLOCKS.get(block[1])
        if name is None:
            yield _other("@url", OriginClass.OUTSIDE, block[2])
        else:
            yield _other(name, OriginClass.WORKSPACE, block[2])
    if not has_block:
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
