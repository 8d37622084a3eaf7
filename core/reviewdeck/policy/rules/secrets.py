"""The rule about secrets. A finding never repeats what it found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, Rule, in_pieces
from reviewdeck.text.redact import cover, secret_places
from reviewdeck.text.secret_forms import find_secrets

_MOST = 200
"""Secrets that are looked for: one is enough to hold a text."""


_SURE = re.compile(
    r"gh[opusr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{16,}|sk-[\w-]{24,}"
    r"|(?:sk|rk)_live_\w{16,}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abeoprs]-[\w-]{20,}|AIza[\w-]{35}"
    r"|npm_\w{30,}|pypi-[\w-]{40,}|hf_\w{30,}|SG\.[\w-]{16,}|AGE-SECRET-KEY-1\w+"
    r"|eyJ[\w-]{20,}\.eyJ[\w-]{20,}\.|-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY"
)
_EXAMPLE = re.compile(
    r"example|your|placeholder|dummy|fake|sample|redacted|insert|change|test|x{4}|0{4}|1234|abcd"
    r"|a1b2|\.\.\.|(.)\1{4}",
    re.IGNORECASE,
)
_ARMOUR = re.compile(r"PRIVATE KEY-----\s*(?:[\w+/=:, -]{40,}\s*){3}")


def _secrets(piece: AddedText) -> Iterator[Hit]:
    # Nobody tells a secret in a sentence of code.
    places = find_secrets(piece.text) if piece.is_code else secret_places(piece.text)
    for start, end in islice(places, _MOST):
        secret = piece.text[start:end]
        severity = None
        if piece.place is not Destination.MEMORY and not _is_sure(secret):
            severity = Severity.MEDIUM
        message = "Looks like a password, key or access code."
        yield Hit(message, piece, start, end, cover(secret), severity)


def _is_sure(secret: str) -> bool:
    """Whether it has the form of a real key: documentation and code are full of examples."""
    if "PRIVATE KEY" in secret:
        return _ARMOUR.search(secret) is not None
    return _SURE.search(secret) is not None and _EXAMPLE.search(secret) is None


RULES = (
    Rule(
        name="secret",
        effect=RuleEffect.HOLD,
        severity=Severity.HIGH,
        reason="Memory goes into every prompt and every log: secrets do not belong there.",
        looks_at="added text",
        check=in_pieces(_secrets),
    ),
)
