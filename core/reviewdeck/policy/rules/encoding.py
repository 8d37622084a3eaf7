"""The rule about encoded text: words that mean something only once their letters are changed."""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import CODES, SPLIT, SPREAD, Disguise, FoldedText
from reviewdeck.policy.rules.lexicon import Tag
from reviewdeck.policy.rules.phrases import Signs, Together
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, Rule, in_blocks

_RUN = re.compile(r"[A-Za-z0-9+/_=-]{16,}")
_SHORTEST_RUN = 16
_NUMBERS = Disguise(
    re.compile(
        r"[0-9A-Fa-f]{2}[ ,:]{1,2}(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]{1,2}){6,}"
        r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?!\w)"
        r"|(?:[01]{7,8}[ ,]){3,}[01]{7,8}(?!\w)|(?:\d{2,3}[ ,]{1,2}){11,}\d{2,3}(?!\w)"
    ),
    marks=tuple("0123456789"),
)
_MORSE = Disguise(re.compile(r"(?:[.\-–]{1,6}[ /]{1,3}){7,}[.\-–]{1,6}"), marks=tuple(".-–"))
_BRAILLE = Disguise(re.compile("(?:[\u2801-\u28ff][\u2800 ]{0,2}){4,}"))
_IN_PIECES = Disguise(re.compile(r"(?<!\w)[^\W_]{1,3}(?:_[^\W_]{1,3}){2,}(?!\w)"), marks=("_",))
_HUMPS = re.compile(r"[A-Z](?<![A-Za-z].)[a-z]{0,20}(?:[A-Z][a-z]{0,20}){3,40}(?![a-z])")
_HUMP = re.compile(r"[A-Z][a-z]+")
_GLUE = frozenset(
    "All And The You Are Is Now Your Any Not Previous Ignore Instructions".split()  # noqa: SIM905
)
_FILLED = re.compile(r"\{\{(?<![`\w$]..)[^{}\n`]{1,80}\}\}|\{%[^%\n`]{1,80}%\}")
_EVERYDAY = re.compile(
    r"\b(?:the|and|is|are|to|of|in|for|with|on|a|uses|prefers|user|der|die|das|und|ist|mit|von"
    r"|le|la|les|est|el|los|de|que)\b",
    re.IGNORECASE,
)
_NAMED = Signs(Together("Tells the reader to decode something.", (Tag.DECODE,)))


def _encoded(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    for start, end, message in _apart(piece.reading.plain, is_code=piece.is_code):
        yield Hit(message, piece, *piece.reading.plain.span(start, end))
    for span in piece.reading.disguised:
        message = "Writes digits or signs in the place of letters."
        yield Hit(message, piece, *piece.reading.plain.span(*span))
    yield from _NAMED.hits(piece)
    for match in _RUN.finditer(text) if len(text) >= _SHORTEST_RUN else ():
        if message := _of_run(match.group(), text[match.start() - 1 : match.start()]):
            yield Hit(message, piece, *match.span())
    for match in _HUMPS.finditer(text):
        parts = _HUMP.findall(match.group())
        if len(parts) >= _FEWEST and not _GLUE.isdisjoint(parts):
            yield Hit("Writes a sentence without spaces.", piece, *match.span())
    if piece.place is Destination.MEMORY:
        for match in _FILLED.finditer(text):
            yield Hit("Has a template that a program fills in.", piece, *match.span())
        if len(text) <= _TURNED and _EVERYDAY.search(text) is None:
            yield from _turned(piece)


_OF_PROSE = (SPLIT, _IN_PIECES, SPREAD, _MORSE)
"""Signs between letters that are operators in code."""
_FEWEST = 4
"""Words of a sentence without spaces."""


def _apart(view: FoldedText, *, is_code: bool) -> Iterator[tuple[int, int, str]]:
    """Letters that are written otherwise, or parted by signs."""
    for disguise, least, message in (
        (CODES, 2, "Writes letters as codes."),
        (SPLIT, 2, "Has marks inside words."),
        (_IN_PIECES, 2, "Splits words into pieces."),
        (SPREAD, 1, "A word with its letters apart."),
        (_NUMBERS, 1, "Writes letters as numbers."),
        (_MORSE, 1, "Writes letters as signs."),
        (_BRAILLE, 1, "Writes letters in Braille."),
    ):
        if disguise in _OF_PROSE and is_code:
            continue
        matches = view.matches(disguise)
        if disguise is SPLIT:  # snake_case and `code`s are ordinary
            matches = [match for match in matches if match.group() not in "_`~\u00b7"]
        yield from ((*match.span(), message) for match in matches if len(matches) >= least)


def _of_run(run: str, before: str) -> str:
    """The message about a long run of letters and digits; empty where it is a name or a path."""
    if before in {".", "@"}:
        return ""
    if _decodes(run):
        return "Has text in base64."
    digits = sum(character.isdigit() for character in run)
    is_random = 3 <= digits < len(run) and run.replace("+", "").replace("=", "").isalnum()
    return "A long run of letters and digits." if len(run) >= 32 and is_random else ""


def _decodes(run: str) -> bool:
    """Whether base64 of it is printable: of words and hashes, that is one in ten thousand."""
    if run.islower() or run.isupper() or run.isdigit():
        return False
    digits = run.rstrip("=").rpartition("=")[2].replace("-", "+").replace("_", "/")[:400]
    digits = digits[: len(digits) - 1] if len(digits) % 4 == 1 else digits
    if len(digits) < 16:
        return False
    decoded = binascii.a2b_base64(digits + "=" * (-len(digits) % 4))
    return all(0x20 <= byte < 0x7F or byte in b"\n\r\t" for byte in decoded)


_TURNED = 4_000
"""A text so long without one everyday word is held for its length."""
_TAKEOVER = (
    (Tag.DROP, Tag.ORDERS),
    (Tag.SEND, Tag.SECRETS),
    (Tag.REVEAL, Tag.PROMPT),
    (Tag.TELL, Tag.USER),
)


def _turned(piece: AddedText) -> Iterator[Hit]:
    text = piece.text.lower()
    backwards = " ".join(word[::-1] for word in text.split())
    for turned in (codecs.decode(text, "rot13"), text[::-1], backwards):
        view = FoldedText(turned)
        if any(view.has(*tags) for tags in _TAKEOVER):
            yield Hit("Writes letters that stand for others.", piece, 0, len(piece.text))


RULES = (
    Rule(
        name="encoded",
        effect=RuleEffect.HOLD,
        severity=Severity.MEDIUM,
        reason="Plain text needs no encoded or split words.",
        looks_at="added text",
        check=in_blocks(_encoded),
    ),
)
