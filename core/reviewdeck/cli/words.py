"""The words and signs that screens share: states, ages, origins, the gist of a proposal."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from reviewdeck.cli.ages import age_of as age_of
from reviewdeck.cli.ages import count as count
from reviewdeck.cli.glancing import may_hold
from reviewdeck.model import QueueItem, Severity, State
from reviewdeck.text.visible import visible

GLYPHS: Final = {
    State.READY: "+",
    State.CONFLICT: "#",
    State.DEAD: "x",
    State.REFUSED: "!",
    State.QUARANTINED: "?",
    State.DEFERRED: "~",
    State.APPROVED: ">",
    State.APPLYING: ">",
    State.APPLIED: "=",
    State.REJECTED: "-",
    State.ELSEWHERE: "/",
}
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


def is_dangerous(item: QueueItem) -> bool:
    """Whether one of its findings is grave enough to be decided by itself."""
    return any(finding.severity.rank >= Severity.HIGH.rank for finding in item.findings)


def glyph_of(item: QueueItem) -> str:
    """One sign: ``!`` for what is dangerous, else the state's."""
    if item.state is State.READY and is_dangerous(item):
        return "!"
    return GLYPHS[item.state]


def covered(text: str) -> str:
    """The text with secrets covered: for lists and logs."""
    if not may_hold(text):
        return text
    from reviewdeck.policy.masking import mask

    return mask(text)


def gist(item: QueueItem) -> str:
    """What it wants beside its action and its target, in one inert line; may be empty."""
    return gist_of(item.summary)


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


def wanted(item: QueueItem) -> str:
    """What it wants, in one inert line."""
    said = f"{one_line(item.action)} {one_line(item.target)}"
    more = gist(item)
    return f"{said}: {more}" if more else said


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


def made_at(item: QueueItem) -> datetime:
    """When it was made, or first seen."""
    return item.created_at or item.ingested_at


def at_local(moment: datetime) -> str:
    """A moment on the operator's own clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
