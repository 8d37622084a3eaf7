"""Proposals that were stored a moment ago, for whoever reads them next: a pass does so at once.

What is in a proposal never changes, so what was stored need not be read back. Where it stands does
change, and is asked for all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reviewdeck.model import Proposal

MOST = 10_000
"""So many proposals are kept. What comes on top is read from the database."""

MOST_BYTES = 16 << 20
"""And so many bytes of their records."""


class AtHand:
    """Proposals by id, each until it is taken. Threads may share it."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Proposal, int]] = {}
        self._bytes = 0

    def keep(self, proposals: Iterable[Proposal], records: Mapping[str, bytes]) -> None:
        """Keeps these while there is room; their records' bytes are given by SHA-256."""
        for one in proposals:
            size = len(records.get(one.payload_sha, b""))
            if len(self._kept) >= MOST or self._bytes + size > MOST_BYTES:
                return
            self._bytes += size - self._kept.get(one.id, (one, 0))[1]
            self._kept[one.id] = one, size

    def take(self, ids: Iterable[str]) -> dict[str, Proposal]:
        """Those of these that are here; they are let go of."""
        found: dict[str, Proposal] = {}
        for id in ids:
            if (kept := self._kept.pop(id, None)) is not None:
                found[id] = kept[0]
                self._bytes -= kept[1]
        return found
