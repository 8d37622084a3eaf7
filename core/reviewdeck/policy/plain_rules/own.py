"""Patterns of an operator, run by RE2: the time they take grows with the text alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast

from reviewdeck.model import MemoryAdd, Severity
from reviewdeck.policy.plain_rules.rule import MAX_FINDINGS, Effect, Hit, Rule, Subject

LONGEST = 1_000
"""Characters of a pattern."""
_MEMORY = 8 << 20
"""Bytes that one compiled pattern may take."""


class BadOwnPattern(ValueError):
    """A pattern that RE2 does not take."""


@dataclass(frozen=True, slots=True)
class OwnPattern:
    """A pattern from the operator's policy file. Raises BadOwnPattern where it cannot be read."""

    pattern: str
    effect: Effect = Effect.HOLD
    reason: str = ""
    """What the operator says about it."""

    def __post_init__(self) -> None:
        if len(self.pattern) > LONGEST:
            raise BadOwnPattern(f"a pattern has at most {LONGEST:,} characters")
        _compiled(self.pattern)


class _Match(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Compiled(Protocol):
    def finditer(self, text: str) -> Iterator[_Match]: ...


@lru_cache(maxsize=256)
def _compiled(source: str) -> _Compiled:
    import re2  # type: ignore[import-untyped]  # it ships no types

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return cast("_Compiled", re2.compile(source, options))
    except re2.error as error:
        said = error.args[0] if error.args else "it cannot be read"
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise BadOwnPattern(f"RE2 does not take the pattern: {reason}") from None


def _own(effect: Effect, subject: Subject) -> Iterator[Hit]:
    for own in subject.own:
        if own.effect is not effect:
            continue
        for piece in subject.pieces:
            # RE2 reads UTF-8, which has no halves of pairs; every character stays where it is.
            text = piece.text.encode("utf-8", "replace").decode("utf-8")
            for number, match in enumerate(_compiled(own.pattern).finditer(text)):
                if number == MAX_FINDINGS:
                    break
                yield Hit(own.reason or "A pattern of the operator.", piece, *match.span())


def _held(subject: Subject) -> Iterator[Hit]:
    return _own(Effect.HOLD, subject)


def _refused(subject: Subject) -> Iterator[Hit]:
    return _own(Effect.REFUSE, subject)


def _example(text: str, effect: Effect) -> Subject:
    return Subject(
        (MemoryAdd("memories/MEMORY.md", text),), own=(OwnPattern(r"(?i)\bmarzipan\b", effect),)
    )


RULES = (
    Rule(
        name="own-hold",
        effect=Effect.HOLD,
        severity=Severity.MEDIUM,
        reason="The operator wants to read what one of these patterns finds.",
        looks_at="added text",
        check=_held,
        hits=(_example("Likes marzipan.", Effect.HOLD),),
        misses=(_example("Likes tea.", Effect.HOLD), _example("Likes marzipan.", Effect.REFUSE)),
    ),
    Rule(
        name="own-refuse",
        effect=Effect.REFUSE,
        severity=Severity.HIGH,
        reason="The operator never wants what one of these patterns finds.",
        looks_at="added text",
        check=_refused,
        hits=(_example("Likes marzipan.", Effect.REFUSE),),
        misses=(_example("Likes tea.", Effect.REFUSE), _example("Likes marzipan.", Effect.HOLD)),
    ),
)
