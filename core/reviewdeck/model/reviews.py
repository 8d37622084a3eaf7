"""Runs of the background reviewer: what one did, what it cost, and what it was denied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review of one conversation."""

    id: str
    home: str
    session: str
    occasion: str
    """turn, reset, session-end or command."""
    started_at: datetime
    finished_at: datetime
    ending: str
    """done, cancelled, failed, or the limit that was met."""
    detail: str = ""
    """For a failure: what the provider said. For a fallback: that there was one."""
    provider: str = ""
    model: str = ""
    is_routed: bool = False
    prompts: str = ""
    """The version of the prompts."""
    iterations: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input that came from the provider's prompt cache."""
    cost: float | None = None
    """In dollars; None when the provider does not say."""
    shared: float | None = None
    """The share of the conversation's last request that was sent again byte for byte, 0 to 1."""
    saved_tokens: int = 0
    """About how many a digest left out."""
    denied: Mapping[str, int] = field(default_factory=dict)
    """Tools that the model tried and that do not run, with how often."""
    proposals: tuple[str, ...] = ()
    """What it staged."""


@dataclass(frozen=True, slots=True)
class ReviewTotals:
    """All reviews of some homes together."""

    runs: int = 0
    failed: int = 0
    proposals: int = 0
    denied: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    """The sum of those that are known."""
    last: datetime | None = None

    def __add__(self, other: ReviewTotals) -> ReviewTotals:
        costs = [one for one in (self.cost, other.cost) if one is not None]
        moments = [one for one in (self.last, other.last) if one is not None]
        return ReviewTotals(
            self.runs + other.runs,
            self.failed + other.failed,
            self.proposals + other.proposals,
            self.denied + other.denied,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            sum(costs) if costs else None,
            max(moments, default=None),
        )
