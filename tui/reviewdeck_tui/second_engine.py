"""A second, read-only engine: it shows proposals while the first one evaluates the backlog.

Its views are against the texts live at that moment. Whether such a view can be decided on is
known when the backlog is read again: a decision names the digest of what was shown.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.engine.options import Settings
from reviewdeck.model import QueueItem
from reviewdeck.ports import Clock
from reviewdeck_tui.proposal.view import ProposalView, view_decided, view_open

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


class SecondEngine:
    """Another deck over the same ledger, for one reader at a time."""

    def __init__(self, settings: Settings, now: Clock) -> None:
        self._settings = settings
        self._now = now
        self._lock = threading.Lock()
        self._deck: Engine | None = None

    def look(self, item: QueueItem) -> ProposalView:
        """The view of a proposal now, marked as being evaluated again."""
        from reviewdeck.bootstrap import open_engine  # the engine

        with self._lock:
            if self._deck is None:
                self._deck = open_engine(self._settings, now=self._now)
            return replace(self._view(self._deck, item), is_judged_again=True)

    def _view(self, deck: Engine, item: QueueItem) -> ProposalView:
        if not item.state.is_open:
            return view_decided(deck, item)
        # The home may change at any time, so no evaluator is kept.
        evaluator = deck.evaluator_of(deck.home_by_id(item.home).home)
        return view_open(deck, item, evaluator, self._now()).look

    def close(self) -> None:
        """Closes the ledger until the next view."""
        with self._lock:
            if self._deck is not None:
                self._deck.close()
                self._deck = None
