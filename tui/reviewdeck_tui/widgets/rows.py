"""The rows of the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviewdeck_tui.widgets.on_demand import OnDemand


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. Its texts may be hostile: the list makes them inert."""

    id: str
    glyph: str
    """One sign for the state; colour only repeats it."""
    state: str
    """ready, conflict, dead, refused, quarantined, deferred, ...: chooses the colour."""
    kind: str
    """The author's word for the edit: add, replace, patch, ..."""
    target: str
    """MEMORY, USER or skill."""
    gist: str
    origin: str
    age: str
    cluster: int
    """The number of proposals about the same thing, this one included; 1 or less shows nothing."""
    draft: str
    """The letter of the draft, empty for none."""
    marked: bool
    home: str
    """Shown in a column of its own if any row has one and there is room."""
    dangerous: bool
    checks: tuple[str, ...] = ()
    """The names of the checks that fail, the most telling first."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The line over a section of the queue. The cursor skips it."""

    before: int
    """The place of the first row below it; for a folded section, of the row that follows it."""
    name: str
    words: str
    state: str
    """As in `QueueRow`: chooses the colour of the name."""


class Rows(OnDemand[QueueRow]):
    """Rows by the ids of their proposals."""

    def __init__(
        self,
        ids: Sequence[str],
        row: Callable[[int], QueueRow],
        *,
        has_homes: bool,
        place_of: Callable[[str], int | None],
    ) -> None:
        self.ids = ids
        self.place_of = place_of
        """The line of a proposal; None if it is not in the list."""
        self.has_homes = has_homes
        """Whether any row names its home."""
        self._row = row

    @classmethod
    def of(cls, rows: Sequence[QueueRow]) -> Rows:
        """Rows that are made already."""
        places = {row.id: place for place, row in enumerate(rows)}
        has_homes = any(row.home for row in rows)
        return cls([*places], rows.__getitem__, has_homes=has_homes, place_of=places.get)

    def __len__(self) -> int:
        return len(self.ids)

    def make(self, place: int, /) -> QueueRow:
        return self._row(place)
