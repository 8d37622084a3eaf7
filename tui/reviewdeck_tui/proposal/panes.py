"""The panes beside the diff, and the types of their lines."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias


class Ours(str):
    """Words of ours in a line: ids, times, actors. They are never redacted."""

    __slots__ = ()


Span: TypeAlias = tuple[str, str]
"""A text and its meaning, for its colour."""
Line: TypeAlias = tuple[Span, ...]


class Pane(StrEnum):
    """A pane beside the diff."""

    WHY = "Why"
    EVIDENCE = "Evidence"
    HISTORY = "History"
