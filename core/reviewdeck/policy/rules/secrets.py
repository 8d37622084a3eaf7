"""The rule about secrets. A finding never repeats what it found."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import AddedText, Hit, Rule, in_pieces
from reviewdeck.text.redact import cover, secret_places

_MOST = 200
"""Secrets that are looked for: one is enough to hold a text."""


def _secrets(piece: AddedText) -> Iterator[Hit]:
    for start, end in secret_places(piece.text)[:_MOST]:
        quote = cover(piece.text[start:end])
        yield Hit("Looks like a password, key or access code.", piece, start, end, quote)


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
