"""The words of a command line before they are parsed. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

SWITCHES: Final = frozenset({"--json", "--no-color", "--all-profiles"})
VALUED: Final = frozenset({"--home", "--profile", "--ledger", "--policy"})


def hoisted(tokens: list[str]) -> list[str]:
    """The tokens with options that stand before the command put behind it."""
    at = 0
    while at < len(tokens):
        if tokens[at] in SWITCHES or _is_given(tokens[at]):
            at += 1
        elif tokens[at] in VALUED and at + 1 < len(tokens):
            at += 2
        else:
            break
    leading, rest = tokens[:at], tokens[at:]
    if not rest or rest[0].startswith("-"):
        return tokens
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *leading, *rest[end:]]


def dashed(tokens: list[str]) -> list[str]:
    """The tokens with `--file -` as `--file=-`: a lone dash is a value, and no option."""
    joined: list[str] = []
    for word in tokens:
        if word == "-" and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += "=-"
        else:
            joined.append(word)
    return joined


def _is_given(token: str) -> bool:
    name, equals, _ = token.partition("=")
    return bool(equals) and name in VALUED


def understood(words: Sequence[str], valued: Set[str], switches: Set[str]) -> dict[str, str] | None:
    """The options by their names; None for anything but each at most once, with its value."""
    rest = list(words)
    given: dict[str, str] = {}
    while rest:
        name, *rest = rest
        if name in given:
            return None
        if name in switches:
            given[name] = ""
        elif name in valued and rest and not rest[0].startswith("-"):
            given[name], *rest = rest
        else:
            return None
    return given
