"""Where a text only quotes words, or tells of them: they are for a person, but no attack by it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
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
    r"|dialogue|quot(?:e|es|ed|ing|ation)|plays?|novels?|films?|lyrics|chapters?|villains?|wizards?|glossary"
    r"|spam|marked|lures|(?:last|first|favou?rite)\s+line|motto|workshop|sentences?\s+(?:such|like)|text\s+like"
    r"|slides?|jokes?|aimed\s+at|counted\s+as|classified|flagged|beispiele?|exemples?|ejemplos?|esemp[io]+|exemplos?"
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
_NOT_LIVED_BY = re.compile(
    r"\b(?:must\s+(?:not|never|recogni[sz]e|catch|detect|flag|block|reject|spot"
    r"|be\s+(?:classified|flagged|blocked|refused|rejected|detected|caught))"
    r"|(?:\w+n['’]t|not|never|nobody)\s+(?:follow|obey|apply|execute|act\s+on|honou?r)s?)\b",
    re.IGNORECASE,
)
"""What such words say of a specimen that is watched for."""
_NEXT_SENTENCE = re.compile(r"[.!?]\s")
_CARRIED_OUT = re.compile(
    r"\bcarr(?:y|ies|ied)\s+(?:(?:it|them|this|these)\s+)?out\b", re.IGNORECASE
)


def told(look: Signed[Piece, Hit]) -> Signed[Piece, Hit]:
    """The same check, that only holds what a text quotes as a specimen."""
    return Signed(
        lambda piece: (weighed(hit, is_quoted(piece.text, hit.span)) for hit in look(piece)),
        look.signs,
    )


def weighed(hit: Hit, is_told: bool) -> Hit:
    """What is found, as something that only holds where it is told of."""
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
    if span.start < start or end <= span.start or not _ends_there(text, end, span.end):
        return False
    beside = (text[max(0, start - _AROUND) : start], text[end : end + _AROUND])
    if _LIVED_BY.search(_NOT_LIVED_BY.sub("", beside[0])) or _is_carried_out(text):
        return False
    return any(_TOLD_OF.search(part) for part in beside)


def _ends_there(text: str, quoted: int, found: int) -> bool:
    """Whether it ends with the quotation, or draws on words of another sentence."""
    return found <= quoted or bool(_NEXT_SENTENCE.search(text, quoted, found))


@lru_cache(maxsize=16)
def _quotations(text: str) -> Sequence[tuple[int, int]]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[tuple[int, int]]:
    for found in _QUOTED.finditer(text):
        yield found.span()


@lru_cache(maxsize=16)
def _is_carried_out(text: str) -> bool:
    return bool(_CARRIED_OUT.search(text))
