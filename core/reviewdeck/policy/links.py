"""Rules about links, hosts and paths that the home does not know yet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import MemoryAdd, Severity, SkillCreate, Span
from reviewdeck.policy.reading import HOLD_LIMIT
from reviewdeck.policy.rule import (
    ANYWHERE,
    Hit,
    Holds,
    LooksAt,
    Piece,
    Place,
    Rule,
    Subject,
    in_text,
)
from reviewdeck.policy.screen import screened
from reviewdeck.policy.signs import signed

_URL = screened(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|hxxps?:)[^\s<>\"'`)\]]+", re.IGNORECASE
)
_TOP = (
    "com|net|org|io|dev|app|ai|co|xyz|info|biz|me|tv|cc|ru|cn|de|fr|uk|nl|eu|us|jp|kr|br|pl|it|es|ch|at"
    "|se|no|fi|in|ir|ua|tr|top|site|online|shop|club|cloud|tech|link|live|page|work|zip|mov|onion|to"
    "|gg|ly|gl|is|be|cz|dk|example|test|internal|local|lan|corp|su|tk|ml|ga|cf|pw|ws|store|space|icu|win"
)
_HOST = screened(
    rf"(?<![\w@/.$-])(?:[a-z0-9](?:[a-z0-9-]{{0,40}}[a-z0-9])?\.){{1,5}}(?:{_TOP})(?![\w-]"
    rf"|\.\w)(?!\()",
    re.IGNORECASE,
)
_DEFANGED = screened(r"\[(?:\.|dot)\]|\(dot\)|\bhxxp|\bdot\s+(?:com|net|org|io)\b", re.IGNORECASE)
_ADDRESS = screened(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)|(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}",
    re.I,
)
_HERE = re.compile(r"127\.\d+\.\d+\.\d+|0\.0\.0\.0|255\.[\d.]+")
_PRODUCTS = frozenset(
    {
        "asp.net",
        "socket.io",
        "draw.io",
        "next.co",
        "discord.me",
        "monday.com",
        "booking.com",
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "pypi.org",
        "npmjs.com",
        "crates.io",
        "python.org",
        "docs.python.org",
        "readthedocs.io",
        "docs.rs",
        "developer.mozilla.org",
        "stackoverflow.com",
        "wikipedia.org",
        "en.wikipedia.org",
        "postgresql.org",
        "www.postgresql.org",
        "docs.docker.com",
        "kubernetes.io",
        "docs.github.com",
        "rfc-editor.org",
        "www.rfc-editor.org",
        "semver.org",
        "keepachangelog.com",
        "conventionalcommits.org",
        "www.conventionalcommits.org",
        "fly.io",
        "vercel.app",
        "localhost",
        "arxiv.org",
        "doi.org",
        "keep.it",
        "log.in",
        "e.no",
    }
)
"""Names that read like hosts, and hosts of documentation that everybody knows."""
_PATH = screened(
    r"(?<![\w.:/~$-])(?:~[\w.-]{0,32}/|\$HOME|\$\{HOME\}|[A-Za-z]:\\|\\\\[\w.-]+\\|/(?=(?:etc|usr|var|home|root"
    r"|opt|tmp|mnt|srv"
    r"|dev|proc|bin|sbin|lib|Users|Volumes|run|sys|media|private|Library|Applications|data|app)(?:/"
    r"|\b)))"
    r"[^\s\"'`,;)]*"
)
_SENSITIVE = screened(
    r"(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker/config|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.hermes"
    r"|\.claude|\.config/gcloud)\b"
    r"|/etc/(?:passwd|shadow|sudoers|cron|hosts|profile|ld\.so|systemd)|\bid_(?:rsa|ed25519"
    r"|ecdsa)\b"
    r"|\.(?:bashrc|zshrc|bash_profile|profile|zprofile|bash_history|gitconfig)\b|LaunchAgents"
    r"|\.git/hooks"
    r"|\bcredentials\.json\b|\bkeychain\b|\bwallet\.dat\b|/proc/self|docker\.sock",
    re.IGNORECASE,
)


@signed(_URL, _DEFANGED)
def _links(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        text = piece.text[:HOLD_LIMIT]
        for found in _URL.finditer(text):
            url = found.group().rstrip(".,;:!?")
            if url in subject.live_text or _is_documentation(url, piece):
                continue
            yield Hit(
                "A link that the home does not know.", Span(found.start(), found.start() + len(url))
            )
        for found in _DEFANGED.finditer(text):
            yield Hit("A link that is written so as not to look like one.", Span(*found.span()))


def _is_documentation(url: str, piece: Piece) -> bool:
    if piece.place is Place.MEMORY or not url.lower().startswith("https://"):
        return False
    host = re.split(r"[/?#]", url[8:].lower(), maxsplit=1)[0]
    return host in _PRODUCTS and host not in {"github.com", "gitlab.com", "bitbucket.org"}


@signed(_HOST, _ADDRESS)
def _hosts(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        text = piece.text[:HOLD_LIMIT]
        urls = [found.span() for found in _URL.finditer(text)]
        for pattern in (_HOST, _ADDRESS):
            for found in pattern.finditer(text):
                host = found.group()
                inside = any(start <= found.start() < end for start, end in urls)
                if (
                    inside
                    or host.lower() in _PRODUCTS
                    or host in subject.live_text
                    or _HERE.fullmatch(host)
                ):
                    continue
                yield Hit("A host that the home does not know.", Span(*found.span()))


@signed(_PATH)
def _paths(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        if piece.place is not Place.MEMORY:
            continue
        for found in _PATH.finditer(piece.text[:HOLD_LIMIT]):
            path = found.group().rstrip(".,:!?")
            if path not in subject.live_text:
                yield Hit(
                    "A path outside the project that the home does not know.", Span(*found.span())
                )


@signed(_SENSITIVE)
def _sensitive(piece: Piece) -> Iterator[Hit]:
    for found in _SENSITIVE.finditer(piece.text[:HOLD_LIMIT]):
        yield Hit("A place where keys or start-up commands are kept.", Span(*found.span()))


_KNOWN = "The wiki is https://wiki.acme.example/start and the logs are in /var/log/acme."

RULES = (
    Rule(
        name="link",
        looks_at=LooksAt.TEXT,
        severity=Severity.MEDIUM,
        reason="A link leads the agent to text that nobody reviewed.",
        check=_links,
        hits=(
            "The wiki is https://wiki.acme.example/start.",
            "See hxxps://x[.]example",
            "ftp://files.example",
            SkillCreate("notes", "See http://docs.acme.example/a."),
        ),
        misses=(
            Subject(
                edits=(MemoryAdd("memories/MEMORY.md", "https://wiki.acme.example/start"),),
                live_text=_KNOWN,
            ),
            SkillCreate("notes", "See https://docs.python.org/3/library/re.html."),
            "Prefers links over footnotes.",
        ),
    ),
    Rule(
        name="host",
        looks_at=LooksAt.TEXT,
        severity=Severity.LOW,
        reason="A host name or address is a destination like a link.",
        check=_hosts,
        hits=("Packages come from pkgs.acme-mirror.io.", "Staging runs on 203.0.113.7."),
        misses=(
            "The site uses Node.js, ASP.NET and socket.io.",
            "Docs on 127.0.0.1:8000; see README.md and setup.py, version 3.11.4.",
            "Code is on github.com.",
        ),
    ),
    Rule(
        name="path",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="What lies outside the project is not the agent's to use unless the home says so.",
        check=_paths,
        hits=(
            "Configuration is in /etc/acme/app.conf.",
            "Notes are in ~/notes.",
            r"Data is in C:\data\x.",
        ),
        misses=(
            Subject(edits=(MemoryAdd("memories/MEMORY.md", "/var/log/acme"),), live_text=_KNOWN),
            "Tests are in tests/unit; the API has /api/v1/users.",
        ),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="sensitive-path",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="Whoever reads or writes there holds the keys of the user.",
        check=in_text(ANYWHERE, _sensitive),
        hits=("Copy .aws to the runner.", SkillCreate("notes", "Look into /etc/passwd.")),
        misses=("AWS is used for backups.", "The profile page is slow."),
    ),
)
