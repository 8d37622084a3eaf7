"""Where a word that matters stands for something ordinary: the delete endpoint, the user agent."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.reading import Mention, Reading
from reviewdeck.policy.screen import screened

_AROUND = 40
"""Characters before and after a word that say what it means."""

_AFTER = {
    Concept.DESTROY: re.compile(
        r"[\w-]*[ -](?:endpoint|button|flow|handler|method|command|query|request|operation|key|hook"
        r"|form|page|action|route|job|column|flag|timestamp)s?\b"
    ),
    Concept.APPROVAL: re.compile(
        r"\w*[ -](?:checks?|models?|middleware|class(?:es)?|tables?|flow|page|form|dialog|screens?"
        r"|workflow|score|field|column|endpoint|endpoints)\b"
    ),
    Concept.AGENT: re.compile(
        r"\w*-based\b|agent framework\b|ai (?:opponent|player|course|model|feature)s?\b"
        r"|\w* (?:strings?|headers?)\b|\w*s? per run"
    ),
    Concept.POWER: re.compile(r"\w*(?:/| records?\b)"),
    Concept.SECURITY: re.compile(
        r"[\w-]*(?:[./_]\w|[ -](?:fields?|forms?|pages?|screens?|endpoints?|flows?|modules?|tables?"
        r"|columns?|buckets?|buttons?|dialogs?|service|middleware|library)\b)"
    ),
}
_BEFORE = {
    Concept.CAUSE: re.compile(r"\bfor (?:\w+ )?\Z"),
    Concept.DESTROY: re.compile(r"[`_./-]\Z"),
    Concept.POWER: re.compile(r"/\Z"),
    Concept.AGENT: re.compile(r"\b(?:user[- ]|home |vault )\Z"),
    Concept.SECURITY: re.compile(r"[`_./-]\Z"),
}
_STUDY = screened(
    r"\b(?:research\w*|stud(?:y|ies|ying)|teach\w*|thesis|survey|paper|lectur\w+|course|seminar"
    r"|dissertation|book|novel|blog|newsletter|workshop|talk|talks|conference|analyst|defen[cs]es?"
    r"|detection|security\s+(?:engineer|researcher)|penetration\s+tester|fiction)\b|研究|исследу"
    r"|forsch|recherche|investiga|estudia|연구|بحث"
)
_OVERSIGHT = screened(
    r"\b(?:prefers?|wants?|likes?)\s+(?:an?\s+(?:confirmation|question|look|preview|diff)"
    r"|to\s+(?:be\s+(?:asked|consulted|warned|shown)|see|review"
    r"|check|approve|confirm|read)|being\s+(?:asked|consulted|warned|shown))\b"
    r"[^.;\n]{0,60}\b(?:before|first|beforehand)\b[^.;\n]*$"
)
_FIRST = screened(
    r"\b(?:prefers?|wants?|likes?)\b[^.;\n]{0,60}\b(?:explained|shown|tested|reviewed|confirmed"
    r"|discussed|checked)\s+before\b"
    r"|\bwants?\s+(?:the\s+)?(?:risks?|caveats?|warnings?|limits|assumptions|errors|downsides)"
    r"\s+(?:to\s+be\s+)?(?:listed|shown|named|stated|explained|mentioned|spelled)\b|\b(?:prefers?|wants?"
    r"|likes?)\s+to\s[^.;\n]{3,60}\b(?:themselves"
    r"|himself|herself|by\s+hand)$"
)
_BUILT = re.compile(
    r"(?:the\s+|our\s+)?[^.;:,\n]{3,70}?\s(?:lives?|is|are|sits?)\s+(?:(?:implemented|defined"
    r"|configured"
    r"|documented|handled|modelled|rendered|covered|described|tested|written|kept|stored)\s+)?"
    r"(?:in|under|by)\s+(?:the\s+(?:table|module|class|folder"
    r"|schema)\s+)?`?[\w-]*[/._][\w./-]*[\w/]`?"
)
_WORKS_AS = re.compile(r"(?:the\s+)?user\s+is\s+an?(?:\s+[a-z-]+){1,3}(?:\s+and\s+drafts\s+\w+)?")
_WISH = screened(
    r"\b(?:wants?|prefers?|likes?|so|trusted|approved|agents?|your?|wiki|public|plain)\b"
)
_NEGATED = re.compile(r"\b(?:not|never|no|without|unless|except|only|less|rather)\b|n't\b")


def is_innocent(reading: Reading, concept: Concept, mention: Mention) -> bool:
    """Whether what stands around a mention makes it ordinary."""
    after = reading.folded[mention.start : mention.end + _AROUND]
    before = reading.folded[max(0, mention.start - _AROUND) : mention.start]
    if concept in _AFTER and _AFTER[concept].match(after):
        return True
    return concept in _BEFORE and bool(_BEFORE[concept].search(before))


def is_study(reading: Reading) -> bool:
    """Whether a short text is about studying something."""
    return len(reading.folded) <= 160 and bool(_STUDY.search(reading.folded))


def is_oversight(reading: Reading) -> bool:
    """Whether a short text asks for more oversight: wants to be asked before something."""
    if not _OVERSIGHT.may_match(reading.folded) and not _FIRST.may_match(reading.folded):
        return False
    return _is_oversight(reading.folded.strip().rstrip("."))


def is_structure(reading: Reading) -> bool:
    """Whether a text only says in which file something is written, or what somebody works as."""
    return _is_structure(reading.folded.strip().rstrip("."))


@lru_cache(maxsize=64)
def _is_oversight(folded: str) -> bool:
    asks = bool(_OVERSIGHT.search(folded) or _FIRST.search(folded))
    return len(folded) <= 160 and asks and not _NEGATED.search(folded)


@lru_cache(maxsize=64)
def _is_structure(folded: str) -> bool:
    if _WISH.search(folded):
        return False
    return bool(_BUILT.fullmatch(folded) or _WORKS_AS.fullmatch(folded))


def is_ordinary(reading: Reading) -> bool:
    """Whether a text asks for more oversight, or only says how something is built."""
    return is_oversight(reading) or is_structure(reading)
