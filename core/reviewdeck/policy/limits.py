"""Lengths up to which a text may go in without an operator."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST = 256 * 1024
"""Bytes of a policy file."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is longer is held."""

    entry: int = 600
    """Characters of a memory entry."""
    skill: int = 20_000
    """Characters of a skill or reference."""


DEFAULT_LIMITS = Limits()
