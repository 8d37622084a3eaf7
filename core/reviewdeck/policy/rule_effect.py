"""What a rule does with a proposal that it speaks about."""

from __future__ import annotations

from enum import StrEnum


class RuleEffect(StrEnum):
    """What a shipped rule, or one of an operator, does with what it finds."""

    HOLD = "hold"
    """A person decides."""
    REFUSE = "refuse"
    """It is never applied as it is."""
