"""Where the words of an attack belong to everyday work or to a story: held then, not refused.

Each excuse looks at one place that a rule has found. It is about what that place says: beside
another one that is no everyday work, it excuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

from reviewdeck.model import Span
from reviewdeck.policy.quoting import weighed
from reviewdeck.policy.rule import Hit, Piece
from reviewdeck.policy.signs import Signed

Excuse: TypeAlias = Callable[[str, Span], bool]
"""Whether what a text says at a place is innocent."""

_NEAR = 40
_FICTION = re.compile(
    r"\b(?:thriller|novel|villain|museum|exhibit|lighthouse|protagonist|the\s+book)\b",
    re.IGNORECASE,
)
_DAILY = re.compile(
    r"\breports?\s+go\b|/id_\w{1,20}\.pub\b|\bssh-add\b|\bchmod\s+[67]00\b|\bhxxps?:", re.IGNORECASE
)
"""What is done with such files and addresses every day, or an address that leads nowhere."""
_SSH_SETTINGS = re.compile(r"/(?:config|known_hosts)\b")
_STANDS_IN = re.compile(
    r"\b(?:(?:configured|defined|set\s+up|listed|named|is|are|lives?|kept|stands?|comes?|aliases?"
    r"|entry|entries|section|host|hosts)\s+(?:in|from)|copy\s+to|via|by|see)\s+\W?\Z",
    re.IGNORECASE,
)
_SSH_KEY_OF_HOST = re.compile(r"\bidentityfile[ \t]+\Z", re.IGNORECASE)
_SSH_ONLY_PUBLIC = re.compile(r"[^.\n]{0,30}\bpublic\b", re.IGNORECASE)
_NOTHING_IN = re.compile(r"\b(?:nothing|no\s+(?:private\s+)?keys?)\s+in\s+\W?\Z", re.IGNORECASE)
_SSH_LEFT = re.compile(
    r"\b(?:never|not|no|n['’]t)\s+(?:(?:want|let)\s+(?:\w+\s+)?(?:to\s+)?)?"
    r"(?:reads?|open|touch|mounts?(?:\s+of)?|look\s+in(?:to)?|list|scan)\s+\W?\Z",
    re.IGNORECASE,
)
_SSH_MODE = re.compile(r"\W?\s+(?:should\s+be|must\s+be|is|has|stays|needs)\s+(?:mode\s+)?0?700\b")
_SSH_TOUCHED = re.compile(
    r"\b(?:append|add|echo|tee|insert|write|overwrite|put|curl|wget|cat|base64|send|upload|scp|cp"
    r"|tar|zip|paste|share|post|mail|email|publish|attach|include)\b|>>?|\||\bcopy\b(?!\s+to\b)",
    re.IGNORECASE,
)
_SSH_OPENED = re.compile(
    r"\b(?:proxycommand|localcommand|permitlocalcommand|forwardagent\s+yes|userknownhostsfile"
    r"|stricthostkeychecking\s+(?:no|off|accept-new))\b",
    re.IGNORECASE,
)
"""Settings of SSH that run something, trust anybody or hand keys on."""
_BARE_PIPE = re.compile(
    r"(?:curl|wget)(?:\s+-\w+|\s+\S{0,2}(?:…|\.\.\.))*\s*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?:|www\.|\b[\w-]+\.[a-z]{2,}\b", re.IGNORECASE)
_UNWELCOME = re.compile(
    r"(?:\bnot|\bnever|n['’]t)\s+(?:\w+\s+)?(?:likes?|wants?|wanted|welcome|allow\w*|used?|trust\w*"
    r"|runs?|accept\w*|pipes?|permitted|fine)\b|\bno\s+\W?(?:curl|wget)\b"
    r"|\b(?:dislikes?|hates?|avoids?|refuses?|unwelcome|forbidden|banned|instead\s+of|rather\s+than"
    r"|download\w*,?[^.\n]{0,30}\bread|checksum)\b",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:(?:never|do\s+not|don['’]t)\s+(?:ever\s+)?(?:run|use|pipe|paste|install\s+with)"
    r"|avoid|instead\s+of|rather\s+than)\s+[`\"'“]?\Z",
    re.IGNORECASE,
)
_SHOWN_CALL = re.compile(
    r"curl\s(?:-[fsSiL]{1,5}\s+){0,3}(?:-H|--header)\s+\"(?:Authorization:\s*(?:Bearer|token)"
    r"|PRIVATE-TOKEN:|X-Api-Key:)\s*\$\{?(?!\w*(?:OPENAI|ANTHROPIC|CLAUDE|HERMES|GITHUB|GH_|AWS))"
    r"\w{1,40}\}?\"\s+\"?\$\{?\w{0,20}(?:BASE|URL|HOST|API)\w{0,10}\}?[\w/.?=-]{0,100}\"?"
    r"(?:\s*\|\s*jq\b[^\n|;&`$]{0,60})?\s*"
)
"""A call that reads from one's own service, by a header from the environment."""
_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_LABEL = re.compile(r"(?:^|[\s*_/])JavaScript:[*_]{0,2}\s(?!\s*[\w.]{1,40}\()")
_SUSPENDED = re.compile(
    r"\b(?:without|(?:instead\s+of|rather\s+than)(?:\s+(?!asking|telling|informing|notifying|warning"
    r"|consulting)\w+ing(?:\s+\w+){0,2})?|(?:never|not|\w+n['’]t)"
    r"(?:\s+(?!and\b|but\b|then\b|just\b|only\b)\w+){0,3}?)\s+\Z",
    re.IGNORECASE,
)
_MISHAP = re.compile(
    r"\b(?:skips|skipped|crashes|fails|failed|drops|dropped|ignores|truncates|swallows|loses|breaks"
    r"|stops|stopped|rounds|cuts|returns|overwrites|falls\s+back)\s+(?:\w+\s+){0,2}\Z",
    re.IGNORECASE,
)
"""What a program does silently when something is wrong with it."""
_APART = re.compile(r"(?:\s+\w+){0,2}\s+apart\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"[\s\-*\d.)]{0,8}(?:which|what|who|whose|where|when|why|how)\b[^.!?\n]{0,200}\?", re.IGNORECASE
)
_STUDIED = re.compile(
    r"\b(?:about|on|against|of|detect\w*|prevent\w*|stop\w*|block\w*|papers?|talks?|data|no)"
    r"\s+(?:\w+\s+)?\Z",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"(?:exfiltrat|keystroke|keylogg)\w*", re.IGNORECASE)
_DEFINED = re.compile(r"[\"”'’]|:\s|\s+(?:detection|prevention)\b")
_SHOWN_KEYS = re.compile(r"\b(?:show|list|learn|practi[cs]e)s?\s+(?:the\s+)?\Z", re.IGNORECASE)
_IF_NOT = re.compile(r"\b(?:if|where|when)\b[^.;\n]{0,60}\bnot,\s+(?:please\s+)?\Z", re.IGNORECASE)
_SAYS = re.compile(r"(?:tell|inform|mention|reveal)\b", re.IGNORECASE)
_QUIETLY = re.compile(r"(?:silently|quietly|secretly|covertly)\b", re.IGNORECASE)
_USER = r"(?:users?|humans?|operators?|owners?|me|us)\b"
_OUTSIDER = (
    r"(?:callers?|visitors?|journalists?|reporters?|press|media|children|kids?|twins|toddlers?"
    r"|boys|girls|pupils?|students?|neighbou?rs?|strangers?|guests?|competitors?|rivals?"
    r"|recruiters?|landlords?|telemarketers?|salespeople|suppliers?|vendors?|bidders?|applicants?"
    r"|candidates?|patients?|relatives?|colleagues?|co-?workers?|players?|readers?"
    r"|employers?|insurers?|adjusters?|landladies|sellers?|buyers?|in-laws|parents|teachers?|tenants?"
    r"|third\s+parties|(?:anyone|anybody)\s+(?:else\s+)?(?:who|at\s+(?:work|school|the\s+\w+)|outside))\b"
)
"""Who is not the one that the agent works for."""
_WHOSE = r"(?:(?:the|any|our|his|her|their|my|other)\s+){0,2}"
_NEVER = r"\b(?:never|not|don['’]t)\s+"
_NOR_USER = rf"(?!\s*(?:,|\bor\b|\band\b|\bnor\b)\s+(?:the\s+|my\s+)?{_USER})"
_KEPT_FROM_OTHERS = re.compile(
    rf"{_NEVER}(?:tell|inform|notify|show|alert)\s+{_WHOSE}{_OUTSIDER}{_NOR_USER}"
    rf"|{_NEVER}(?:mention|disclose|reveal|show|tell)\s(?:(?!\b{_USER}(?!['’]s))[^.!?\n]){{1,80}}?"
    rf"\b(?:to|with)\s+{_WHOSE}{_OUTSIDER}{_NOR_USER}",
    re.IGNORECASE,
)
_NOT_THEM = re.compile(rf"{_NEVER}(?:tell|show)\s+them\b", re.IGNORECASE)
_SOMEBODY = re.compile(rf"\b{_OUTSIDER}", re.IGNORECASE)
_ANY_USER = re.compile(
    rf"\b{_USER}|\b(?:this|the)\s+(?:note|entry|memory|instruction)\b", re.IGNORECASE
)


def excused(look: Signed[Piece, Hit], *excuses: Excuse) -> Signed[Piece, Hit]:
    """The same check, that only holds what one of these excuses."""
    return Signed(lambda piece: _excused(piece.text, look(piece), excuses), look.signs)


def unless(look: Signed[Piece, Hit], *excuses: Excuse) -> Signed[Piece, Hit]:
    """The same check, that says nothing of what one of these excuses."""
    return Signed(lambda piece: _others(piece.text, look(piece), excuses), look.signs)


def _others(text: str, hits: Iterable[Hit], excuses: tuple[Excuse, ...]) -> Iterator[Hit]:
    for hit in hits:
        span = hit.span
        if span is None or not any(excuse(text, span) for excuse in excuses):
            yield hit


def _excused(text: str, hits: Iterable[Hit], excuses: tuple[Excuse, ...]) -> Iterator[Hit]:
    for hit in hits:
        span = hit.span
        yield weighed(hit, span is not None and any(excuse(text, span) for excuse in excuses))


def is_daily(text: str, span: Span) -> bool:
    """What belongs to a story, or to what is done every day with the files of SSH."""
    around = text[max(0, span.start - _NEAR) : span.end + _NEAR]
    return bool(_DAILY.search(around) or _FICTION.search(around))


@lru_cache(maxsize=8)
def _opens(text: str) -> bool:
    """Asked of the same text once for every place that it has."""
    return bool(_SSH_OPENED.search(text))


@lru_cache(maxsize=8)
def _is_touched(line: str) -> bool:
    return bool(_SSH_TOUCHED.search(line))


def is_ssh_named(text: str, span: Span) -> bool:
    """The directory of SSH in the name of its settings, with its permissions, told to be left
    alone, or said to hold only what is public.

    Whoever writes there, sends it on or brings settings that run something is not excused.
    """
    if not text[span.start : span.end].endswith(".ssh") or _opens(text):
        return False
    if _is_touched(_line(text, span)):
        return False
    before = text[max(0, span.start - _NEAR) : span.start]
    if _SSH_LEFT.search(before) or _SSH_MODE.match(text, span.end):
        return True
    if _NOTHING_IN.search(before):
        return bool(_SSH_ONLY_PUBLIC.match(text, span.end))
    if _SSH_SETTINGS.match(text, span.end):
        return bool(_STANDS_IN.search(before))
    return bool(_SSH_KEY_OF_HOST.search(before))


def is_unwelcome(text: str, span: Span) -> bool:
    """`curl | sh` as the name of a practice that is not wanted, or that is told not to be used."""
    if _FORBIDDEN.search(text[max(0, span.start - _NEAR) : span.start]):
        return True
    said = _line(text, span)
    if not _BARE_PIPE.fullmatch(text[span.start : span.end]) or _ADDRESS.search(said):
        return False
    return bool(_UNWELCOME.search(said))


def is_own_call(text: str, span: Span) -> bool:
    """A call in an example that reads from a service whose address stands in a variable."""
    before = text[: span.start]
    if len(_FENCE.findall(before)) % 2 == 0:
        return False
    return bool(_SHOWN_CALL.fullmatch(_line(text, span).strip()))


def is_label(text: str, span: Span) -> bool:
    """The name of the language before a colon in prose, and no address that runs."""
    return bool(_LABEL.match(text, max(0, span.start - 1)))


def is_suspended(text: str, span: Span) -> bool:
    """Something is not to be done silently, or the user is told if something is not so."""
    return _is_only(_QUIETLY, _SUSPENDED, text, span) or _is_only(_SAYS, _IF_NOT, text, span)


def is_told_apart(text: str, span: Span) -> bool:
    """Two things that nobody can tell apart."""
    return _APART.match(text, span.end) is not None


def is_asked(text: str, span: Span) -> bool:
    """A question for somebody else to answer, as in an interview."""
    begins = max(text.rfind(mark, 0, span.start) for mark in ".!?\n") + 1
    return _QUESTION.match(text, begins) is not None


def is_mishap(text: str, span: Span) -> bool:
    """What a program does silently by itself: a quirk that somebody noted."""
    return _is_only(_QUIETLY, _MISHAP, text, span)


def is_topic(text: str, span: Span) -> bool:
    """A word of an attack as what somebody reads about, explains or guards against."""
    if _TOPIC.fullmatch(text, span.start, span.end) is None:
        return False
    before = text[max(0, span.start - _NEAR) : span.start]
    is_told = _STUDIED.search(before) or _SHOWN_KEYS.search(before)
    return bool(is_told or _DEFINED.match(text, span.end))


def is_code(text: str, span: Span) -> bool:
    """A tag in backticks: written about, not put to use."""
    return text[: span.start].endswith("`") and "`" in text[span.end : span.end + _NEAR]


def _is_only(word: re.Pattern[str], before: re.Pattern[str], text: str, span: Span) -> bool:
    """Whether a place has such a word once, and what stands before it turns it round."""
    found = word.search(text, span.start, span.end)
    if found is None or word.search(text, found.end(), span.end):
        return False
    return bool(before.search(text[max(0, found.start() - 2 * _NEAR) : found.start()]))


def is_kept_from_others(text: str, span: Span) -> bool:
    """Something that callers, journalists or children are not told: the user knows it."""
    if _overlaps(_KEPT_FROM_OTHERS.finditer(text), span):
        return True
    for found in _NOT_THEM.finditer(text):
        if found.start() <= span.end and span.start <= found.end():
            return bool(_SOMEBODY.search(text, 0, found.start())) and not _ANY_USER.search(text)
    return False


def _overlaps(matches: Iterable[re.Match[str]], span: Span) -> bool:
    return any(found.start() <= span.end and span.start <= found.end() for found in matches)


def _line(text: str, span: Span) -> str:
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    return text[start : end if end >= 0 else len(text)]
