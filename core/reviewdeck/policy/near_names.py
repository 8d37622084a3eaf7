"""A rule about names that are one letter off a well-known one: packages, services and hosts.

Whoever publishes `reqeusts` waits for somebody to mistype `requests`. Names are compared by the
optimal string alignment distance: a letter put in, left out, changed, or changed places with its
neighbour.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from reviewdeck.model import Severity, Span
from reviewdeck.policy.reading import HOLD_LIMIT
from reviewdeck.policy.rule import Hit, LooksAt, Rule, Subject
from reviewdeck.policy.wordlist import words

_WELL_KNOWN = words("""
    requests numpy pandas django fastapi pytest sqlalchemy setuptools cryptography
    tensorflow sklearn beautifulsoup selenium playwright psycopg2 gunicorn uvicorn aiohttp
    pyyaml paramiko ansible terraform kubernetes anthropic langchain transformers
    huggingface lodash webpack typescript eslint prettier nodemon mongoose puppeteer
    tailwind storybook bootstrap colorama github gitlab bitbucket bitwarden keepass dropbox
    google microsoft amazon paypal cloudflare digitalocean dockerhub postgresql mongodb
    elasticsearch grafana prometheus jenkins wireguard tailscale
""")
_NAME = re.compile(r"(?<![^\W_])[A-Za-z0-9]{5,20}(?![^\W_])")
_END = 2
_OF_OTHERS = words("""
    request bequests transformer unicorn panda goggle goggles fireguard cryptographs psycopg
    psycopg3 tslint jslint jumpy lumpy bumpy dumpy humpy
""")
"""Words, and names of their own, that are one letter off."""


def _near_names(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        for found in _NAME.finditer(piece.text[:HOLD_LIMIT]):
            meant = _meant(found.group().lower())
            if meant is not None and found.group() not in subject.live_text:
                yield Hit(f"One letter off the name {meant}.", Span(*found.span()))


@lru_cache(maxsize=1 << 12)
def _meant(name: str) -> str | None:
    """The well-known name that this one is taken for."""
    starting, ending = _by_end()
    possible = (*starting.get(name[:_END], ()), *ending.get(name[-_END:], ()))
    if not possible or name in _WELL_KNOWN or name in _OF_OTHERS:
        return None
    near = (one for one in possible if OSA.distance(name, one, score_cutoff=1) == 1)
    return next((one for one in near if not _is_form(name, one)), None)


def _is_form(name: str, meant: str) -> bool:
    """Languages add a letter to the names that they use, and English an s."""
    return name.startswith(meant) and name[-1].isalpha() and name[-1] != meant[-1]


@lru_cache(maxsize=1)
def _by_end() -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """The well-known names by how they begin and by how they end: one edit leaves one of both."""
    starting, ending = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for name in sorted(_WELL_KNOWN):
        starting[name[:_END]].append(name)
        ending[name[-_END:]].append(name)
    return starting, ending


RULES = (
    Rule(
        name="near-name",
        looks_at=LooksAt.TEXT,
        severity=Severity.MEDIUM,
        reason="Counterfeits of packages and sites go by a name one letter off the real one.",
        check=_near_names,
        hits=(
            "The HTTP client is reqeusts.",
            "Numpyy is the maintained branch.",
            "Mails come from g1thub.",
            "Installs python-nunpy.",
        ),
        misses=(
            "The HTTP client is requests; a request is logged.",
            "Strips and stripes are sewn; the election is over.",
            "Używa gitlabu i githuba.",
        ),
    ),
)
