"""The tokens of a command line before they are parsed. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

SWITCHES: Final = frozenset({"--json", "--no-color", "--all-profiles", "--new"})
VALUED: Final = frozenset({"--home", "--profile", "--ledger", "--policy"})


def move_options_last(tokens: list[str]) -> list[str]:
    """The tokens with the options before the command moved behind it."""
    at = 0
    while at < len(tokens):
        if tokens[at] in SWITCHES or _has_inline_value(tokens[at]):
            at += 1
        elif tokens[at] in VALUED and at + 1 < len(tokens):
            at += 2
        else:
            break
    options, remaining = tokens[:at], tokens[at:]
    if not remaining or remaining[0].startswith("-"):
        return tokens
    end = remaining.index("--") if "--" in remaining else len(remaining)
    return [*remaining[:end], *options, *remaining[end:]]


def join_dashes(tokens: list[str]) -> list[str]:
    """The tokens with `--file -` as `--file=-`: a lone dash is a value, not an option."""
    joined: list[str] = []
    for word in tokens:
        if word == "-" and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += "=-"
        else:
            joined.append(word)
    return joined


def empty_option(tokens: Sequence[str]) -> str | None:
    """The option that names a place and has an empty value, as a variable that is not set leaves.

    Taken for what it says, it would be the current folder, or the default.
    """
    named = tokens[: tokens.index("--")] if "--" in tokens else tokens
    for token, following in zip(named, [*named[1:], None], strict=False):  # none of none
        name, equals, value = token.partition("=")
        if name in VALUED and (value if equals else following) == "":
            return name
    return None


def _has_inline_value(token: str) -> bool:
    name, equals, _ = token.partition("=")
    return bool(equals) and name in VALUED


def parse_options(
    words: Sequence[str], valued: Set[str], switches: Set[str]
) -> dict[str, str] | None:
    """The options by name; None unless each token is a known option, given once, with its value."""
    remaining = list(words)
    options: dict[str, str] = {}
    while remaining:
        name, *remaining = remaining
        if name in options:
            return None
        if name in switches:
            options[name] = ""
        elif name in valued and remaining and not remaining[0].startswith("-"):
            options[name], *remaining = remaining
        else:
            return None
    return options
