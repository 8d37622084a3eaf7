"""Whether the user asked for a skill. Nobody asks for one without one of these forms:

- make, create, write, add, save, build, define, keep or turn … (a | as a | into a) skill
- … as a skill, … als Skill
- remember how …, and in German merk dir, wie …
- erstelle, schreib, mach, speichere, bau, leg … Skill
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from reviewdeck.model import Hearing, Utterance
from reviewdeck.origin.phrases import NEGATIVE, NO_KEEP, WITHDRAWS
from reviewdeck.origin.typed import QUESTION_OBJECTION, sentences_of

FORMS: Final = re.compile(
    r"(?:\A|[,;:]\s*|\b(?:please|but|aber|you|and|then|to|let's|also|now|just|bitte|und|auch|dann)\s+)"
    r"(?:(?:make|create|write|add|save|store|build|define|record|keep|turn)\b(?:\s+\S+){0,8}?"
    r"\s+skills?\b"
    r"|remember\s+how\b"
    r"|(?:erstell|schreib|mach|speicher|bau|leg|merk)\w*\b(?:\s+\S+){0,8}?\s+skills?\b"
    r"|merk\s+dir,?\s+wie\b)"
    r"|\b(?:as\s+a|als)\s+skill\b",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"(?:please,?\s+|bitte\s+)?(?:as\s+a|als)\s+skill\b\W*", re.IGNORECASE)
"""A request that does not say what the skill is about."""


def hear_request(utterances: Sequence[Utterance]) -> Hearing:
    """The sentence in which the user asked for a skill, and what speaks against it.

    Where it says no more than that it is to be one, the sentence before is told with it.
    """
    spoken = sentences_of(utterances)
    for number, sentence in enumerate(spoken):
        if sentence.objection not in ("", QUESTION_OBJECTION):
            continue
        asked = FORMS.search(sentence.text)
        if asked is None or _is_denied(sentence.text[: asked.end()]):
            continue
        later = spoken[number + 1 :]
        if any(WITHDRAWS.search(other.text) or NO_KEEP.search(other.text) for other in later):
            return Hearing(closest=sentence.text, objection="You may have taken back your request.")
        request = sentence.text
        if _BARE.fullmatch(request) and number and spoken[number - 1].message == sentence.message:
            request = f"{spoken[number - 1].text} {request}"
        return Hearing(request, request)
    return Hearing(objection="You did not ask for a skill.")


def _is_denied(text: str) -> bool:
    """Whether the request itself is denied: what is behind it may deny anything."""
    clause = re.split(r"[,;:]|\bbut\b|\baber\b", text)[-2:]
    return NO_KEEP.search(text) is not None or NEGATIVE.search(clause[-1]) is not None
