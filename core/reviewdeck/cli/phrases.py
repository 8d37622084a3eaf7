"""The words and signs of a line about a proposal, from plain texts. Loads nothing of the engine."""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.cli.glancing import may_hold
from reviewdeck.text.visible import visible

GLYPHS: Final = {
    "ready": "+",
    "conflict": "#",
    "dead": "x",
    "refused": "!",
    "quarantined": "?",
    "deferred": "~",
    "approved": ">",
    "applying": ">",
    "applied": "=",
    "rejected": "-",
    "elsewhere": "/",
}
"""The sign of each state, by its name; a member of `State` finds its own."""
STYLES: Final = {
    "+": "green",
    "#": "yellow",
    "x": "dim",
    "!": "bold red",
    "?": "magenta",
    "~": "cyan",
    ">": "blue",
    "=": "green",
    "-": "dim",
    "/": "dim",
}
_ORIGINS: Final = {
    "background_review": "review",
    "foreground": "chat",
    "assistant_tool": "chat",
}
_LEAD: Final = re.compile(
    r"^(?:(?:add|replace|remove) (?:in|to|from) (?:memory|user profile): ?"
    r"|apply \d+ op\(s\) to (?:memory|user profile): ?"
    r"|(?:create|patch|edit|rewrite|delete|delete skill) '[\w.-]*' ?(?:\u2014 )?"
    r"|(?:write|write_file|remove|remove_file) (?=\S+ (?:in|from) '))"
)
_TAIL: Final = re.compile(r"(?<=\S) (?:in|from) '[\w.-]*'$")
_TAKE_BACK: Final = "take back: "
_SPACES: Final = re.compile(r"\s+")


def covered(text: str) -> str:
    """The text with secrets covered: for lists and logs."""
    if not may_hold(text):
        return text
    from reviewdeck.policy.covers import secrets_covered

    return secrets_covered(text)


def gist_of(summary: str) -> str:
    """What a summary says beside action and target, in one inert line; may be empty."""
    said = _single_spaced(covered(summary))
    if said.startswith(_TAKE_BACK):
        return one_line(_TAKE_BACK + _bare(said.removeprefix(_TAKE_BACK)))
    return one_line(_bare(said))


def _bare(summary: str) -> str:
    """A summary without the words that say its action and target once more."""
    if lead := _LEAD.match(summary):
        summary = _TAIL.sub("", summary[lead.end() :])
    if summary.startswith("old: ") and " new: " in summary:
        old, new = summary.removeprefix("old: ").split(" new: ", 1)
        return f'"{old}" -> "{new}"'
    return summary


def one_line(text: str) -> str:
    """Text as one inert line."""
    return visible(_single_spaced(text), keep="")


def _single_spaced(text: str) -> str:
    if text.isprintable() and "  " not in text:  # Most texts: a pattern takes ten times as long.
        return text.strip()
    return _SPACES.sub(" ", text).strip()


def origin_word(origin: str) -> str:
    """Who asked for it, in a word."""
    return one_line(_ORIGINS.get(origin, origin))
