"""What a record asks for in a line, where its own summary only counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from reviewdeck.model import Edit, MemoryAdd, MemoryRemove, MemoryReplace
from reviewdeck.policy.redact import redact

_COUNTS: Final = re.compile(r"apply \d+ op\(s\) to [\w ]{1,40}")
"""Hermes' summary of a batch: how many changes, and nothing of what they are."""
_LONGEST: Final = 60
"""Characters of each text that are quoted."""


def telling(summary: str, edits: Iterable[Edit]) -> str:
    """The summary, and after one that only counts what each change does."""
    if not _COUNTS.fullmatch(summary):
        return summary
    said = "; ".join(_words(edits))
    return f"{summary}: {said}" if said else summary


def _words(edits: Iterable[Edit]) -> Iterator[str]:
    for edit in edits:
        match edit:
            case MemoryAdd(content=content):
                yield f'add "{_cut(content)}"'
            case MemoryReplace(old_text=old, content=content):
                yield f'"{_cut(old)}" -> "{_cut(content)}"'
            case MemoryRemove(old_text=old):
                yield f'remove "{_cut(old)}"'
            case _:
                pass


def _cut(text: str) -> str:
    """The beginning of a text. Half a secret looks like none: it is covered before the cut."""
    text = redact(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
