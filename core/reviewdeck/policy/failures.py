"""Rules about what is said not to work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.reading import Reading
from reviewdeck.policy.rule import IN_MEMORY, Hit, Holds, LooksAt, Piece, Rule, in_text
from reviewdeck.policy.screen import screened
from reviewdeck.policy.signs import signed

_FAILS = screened(
    r"\bfails?\b(?!\s+(?:if|when|unless|on|below|under|fast|the\s+build|open|closed|over))"
    r"|\berror\s*:|\btraceback\b|\berrno\b|\bexit\s+code\s+[1-9]|\bflak(?:y|es)\s+on\s+this"
)
_QUALIFIED = re.compile(
    r"\b(?:if|when|while|unless|until|without|with|because|since|as|so|use|uses|instead|need\w*|after"
    r"|before|above|below|than|near|on|wenn|weil|ohne|mit|sans|quand|car|sin|con|cuando|porque|senza"
    r"|quando|sem|bez|zonder|als)\b|[;→]|->"
)
"""What makes more of it than that something does not work: a condition, a cause, a way out."""
_SENTENCE = re.compile(r"[^.!?。]+")
_ONLY = 12
"""Words of a sentence that says no more."""


@signed(Concept.FAILURE, _FAILS)
def _failures(piece: Piece) -> Iterator[Hit]:
    reading = piece.reading
    for mention in reading.all(Concept.FAILURE):
        yield Hit("It says that something does not work.", reading.span(mention.start, mention.end))
    for found in _FAILS.finditer(reading.folded):
        yield Hit("It says that something fails.", reading.span(*found.span()))


@signed(Concept.FAILURE, _FAILS)
def _given_up(piece: Piece) -> Iterator[Hit]:
    reading = piece.reading
    for found in _SENTENCE.finditer(reading.folded):
        if _says_only(reading, *found.span()):
            yield Hit(
                "It says that something does not work, and no more.", reading.span(*found.span())
            )


def _says_only(reading: Reading, start: int, end: int) -> bool:
    said = reading.folded[start:end]
    fails = _FAILS.search(said) or any(
        start <= mention.start < end for mention in reading.all(Concept.FAILURE)
    )
    return bool(fails) and len(said.split()) <= _ONLY and _QUALIFIED.search(said) is None


RULES = (
    Rule(
        name="failure",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="A failure of one day, remembered, keeps the agent from trying again.",
        check=in_text(IN_MEMORY, _failures),
        hits=(
            "browser tools do not work on this machine.",
            "git: command not found",
            "Docker funktioniert nicht.",
        ),
        misses=("CI fails if coverage drops below 90 %.", "Works from Berlin."),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="given-up",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="An agent that reads that a tool does not work never tries it again.",
        check=in_text(IN_MEMORY, _given_up),
        hits=("browser tools do not work.", "git: command not found", "Docker funktioniert nicht."),
        misses=(
            "The build fails without libxml2; install it first.",
            "Tests are run before review.",
        ),
    ),
)
