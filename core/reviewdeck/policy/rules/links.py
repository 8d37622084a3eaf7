"""The rule about links, hosts and addresses that the home does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import AddedText, Hit, KnownToHome, Rule, RuleInput

_LINK = re.compile(
    r"(?<![\w+.-])(?:[a-z][a-z0-9+.-]{1,20}://|www\d?\.|mailto:|hxxps?:"
    r"|//(?=[\w-]{1,40}\.[\w.-]{0,80}/))"
    r"[^\s<>\"'`)\]}|]+",
    re.IGNORECASE,
)
_HOST_OF_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@\s?#]*@)?(\[[0-9a-f:.]+\]|[^/:?#\s\\,;]+)", re.IGNORECASE
)
_TOP_LEVELS = frozenset(
    """
    com net org io dev app ai co xyz info biz me tv cc ru cn de fr uk nl eu us jp kr br pl it es
    ch at se no fi in ir ua tr top site online shop club cloud tech link live page work zip mov
    onion to gg ly gl is be cz dk example test internal local lan corp su tk ml ga cf pw ws store
    space icu win edu gov mil int au ca mx ar cl za nz sg hk tw th vn id my ph pt gr hu ro bg hr
    si sk lt lv ee ie il sa ae pk bd ng ke finance bank support email network systems solutions
    services security software digital media agency health world group today website host press
    news blog art fun vip life ink run sh so fm im am la vc
    """.split()  # noqa: SIM905
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
    r"\+(?<![\w+]\+)\d{1,3}[\s(./-]{0,2}\d(?:[\s()./-]{0,2}\d){6,12}(?!\w)"
    r"|(?:\((?<![\d-]\()\d{3}\)\s?|\d(?<![\d-].)\d{2}[-.])\d{3}[-.]\d{4}(?![\d-])"
    r"|0x[0-9a-f]{40}\b|bc1[0-9a-z]{20,60}\b|[13](?<!\w.)[1-9A-HJ-NP-Za-km-z]{26,34}\b"
    r"|[A-Z](?<!\w.)[A-Z]\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?\b"
    r"|@(?<!\w@)[A-Za-z]\w{2,30}:[\w.-]{3,60}"
)
_DEFANGED = re.compile(
    r"\[(?:\.|dot|:|at)\]|\((?:dot|at)\)|\bhxxp|\bdot(?<=\sdot)\s+(?:com|net|org|io|dev|xyz)\b"
    r"|\bxn--\w",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"127\.\d+\.\d+\.\d+|0\.0\.0\.0|255\.[\d.]+|::1|localhost|\[::1?\]|host\.docker\.internal",
    re.IGNORECASE,
)
_COMMON = frozenset(
    """
    asp.net socket.io draw.io node.js next.js vue.js discord.me monday.com booking.com
    github.com gitlab.com bitbucket.org pypi.org npmjs.com crates.io python.org
    stackoverflow.com wikipedia.org readthedocs.io docs.rs fly.io vercel.app arxiv.org keep.it
    log.in e.no pkg.go.dev crates.io huggingface.co reddit.com youtube.com medium.com dev.to
    notion.so linear.app slack.com fast.ai character.ai x.ai
    """.split()  # noqa: SIM905 - a list of forty lines is no easier to read
)
"""Names of products that read like hosts. A link to one of them is still a link."""
_DOCUMENTATION = frozenset(
    """
    docs.python.org developer.mozilla.org docs.rs doc.rust-lang.org go.dev pkg.go.dev
    docs.docker.com kubernetes.io postgresql.org www.postgresql.org docs.github.com
    rfc-editor.org www.rfc-editor.org semver.org keepachangelog.com conventionalcommits.org
    www.conventionalcommits.org en.wikipedia.org www.w3.org json-schema.org docs.pytest.org
    git-scm.com nodejs.org react.dev typescriptlang.org www.typescriptlang.org sqlite.org
    www.sqlite.org
    """.split()  # noqa: SIM905
)
"""Hosts whose pages only their maintainers write."""
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
    if "/" in text or "www" in text.lower() or ":" in text:
        for match in _LINK.finditer(text):
            link = match.group().rstrip(".,;:!?*_")
            if host := _host_of(link):
                spans.append((match.start(), match.end()))
                yield match.start(), match.start() + len(link), host, True
    if "@" in text:
        for match in _MAIL.finditer(text):
            if not _overlaps(spans, match.start()):
                spans.append(match.span())
                yield *match.span(), match.group().rpartition("@")[2].lower(), True
        spans.sort()
    for match in _hosts(text) if "." in text or ":" in text else ():
        if not _overlaps(spans, match.start()):
            yield *match.span(), match.group().lower(), False


def _hosts(text: str) -> Iterator[re.Match[str]]:
    for match in _HOST.finditer(text):
        if match.group().lower().rpartition(".")[2] in _TOP_LEVELS:
            yield match
    yield from _NUMBERS.finditer(text)


def _host_of(link: str) -> str:
    match = _HOST_OF_LINK.match(link.removeprefix("mailto:"))
    host = match.group(1).lower().rstrip(".") if match else ""
    return host if host.strip("[]") else ""


def _overlaps(spans: list[tuple[int, int]], at: int) -> bool:
    from bisect import bisect_right

    before = bisect_right(spans, (at, 1 << 60)) - 1
    return before >= 0 and spans[before][1] > at


def _addresses(subject: RuleInput) -> Iterator[Hit]:
    for piece in subject.pieces:
        for start, end, host, is_whole in _destinations(piece.text):
            if not _is_known(piece, piece.text[start:end], host, subject.known, is_whole=is_whole):
                what = "link or address" if is_whole else "host"
                yield Hit(f"Names a {what} that is new to this home.", piece, start, end)
        for match in _OTHER.finditer(piece.text):
            if match.group() not in subject.known.text:
                message = "A number or account that reaches somebody the home does not know."
                yield Hit(message, piece, *match.span())
        for match in _DEFANGED.finditer(piece.text):
            yield Hit("Disguises an address.", piece, *match.span())


def _is_known(
    piece: AddedText, destination: str, host: str, known: KnownToHome, *, is_whole: bool
) -> bool:
    if _HERE.fullmatch(host) or host in {"example.com", "example.org", "example.net"}:
        return True
    if is_whole and known.text and destination in known.text:
        return True
    if not is_whole and host in _COMMON:
        return True
    if host in known.hosts and not (is_whole and _SHARED.search(host)):
        return True
    is_page = is_whole and destination.lower().startswith("https://") and "@" not in destination
    return is_page and host in _DOCUMENTATION


RULES = (
    Rule(
        name="address",
        effect=RuleEffect.HOLD,
        severity=Severity.MEDIUM,
        reason="A link or address can lead the agent, or its data, to unreviewed places.",
        looks_at="added text",
        check=_addresses,
    ),
)
