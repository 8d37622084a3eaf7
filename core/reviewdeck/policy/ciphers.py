"""Words in letters that stand for others: digits, small capitals, base64, ciphers."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from reviewdeck.model import Span
from reviewdeck.policy.reading import names_a_concept, straightened
from reviewdeck.policy.rule import Hit
from reviewdeck.policy.screen import screened

_MOST = 200
"""Words that are looked at: a text with more of them is held for its length."""
_WORD = re.compile(r"(?<![\w.\-/+@#])[A-Za-z0-9@$]{3,40}[A-Za-z0-9](?![\w@]|\.\w)")
_INSIDE, _LETTER = re.compile(r"[013457@$]"), re.compile(r"[a-z]")
_FEWEST = 3
"""Letters of a word that is worth looking at."""
_NUMBERED = re.compile(r"[a-z]+\d+|(?!1)\d+[a-z]+", re.IGNORECASE)
"""Names with a number, as `python3`, are no disguise."""
_BASE = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{12,4000}={0,2}(?![\w+/=])")
_ODD = r"\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff"
_STYLED = re.compile(
    rf"(?:[{_ODD}][a-zA-Z {_ODD}]{{0,6}}){{3}}"
    r"|[A-Za-z][\u2100-\u214f\u2160-\u218b\uab30-\uab6f]"
)
"""Small capitals, letters turned over, and numerals or signs that look like letters."""
_SEEN_AS = re.compile(r"(?<!\w)\w*(?:[a-z]I[a-z]*|vv)\w*")
"""A capital I that is seen as an l, two v that are seen as a w."""
_NAMED = screened(
    r"\brot-?13\b|\bcaesar\s+cipher\b[^.\n]{0,40}:|\bacrostics?\b|\bfirst\s+letters\b"
    r"|\b(?:written|read|spelled|spelt)\s+backwards\b|\bbackwards\b[^.\n]{0,30}:"
    r"|\bdecod\w+[^.\n]{0,60}\b(?:act|obey|carry|run|follow\w*|execut\w*|treat)\b"
    r"|\b(?:act|obey|carry|run|follow|execute)\b[^.\n]{0,60}\bdecod\w+",
    re.IGNORECASE,
)
"""What tells the reader how to read it."""


def in_cipher(text: str) -> Iterator[Hit]:
    """Words that mean something only once their letters are changed."""
    for found in _WORD.finditer(text) if _INSIDE.search(text) else ():
        if _is_disguised(found.group().lower()):
            yield Hit("Digits or signs in the place of letters.", Span(*found.span()))
    for found in islice(_SEEN_AS.finditer(text), _MOST):
        word = found.group()
        seen = word.replace("I", "l").replace("vv", "w").lower()
        if names_a_concept(seen) and not names_a_concept(word.lower()):
            yield Hit("Letters that are seen as others.", Span(*found.span()))
    for found in islice(_BASE.finditer(text), _MOST):
        if _decodes(found.group()):
            yield Hit("Encoded text.", Span(*found.span()))
    for pattern in (_STYLED, _NAMED):
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
    """Whether base64 of it is printable: by chance, a dozen letters are not once in a million."""
    kept = run.rstrip("=")
    padded = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    decoded = binascii.a2b_base64(padded + "=" * (-len(padded) % 4))
    return all(0x20 <= byte < 0x7F for byte in decoded)
