"""Looking at a proposal while the engine judges the queue anew: a second engine that only reads.

What it shows is worked out against what is live at that moment. Whether it can be decided on as it
was shown is known when the queue is read again: a decision names the digest of what was shown.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.engine.options import Settings
from reviewdeck.model import QueueItem
from reviewdeck.ports import Clock
from reviewdeck_tui.proposal.view import ProposalView, look_decided, look_open

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


class SecondEngine:
    """One more deck over the same ledger, for one reader at a time."""

    def __init__(self, settings: Settings, now: Clock) -> None:
        self._settings = settings
        self._now = now
        self._lock = threading.Lock()
        self._deck: Deck | None = None

    def look(self, item: QueueItem) -> ProposalView:
        """A proposal as it is at this moment, marked as being judged again."""
        from reviewdeck.bootstrap import compose_deck  # the ORM

        with self._lock:
            if self._deck is None:
                self._deck = compose_deck(self._settings, now=self._now)
            return replace(self._look(self._deck, item), is_judged_again=True)

    def _look(self, deck: Deck, item: QueueItem) -> ProposalView:
        if not item.state.is_open:
            return look_decided(deck, item)
        # The home may move all the time: what an earlier look read of it does not count.
        evaluator = deck.context.evaluator_of(deck.context.one_home(item.home).home)
        return look_open(deck, item, evaluator, self._now()).look

    def close(self) -> None:
        """Lets go of the ledger until somebody looks again."""
        with self._lock:
            if self._deck is not None:
                self._deck.close()
                self._deck = None
