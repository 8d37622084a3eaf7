"""Rules about single values: links, hosts and addresses that the home does not know, and secrets.

A finding never repeats a secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import in_words
from reviewdeck.policy.rules.rule import (
    AddedText,
    Hit,
    InPieces,
    KnownToHome,
    Rule,
)
from reviewdeck.policy.rules.vocabulary import vocabulary
from reviewdeck.text.redact import cover, secret_places
from reviewdeck.text.secret_forms import Searched, find_secrets, lower

_LINK = re.compile(
    r"(?<![\w+.-])(?:[a-z][a-z0-9+.-]{1,20}://|www\d?\.|mailto:|hxxps?:"
    r"|//(?=[\w-]{1,40}\.[\w.-]{0,80}/))"
    r"[^\s<>\"'`)\]}|]+",
    re.IGNORECASE,
)
_HOST_OF_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@\s?#]*@)?(\[[0-9a-f:.]+\]|[^/:?#\s\\,;]+)", re.IGNORECASE
)
_HOST = re.compile(
    r"[a-z0-9](?<![\w@/.$\\-].)(?:[a-z0-9-]{0,40}[a-z0-9])?"
    r"(?:\.[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?){1,5}(?![\w(-]|\.\w)",
    re.IGNORECASE,
)
"""A host, provided that its last part is a top level."""
_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?![\w-])", re.IGNORECASE
)
_NUMBERS = re.compile(
    r"\d(?<![\w.].)\d{0,2}(?:\.\d{1,3}){3}(?![\w.]*\w|/(?!0\b)\d)"
    r"|[0-9a-f](?<![\w:].)[0-9a-f]{0,3}(?:(?::[0-9a-f]{1,4}){4,7}"
    r"|(?::[0-9a-f]{1,4}){0,5}::[0-9a-f]{1,4})(?![\w:])",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"[+(@\dA-Zb](?:(?<=\+)(?<![\w+]\+)\d{1,3}[\s(./-]{0,2}\d(?:[\s()./-]{0,2}\d){6,12}(?!\w)"
    r"|(?:(?<=\()(?<![\d-]\()\d{3}\)\s?|(?<=\d)(?<![\d-].)\d{2}[-.])\d{3}[-.]\d{4}(?![\d-])"
    r"|(?<=0)x[0-9a-f]{40}\b|(?<=b)c1[0-9a-z]{20,60}\b"
    r"|(?<=[13])(?<!\w.)[1-9A-HJ-NP-Za-km-z]{26,34}\b"
    r"|(?<=[A-Z])(?<!\w.)[A-Z]\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?\b"
    r"|(?<=@)(?<!\w@)[A-Za-z]\w{2,30}:[\w.-]{3,60})"
)
"""Each begins with one of these signs, so that it is only tried there."""
_DEFANGED = re.compile(
    r"\[(?:\.|dot|:|at)\]|\((?:dot|at)\)|h(?<!\w.)xxp|d(?<=\s.)ot\s+(?:com|net|org|io|dev|xyz)\b"
    r"|x(?<!\w.)n--\w"
)
"""In lower case."""
_LINKED = re.compile(
    r"[/wWhHmM](?:(?<=/)/|(?<=[wW])[wW]{2}|(?<=[hH])[xX]{2}[pP]|(?<=[mM])[aA][iI][lL][tT][oO]:)"
)
_MAILED = re.compile(r"@")
_DOTTED = re.compile(r"\.[a-z]", re.IGNORECASE)
_NUMBERED = re.compile(r":[0-9a-f]{0,4}:|\.\d{1,3}\.\d", re.IGNORECASE)
_HERE = re.compile(
    r"127\.\d+\.\d+\.\d+|0\.0\.0\.0|255\.[\d.]+|::1|localhost|\[::1?\]|host\.docker\.internal",
    re.IGNORECASE,
)
_EXAMPLES = frozenset({"example.com", "example.org", "example.net"})
_SHARED = re.compile(
    r"(?:^|\.)(?:github|gitlab|githubusercontent|gist|pastebin|dropbox|google|googleapis"
    r"|amazonaws|blogspot"
    r"|wordpress|medium|notion|discord|discordapp|telegram|t|bit|tinyurl|ngrok|vercel|netlify"
    r"|herokuapp|pages"
    r"|workers|firebaseapp|azurewebsites|cloudfront|gmail|outlook|hotmail|proton|protonmail"
    r"|yahoo|reddit"
    r"|huggingface|npmjs|pypi)\.[a-z.]+$"
)
"""Hosts on which anybody can put something: to know the host is to know nothing."""


def hosts_in(text: str) -> frozenset[str]:
    """The hosts and number addresses that a text names."""
    return frozenset(host for _, _, host, _ in _destinations(text) if host)


def _destinations(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """The span of each link, address or host; the host; and whether it is more than a host."""
    spans: list[tuple[int, int]] = []
    for match in in_words(_LINK, _LINKED, text):
        link = match.group().rstrip(".,;:!?*_")
        if host := _host_of(link):
            spans.append((match.start(), match.end()))
            yield match.start(), match.start() + len(link), host, True
    for match in in_words(_MAIL, _MAILED, text):
        if not _overlaps(spans, match.start()):
            spans.append(match.span())
            yield *match.span(), match.group().rpartition("@")[2].lower(), True
    spans.sort()
    for match in _hosts(text):
        if not _overlaps(spans, match.start()):
            yield *match.span(), match.group().lower(), False


def _hosts(text: str) -> Iterator[re.Match[str]]:
    top_levels = vocabulary().listed["top_levels"]
    for match in in_words(_HOST, _DOTTED, text):
        if match.group().lower().rpartition(".")[2] in top_levels:
            yield match
    yield from in_words(_NUMBERS, _NUMBERED, text)


@lru_cache(maxsize=1024)
def _host_of(link: str) -> str:
    match = _HOST_OF_LINK.match(link.removeprefix("mailto:"))
    host = match.group(1).lower().rstrip(".") if match else ""
    return host if host.strip("[]") else ""


def _overlaps(spans: list[tuple[int, int]], at: int) -> bool:
    before = bisect_right(spans, (at, 1 << 60)) - 1
    return before >= 0 and spans[before][1] > at


_NEW_LINK, _NEW_HOST = (
    f"Contains a {what} never seen in this home." for what in ("URL or address", "host name")
)
_REACHES: Final = "A number or account that reaches somebody the home does not know."


def _addresses(piece: AddedText) -> Iterator[Hit]:
    for start, end, host, is_whole in _destinations(piece.text):
        if not (_HERE.fullmatch(host) or host in _EXAMPLES):
            yield Hit(_NEW_LINK if is_whole else _NEW_HOST, piece, start, end)
    for match in _OTHER.finditer(piece.text):
        yield Hit(_REACHES, piece, *match.span())
    for match in _DEFANGED.finditer(lower(piece.text)):
        yield Hit("Disguises an address.", piece, *match.span())


def _is_known(hit: Hit, known: KnownToHome) -> bool:
    """Whether the home, its operator or everybody knows a destination."""
    text, listed = hit.words, vocabulary().listed
    if hit.message == _NEW_HOST:
        return text.lower() in listed["products"] or text.lower() in known.hosts
    if hit.message == _REACHES:
        return text in known.text
    if hit.message != _NEW_LINK:
        return False
    host = _host_of(text)
    if host in known.hosts and not _SHARED.search(host):
        return True
    is_page = text.lower().startswith("https://") and "@" not in text
    return (is_page and host in listed["documentation"]) or text in known.text


ADDRESS = Rule(
    name="address",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="A link or address can lead the agent, or its data, to unreviewed places.",
    looks_at="added text",
    check=InPieces(_addresses, lambda hit: hit.words),
    is_known=_is_known,
)


_MOST = 200
"""Secrets that are looked for: one is enough to hold a text."""


_SURE = re.compile(
    r"gh[opusr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{16,}|sk-[\w-]{24,}"
    r"|(?:sk|rk)_live_\w{16,}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abeoprs]-[\w-]{20,}|AIza[\w-]{35}"
    r"|npm_\w{30,}|pypi-[\w-]{40,}|hf_\w{30,}|SG\.[\w-]{16,}|AGE-SECRET-KEY-1\w+"
    r"|eyJ[\w-]{20,}\.eyJ[\w-]{20,}\.|-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY"
)
_EXAMPLE = re.compile(
    r"example|your|placeholder|dummy|fake|sample|redacted|insert|change|test|x{4}|0{4}|1234|abcd"
    r"|a1b2|\.\.\.|(.)\1{4}",
    re.IGNORECASE,
)
_ARMOUR = re.compile(r"PRIVATE KEY-----\s*(?:[\w+/=:, -]{40,}\s*){3}")


def _secrets(piece: AddedText) -> Iterator[Hit]:
    # Nobody tells a secret in a sentence of code.
    places = find_secrets(Searched(piece.text)) if piece.is_code else secret_places(piece.text)
    for start, end in islice(places, _MOST):
        secret = piece.text[start:end]
        severity = None
        if not piece.is_memory and not _is_sure(secret):
            severity = Severity.MEDIUM
        message = "Looks like a password, key or access code."
        yield Hit(message, piece, start, end, cover(secret), severity)


def _is_sure(secret: str) -> bool:
    """Whether it has the form of a real key: documentation and code are full of examples."""
    if "PRIVATE KEY" in secret:
        return _ARMOUR.search(secret) is not None
    return _SURE.search(secret) is not None and _EXAMPLE.search(secret) is None


SECRET = Rule(
    name="secret",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Memory goes into every prompt and every log: secrets do not belong there.",
    looks_at="added text",
    check=InPieces(_secrets),
)
