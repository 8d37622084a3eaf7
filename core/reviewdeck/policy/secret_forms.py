"""What secrets look like. Loads nothing of the engine: lists cover them without the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reviewdeck.policy.screen import screened

_KNOWN = screened(
    r"\b(?:gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{16,}"
    r"|(?:sk|rk|pk)_(?:live|test)_\w{10,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|xox[abeoprs]-[\w-]{10,}"
    r"|AIza[\w-]{20,}|ya29\.[\w-]{10,}|npm_\w{20,}|pypi-[\w-]{16,}|hf_\w{20,}|SG\.[\w-]{10,}"
    r"|dop_v1_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,}|AGE-SECRET-KEY-\w+|shpat_\w{16,}"
    r"|sq0[a-z]{3}-[\w-]{20,}|AKC[a-zA-Z0-9]{10,}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}"
    r"|\d{8,10}:AA[\w-]{30,}|AccountKey=[A-Za-z0-9+/=]{40,}|[a-f0-9]{32}-us\d{1,2}\b)"
)
_PEM = screened(r"-----\s?BEGIN[A-Z0-9 ]{0,40}(?:PRIVATE KEY|PGP MESSAGE|CERTIFICATE)")
_IN_URL = screened(r"[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,80}:[^\s/@]{3,80}@", re.IGNORECASE)
_KEYED = screened(
    r"(?:(?:passwor[dt]|passwd|pwd|passphrase|passcode|secret|token|api[ _-]?key"
    r"|access[ _-]?key|credentials?|\bpin\b|kennwort|mot de passe|contrase[nñ]a|senha"
    r"|wachtwoord|has[lł]o|парол[ья])[\w \"'`)]{0,24}?"
    r"|(?:密码|口令|パスワード|비밀번호)[\w \"'`)]{0,8}?)"
    r"\s?(?::|=|：|\bis\b|\bist\b|\best\b|\bes\b|是|は|->|→)\s*"
    r"[\"'`„“]?(?!\d+\s(?:tokens|characters|bytes|seconds|minutes|days)\b)([^\s\"'`,;“”。、]{4,})",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"[:=：是は→>]|\b(?:is|ist|est|es)\b", re.IGNORECASE)
"""What stands between the name of a secret and the secret."""
_ASSIGNED = screened(
    r"\b\w{0,40}(?:secret|password|passwd|token|api_?key|access_?key)\w{0,40}\s?[:=]\s?"
    r"(?:[\"'][^\"'\n]{2,80}[\"']|(?<==)[\w-]{8,80}(?![\w.(\[]))",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"[a-z]{2,}(?:ed|en|ing)?|[A-Z][A-Z_]{3,}|\$\{?\w+\}?|<[\w -]+>?|\*+|\.\.\.|xxx+|\{\{.*",
    re.ASCII,
)
_WIFI = screened(
    r"\b(?:wi-?fi|wlan|ssid|router)\b[^\n]{0,40}\b(?:key|code|passwor[dt]|schlussel)\s{0,2}(?:is|:)?\s{1,2}"
    r"(?=\S*[\d-])[\w-]{8,}"
    r"|\b(?:wi-?fi|safe|door|gate|alarm|lock)\b[^.\n]{0,30}\b(?:opens|unlocks)\s(?:with|by|on)\s"
    r"(?:[\"“]\w{6,}|\d{1,2}\b|\d{4,8}\b)",
    re.IGNORECASE,
)
_CARELESS_VALUE = screened(
    r"(?:passwor[dt]|passphrase|passcode|\bpin\b)[\w ]{0,20}\b(?:is|ist|est"
    r"|es)\s+[\"'`„“]?(?!\w+(?:ed|ing)\b)"
    r"(?!not\b|never\b|only\b|always\b|kept\b|in\b|at\b|required|a\b|the\b|too\b|set\b|sent\b|part\b)\w{3,}",
    re.IGNORECASE,
)

FORMS: Final = (
    (_KNOWN, "Something with the form of an access token."),
    (_PEM, "A key or certificate block."),
    (_IN_URL, "A link with a password in it."),
    (_ASSIGNED, "Something given as a password or key."),
    (_CARELESS_VALUE, "Something given as a password."),
    (_WIFI, "Something given as the key of a network or a lock."),
    (_KEYED, "Something given as a password or key."),
)
"""Each pattern, and what it finds in words."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What may be a secret, and where."""

    what: str
    start: int
    end: int


def find_secrets(text: str, *, is_brief: bool = False) -> Iterator[Secret]:
    """All that looks like a secret.

    A brief text is not screened: to load RE2 would take longer than to look for each form.
    """
    for pattern, what in FORMS:
        if pattern is _KEYED and _GIVEN.search(text) is None:
            continue
        found = (pattern.plain if is_brief else pattern).finditer(text)
        # Where a group stands for the secret, what is in front of it is the name of a key.
        group = pattern.plain.groups
        yield from (
            Secret(what, *one.span(group))
            for one in found
            if not (group and _HARMLESS.fullmatch(one.group(group).rstrip(".!?)")))
        )
