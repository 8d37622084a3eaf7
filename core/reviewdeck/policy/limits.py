"""Lengths up to which a text may go in without an operator."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST = 256 * 1024
"""Bytes of a policy file."""

SCAN_LIMIT = 65_536
"""Characters of one text that are scanned. What is longer is held for being so long."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is longer is held."""

    entry: int = 600
    """Characters of a memory entry."""
    skill: int = 20_000
    """Characters of a skill or reference."""
    memory_risk: int = 38
    """Of 100, how much a memory entry may read like texts that do harm."""
    clear_risk: int = 32
    """Below this, an entry reads so plainly that a mild shape in it does not hold it."""
    passing_risk: int = 46
    """How much a memory entry may read like what holds for a day only."""
    skill_risk: int = 50
    """The same of a skill or reference."""


DEFAULT_LIMITS = Limits()
