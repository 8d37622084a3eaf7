"""Where an operator is in the deck, kept so that a crash or a dropped line loses nothing of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.options import Settings
from reviewdeck.ports import Clock
from reviewdeck.ports.ledger import UnfinishedMerges
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.queue.columns import Sort
from reviewdeck_tui.queue.view import Lane, QueueView
from reviewdeck_tui.sightings import PaintedDiffs, as_json, sightings_of

if TYPE_CHECKING:
    from reviewdeck.working import Storage, WorkingMemory

KEY: Final = "bookmark"
SEEN: Final = "seen"
MOST_MARKS: Final = 1_000
"""Marks that are kept; nobody sets more by hand."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One place in the deck."""

    lane: Lane = Lane.DECIDE
    conflicts_only: bool = False
    home: str | None = None
    sort: Sort = Sort.RISK
    wanted: str = ""
    """What the filter says."""
    cursor: str | None = None
    marks: tuple[str, ...] = ()
    side: Pane = Pane.WHY

    @property
    def words(self) -> str:
        """Where that is, for a person."""
        said = [f"lane {self.lane}"]
        said += ["conflicts only"] if self.conflicts_only else []
        said += [f'filter "{self.wanted}"'] if self.wanted else []
        said += [f"{len(self.marks)} marked"] if self.marks else []
        return ", ".join(said)

    def as_json(self) -> dict[str, Any]:
        """As it is kept."""
        return {
            "lane": self.lane.value,
            "conflicts_only": self.conflicts_only,
            "home": self.home,
            "sort": self.sort.value,
            "wanted": self.wanted,
            "cursor": self.cursor,
            "marks": list(self.marks),
            "side": self.side.value,
        }


def bookmark_at(
    view: QueueView, wanted: str, cursor: str | None, marks: tuple[str, ...], side: Pane
) -> Bookmark:
    """The place that this makes."""
    return Bookmark(
        lane=view.lane,
        conflicts_only=view.conflicts_only,
        home=view.home,
        sort=view.sort,
        wanted=wanted,
        cursor=cursor,
        marks=marks[:MOST_MARKS],
        side=side,
    )


def bookmark_of(raw: Any) -> Bookmark | None:
    """The place that was kept; None for anything that is none."""
    try:
        return Bookmark(
            lane=Lane(raw["lane"]),
            conflicts_only=raw["conflicts_only"] is True,
            home=_text(raw["home"]),
            sort=Sort(raw["sort"]),
            wanted=_text(raw["wanted"]) or "",
            cursor=_text(raw["cursor"]),
            marks=tuple(mark for mark in raw["marks"] if isinstance(mark, str))[:MOST_MARKS],
            side=Pane(raw["side"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _text(raw: Any) -> str | None:
    return raw if isinstance(raw, str) else None


class Bookshelf:
    """Keeps the bookmark of one operator over some homes, and what they have seen there.

    What was seen has a memory of its own: going back to a checkpoint makes nothing unseen, and no
    checkpoint holds it again.
    """

    def __init__(self, memory: WorkingMemory, seen: WorkingMemory, storage: Storage) -> None:
        self._memory = memory
        self._seen = seen
        self._storage = storage

    @property
    def merges(self) -> UnfinishedMerges:
        """The merges that were begun and not finished."""
        from reviewdeck.working.memory import WorkingMerges

        return WorkingMerges(self._memory)

    @property
    def is_alone(self) -> bool:
        """Whether the working memory does not answer, and this process keeps the place alone."""
        return self._storage.is_using_fallback

    def running(self, homes: Iterable[str], now: datetime) -> str:
        """What a review that runs just now is at; empty when none does."""
        from reviewdeck.reviewer.review import running_review

        for home in homes:
            task = running_review(self._storage, home, now)
            if task is not None:
                return f"A {task.title} runs: {task.step or 'it begins'}."
        return ""

    def load(self) -> Bookmark | None:
        """The place of a deck that did not end as it should have."""
        return bookmark_of(self._memory.get(KEY))

    def keep(self, bookmark: Bookmark) -> None:
        """Keeps the place."""
        self._memory.set(KEY, bookmark.as_json())

    def sightings(self) -> PaintedDiffs:
        """What was painted of the diffs in earlier sessions."""
        return sightings_of(self._seen.get(SEEN))

    def keep_sightings(self, sightings: PaintedDiffs) -> None:
        """Keeps what was painted, in the place of what was kept before."""
        self._seen.set(SEEN, as_json(sightings))

    def leave(self) -> None:
        """The operator left the deck: the next one begins at its start. What they saw is kept."""
        self._memory.delete(KEY)

    def checkpoint(self, description: str) -> None:
        """Keeps everything as it is, to go back to."""
        self._memory.checkpoint(description)

    def close(self) -> None:
        """Ends the work with it."""
        self._memory.close()
        self._seen.close()
        self._storage.close()


def open_bookshelf(settings: Settings, now: Clock) -> Bookshelf:
    """The bookmarks of these settings' operator over these homes. Raises StorageUnavailable."""
    from reviewdeck.bootstrap import open_working
    from reviewdeck.working import Scope, WorkingMemory

    storage = open_working(settings, now=now)
    homes = "\n".join(sorted(map(str, settings.homes)))
    project = hashlib.sha256(homes.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def memory(name: str) -> WorkingMemory:
        scope = Scope(name, agent=settings.actor.name, project=project)
        return WorkingMemory(scope, storage, now=now)

    return Bookshelf(memory("deck"), memory("deck-seen"), storage)
