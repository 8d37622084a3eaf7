"""Rules about characters, letters and layout: what hides, parts entries, imitates or misleads.

And what means something only once its letters are changed.
"""

from __future__ import annotations

import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import CODES, SPLIT, SPREAD, Disguise, fold
from reviewdeck.policy.rules.quotation import is_quoted
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, InPieces, Rule, in_blocks
from reviewdeck.policy.rules.survey import Sought
from reviewdeck.policy.rules.views import FoldedText, View
from reviewdeck.policy.rules.vocabulary import vocabulary
from reviewdeck.text.lazy import regex

_LINE_ENDS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_SIGN = regex("§")
_ENDS_LINE = regex(rf"§(?=[^\S{_LINE_ENDS}]{{0,64}}(?:[{_LINE_ENDS}]|\Z))")
_BLOCKED = regex(r"\[\W{0,8}blocked\s{0,4}:", re.IGNORECASE)
_MARKS = regex(
    r"<\|?/?\s?(?:im_start|im_end|system|endoftext|assistant|user|eot_id|start_header_id"
    r"|end_header_id|begin_of_text)\s?\|>|\[/?(?:inst|sys|system)\]|<</?sys>>"
    r"|</?(?:memory|memories|system|system-reminder|system_prompt|memory-context|memory_context"
    r"|user_profile|function_calls?|tool_calls?|tool_results?|instructions|untrusted|assistant"
    r"|user_confirmed|antml:[a-z_]{1,30}|invoke)(?:\s[^<>\n]{0,80})?>",
    re.IGNORECASE,
)
_SKILL_MARKS = regex(
    r"<\|?/?\s?(?:im_start|im_end|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)"
    r"\s?\|?>|<\|/?\s?(?:system|assistant|user)\s?\|>|\[/?inst\]|<</?sys>>"
    r"|</?(?:system-reminder|system_prompt|memory-context|memory_context|user_confirmed"
    r"|antml:[a-z_]{1,30})(?:\s[^<>\n]{0,80})?>",
    re.IGNORECASE,
)
"""The same in a skill, where tags of ordinary names part a prompt."""
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180e")
_JOINERS = frozenset("\u200c\u200d")
_JOINING = tuple(
    """
    ARABIC SYRIAC MONGOLIAN NKO DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA
    MALAYALAM SINHALA MYANMAR KHMER TIBETAN MANDAIC ADLAM BALINESE JAVANESE SUNDANESE THAANA NEWA
    LIMBU LEPCHA CHAKMA GRANTHA MODI SHARADA TAKRI KAITHI BRAHMI MEETEI TAI SAURASHTRA HANIFI
    """.split()  # noqa: SIM905
)
"""Scripts that join their letters."""
_PICTURE = regex("[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f]")
_FLAG = regex(
    "\U0001f3f4(?:\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)|\U000e0075\U000e0073[\U000e0061-\U000e007a]{2})\U000e007f"
)
"""The flag of a part of the United Kingdom or the United States, whose name stands in tags."""
_VARIATION = regex("[\ufe00-\ufe0f]{2,}|[\ufe00-\ufe0d]|[\U000e0100-\U000e01ef]")
_VARIANTS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_STYLED = regex(
    "[\u24b6-\u24ff\U0001d400-\U0001d7ff\U0001f110-\U0001f189]{2,}|[\uff21-\uff5a]{3,}"
    "|(?:(?<![a-z])[a-z]*)?[\u1d00-\u1d2b\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f]{2,}"
    "|(?:[\u0250-\u02af\u1d00-\u1d2f][a-z]{0,2}){4,}|[A-Za-z][\u2160-\u217f]"
)
_SYMBOLS = regex(
    "[\u0250-\u036f\u0483-\u0489\u1d00-\u1dff\u20d0-\u20ff\u2160-\u217f\u24b6-\u24ff\uff21-\uff5a"
    "\U0001d400-\U0001d7ff\U0001f110-\U0001f1ff]"
)
"""One of them is in all that is written in symbols."""
_STACKED = regex("[\u0300-\u036f\u0483-\u0489\u1dc0-\u1dff\u20d0-\u20ff]{3,}")
_LETTERS_AS_SIGNS = regex("[\U0001f1e6-\U0001f1ff]{3,}|(?:[\U0001f1e6-\U0001f1ff]\\W){5}")
_WORD = regex(r"[A-Za-z\u0370-\u03ff\u0400-\u052f]{3,}")
_LATIN = regex(r"[A-Za-z]")
_IMITATING = regex("[АВЕЗІЈКМНОРСТУХЅаеіјорсухѕһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧονικατρυε]")
_NO_CYRILLIC = regex("[^ -~АВЕІЈКМНОРСТУХЅаеіјорсухѕһԁԛԝӏ]")
_ONLY_IMITATING = regex("(?<!\\w)[АВЕІЈКМНОРСТУХЅаеіјорсухѕһԁԛԝӏ]{3,}(?!\\w)")
_BARE_RETURN = regex(r"\r(?!\n)")
_BLANK = regex(r"\s{6,}")
_WIDE = {Destination.MEMORY: 16, Destination.SKILL: 80, Destination.SUPPORT: 80}
"""Blanks in a row of one line that push what follows out of view."""
_TALL = 6
"""Line ends in a row that do."""
_DRAWN = regex("[\u2500-\u259f]{3,}|={8,}|[#*~]{12,}")
_SCREEN = regex(
    r"[✓✔☑✅]\s?(?:safe|approved|verified|checked|reviewed|passed|clean|ok\b)"
    r"|^[^\S\n]{0,3}(?:diff|verdict|findings|risk(?:[^\S\n]score)?|severity)[^\S\n]?:[^\S\n]?"
    r"(?:[+−-]?\d|none\b|no\b|ok\b|safe\b|low\b|clean\b|approved)",
    re.IGNORECASE | re.MULTILINE,
)
_PARTING = regex(
    r"\n[^\S\n]{0,3}(?:```|~~~|(?:-{3,}|\*{3,}|_{3,}|={3,})[^\S\n]{0,3}(?=\n|\Z)|#{1,6}[^\S\n]+\w"
    r"|[^\w\n]{0,6}(?:system|human|assistant|developer|tool|operator|ai)"
    r"(?:[ _](?:message|note|notice|prompt|update|override))?[\W_]{0,4}:)"
    r"|-{3}[^\S\n]{0,3}(?:end|begin|start|role|system|new)\b|%{2,3}[^\S\n]?\w"
    r"|\]\]>|<!\[cdata|<!--|-->|</[a-z]\w{0,30}>"
    r"|\[\[?/?[^\S\n]?(?:end|begin|start|eof|system|owner|operator|admin)\b"
    r"|end[ _]of[ _](?:the |this |user |quoted |my )?(?:entry|entries|memory|memories|profile"
    r"|user[ _]data|notes?|quote|records?|context|prompt|document|file|instructions)\b"
    r"|(?:next|new)[ _](?:entry|memory|record)\s?[:(]"
    r"|(?:human|user|assistant|agent)\s?:[^\n:]{1,200}\b(?:human|assistant|user|agent)\s?:"
    r"|[\"']role[\"']\s?:"
)
"""In lower case, with a line end before it."""
_PARTS_RECORD = regex(r"\{\s?[\"”]\w{1,40}[\"”]\s?:|[\"”]\s?[}\]]\s?,?\s?[{\]\"]")
_RECORD_SAYS = "Imitates a field of a record."


def _structure(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    if piece.is_memory:
        yield from _delimiters(piece)
        for match in _BLOCKED.finditer(text):
            if not text[_line_start(text, match.start()) : match.start()].strip(" \t*_>-#.`\"'"):
                message = "Carries the mark that Hermes puts before blocked entries."
                yield Hit(message, piece, *match.span())
    marks = _MARKS if piece.is_memory else _SKILL_MARKS
    for match in marks.finditer(text) if "<" in text or "[" in text else ():
        is_shown = not piece.is_memory and _is_shown_in_code(piece, *match.span())
        is_end = not piece.is_memory and "endoftext" in match.group()
        severity = Severity.MEDIUM if is_shown or is_end else None
        message = "Imitates a mark of the conversation format."
        yield Hit(message, piece, *match.span(), severity=severity)
    yield from _hidden(piece)


def _is_shown_in_code(piece: AddedText, start: int, end: int) -> bool:
    """Whether a mark stands in code, where a skill about prompts shows what one looks like."""
    found = piece.block_around(start, end)
    if found is None:
        return False
    at, block = found
    return block.is_code or is_quoted(block.text, start - at, end - at)


def _delimiters(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    for match in _ENDS_LINE.finditer(text):
        before = text[_line_start(text, match.start()) : match.start()]
        if not before.strip().strip("\ufeff"):
            message = "A paragraph sign alone on its line: Hermes would read two entries."
            yield Hit(message, piece, *match.span())


def _line_start(text: str, at: int) -> int:
    """Looks back no further than a few characters: what is longer is no empty line."""
    start = at
    while start > max(0, at - 64) and text[start - 1] not in _LINE_ENDS:
        start -= 1
    return start


def _hidden(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    odd = text.encode("utf-8", "surrogatepass").translate(None, _SHOWS)
    if not odd:
        return
    different = set(odd.decode("utf-8", "surrogatepass"))
    hiding = {
        character: what
        for character in different
        if (what := _what_hides(character)) or character in _JOINERS
    }
    text = _FLAG.sub(lambda match: "x" * len(match.group()), text) if hiding else text
    if text.startswith("\ufeff"):
        text = f" {text[1:]}"  # a mark of the encoding, as some editors write it
    for index, character in enumerate(text) if hiding else ():
        if character not in hiding:
            continue
        what = hiding[character]
        if character in _JOINERS and not _may_join(text, index):
            what = "A joiner where no script and no emoji needs one"
        if what:
            quote = f"U+{ord(character):04X}"
            severity = Severity.HIGH if _is_left_over(piece, text, index) else None
            message = f"{what}: {quote}."
            yield Hit(message, piece, index, index + 1, quote, severity, is_refused=True)
    for match in _VARIATION.finditer(text) if different & _VARIANTS else ():
        yield Hit("Has variation selectors, which can carry hidden data.", piece, *match.span())


def _is_left_over(piece: AddedText, text: str, index: int) -> bool:
    """Whether a skill has what copies of pages have: an empty blank, alone and in no word, or a
    sign that only one font or program shows.
    """
    if piece.is_memory:
        return False
    if "\ue000" <= text[index] <= "\uf8ff" or text[index] in "\0\x05\u202a\u202c":
        return True
    if text[index] not in "\u200b\u2060\ufeff":
        return False
    before, after = text[index - 1 : index] if index else "", text[index + 1 : index + 2]
    is_alone = not (_what_hides(before or " ") or _what_hides(after or " "))
    return is_alone and not (before.isalnum() and after.isalnum())


@lru_cache(maxsize=4096)
def _what_hides(character: str) -> str:
    if " " <= character <= "~" or character in "\n\t\r":
        return ""
    if character in _BIDI:
        return "Hidden control character that reorders text"
    if 0xE0000 <= ord(character) <= 0xE007F:
        return "An invisible tag character"
    if character in _FILLERS:
        return "A character that takes room and shows nothing"
    match unicodedata.category(character):
        case "Cc":
            return "A control character"
        case "Cs":
            return "Half of a character pair"
        case "Co":
            return "A private-use character"
        case "Cf" if character not in _JOINERS and character != "\u00ad":
            return "An invisible character"
        case "Zl" | "Zp":
            return "A line separator that editors do not show"
        case _:
            return ""


def _may_join(text: str, index: int) -> bool:
    before, after = text[index - 1 : index] if index else "", text[index + 1 : index + 2]
    if text[index] == "\u200d" and _PICTURE.match(before) and _PICTURE.match(after):
        return True
    return (
        bool(before)
        and _joins(before)
        and (_joins(after) or not (after.isalnum() or after in _JOINERS))
    )


@lru_cache(maxsize=1024)
def _joins(character: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith(_JOINING)


def _look_alikes(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    if text.isascii():
        return
    for match in _WORD.finditer(text) if _IMITATING.search(text) else ():
        word = match.group()
        if _LATIN.search(word) and _IMITATING.search(word):
            yield Hit("Mixes Latin letters with look-alikes in one word.", piece, *match.span())
    if _NO_CYRILLIC.search(text) is None:  # else it is written in Cyrillic
        for match in _ONLY_IMITATING.finditer(text):
            yield Hit("Has a word of look-alike letters among Latin ones.", piece, *match.span())
    if _SYMBOLS.search(text) is None:
        return
    for pattern, message in (
        (_STYLED, "Writes letters in a symbol alphabet."),
        (_STACKED, "Stacks marks on one letter."),
        (_LETTERS_AS_SIGNS, "Writes letters as signs."),
    ):
        for match in pattern.finditer(text):
            if pattern is not _LETTERS_AS_SIGNS or not _are_flags(match.group()):
                yield Hit(message, piece, *match.span())


def _are_flags(signs: str) -> bool:
    """Whether they are flags of countries, two letters each."""
    countries = vocabulary().listed["countries"]
    letters = "".join(chr(ord(sign) - 0x1F1E6 + 65) for sign in signs if ord(sign) > 0xFFFF)
    return len(letters) % 2 == 0 and all(
        letters[at : at + 2] in countries for at in range(0, len(letters), 2)
    )


def _layout(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    for match in _BARE_RETURN.finditer(text):
        message = "A carriage return without a line feed can overwrite a line on a screen."
        yield Hit(message, piece, match.start(), match.end(), "U+000D")
    yield from _blank_stretches(piece)
    if not piece.is_memory:
        return
    for pattern, message in (
        (_DRAWN, "Draws something that looks like part of a screen."),
        (_SCREEN, "Imitates the verdict of a review."),
        (_PARTS_RECORD, _RECORD_SAYS),
    ):
        for match in pattern.finditer(text):
            yield Hit(message, piece, *match.span())
    yield from piece.phrases("layout")
    plain = View(*fold(piece.text))
    for match in _PARTING.finditer("\n" + plain.text):
        start, end = max(0, match.start() - 1), match.end() - 1
        message = "A mark that ends or begins a document or a turn of a conversation."
        yield Hit(message, piece, *plain.span(start, end))
    if text.count("§") > 1:
        bare = (match for match in _SIGN.finditer(text) if _is_bare(text, match.end()))
        signs = list(islice(bare, 2))
        if len(signs) > 1:
            yield Hit("Has paragraph signs, which separate entries.", piece, *signs[0].span())


def _blank_stretches(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    wide = _WIDE[piece.place]
    for match in _BLANK.finditer(text):
        length = match.end() - match.start()
        if length < wide and text.count("\n", *match.span()) < _TALL:
            continue  # an indented line
        lines = match.group().split("\n")
        is_inside = match.end() < len(text)
        if is_inside and (len(lines) > _TALL or max(map(len, lines)) >= wide):
            yield Hit(
                "Has a long blank stretch, which can push text out of view.", piece, *match.span()
            )


def _is_bare(text: str, after: int) -> bool:
    """Whether no number follows the sign: § 5 is a section of a law."""
    return not text[after : after + 3].strip()[:1].isdigit()


STRUCTURE = Rule(
    name="structure",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="One proposal must not become several entries, pose as a mark, or hide characters.",
    looks_at="added text",
    check=InPieces(_structure),
)
LOOK_ALIKE = Rule(
    name="look-alike",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="Letters that imitate others carry words past a reader and past the other rules.",
    looks_at="added text",
    check=InPieces(_look_alikes),
)
LAYOUT = Rule(
    name="layout",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="Layout that imitates a screen, a document or a record misleads a reviewer.",
    looks_at="added text",
    check=InPieces(_layout),
)


_RUN = regex(r"[A-Za-z0-9+/_=-]{16,}")
_SHORTEST_RUN = 16
_NUMBERS = Disguise(
    regex(
        r"[0-9A-Fa-f]{2}[ ,:]{1,2}(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]{1,2}){6,}"
        r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?!\w)"
        r"|(?:[01]{7,8}[ ,]){3,}[01]{7,8}(?!\w)|(?:\d{2,3}[ ,]{1,2}){11,}\d{2,3}(?!\w)"
    ),
    regex(r"[ ,:](?<=[0-9a-f]{2}.)[ ,:]?(?:0x|\\x)?(?:[0-9a-f]{2}|\d{3}|[01]{7,8})[ ,:]"),
)
_MORSE = Disguise(
    regex(r"(?:[.\-–]{1,6}[ /]{1,3}){7,}[.\-–]{1,6}"),
    regex(r"[.\-–][ /]{1,3}[.\-–]"),
)
_BRAILLE = Disguise(regex("(?:[\u2801-\u28ff][\u2800 ]{0,2}){4,}"), regex("[\u2801-\u28ff]"))
_IN_PIECES = Disguise(
    regex(r"(?<!\w)[^\W_]{1,3}(?:_[^\W_]{1,3}){2,}(?!\w)"),
    regex(r"_[^\W_]{1,3}_"),
)
_HUMPS = regex(r"[A-Z](?<![A-Za-z].)[a-z]{0,20}(?:[A-Z][a-z]{0,20}){3,40}(?![a-z])")
_HUMP = regex(r"[A-Z][a-z]+")
_GLUE = frozenset(
    "All And The You Are Is Now Your Any Not Previous Ignore Instructions".split()  # noqa: SIM905
)
_FILLED = regex(r"\{\{(?<![`\w$]..)[^{}\n`]{1,80}\}\}|\{%[^%\n`]{1,80}%\}")
_APART = regex(
    "[ ,:.\\-–_\u2801-\u28ff](?:(?<=[\u2801-\u28ff])|(?<=[.\\-–])[ /]{1,3}[.\\-–]"
    "|(?<=_)[^\\W_]{1,3}_"
    "|(?<=[0-9a-f]{2}[ ,:])[ ,:]?(?:0x|\\\\x)?(?:[0-9a-f]{2}|\\d{3}|[01]{7,8})[ ,:])"
)
"""The mark of one of the four, tried only where its first sign is."""
_TOGETHER = regex(f"{_RUN.pattern}|{_HUMPS.pattern}")
_EVERYDAY = regex(
    r"\b(?:the|and|is|are|to|of|in|for|with|on|a|uses|prefers|user|der|die|das|und|ist|mit|von"
    r"|le|la|les|est|el|los|de|que)\b",
    re.IGNORECASE,
)


def _encoded(piece: AddedText) -> Iterator[Hit]:
    text = piece.text
    for start, end, message in _apart(piece.reading, is_code=piece.is_code):
        yield Hit(message, piece, *piece.reading.plain.span(start, end))
    for span in piece.reading.disguised:
        message = "Writes digits or signs in the place of letters."
        yield Hit(message, piece, *piece.reading.plain.span(*span))
    yield from piece.said("encoded")
    for match in _RUN.finditer(text) if len(text) >= _SHORTEST_RUN else ():
        if message := _of_run(match.group(), text[match.start() - 1 : match.start()]):
            yield Hit(message, piece, *match.span())
    for match in _HUMPS.finditer(text):
        parts = _HUMP.findall(match.group())
        if len(parts) >= _FEWEST and not _GLUE.isdisjoint(parts):
            yield Hit("Writes a sentence without spaces.", piece, *match.span())
    if piece.is_memory:
        for match in _FILLED.finditer(text):
            yield Hit("Has a template that a program fills in.", piece, *match.span())
        if len(text) <= _TURNED and _EVERYDAY.search(text) is None:
            yield from _turned(piece)


_OF_PROSE = (SPLIT, _IN_PIECES, SPREAD, _MORSE)
"""Signs between letters that are operators in code."""
_SHOWN = (CODES, SPLIT, SPREAD)
"""Disguises of which a text shows whether it may have them."""
_FEWEST = 4
"""Words of a sentence without spaces."""


def _apart(reading: FoldedText, *, is_code: bool) -> Iterator[tuple[int, int, str]]:
    """Letters that are written otherwise, or parted by signs."""
    view = reading.plain
    for disguise, least, message in (
        (CODES, 2, "Writes letters as codes."),
        (SPLIT, 2, "Has marks inside words."),
        (_IN_PIECES, 2, "Splits words into pieces."),
        (SPREAD, 1, "A word with its letters apart."),
        (_NUMBERS, 1, "Writes letters as numbers."),
        (_MORSE, 1, "Writes letters as signs."),
        (_BRAILLE, 1, "Writes letters in Braille."),
    ):
        if (is_code and disguise in _OF_PROSE) or (disguise in _SHOWN and not reading.may_hide):
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
    digits = sum(map(str.isdigit, run))
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
    return not decoded.translate(None, _SHOWS)


_SHOWS = bytes((*b"\n\r\t", *range(0x20, 0x7F)))
"""The bytes of printable text."""
_TURNED = 4_000
"""A text so long without one everyday word is held for its length."""
_TAKEOVER = (
    ("drop", "orders"),
    ("send", "secrets"),
    ("reveal", "prompt"),
    ("tell", "user"),
)


def _turned(piece: AddedText) -> Iterator[Hit]:
    text = piece.text.lower()
    backwards = " ".join(word[::-1] for word in text.split())
    for turned in (codecs.decode(text, "rot13"), text[::-1], backwards):
        view = View(turned)
        if any(view.has(*words) and all(map(view.mentions, words)) for words in _TAKEOVER):
            yield Hit("Writes letters that stand for others.", piece, 0, len(piece.text))


ENCODED = Rule(
    name="encoded",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="Plain text needs no encoded or split words.",
    looks_at="added text",
    check=in_blocks(
        _encoded,
        Sought(
            ("encoded",),
            sign=_APART,
            written=_TOGETHER,
            disguised=True,
            unless_parted=True,
        ),
    ),
)
