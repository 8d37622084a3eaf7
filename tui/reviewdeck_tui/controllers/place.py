"""The operator's place in the deck: saved each second, and restored after a crash."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual.message import Message

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.bookmark import Bookmark
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.messages import PlaceKept, Resumed
from reviewdeck_tui.sightings import PaintedDiffs

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

KEEP: Final = 1.0
"""Seconds between two checks whether the place changed."""
ALONE: Final = "The working memory does not answer: this deck alone keeps your place until it does."


class PlaceKeeper:
    """Saves a bookmark and what was painted, in the operator's working memory."""

    def __init__(self, host: DeckScreen, guard: Guard) -> None:
        self._host = host
        self._guard = guard
        self._saved: Bookmark | None = None
        """The bookmark saved last; None until the start is known."""
        self._saved_painted: PaintedDiffs | None = None
        self.is_keeping = False
        self._is_alone = False
        """Whether the working memory does not answer."""
        self._review = ""
        """The progress of a background review that is running."""

    @property
    def words(self) -> tuple[str, str] | None:
        """The strip's words about it, with their meaning; None for none."""
        if self._is_alone:
            return ALONE, "flag"
        return (self._review, "heading") if self._review else None

    def find(self, start: Bookmark) -> None:
        """Loads the place of an earlier deck that crashed."""

        def job() -> Message:
            bookmarks = self._host.engine.bookmarks
            return Resumed(start, bookmarks.load(), bookmarks.sightings())

        self._host.work(job, group="place")

    def resume(self, event: Resumed, now: Bookmark) -> Bookmark | None:
        """The place to return to; None for an operator who has moved already."""
        self._saved, self._saved_painted = event.start, event.painted
        self._guard.add_earlier(event.painted)
        is_unmoved = event.start == now
        return event.saved if is_unmoved and event.saved != event.start else None

    def keep(self, place: Bookmark) -> None:
        """Saves the place and what was painted, if they changed. One at a time."""
        if self.is_keeping:
            return
        self.is_keeping = True
        saved, now, homes = self._saved, self._host.now(), self._host.backlog.homes
        painted, saved_painted = self._guard.sightings, self._saved_painted

        def job() -> Message:
            bookmarks = self._host.engine.bookmarks
            if place != saved:
                bookmarks.save(place)
            if painted != saved_painted:
                bookmarks.save_sightings(painted)
            return PlaceKept(place, painted, bookmarks.is_alone, bookmarks.running(homes, now))

        self._host.work(job, group="place")

    def record_saved(self, event: PlaceKept) -> bool:
        """Records that they are saved; whether the strip's words changed."""
        self._saved, self._saved_painted = event.place, event.painted
        self.is_keeping = False
        before = (self._is_alone, self._review)
        self._is_alone, self._review = event.is_alone, event.running
        return (self._is_alone, self._review) != before

    def save_painted(self) -> None:
        """Saves what was painted since, at once: the deck is about to end."""
        painted = self._guard.sightings
        if self._saved_painted is not None and painted != self._saved_painted:
            with suppress(ReviewdeckError):
                self._host.engine.bookmarks.save_sightings(painted)

    def stop_saving_painted(self) -> None:
        """Stops saving what was painted."""
        self._saved_painted = None
