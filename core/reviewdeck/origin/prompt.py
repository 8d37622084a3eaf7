"""The memories in an agent's system prompt, cut exactly by the length in each header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reviewdeck.text.entries import DELIMITER
from reviewdeck.text.lazy import regex

DOCUMENTS: Final = {
    "MEMORY (your personal notes)": "memories/MEMORY.md",
    "USER PROFILE (who the user is)": "memories/USER.md",
}
"""A block's title to the document that it shows."""
BLOCKED: Final = "[BLOCKED: "
"""The beginning of an entry that the agent itself keeps from its model."""

_BAR: Final = "═" * 46
_TITLES: Final = "|".join(map(re.escape, DOCUMENTS))
_HEADER: Final = regex(
    rf"^{_BAR}\n({_TITLES}) \[(\d{{1,3}})% — ([\d,]{{1,12}})/([\d,]{{1,12}}) chars\]\n{_BAR}\n",
    re.MULTILINE,
)
_CONTEXT: Final = "# Project Context\n\nThe following project context files have been loaded"


def memories_in(prompt: str) -> dict[str, tuple[str, ...]] | None:
    """The entries of each memory block of a prompt, by document; None when a block may be a fake.

    A memory without a block is not in it: it was empty, or switched off.
    """
    memories: dict[str, tuple[str, ...]] = {}
    for path, text in _blocks(prompt):
        if path in memories:
            return None
        memories[path] = tuple(text.split(DELIMITER))
    headers = {DOCUMENTS[match[1]] for match in _HEADER.finditer(prompt)}
    return memories if headers == set(memories) else None


def has_context_files(prompt: str) -> bool:
    """Whether the prompt holds files of the directory that the agent was started in."""
    return _CONTEXT in prompt


def _blocks(prompt: str) -> Iterator[tuple[str, str]]:
    for match in _HEADER.finditer(prompt):
        share, count, limit = (int(match[at].replace(",", "")) for at in (2, 3, 4))
        text = prompt[match.end() : match.end() + count]
        after = prompt[match.end() + count :]
        if (
            count == len(text) > 0
            and limit > 0
            and share == min(100, int(count / limit * 100))
            and text == text.strip()
            and (not after.strip() or after.startswith("\n\n"))
        ):
            yield DOCUMENTS[match[1]], text
