"""The operator's place in the deck: saved each second, and restored after a crash."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.bookmark import Bookmark
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.sightings import PaintedDiffs

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

KEEP: Final = 1.0
"""Seconds between two checks whether the place changed."""
ALONE: Final = "The working memory does not answer: this deck alone keeps your place until it does."


@dataclass(frozen=True, slots=True)
class EarlierDeck:
    """What an earlier deck that crashed has left."""

    start: Bookmark
    """The place where this deck began."""
    saved: Bookmark | None
    painted: PaintedDiffs
    """The diffs painted in earlier sessions."""


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

    def find(self, start: Bookmark, then: Callable[[EarlierDeck], None]) -> None:
        """Loads the place of an earlier deck that crashed."""

        def job() -> EarlierDeck:
            bookmarks = self._host.engine.bookmarks
            return EarlierDeck(start, bookmarks.load(), bookmarks.sightings())

        self._host.work(job, then, group="place")

    def resume(self, earlier: EarlierDeck, now: Bookmark) -> Bookmark | None:
        """The place to return to; None for an operator who has moved already."""
        self._saved, self._saved_painted = earlier.start, earlier.painted
        self._guard.add_earlier(earlier.painted)
        is_unmoved = earlier.start == now
        return earlier.saved if is_unmoved and earlier.saved != earlier.start else None

    def keep(self, place: Bookmark) -> None:
        """Saves the place and what was painted, if they changed. One at a time."""
        if self.is_keeping:
            return
        self.is_keeping = True
        saved, now, homes = self._saved, self._host.now(), self._host.backlog.homes
        painted, saved_painted = self._guard.sightings, self._saved_painted

        def job() -> tuple[bool, str]:
            try:
                bookmarks = self._host.engine.bookmarks
                if place != saved:
                    bookmarks.save(place)
                if painted != saved_painted:
                    bookmarks.save_sightings(painted)
                return bookmarks.is_alone, bookmarks.running(homes, now)
            finally:  # Refused once, it is tried again.
                self.is_keeping = False

        def record(news: tuple[bool, str]) -> None:
            self._saved, self._saved_painted = place, painted
            before = self._is_alone, self._review
            self._is_alone, self._review = news
            if news != before:
                self._host.show_bars()

        self._host.work(job, record, group="place")

    def save_painted(self) -> None:
        """Saves what was painted since, at once: the deck is about to end."""
        painted = self._guard.sightings
        if self._saved_painted is not None and painted != self._saved_painted:
            with suppress(ReviewdeckError):
                self._host.engine.bookmarks.save_sightings(painted)

    def stop_saving_painted(self) -> None:
        """Stops saving what was painted."""
        self._saved_painted = None
