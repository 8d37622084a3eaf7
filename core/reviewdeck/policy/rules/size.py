"""The rule about length: what is long is read by a person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import Destination, Hit, Rule, RuleInput

ENTRY_CHARACTERS = 400
ENTRY_SENTENCES = 4
SKILL_BYTES = 20 * 1024
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]{0,3}\s+(?=[^\W\d_a-z]|[\"'“„(\[*`-])|[。！？]|\n+")


def count_sentences(text: str) -> int:
    """Sentences and lines of a text."""
    return sum(1 for part in _SENTENCE_END.split(text) if part.strip())


def _length(subject: RuleInput) -> Iterator[Hit]:
    for piece in subject.texts:
        if piece.place is not Destination.MEMORY:
            size = len(piece.text.encode("utf-8", "surrogatepass"))
            if size > SKILL_BYTES:
                message = f"The file has {size:,} bytes; {SKILL_BYTES:,} is the limit."
                yield Hit(message, piece, 0, len(piece.text), "")
            continue
        if len(piece.text) > ENTRY_CHARACTERS:
            message = (
                f"The entry has {len(piece.text):,} characters; {ENTRY_CHARACTERS} is the limit."
            )
            yield Hit(message, piece, ENTRY_CHARACTERS, len(piece.text))
        elif (sentences := count_sentences(piece.text)) > ENTRY_SENTENCES:
            message = f"The entry has {sentences} sentences; {ENTRY_SENTENCES} is the limit."
            yield Hit(message, piece, 0, len(piece.text))


RULES = (
    Rule(
        name="length",
        effect=RuleEffect.HOLD,
        severity=Severity.LOW,
        reason="A note is short; in a long text one bad sentence is easily overlooked.",
        looks_at="the length of added text",
        check=_length,
    ),
)
