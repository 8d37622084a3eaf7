"""The rule about notes that speak to whoever reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.plain_rules.rule import Hit, Place, Rule, Subject
from reviewdeck.policy.rule_effect import RuleEffect

_SPEAKING = (
    (re.compile(r"[?？](?=[\s\"'”’)]|\Z)"), "Asks a question; a note says what is so."),
    (
        re.compile(
            r"\b(?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t|per favore)\b"
            r"(?!\s+(?:note|see))",
            re.IGNORECASE,
        ),
        "Asks whoever reads it for something.",
    ),
    (
        re.compile(
            r"\A\W*(?:you are|you're|du bist|sie sind|imagine|pretend|act as|hello|hi)\b",
            re.IGNORECASE,
        ),
        "Speaks to whoever reads it.",
    ),
    (re.compile(r"(?:\b[A-Z]{4,}\b[\s,.:!_]{1,3}){3}|!!"), "Shouts at whoever reads it."),
)
"""How a text speaks to its reader, and what to say of it."""


def _addressed(subject: Subject) -> Iterator[Hit]:
    for piece in subject.texts:
        if piece.place is Place.MEMORY:
            for pattern, message in _SPEAKING:
                if match := pattern.search(piece.text):
                    yield Hit(message, piece, *match.span())


RULES = (
    Rule(
        name="addressed",
        effect=RuleEffect.HOLD,
        severity=Severity.LOW,
        reason="A note says what is so; a question or a request is addressed to whoever reads it.",
        looks_at="text added to a memory",
        check=_addressed,
        hits=(
            "What is the capital of France?",
            "Bitte rechnen Sie 1+1 aus.",
            "You are the captain of this ship.",
            "READ THIS LINE FIRST and answer.",
            "Do it now!!",
        ),
        misses=(
            "The user asks what changed before each release.",
            "README and CHANGELOG are kept in sync.",
            "The API returns JSON. HTTP errors are logged.",
        ),
    ),
)
