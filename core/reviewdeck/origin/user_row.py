"""The part of a user's row that the account typed.

An agent puts files, pages, notices and summaries into the rows of the user; only what the account
typed counts. What cannot be recognised (a short paste, a forwarded message, a voice transcript)
counts as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from reviewdeck.model import OriginClass, Participant
from reviewdeck.values import dataclass

LONGEST_MESSAGE: Final = 800
"""Characters of a message that count as typed; nobody types more at once."""
QUOTED: Final = 100
"""Characters between quotation marks from which somebody else is quoted."""

SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")
"""Marks of a summary of compacted messages, and of a row into which one was put."""

_ATTACHED: Final = "--- Attached Context ---\n"
_WARNINGS: Final = "--- Context Warnings ---\n"
_BLOCK: Final = re.compile(r"^(🌐|📄|📁|🧾) (\S[^\n]{0,200})", re.MULTILINE)
_LOCAL_BLOCKS: Final = {"📄": "@file", "📁": "@folder", "🧾": "@diff"}
SKILL_MARK: Final = "[IMPORTANT: The user "
"""The beginning of a row into which a skill was put."""
_SKILL: Final = re.compile(r'\[IMPORTANT: The user (?:has invoked|launched)[^"\n]{0,80}"([^"\n]*)"')
_PROCESS: Final = re.compile(r"\[IMPORTANT: Background process ")
_DELEGATION: Final = re.compile(r"\[ASYNC DELEGATION (?:BATCH )?COMPLETE ")
_BACKFILL: Final = "[New message]\n"
_MEDIA: Final = re.compile(r"^\[[a-z]\w*\]$", re.MULTILINE)
"""A part of a message that is no text, by its kind: an image, a file, or one that nobody knows."""
_FENCE: Final = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*(?:\n(?:.*\n)*?[ \t]*\1[ \t]*$|[^\0]*)", re.MULTILINE
)
_QUOTE_LINE: Final = re.compile(r"^[ \t]*>.*(?:\n|\Z)", re.MULTILINE)
_QUOTATION: Final = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«')


@dataclass(frozen=True, slots=True)
class UserRow:
    """The parts of a user's row."""

    words: str
    """The typed words; may be empty."""
    others: tuple[Participant, ...] = ()
    """Participants that the row brought in."""
    skill: str = ""
    """A skill that was put into the row by its name."""
    is_report: bool = False
    """Whether it is the report of a delegated agent, whose own session says what took part."""


def holds_summary(text: str) -> bool:
    """Whether a summary of compacted messages stands anywhere in a row."""
    return any(mark in text for mark in SUMMARIES)


def read_user_row(text: str, pastes: Sequence[str] = ()) -> UserRow:
    """The part of a user's row that the account typed."""
    if holds_summary(text):
        # A message may have been joined to it, with what was attached to that.
        _, mark, rest = text.partition(_ATTACHED)
        return UserRow("", tuple(_attached(rest)) if mark else ())
    if text.startswith("["):
        return _notice(text)
    if _BACKFILL in text:
        return UserRow("", (_other("other people's messages", OriginClass.OUTSIDE),))
    head, mark, rest = text.partition(_ATTACHED)
    others = list(_attached(rest)) if mark else []
    if media := _MEDIA.search(text):
        others.append(_other("attachment", OriginClass.OUTSIDE, media[0]))
    words, cut = _own_words(head.partition(_WARNINGS)[0], pastes)
    return UserRow(words, (*others, *cut))


def _notice(text: str) -> UserRow:
    """A row that the agent's program wrote in the user's name."""
    if skill := _SKILL.match(text):
        return UserRow("", skill=skill[1] or "?")
    if _PROCESS.match(text):
        return UserRow("", (_other("notice of a process", OriginClass.WORKSPACE),))
    if _DELEGATION.match(text):
        return UserRow("", is_report=True)
    return UserRow("", (_other("notice", OriginClass.OUTSIDE, text),))


def _attached(text: str) -> Iterable[Participant]:
    has_block = False
    for block in _BLOCK.finditer(text):
        has_block = True
        name = _LOCAL_BLOCKS.get(block[1])
        if name is None:
            yield _other("@url", OriginClass.OUTSIDE, block[2])
        else:
            yield _other(name, OriginClass.WORKSPACE, block[2])
    if not has_block:
        yield _other("attached context", OriginClass.OUTSIDE)


def _own_words(text: str, pastes: Sequence[str]) -> tuple[str, list[Participant]]:
    """The text without what was quoted, fenced or pasted into it."""
    others: list[Participant] = []
    for paste in pastes:
        if paste and paste in text:
            text = text.replace(paste, "\n")
            others.append(_other("paste", OriginClass.WORKSPACE))
    for name, cut in (("fenced block", _FENCE.sub), ("quote", _QUOTE_LINE.sub)):
        shorter = cut("\n", text)
        if shorter != text:
            others.append(_other(name, OriginClass.WORKSPACE))
        text = shorter
    shorter = _QUOTATION.sub(lambda match: match[0] if len(match[0]) < QUOTED else "\n", text)
    if shorter != text:
        others.append(_other("quote", OriginClass.WORKSPACE))
    text = shorter
    if len(text.strip()) > LONGEST_MESSAGE:
        others.append(_other("long block", OriginClass.WORKSPACE))
        text = ""
    return text.strip(), others


def _other(name: str, origin: OriginClass, detail: str = "") -> Participant:
    return Participant(name, origin, detail)
