"""Taking up again: the place in the deck is kept each second and found after a crash."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from textual import on
from textual.content import Content
from textual.message import Message

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui import bars
from reviewdeck_tui.bookmark import Bookmark, bookmark_at
from reviewdeck_tui.messages import Kept, Resumed
from reviewdeck_tui.screens.moving import Moving
from reviewdeck_tui.sightings import Sightings

KEEP: Final = 1.0
"""Seconds between two looks at whether the place is another one."""
ALONE: Final = "The working memory does not answer: this deck alone keeps your place until it does."


class Resuming(Moving):
    """Keeps the operator's place and what they have seen, and goes back to it."""

    _kept: Bookmark | None = None
    """The place that was kept last; None until it is known where to begin."""
    _kept_seen: Sightings | None = None
    """What was kept last of what was painted."""
    _is_keeping = False
    _is_alone = False
    """Whether the working memory does not answer."""
    _review = ""
    """What a review that runs just now is at."""

    @property
    def bookmark(self) -> Bookmark:
        """Where the operator is now."""
        queue = self.queue
        return bookmark_at(self.view, self.wanted, queue.cursor_id, queue.marked_ids, self.side)

    def resume(self) -> None:
        """Looks where an earlier deck was when it died. From then on the place is kept."""
        begun = self.bookmark

        def job() -> Message:
            shelf = self.bench.bookshelf
            return Resumed(begun, shelf.load(), shelf.sightings())

        self.work(job, group="place")

    @on(Resumed)
    def _resumed(self, event: Resumed) -> None:
        self._kept, self._kept_seen = event.begun, event.seen
        self.guard.remember(event.seen)
        self.set_interval(KEEP, self._keep_place)
        # Whoever has moved already knows where they want to be.
        if event.found is not None and event.found != event.begun == self.bookmark:
            self._go_to(event.found)

    def _go_to(self, place: Bookmark) -> None:
        home = place.home if place.home in self.stock.homes else None
        self.side = place.side
        self.set_view(
            lane=place.lane, conflicts_only=place.conflicts_only, home=home, sort=place.sort
        )
        if place.cursor is not None:
            self.queue.move_to(place.cursor)
        self.queue.restore_marks(place.marks)
        if place.wanted:
            self.filter_for(place.wanted)
        self.say(f"Back where you were: {place.words}. Nothing was lost.", "heading")

    def _keep_place(self) -> None:
        if self._is_keeping:
            return
        self._is_keeping = True
        place, known, now = self.bookmark, self._kept, self.now()
        seen, seen_before = self.guard.sightings, self._kept_seen

        def job() -> Message:
            shelf = self.bench.bookshelf
            if place != known:
                shelf.keep(place)
            if seen != seen_before:
                shelf.keep_sightings(seen)
            return Kept(place, seen, shelf.is_alone, shelf.running(self.stock.homes, now))

        self.work(job, group="place")

    @on(Kept)
    def _place_kept(self, event: Kept) -> None:
        self._kept, self._kept_seen = event.place, event.seen
        self._is_keeping = False
        if (event.is_alone, event.running) != (self._is_alone, self._review):
            self._is_alone, self._review = event.is_alone, event.running
            self.show_bars()

    def on_unmount(self) -> None:
        """What was painted in the last second stays seen, however the deck ends by itself."""
        seen = self.guard.sightings
        if self._kept_seen is not None and seen != self._kept_seen:
            with suppress(ReviewdeckError):
                self.bench.bookshelf.keep_sightings(seen)

    def standing_words(self) -> Content:
        """What the strip says when nothing else is to be said."""
        if self._is_alone:
            return bars.styled(f" {ALONE}", "flag")
        if self._review:
            return bars.styled(f" {self._review}", "heading")
        return super().standing_words()
