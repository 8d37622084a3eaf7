"""The operator's place in the deck: kept each second, and found again after a crash."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from textual.message import Message

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.bookmark import Bookmark
from reviewdeck_tui.controllers.host import Host
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.messages import PlaceKept, Resumed
from reviewdeck_tui.sightings import PaintedDiffs

KEEP: Final = 1.0
"""Seconds between two looks at whether the place is another one."""
ALONE: Final = "The working memory does not answer: this deck alone keeps your place until it does."


class PlaceKeeper:
    """Keeps a bookmark and what was painted, in the operator's working memory."""

    def __init__(self, host: Host, guard: Guard) -> None:
        self._host = host
        self._guard = guard
        self._kept: Bookmark | None = None
        """The place that was kept last; None until it is known where to begin."""
        self._kept_seen: PaintedDiffs | None = None
        self.is_keeping = False
        self._is_alone = False
        """Whether the working memory does not answer."""
        self._review = ""
        """What a review that runs just now is at."""

    @property
    def words(self) -> tuple[str, str] | None:
        """What the strip says of it, and its meaning; None when there is nothing to say."""
        if self._is_alone:
            return ALONE, "flag"
        return (self._review, "heading") if self._review else None

    def find(self, here: Bookmark) -> None:
        """Looks where an earlier deck was when it died."""

        def job() -> Message:
            shelf = self._host.engine.bookshelf
            return Resumed(here, shelf.load(), shelf.sightings())

        self._host.work(job, group="place")

    def resumed(self, event: Resumed, here: Bookmark) -> Bookmark | None:
        """Where to go; None for whoever has moved, who already knows where they want to be."""
        self._kept, self._kept_seen = event.begun, event.seen
        self._guard.remember(event.seen)
        is_elsewhere = event.found != event.begun == here
        return event.found if is_elsewhere else None

    def keep(self, place: Bookmark) -> None:
        """Keeps the place and what was seen, where they changed. One at a time."""
        if self.is_keeping:
            return
        self.is_keeping = True
        known, now, homes = self._kept, self._host.now(), self._host.stock.homes
        seen, seen_before = self._guard.sightings, self._kept_seen

        def job() -> Message:
            shelf = self._host.engine.bookshelf
            if place != known:
                shelf.keep(place)
            if seen != seen_before:
                shelf.keep_sightings(seen)
            return PlaceKept(place, seen, shelf.is_alone, shelf.running(homes, now))

        self._host.work(job, group="place")

    def kept(self, event: PlaceKept) -> bool:
        """It is kept; whether the strip has something else to say now."""
        self._kept, self._kept_seen = event.place, event.seen
        self.is_keeping = False
        before = (self._is_alone, self._review)
        self._is_alone, self._review = event.is_alone, event.running
        return (self._is_alone, self._review) != before

    def keep_seen(self) -> None:
        """Keeps at once what was painted since: the deck is about to end."""
        seen = self._guard.sightings
        if self._kept_seen is not None and seen != self._kept_seen:
            with suppress(ReviewdeckError):
                self._host.engine.bookshelf.keep_sightings(seen)

    def forget_seen(self) -> None:
        """Nothing more is kept of what was painted."""
        self._kept_seen = None
