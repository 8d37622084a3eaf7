"""Words in letters that stand for others: digits, small capitals, base64, ciphers."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import lru_cache

from reviewdeck.model import Span
from reviewdeck.policy.reading import names_a_concept, straightened
from reviewdeck.policy.rule import Hit
from reviewdeck.policy.screen import screened

_WORD = re.compile(r"(?<![\w.\-/+@#])[A-Za-z0-9@$]{3,40}[A-Za-z0-9](?![\w@]|\.\w)")
_INSIDE, _LETTER = re.compile(r"[013457@$]"), re.compile(r"[a-z]")
_FEWEST = 3
"""Letters of a word that is worth looking at."""
_NUMBERED = re.compile(r"[a-z]+\d+|(?!1)\d+[a-z]+", re.IGNORECASE)
"""Names with a number, as `python3`, are no disguise."""
_BASE = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{12,4000}={0,2}(?![\w+/=])")
_SMALL = "\u0262\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d2b\ua730\ua731"
_TURNED = "ɐǝɟɥɯɹʇʌʍʎʞ"
_LETTERLIKE = "\u2100-\u2102\u2107-\u2108\u210a-\u2112\u2115\u2117-\u211f\u212a\u212c-\u214f"
_STYLED = re.compile(
    rf"[{_SMALL}](?:[a-zɪ]{{0,3}}[{_SMALL}])+|[{_TURNED}](?:[a-zA-Z ]{{0,3}}[{_TURNED}]){{3}}"
    rf"|[A-Za-z][{_LETTERLIKE}\u2160-\u218b\uab30-\uab6f]"
)
"""Small capitals, letters turned over, and numerals or signs that look like letters."""
_SEEN_AS = re.compile(r"(?<!\w)\w*(?:[a-z]I[a-z]*|vv)\w*")
_MAY_BE_SEEN = re.compile(r"[a-z]I|vv")
"""A capital I that is seen as an l, two v that are seen as a w."""
_NAMED = screened(
    r"\brot-?13\b|\bcaesar\s+cipher\b[^.\n]{0,40}:|\bacrostic\b[^.\n]{0,40}:"
    r"|\bfirst\s+letters\s+(?:of|matter)\b(?!\s+(?:both|his|her|my|their))"
    r"|\b(?:written|read|spelled|spelt)\s+backwards\b"
    r"|\b(?:decod\w+[^.\n]{0,30}\b(?:and|then|before)|after\s+decoding)\s+(?:act|obey|carry|follow|execut\w*)\b"
    r"|\b(?:act\s+on|obey|follow|execute)\b[^.\n]{0,60}\b(?:after|once|when)\s+(?:it\s+is\s+)?decod\w+"
    r"|\bdecod(?:e|ed|ing)\s+(?:it|them|this)\b|\bdecode\s+\S{12}|,\s+decode\s+and\s+act\b",
    re.IGNORECASE,
)
"""What tells the reader how to read it."""


def in_cipher(text: str) -> Iterator[Hit]:
    """Words that mean something only once their letters are changed."""
    for found in _WORD.finditer(text) if _INSIDE.search(text) else ():
        if _is_disguised(found.group().lower()):
            yield Hit("Digits or signs in the place of letters.", Span(*found.span()))
    for found in _SEEN_AS.finditer(text) if _MAY_BE_SEEN.search(text) else ():
        word = found.group()
        seen = word.replace("I", "l").replace("vv", "w").lower()
        if names_a_concept(seen) and not names_a_concept(word.lower()):
            yield Hit("Letters that are seen as others.", Span(*found.span()))
    for found in _BASE.finditer(text):
        if _decodes(found.group()):
            yield Hit("Encoded text.", Span(*found.span()))
    for pattern in (_NAMED,) if text.isascii() else (_NAMED, _STYLED):
        for found in pattern.finditer(text):
            yield Hit("Letters that stand for others.", Span(*found.span()))


@lru_cache(maxsize=1 << 10)
def _is_disguised(word: str) -> bool:
    if not _INSIDE.search(word) or _NUMBERED.fullmatch(word):
        return False
    if len(_LETTER.findall(word)) < _FEWEST:
        return False
    plain = straightened(word)
    return plain.isalpha() and names_a_concept(plain)


def _decodes(run: str) -> bool:
    """Whether base64 of it is printable: of words and hashes, that is one in ten thousand."""
    if run.islower() or run.isupper() or run.isdigit():
        return False
    kept = run.rstrip("=")
    padded = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    decoded = binascii.a2b_base64(padded + "=" * (-len(padded) % 4))
    return all(0x20 <= byte < 0x7F for byte in decoded)
