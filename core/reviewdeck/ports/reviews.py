"""What the ledger keeps of the background reviewer's runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from reviewdeck.model import ReviewRun, ReviewTotals


class Reviews(Protocol):
    """Runs of the background reviewer."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended, however it did."""
        ...

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first; of all homes when none is named."""
        ...

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """All runs together."""
        ...
