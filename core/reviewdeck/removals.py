"""What went out of a home: texts that must not come back unseen."""

from __future__ import annotations

from reviewdeck.likeness import describe_skill, is_support_file
from reviewdeck.model import Likeness, Relation
from reviewdeck.text.entries import parse
from reviewdeck.text.similarity import alike

LONGEST = 20_000
"""Characters of a file that are kept: a longer one never goes in by itself."""


def removed(path: str, then: bytes | None, now: bytes | None, *, is_memory: bool) -> list[Likeness]:
    """The texts of a document that are not in it any more: entries, a skill, a file of one."""
    before, after = _text(then), _text(now)
    if is_memory:
        left = frozenset(parse(after))
        gone = [entry for entry in parse(before) if entry not in left]
    elif path.endswith("/SKILL.md"):
        gone = _other(_described(path, before), _described(path, after))
    elif is_support_file(path):
        gone = _other(before.strip()[:LONGEST], after.strip()[:LONGEST])
    else:
        gone = []
    return [Likeness(Relation.REMOVED, text, 100.0, path, exact=True) for text in gone]


def _other(before: str, after: str) -> list[str]:
    """What was said before, where something else is said now and not a new form of it."""
    return [before] if before and not alike(before, [after], reasons=False) else []


def _described(path: str, text: str) -> str:
    return describe_skill(path.split("/")[-2], text) if text else ""


def _text(data: bytes | None) -> str:
    return data.decode("utf-8", errors="replace") if data else ""
