"""Typed messages as sentences, each with the reason why it does not count as a statement.

A sentence counts as a statement when nothing beside it says otherwise: it is no question, stands in
no quotation, list or markup, and its message tells no example, joke or text of somebody else. What
cannot be told waits for a person: a false wait costs a key, a false memory costs trust.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reviewdeck.model import Utterance
from reviewdeck.origin.asides import without_opener
from reviewdeck.origin.phrases import (
    ANNOUNCES,
    ASKS_FIRST,
    ASKS_LAST,
    FRAME,
    QUESTION,
    SCENE,
    TEXT,
    WORKS_ON_TEXT,
)
from reviewdeck.origin.user_row import LONGEST_MESSAGE

_END: Final = re.compile(r"(?<=[.!?])[)\]\"'”’»]*\s+|(?<=[。！？])")
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|approx|ca|bzw|inkl|usw|tel|str|e\.g|i\.e|z\.\s?b"
    r"|d\.\s?h|u\.\s?a|jr|sr|min|max|sec|std|dept|fig|vol)|(?<!\w)[^\W\d])\.\Z",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(r"(?<!\w)\d{1,2}\.\Z")
_BEGINS_ANOTHER: Final = re.compile(
    r"(?:can|could|would|what|why|how|where|which|who|do|does|did|is|are|and|but|so|please"
    r"|pls|i|i'm|we|it|it's|the|my|our|this|that|there|don't|never|always|if|when|any|thanks|thx"
    r"|thank you|should|she|they|you|your|need|suggest|recommend|give me|help)\b"
)
"""English words behind a number and a full stop: English writes no ordinal so."""
_GOES_ON: Final = re.compile(r"[a-zäöüß]|(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
_ENDED: Final = re.compile(r"[.!?。！？…][)\]\"'”’»]*\s*\Z")
_STRUCTURE: Final = re.compile(
    r"\s*(?:[-*+•‣–—]\s|\d{1,3}[.)]\s|[a-z][.)]\s|#{1,6}\s|[|>]|\[[^\]]{0,20}\]|-{3,}|={3,}|\*{2,})"
    r"|(?: {3,}|\t)\S"
)
"""A line of a list, heading, table, quotation, log, chat or program."""
_MAIL: Final = re.compile(
    r"^[^\S\n]*+(?:from|to|cc|subject|date|sent|von|an|betreff|gesendet|datum)\s*:|\b(?:wrote|writes|schrieb"
    r"|said|says|sagte|meinte)\b[^.!?\n]{0,40}:\s*$|^[^\S\n]*+(?:on|am)\s.{3,80}\b(?:wrote|schrieb)\b"
    r"|^[^\w\n]*\d{1,2}:\d{2}\b[^\n]{0,40}:\s",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks of a mail or a thread that was put into a message."""
_MARKUP: Final = re.compile(
    r"</?[A-Za-z!][^<>\n]{0,200}>|~~|\*\*|__\w|\|\||\[\[|\{\{|(?<![\w!])[!¬](?=\w)"
)
_QUOTES: Final = re.compile(
    r"\"[^\"]*\"?|“[^”“]*[”“]?|„[^“”\"]*[“”\"]?|«[^»]*»?|»[^«]*«?|‹[^›]*›?|「[^」]*」?|『[^』]*』?"
    r"|(?<![\w'])['‘‚](?=\S)[^'’‘\n]*(?:(?<=\w)['’](?=\w)[^'’‘\n]*)*['’‘](?!\w)|`+[^`]*`*"
)
_ONE_WORD: Final = re.compile(r"`[^\s`]+`")
"""A single word in the type of code: it names a thing and quotes nobody."""
_ITEM: Final = re.compile(r"(?:[-*+•–]|\d{1,3}[.)])\s+")
_DICTATES: Final = re.compile(
    r"(?:(?:ok|okay|hi|hey|please|bitte|also|and|und|now)[,!]?\s+)*"
    r"(?:remember|memori[sz]e|note|save|store|keep|merke?|notiere?|speichere?)"
    r"(?:\s+(?:these|this|that|the|following|facts?|things?|points?|down|in|mind|please|about|me|my"
    r"|for|next|time|to|your|memory|dir|bitte|das|mal|folgende[ns]?|diese?[ns]?))*\s*[:：]"
    r"|(?:(?:hi|hey|ok|so|here(?:'s| is)|this is|hier ist)[,!]?\s+)*"
    r"(?:(?:my|our|meine?|unsere?)\s+(?:(?:dev|tech|current|usual|team|project)\s+)?"
    r"(?:setup|stack|tooling|tools|environment|conventions|preferences|basics|facts|umgebung)"
    r"|(?:some |a few )?(?:things |facts )?about (?:me|us)|über (?:mich|uns))\s*[:：]",
    re.IGNORECASE,
)
"""An order to keep the list behind it, or its heading: each item is a sentence of its own."""
_BLANK: Final = re.compile(r"\s*?\n\s*?\n\s*\S")
"""An empty line: what stands behind a question about a text may be that text."""
_INTRODUCES: Final = re.compile(r"[:：](?=\s|$)")
_EMOTICON: Final = re.compile(r"(?<!\w)(?:[;:=8xX]-?[)(DPpOo/\\|]|\^\^|/s|/j|xd|:'\()(?!\w)", re.I)
_DOUBT: Final = re.compile(r"\.\.\.|…|\?!|\(\s*[?!]+\s*\)")
QUESTION_OBJECTION: Final = "it is a question"
_INTRODUCED: Final = "something before it says how it is meant"
_PLAIN_SYMBOLS: Final = frozenset("°©®™±≤≥≠≈×÷−→←↔")
_AUX: Final = "(?:should|can|could|do|does|would|is|are)"
_ASKS_ON: Final = re.compile(
    r"(?:[,;]\s++|(?<!\s)(?:[^\S\n]*+\n\s*+|\s++[–—-]\s++))"
    r"(?=(?:(?:and|but|so|also|und|aber)\s+)?(?:"
    r"(?:can|could|will|would)\s+you\s+(?:please\s+)?(?!(?:confirm|verify|believe|guess|imagine|see"
    r"|say|prove|think|know|agree|tell|check\s+(?:that|this|it|if|whether))\b)\w+\s+\w"
    r"|kannst\s+du\s+(?!(?:(?:das|mir|bitte|es)\s+)*(?:bestätigen|prüfen|glauben|sagen))\w"
    r"|(?![^.!?]{0,200}\b(?:this|that|it|so|right|true|correct|sure|think|das|es|stimmt)\s*[.!?])(?:"
    rf"{_AUX}\s+(?:i|we|they|he|she|there|any\w*)\s+(?!say\b)\w+\s+\w"
    rf"|(?:which|what)(?:\s+\w+){{1,3}}?\s+{_AUX}\b(?=[^.!]{{0,200}}\?)"
    rf"|(?:what|where|when|why|how(?:\s+\w+)?)\s+{_AUX}\b"
    r"|(?:kann|soll|sollte|gibt)\s+(?:ich|man|wir|es)\s+\w+|welche\w*\s+\w+\s+\w+"
    r"|(?:was|wie|wo|wann|warum)\s+(?:soll|kann|muss|hilft|mach|gibt)\w*\b)))",
    re.IGNORECASE,
)
"""What joins a question to a statement that it does not put in question."""
_BINDS: Final = re.compile(
    r"\s*(?:if|when|whenever|unless|suppose|say|given|assuming|provided|in case|while|as|since"
    r"|because|wenn|falls|angenommen|wer|weil|da)\b",
    re.IGNORECASE,
)
"""The beginning of what binds the clause behind it."""
_GREETING: Final = re.compile(
    r"\s*(?:(?:hi|hello|hey|ok|okay|thanks|thank you|thx|great|good|fine|nice|cool|perfect|hallo"
    r"|moin|danke|gut|super|prima|morning|good morning|guten morgen|yes|ja)[,.! ]*)+\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence that was typed."""

    text: str
    message: int
    """The number of its message in the conversation."""
    at: int
    """Its number in the message."""
    objection: str = ""
    """The reason why it does not count as a statement, as a clause; empty when it does."""


def sentences_of(utterances: Sequence[Utterance]) -> list[Sentence]:
    """All sentences of the typed messages, in order."""
    found: list[Sentence] = []
    scene = introduced = ""
    for number, utterance in enumerate(u for u in utterances if u.is_typed):
        text = utterance.text
        scene = scene or ("a scene is set for it" if _sets_a_scene(text) else "")
        if len(text) <= LONGEST_MESSAGE:
            found += (
                Sentence(part, number, at, objection or scene or introduced)
                for at, (part, objection) in enumerate(read_sentences(text))
            )
        introduces = text.rstrip().endswith((":", "：")) or ANNOUNCES.search(
            text[-LONGEST_MESSAGE:]
        )
        introduced = _INTRODUCED if introduces else ""
    return found


@lru_cache(maxsize=2048)
def _sets_a_scene(message: str) -> bool:
    return SCENE.search(message) is not None


@lru_cache(maxsize=2048)
def read_sentences(message: str) -> tuple[tuple[str, str], ...]:
    """The sentences of a message, each with the objection to it."""
    text = unicodedata.normalize("NFC", message)
    whole = _objection_to_message(text)
    quoted = [
        match.span() for match in _QUOTES.finditer(text) if not _ONE_WORD.fullmatch(match.group())
    ]
    found: list[tuple[str, str]] = []
    introduced = ""
    is_dictated = False
    orders = [
        (start, order["makes"] is None and TEXT.search(text[start:end]) is not None)
        for start, end, _ in _units(text)
        if (order := WORKS_ON_TEXT.match(text[start:end]))
    ]
    for start, end, is_structure in _units(text):
        sentence = text[start:end].strip()
        objection = whole or introduced
        is_dictated = is_dictated and _ITEM.match(sentence) is not None
        if is_dictated:
            objection, is_structure = whole, False
            sentence = _ITEM.sub("", sentence)
        if is_structure:
            objection = objection or "it stands in a list, a heading, a table or a program"
        elif any(_is_quoted(text, (start, end), span) for span in quoted):
            objection = objection or "it stands in a quotation, or holds one"
        elif _asks(sentence):
            objection = objection or QUESTION_OBJECTION
        elif any(start > at or is_on_text for at, is_on_text in orders if at != start):
            objection = objection or "it may be the text that its message is about"
        elif _DOUBT.search(sentence):
            objection = objection or "it leaves something open"
        found.append((sentence, objection))
        is_dictated = is_dictated or _DICTATES.fullmatch(sentence) is not None
        if (
            _INTRODUCES.search(without_opener(sentence))
            or ANNOUNCES.search(sentence)
            or (_asks(sentence) and TEXT.search(sentence) and _BLANK.match(text, end - 1))
            or is_structure
            or (
                not _ENDED.search(sentence)
                and not _ASKS_ON.match(text, end)
                and not _GREETING.fullmatch(sentence)
            )
        ):
            introduced = _INTRODUCED
    return tuple(found)


def _is_quoted(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> bool:
    """Whether a sentence stands in a quotation or holds one; a command in it is no quotation."""
    (start, end), (first, last) = sentence, span
    if start >= last or first >= end:
        return False
    around = text[start:first] + text[last:end]
    is_code = text[first] == "`" and text[last - 1] == "`" and last - first > 2
    return not (is_code and start <= first and last <= end and len(around.split()) > 2)


def _objection_to_message(text: str) -> str:
    if any(_is_picture(character) for character in text) or _EMOTICON.search(text):
        return "a sign in its message may turn it round"
    if _MARKUP.search(text) or _MAIL.search(text):
        return "its message holds a mail, a thread or markup"
    if match := FRAME.search(text):
        return f"its message says {' '.join(match.group().split())!r}"
    if text.count('"') % 2 or text.count("```") % 2:
        return "a quotation in its message does not end"
    if text.count("(") != text.count(")"):
        return "a bracket in its message does not end"
    return ""


def _is_picture(character: str) -> bool:
    """Whether a character is a picture or a sign: a cross, a tick, a face."""
    return (
        character > "\x7f"
        and unicodedata.category(character) in ("So", "Sm", "Co", "Cn")
        and character not in _PLAIN_SYMBOLS
    )


def _asks(sentence: str) -> bool:
    return bool(
        ASKS_LAST.search(sentence) or ASKS_FIRST.match(sentence) or QUESTION.search(sentence)
    )


def _units(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where each sentence begins and ends, and whether it is a line of a list or the like.

    Lines belong together until one ends a sentence or is empty.
    """
    start = at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        is_structure = _STRUCTURE.match(line) is not None
        if is_structure or not line.strip() or _GREETING.fullmatch(line):
            yield from _split(text, start, at)
            if line.strip():
                yield at, end, is_structure
            start = end
        elif _ENDED.search(line):
            yield from _split(text, start, end)
            start = end
        at = end
    yield from _split(text, start, at)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    for first, last in _split_at_ends(text, start, end):
        joint = _ASKS_ON.search(text, first, last)
        if joint and not (_BINDS.match(text, first) or ASKS_FIRST.match(text, first, last)):
            yield first, joint.start(), False
            first = joint.end()
        yield first, last, False


def _split_at_ends(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _END.finditer(text, start, end):
        first = max(begin, match.start() - 12)
        if _ABBREVIATED.search(text, first, match.start()) or (
            _GOES_ON.match(text, match.end())
            and not _BEGINS_ANOTHER.match(text, match.end())
            and _ORDINAL.search(text, first, match.start())
        ):
            continue
        if text[begin : match.end()].strip():
            yield begin, match.end()
        begin = match.end()
    if text[begin:end].strip():
        yield begin, end
