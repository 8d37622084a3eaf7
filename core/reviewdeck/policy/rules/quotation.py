"""Attacks that a text only talks about: quoted where it says how to meet them."""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.policy.rules.rule import AddedText, Destination

_DEFENCE: Final = re.compile(
    r"\b(?:inject\w*|attack\w*|malicious|untrusted|hostile|adversar\w*|suspicious|phish\w*"
    r"|jailbreak\w*|exploit\w*|threat\w*|vulnerab\w*|poison\w*|sanitiz\w*|sanitis\w*"
    r"|red[- ]flags?|detect\w*|spoof\w*|manipulat\w*"
    r"|social engineering|anti-?patterns?|scanner|moderation)\b",
    re.IGNORECASE,
)
"""Words of a text that is about attacks."""
_ANSWER: Final = re.compile(
    r"\b(?:report\w*|flag\w*|refuse\w*|reject\w*|stop|warn\w*"
    r"|treat\w* (?:it|them|this|that|such|\w+ \w+) as"
    r"|never|do not|don't|must not|should not|not (?:to )?(?:follow|obey|comply|act)"
    r"|no instructions?"
    r"|is data|are data|block\w*|escalate\w*|ask the user|not an order|not orders)\b",
    re.IGNORECASE,
)
"""What a defence does about them."""
_SAYS: Final = re.compile(
    r"\b(?:when(?:ever)?|if|any|never|not|should|that|which|text|page|content)\b[^.!?\n]{0,120}?"
    r"\b(?:page|site|document|file|e-?mail|message|content|text|comment|issue|output|result|tool"
    r"|someone|somebody|anyone|anything|input|reply|attachment|skill|post|it|they|that|which)s?\b"
    r"[^.!?\n]{0,40}?\b(?:says?|tells?|asks?|tries|try|trying|attempts?|attempting|instructs?"
    r"|claims?|contains?|wants?|orders?|demands?|requests?|saying|telling|asking)\b[^.!?\n]{0,60}\Z",
    re.IGNORECASE,
)
_MARKS: Final = "\"'`“”„«»‘’"
_REACH: Final = 240


def is_quoted(piece: AddedText, start: int, end: int) -> bool:
    """Whether the words are quoted, or told of somebody, where a defence against them stands."""
    text = piece.text
    start = max(start, *(text.rfind(mark, start, end) + 1 for mark in _MARKS))
    before = text[max(0, start - _REACH) : start]
    after = text[end : end + _REACH]
    if _stands_in_quotes(before, after):
        around = f"{before} {after} {piece.context}"
        return _DEFENCE.search(around) is not None or (
            _SAYS.search(before) is not None and _ANSWER.search(f"{before} {after}") is not None
        )
    return _SAYS.search(before) is not None and _ANSWER.search(f"{before}|{after}") is not None


_ATTACKER: Final = re.compile(
    r"\b(?:attackers?|adversar(?:y|ies)|malware|trojans?|hackers?|threat actors?|red[- ]team\w*"
    r"|vulnerab\w*|keyloggers? (?:detection|rules?)|yara|exploits?|detect\w*|forensic\w*"
    r"|incident\w*|could|would|might|prevent\w*"
    r"|block\w*|CVE|CWE|mitigat\w*|threat model\w*|attack\w*|c2|indicators?|malicious)\b",
    re.IGNORECASE,
)


def is_about_attacks(piece: AddedText, start: int, end: int) -> bool:
    """Whether a skill tells what an attacker does, rather than to do it."""
    if piece.place is Destination.MEMORY:
        return False
    first = max(piece.text.rfind(mark, 0, start) for mark in ".!?\n") + 1
    around = piece.text[max(first, start - _REACH) : end + 80]
    return _ATTACKER.search(f"{around} {piece.context}") is not None


def _stands_in_quotes(before: str, after: str) -> bool:
    """Whether a quotation opens on the line before, and closes on the line behind."""
    line_before = before.rpartition("\n")[2]
    line_after = after.partition("\n")[0]
    for mark in _MARKS:
        closing = {"“": "”", "„": "“", "«": "»", "‘": "’"}.get(mark, mark)
        opened = line_before.count(mark) - (line_before.count(closing) if closing != mark else 0)
        is_open = opened % 2 == 1 if closing == mark else opened > 0
        if is_open and closing in line_after:
            return mark != "'" or line_before.rpartition("'")[0][-1:] in ("", " ", "(", "[", ":")
    return False
