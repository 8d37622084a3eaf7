"""The next proposal is worked out while the operator reads this one.

What was prepared is shown only when every document that it is about is still as it was then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewdeck.model import Revision
from reviewdeck.ports import Snapshot

if TYPE_CHECKING:
    from reviewdeck_tui.bench import Look


@dataclass(frozen=True, slots=True)
class Prepared:
    """A look, and what was live when it was made."""

    look: Look
    seen: Mapping[str, Revision]

    def is_live(self, now: Snapshot) -> bool:
        """Whether all of that is live still."""
        return all(now.document(path).revision == one for path, one in self.seen.items())


def seen_of(paths: Iterable[str], snapshot: Snapshot) -> dict[str, Revision]:
    """The revisions of these documents in a snapshot."""
    return {path: snapshot.document(path).revision for path in paths}
