"""The operator's place in the deck, saved so that it survives a crash or a lost connection."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.options import Settings
from reviewdeck.ports import Clock
from reviewdeck.ports.merges import UnfinishedMerges
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.queue.items import Sort
from reviewdeck_tui.queue.view import Lane, QueueView
from reviewdeck_tui.sightings import PaintedDiffs, as_json, sightings_of

if TYPE_CHECKING:
    from reviewdeck.working import Storage, WorkingMemory

KEY: Final = "bookmark"
PAINTED: Final = "seen"
MOST_MARKS: Final = 1_000
"""Marks that are saved; nobody sets more by hand."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place in the deck."""

    lane: Lane = Lane.DECIDE
    conflicts_only: bool = False
    home: str | None = None
    sort: Sort = Sort.RISK
    filter_words: str = ""
    """The words of the filter."""
    cursor: str | None = None
    marks: tuple[str, ...] = ()
    side: Pane = Pane.WHY

    @property
    def words(self) -> str:
        """The place in words."""
        parts = [f"lane {self.lane}"]
        parts += ["conflicts only"] if self.conflicts_only else []
        parts += [f'filter "{self.filter_words}"'] if self.filter_words else []
        parts += [f"{len(self.marks)} marked"] if self.marks else []
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        return {
            "lane": self.lane.value,
            "conflicts_only": self.conflicts_only,
            "home": self.home,
            "sort": self.sort.value,
            "wanted": self.filter_words,
            "cursor": self.cursor,
            "marks": list(self.marks),
            "side": self.side.value,
        }


def bookmark_at(
    view: QueueView, filter_words: str, cursor: str | None, marks: tuple[str, ...], side: Pane
) -> Bookmark:
    return Bookmark(
        lane=view.lane,
        conflicts_only=view.conflicts_only,
        home=view.home,
        sort=view.sort,
        filter_words=filter_words,
        cursor=cursor,
        marks=marks[:MOST_MARKS],
        side=side,
    )


def bookmark_of(raw: Any) -> Bookmark | None:
    """The bookmark that was stored; None for anything malformed."""
    try:
        return Bookmark(
            lane=Lane(raw["lane"]),
            conflicts_only=raw["conflicts_only"] is True,
            home=_text(raw["home"]),
            sort=Sort(raw["sort"]),
            filter_words=_text(raw["wanted"]) or "",
            cursor=_text(raw["cursor"]),
            marks=tuple(mark for mark in raw["marks"] if isinstance(mark, str))[:MOST_MARKS],
            side=Pane(raw["side"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _text(raw: Any) -> str | None:
    return raw if isinstance(raw, str) else None


class BookmarkStore:
    """Stores one operator's bookmark over some homes, and the diffs painted there.

    The painted diffs have a memory of their own: going back to a checkpoint must not make them
    unseen, and no checkpoint needs to hold them again.
    """

    def __init__(self, memory: WorkingMemory, painted: WorkingMemory, storage: Storage) -> None:
        self._memory = memory
        self._painted_memory = painted
        self._storage = storage

    @property
    def merges(self) -> UnfinishedMerges:
        from reviewdeck.working.memory import WorkingMerges

        return WorkingMerges(self._memory)

    @property
    def is_alone(self) -> bool:
        """Whether the working memory does not answer, so that only this process holds the place."""
        return self._storage.is_using_fallback

    def running(self, homes: Iterable[str], now: datetime) -> str:
        """The progress of a running background review; empty if none runs."""
        from reviewdeck.reviewer.review import running_review

        for home in homes:
            task = running_review(self._storage, home, now)
            if task is not None:
                return f"A {task.title} runs: {task.step or 'starting'}."
        return ""

    def load(self) -> Bookmark | None:
        """The bookmark of a deck that did not end properly."""
        return bookmark_of(self._memory.get(KEY))

    def save(self, bookmark: Bookmark) -> None:
        self._memory.set(KEY, bookmark.as_json())

    def sightings(self) -> PaintedDiffs:
        """The diffs painted in earlier sessions."""
        return sightings_of(self._painted_memory.get(PAINTED))

    def save_sightings(self, sightings: PaintedDiffs) -> None:
        """Stores the painted diffs, in place of the earlier ones."""
        self._painted_memory.set(PAINTED, as_json(sightings))

    def leave(self) -> None:
        """Deletes the bookmark: the operator quit, and the next deck begins at its start."""
        self._memory.delete(KEY)

    def checkpoint(self, description: str) -> None:
        """Makes a checkpoint to go back to."""
        self._memory.checkpoint(description)

    def close(self) -> None:
        self._memory.close()
        self._painted_memory.close()
        self._storage.close()


def open_bookmarks(settings: Settings, now: Clock) -> BookmarkStore:
    """The bookmarks of these settings' operator over these homes. Raises StorageUnavailable."""
    from reviewdeck.bootstrap import open_working
    from reviewdeck.working import Scope, WorkingMemory

    storage = open_working(settings, now=now)
    homes = "\n".join(sorted(map(str, settings.homes)))
    project = hashlib.sha256(homes.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def memory(name: str) -> WorkingMemory:
        scope = Scope(name, agent=settings.actor.name, project=project)
        return WorkingMemory(scope, storage, now=now)

    return BookmarkStore(memory("deck"), memory("deck-seen"), storage)
