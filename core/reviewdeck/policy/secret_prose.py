"""Secrets that are told in ordinary sentences: what is locked, and what opens it.

Three things have to stand near each other in one sentence: something with a lock, a word that
gives the value away, and a value that looks like a code (digits, numbers in words, or letters and
digits mixed). Where a key is kept says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from reviewdeck.policy.screen import screened

_LOCKED = (
    r"\b(?:alarm\w*|safe|(?:pad)?lock|lockers?|gate|doors?|keypads?|key\s?(?:safe|box)|shutters?"
    r"|garage|vault|cabinet|cage|cupboard|hut|storage\s+unit|server\s+room|immobili[sz]er"
    r"|brokerage|voicemail|sim|puk|pin|code|combination|passcode|pass\s?phrase|password"
    r"|seed\s+phrase|recovery\s+(?:words?|phrase|key)|master|root|admin|host\s+key|wpa|wi-?fi"
    r"|wlan|router|signing\s+key|immeuble|digicode|portail|alarme|coffre|tresor|t[uü]rcode"
    r"|cassaforte|portone|caja\s+fuerte|clave)\b"
)
_GIVEN = (
    r"(?:\b(?:opens?|opened|unlocks?|disarm\w*|decrypts?|dial\w*|turns?|spin|enter\w*|typ(?:e|ing)"
    r"|accepts?|takes?|wants?|raised|bypassed|is|are|est|ist|öffnet|with|mit|says|combination"
    r"|keypad|pin|puk|code|key|figures|meaning|answers|given|giving|hence|so|phrase|secret)\b"
    r"|[:,;])"
)
_WORD = (
    r"(?:zero|one|two|three|four|five|six(?:es)?|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w{3,5})?|double\s+\w{3,5}|star|hash)"
)
_UNITS = (
    r"m|km|kg|g|eur|euros?|€|%|mb|gb|rpm|px|people|steps|words|hz|k|w|v|ms|s|lines|rows|items|mm"
    r"|cm|litres?|kcal|requests|entries|members|tests|files|users"
)
_VALUE = (
    rf"(?:(?<![\w.#:/-])(?!(?:19|20)\d\d\b)\d{{4,8}}(?![\w:/-]|\.\w|\s?(?:{_UNITS})\b)"
    r"|(?<![\w.:/])\d{1,3}(?:[ ,-]{1,3}(?:(?:then|and|left|right|to)\s+){0,3}\d{1,3}){2,8}"
    r"(?!\w|[.:/]\w)"
    rf"|\b{_WORD}(?:[\s,-]{{1,3}}(?:then\s+|and\s+){{0,2}}{_WORD}){{2,8}}"
    r"|(?<!\w)(?!1password)(?=[\w#!@$%&*.-]{0,24}[A-Za-z])(?=[\w#!@$%&*.-]{0,24}\d)"
    r"[\w#!@$%&*.-]{7,24}(?!\w))"
)
LOCKED = screened(_LOCKED, re.IGNORECASE)
"""What has to be there for anything to be opened."""
_A_VALUE = re.compile(_VALUE, re.IGNORECASE)
_BEFORE = re.compile(rf"{_LOCKED}[^\n.!?]{{0,60}}?{_GIVEN}[^\n.!?]{{0,30}}\Z", re.IGNORECASE)
_REACH = 120
"""Characters before a value that tell what it opens."""
_LONGEST, _MOST = 4_000, 200
"""Characters and values that are looked at: what has more is held for that."""


def told(text: str) -> Iterator[tuple[int, int]]:
    """Where values stand that open something. Values come first: few texts have any."""
    for value in islice(_A_VALUE.finditer(text[:_LONGEST]), _MOST):
        if _BEFORE.search(text, max(0, value.start() - _REACH), value.start()):
            yield value.span()
