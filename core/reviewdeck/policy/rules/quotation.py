"""Attacks that a text quotes or tells of, rather than orders: they are held, and not refused."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from reviewdeck.model import Severity
from reviewdeck.policy.rules.reach import ahead_of, behind
from reviewdeck.policy.rules.rule import AddedText
from reviewdeck.text.lazy import regex

_LETTER: Final = r"[^\W\u3040-\uffff]"
"""One of a script with spaces: other scripts have no space before a quotation."""
_QUOTATION: Final = regex(
    r"(?P<code>(?<!`)(?P<ticks>`{1,3})(?!`)(?:(?!(?P=ticks))(?:.|\n(?!\s*\n))){1,600}(?P=ticks)(?!`))"
    rf"|(?<!{_LETTER})(?<!\")\"(?=[^\s\"])[^\"\n]{{1,600}}(?<=\S)\"(?!{_LETTER}|\")"
    r"|(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){1,600}(?<=\S)'(?![\w'])"
    r"|“[^“”„\n]{1,600}”|„[^“”„\n]{1,600}[“”]|«[^«»\n]{1,600}»|‘(?:[^‘’\n]|(?<=\w)’(?=\w)){1,600}’"
)
"""A quotation within one line, from its opening mark to its closing one."""
_ATTACKER: Final = (
    r"(?:attackers?|adversar(?:y|ies)|hackers?|threat actors?|scammers?|phishers?|malware"
    r"|intruders?|(?:malicious|hostile|injected|poisoned|compromised) \w+|angreifer\w*"
    r"|attaquants?|atacantes?)"
)
_ATTRIBUTED: Final = regex(
    rf"\b(?:{_ATTACKER}|(?:prompt[- ])?injections?|injected|jailbreaks?|malicious|hostile|untrusted"
    r"|phishing|social engineering|red flags?|attack (?:phrases?|strings?|texts?|patterns?|prompts?"
    r"|examples?))\b",
    re.IGNORECASE,
)
"""Who says it: somebody against whom the text defends."""
_ITS: Final = (
    r"(?:it|that|this|them|these|those|such|any|all|every|texts?|phrases?|contents?|requests?"
    r"|messages?|attempts?|wordings?|instructions?|orders?|pages?|entries|entry|anything)"
)
_REFUSED: Final = regex(
    r"\b(?:report|flag|refuse|reject|quarantine|escalate|block|detect)s?"
    rf" (?:\w+ ){{0,2}}?{_ITS}\b(?! (?:as )?(?:important|urgent|done|approved|safe|trusted))"
    r"|\b(?:is|are|be) (?:reported|flagged|refused|rejected|quarantined|blocked)\b"
    r"|\bwants? (?:it|them|that|this|such \w+) (?:reported|flagged|refused|rejected)\b"
    r"|\b(?:do not|don't|never|must not|should not|not to) (?:follow|obey|comply|act on)\b"
    r"|\btreat (?:it|them|this|that|these|such \w+) as (?:data|untrusted|hostile|suspicious"
    r"|an? attack|an? (?:prompt )?injection)\b"
    r"|\b(?:is|are) (?:data|an? (?:\w+ )?(?:attack|injection))\b|\bnot (?:an order|orders)\b"
    r"|\bwarn the user\b|\bmelde\w* (?:es|das)\b",
    re.IGNORECASE,
)
"""How the text meets it."""
_OBEYED: Final = regex(
    r"\b(?:follow(?:ing)?|obey(?:ing)?|comply(?:ing)?|execute|apply|do (?:so|it|this|that|exactly"
    r"|as)|carry (?:it )?out|act on|perform|adopt|memori[sz]e|remember|befolge\w*)\b",
    re.IGNORECASE,
)
_NOT: Final = regex(
    r"\b(?:not|never|cannot|without|no|nobody|refuse to|instead of|rather than|avoid|nicht)"
    r"\W+(?:\w+\W+){0,3}\Z|n['’]t\W+(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
_NEXT: Final = regex(
    rf"\W*(?:report|refuse|reject|flag) {_ITS}\b|\W*(?:do not|don't|never) (?:follow|obey|comply"
    r"|act on)\b",
    re.IGNORECASE,
)
"""The sentence behind a quotation, where it says how to meet it."""
_TOLD: Final = regex(
    rf"\b{_ATTACKER} (?:\w+ ){{0,3}}?(?:(?:could|can|may|might|would|will|often|then|tr(?:y|ies) to"
    r"|attempts? to|wants? to|who|that|to) (?:(?!you\b)[\w'’]+ ){0,4})?\W{0,2}\Z"
    rf"|\b{_ATTACKER} (?:\w+ ){{0,3}}?(?:tells?|asks?|instructs?|tricks?|gets?|makes?|convinces?)"
    r" (?:[\w'’]+ ){1,5}(?:to |into )?\W{0,2}\Z",
    re.IGNORECASE,
)
_TOLD_BY_CONTENT: Final = regex(
    r"\b(?:when(?:ever)?|if|any|every|an?|that|which|never|not|texts?|content)\b"
    r" (?:[\w'’/-]+ ){0,6}?(?:pages?|sites?|documents?|files?|e?-?mails?|messages?|texts?|contents?"
    r"|comments?|issues?|outputs?|results?|someone|somebody|anyone|anything|inputs?|repl(?:y|ies)"
    r"|attachments?|skills?|posts?|it|they|that|which) (?:\w+ ){0,2}?(?:says?|tells?|asks?"
    r"|tr(?:y|ies)|attempts?|instructs?|claims?|wants?|orders?|demands?|requests?|saying|telling"
    r"|asking|trying|instructing) (?:(?:you|the agent|the assistant|the model|the user|an agent) )?"
    r"(?:to |that )?\W{0,2}\Z",
    re.IGNORECASE,
)
_NAMED: Final = regex(
    rf"{_ATTACKER}(?: (?:could|can|may|might|would|will|often|tr(?:y|ies) to))? "
    r"|(?:prompt )?(?:injections?|jailbreaks?)(?: (?:texts?|phrases?|attempts?|strings?))?\s*"
    r"(?:such as|like|for example|e\.g\.|including|[:,(])?\s*(?=[\"'`“„«‘])",
    re.IGNORECASE,
)
"""The name of an attack in front of its words, which is not one of them."""
_END: Final = regex(r"[.!?。！？](?=\s|\Z)|\n\s*\n|[。！？]")
_REACH: Final = 300


@lru_cache(maxsize=16)
def _quotations(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """Where the quotations of a text begin, and where they end."""
    spans = [match.span() for match in _QUOTATION.finditer(text)]
    return [start for start, _ in spans], [end for _, end in spans]


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether these characters stand within one quotation or one piece of inline code, or in
    several that nothing parts.
    """
    starts, ends = _quotations(text)
    at, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    if at < 0 or start >= ends[at] or end > ends[last]:
        return False
    return at == last or _says_nothing(_unquoted(text[starts[at] : ends[last]]))


def is_merely_quoted(piece: AddedText, start: int, end: int) -> bool:
    """Whether a skill quotes these words, and its sentence has nobody do what they say."""
    if piece.is_memory:
        return False
    if not is_quoted(piece.text, start, end):
        starts, ends = _quotations(piece.text)
        last = bisect_right(starts, end - 1) - 1
        if last < 0 or end > ends[last] or " " not in piece.text[starts[last] : end]:
            return False  # else only what introduces it stands outside
    return not _is_obeyed(
        f"{sentence_before(piece.text, start)} … {sentence_after(piece.text, end)}"
    )


def severity_told(piece: AddedText, start: int, end: int) -> Severity | None:
    """How grave an attack is that a text only quotes or tells of; None where it is an order.

    Medium where the words stand in a quotation whose sentence names an attacker, or says to refuse
    them. High where a sentence without quotation marks says that of an attack. No word of defence
    near an order counts.
    """
    text, lead = piece.text, piece.context.partition("\n")[2]
    if named := _NAMED.match(text, start, end):
        start = named.end()
    if piece.is_fenced:
        is_attackers = _TOLD.search(sentence_before(text, start)) is not None
        return Severity.HIGH if is_attackers or _introduces(lead) else None
    if piece.is_code:
        return None
    starts, ends = _quotations(text)
    at, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    if at >= 0 and start < ends[at] and end <= ends[last]:
        return _severity_quoted(piece, starts[at], ends[last])
    return _severity_around(sentence_before(text, start), sentence_after(text, end))


@lru_cache(maxsize=1024)
def _severity_around(before: str, after: str) -> Severity | None:
    """The same by the words of the sentence around an attack that nothing quotes."""
    if _is_obeyed(after):
        return None
    is_told = _TOLD.search(before) is not None
    if not is_told and _TOLD_BY_CONTENT.search(before):
        is_told = _REFUSED.search(f"{before} | {after}") is not None
    return Severity.HIGH if is_told else None


def _severity_quoted(piece: AddedText, start: int, end: int) -> Severity | None:
    before, after = sentence_before(piece.text, start), sentence_after(piece.text, end)
    around = f"{before} … {after}"
    if _is_obeyed(around):
        return None
    if _ATTRIBUTED.search(around) or _REFUSED.search(around):
        return Severity.MEDIUM
    heading, _, lead = piece.context.partition("\n")
    if _says_nothing(around):
        if _introduces(lead):
            return Severity.MEDIUM
        return Severity.HIGH if _ATTRIBUTED.search(heading) else None
    is_quoted_of = _TOLD_BY_CONTENT.search(before) and _NEXT.match(piece.text, end)
    return Severity.MEDIUM if is_quoted_of else None


def _says_nothing(around: str) -> bool:
    """Whether an item or a cell is nothing but quotations."""
    return not re.search(r"\w", re.sub(r"\b(?:or|and|e\.g)\b", "", around))


def _introduces(lead: str) -> bool:
    """Whether a sentence with a colon says that what follows are attacks."""
    last = ahead_of(lead, len(lead), _REACH).rstrip(" \n*_")
    if not last.endswith((":", "：")):
        return False
    said = sentence_before(last, len(last))
    is_named = _ATTRIBUTED.search(said) or _REFUSED.search(said)
    return is_named is not None and not _is_obeyed(said)


_FOLLOWED: Final = regex(
    r"\b(?:follow|obey|comply with|carry out|act (?:up)?on|execute|do|befolge\w*|tue?|mache?),?\s+"
    r"(?:(?:exactly|precisely|just|only|all|everything|genau)\s+(?:of\s+)?)*"
    r"(?:(?:this|these|it|the|das|die|diese[nms]?)(?:\s+(?:following|next|new|real|text|block|box|fence"
    r"|prompt|orders?|instructions?|directives?|steps?|below|here|now|exactly|to the letter|hier"
    r"|folgende\w*|anweisung\w*|befehl\w*))*\s*\Z"
    r"|(?:what|whatever|as|was)\b[^.:;]{0,40}?\b(?:says?|tells?|reads?|stands|follows?|written|below|steht"
    r"|sagt|folgt)\b)",
    re.IGNORECASE,
)
"""What has the reader do what stands below."""


def is_followed(piece: AddedText) -> bool:
    """Whether what introduces a fence has the reader do what stands in it: the heading above it,
    or the last sentence of the paragraph or item in front of it.
    """
    heading, _, lead = piece.context.partition("\n")
    return piece.is_fenced and any(map(_has_follow, (heading, lead)))


@lru_cache(maxsize=64)
def _has_follow(lead: str) -> bool:
    """Whether these words, right in front of it, do."""
    last = ahead_of(lead, len(lead), _REACH).rstrip(" \n*_.:：!#")
    said = sentence_before(last, len(last))
    match = _FOLLOWED.search(said)
    return match is not None and not (
        _NOT.search(said, 0, match.start()) or _TOLD.search(said, 0, match.start())
    )


def _is_obeyed(around: str) -> bool:
    """Whether the sentence has the reader do what is quoted."""
    return any(
        not _NOT.search(around, max(0, match.start() - 40), match.start())
        for match in _OBEYED.finditer(around)
    )


@lru_cache(maxsize=1024)
def _unquoted(text: str) -> str:
    """A text with a mark in the place of each quotation; kept, since a text may repeat itself."""
    return _QUOTATION.sub("…", text)


def sentence_before(text: str, at: int) -> str:
    """The words of the sentence before a place, but for those of other quotations."""
    said = _unquoted(ahead_of(text, at, _REACH))
    ends = [match.end() for match in _END.finditer(said)]
    return said[ends[-1] if ends else 0 :]


def sentence_after(text: str, at: int) -> str:
    """The words of the sentence behind a place, and of the next one where it says to refuse."""
    said = _unquoted(behind(text, at, _REACH))
    ended = text[max(0, at - 2) : at - 1] in (".", "!", "?") and re.match(r"\s+[A-Z]", said)
    match = _END.search(said)
    end = 0 if ended else match.end() if match else len(said)
    following = _NEXT.match(said, end)
    return said[: following.end()] if following else said[:end]
