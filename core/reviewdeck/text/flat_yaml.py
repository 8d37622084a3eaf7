"""YAML of nothing but keys with plain words, which every library reads alike.

A parser takes a hundred times as long, and a tenth of a command to load; most front matters are of
this form.
"""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(
    r"([A-Za-z_][A-Za-z0-9_-]*): ([A-Za-z](?:[A-Za-z0-9 _,.;()/'+-]*[A-Za-z0-9_,.;()/'+-])?)"
)


def flat_pairs(text: str) -> tuple[tuple[str, str], ...] | None:
    """The keys and values of such a text, as they are written; None for another one."""
    matches = [_LINE.fullmatch(line) for line in text.strip("\n").split("\n")]
    pairs = tuple((match[1], match[2]) for match in matches if match is not None)
    return pairs if len(pairs) == len(matches) else None
