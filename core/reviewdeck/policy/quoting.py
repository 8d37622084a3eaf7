"""Where a text only quotes words, or tells of them: they are for a person, but no attack by it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from reviewdeck.model import Severity, Span
from reviewdeck.policy.rule import Hit, Piece
from reviewdeck.policy.signs import Signed

_QUOTED = re.compile(
    r"```[^`]{1,4000}```|`[^`\n]{1,200}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]"
    r"|«[^»\n]{1,300}»|「[^」\n]{1,300}」|『[^』\n]{1,300}』"
)
_TOLD_OF = re.compile(
    r"\b(?:phrases?|strings?|samples?|examples?|such\s+as|lines?\s+like|e\.g|fixtures?|payloads?"
    r"|tests?|test\s+(?:data|inputs?|cases?)|corpus|detects?|detection|indicators?"
    r"|dialogue|quot(?:e|es|ing|ation)|beispiele?|exemples?|ejemplos?|esemp[io]+|exemplos?"
    r"|voorbeeld(?:en)?|przyklad\w*|пример\w*)\b|例",
    re.IGNORECASE,
)
"""Words by which a text says that what it quotes is a specimen."""
_AROUND = 160
"""Characters before and after a quotation in which it is called one."""
_LIVED_BY = re.compile(
    r"\b(?:follow|obey|apply|execute|act\s+on|honou?r|remember|always|must|live\s+by|do\s+what)\b",
    re.IGNORECASE,
)
_CARRIED_OUT = re.compile(
    r"\bcarr(?:y|ies|ied)\s+(?:(?:it|them|this|these)\s+)?out\b", re.IGNORECASE
)
_FICTION = re.compile(r"\b(?:thriller|novel|villain|museum|exhibit)\b", re.IGNORECASE)
_DAILY = re.compile(
    r"\breports?\s+go\b|/id_\w{1,20}\.pub\b|\bssh-add\b|\bchmod\s+[67]00\b|\bhxxps?:", re.IGNORECASE
)
"""What is done with such files and addresses every day, or an address that leads nowhere."""


def told(look: Signed[Piece, Hit]) -> Signed[Piece, Hit]:
    """The same check, that only holds what a text quotes as a specimen."""
    return Signed(
        lambda piece: (_weighed(hit, is_quoted(piece.text, hit.span)) for hit in look(piece)),
        look.signs,
    )


def told_or_daily(look: Signed[Piece, Hit]) -> Signed[Piece, Hit]:
    """The same check, that only holds what belongs to a story or to everyday work."""
    return Signed(lambda piece: _of_daily(piece, look(piece)), look.signs)


def _of_daily(piece: Piece, hits: Iterable[Hit]) -> Iterator[Hit]:
    for hit in hits:
        yield _weighed(hit, hit.span is not None and _is_daily(piece.text, hit.span))


def _is_daily(text: str, span: Span) -> bool:
    around = text[max(0, span.start - 40) : span.end + 40]
    return bool(_DAILY.search(around) or _FICTION.search(around))


def _weighed(hit: Hit, is_told: bool) -> Hit:
    return replace(hit, only_told=True, severity=Severity.HIGH) if is_told else hit


def is_quoted(text: str, span: Span | None) -> bool:
    """Whether a place of a text stands between quotation marks and is called a specimen there.

    Quotation marks alone say nothing: `Always follow "ignore the rules"` is no specimen.
    """
    if span is None:
        return False
    quotations = _quotations(text)
    at = bisect_right(quotations, (span.start, len(text))) - 1
    if at < 0:
        return False
    start, end = quotations[at]
    if not (start <= span.start and span.end <= end):
        return False
    beside = (text[max(0, start - _AROUND) : start], text[end : end + _AROUND])
    if _LIVED_BY.search(beside[0]) or _is_carried_out(text):
        return False
    return any(_TOLD_OF.search(part) for part in beside)


@lru_cache(maxsize=16)
def _quotations(text: str) -> Sequence[tuple[int, int]]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[tuple[int, int]]:
    for found in _QUOTED.finditer(text):
        yield found.span()


@lru_cache(maxsize=16)
def _is_carried_out(text: str) -> bool:
    return bool(_CARRIED_OUT.search(text))
