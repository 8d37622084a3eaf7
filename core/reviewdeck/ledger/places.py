"""The paths of homes. An id stays the same wherever its home is moved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import LedgerPart, first, upsert
from reviewdeck.model.ledger import DirectoryIdentity, KnownHome


class SqlPlaces(LedgerPart):
    """The paths of homes."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        with self._database.reading() as tx:
            rows = tx.rows("SELECT home, path, number, mark, kind FROM place ORDER BY home")
            return tuple(
                KnownHome(unshield(home), DirectoryIdentity(unshield(path), number, mark), kind)
                for home, path, number, mark, kind in rows
            )

    def put_place(
        self,
        home: str,
        at: DirectoryIdentity,
        spare: str,
        event: str = "",
        detail: Mapping[str, object] = MappingProxyType({}),
        *,
        kind: str = "",
    ) -> str:
        """Stores where a home is, and of which kind; with an event, the log gets a line too.

        Gives the home's mark: the one in its folder, else the stored one, else the spare.
        """
        with self._database.writing() as tx:
            noted = first(tx, "SELECT mark FROM place WHERE home = :home", {"home": home})
            mark = at.mark or noted or spare
            row = {"home": home, "path": at.path, "number": at.number, "mark": mark}
            row |= {"kind": kind} if kind else {}
            tx.run("UPDATE place SET path = '' WHERE path = :path AND home <> :home", row)
            upsert(tx, "place", "home", row)
            if event:
                now = self._database.now()
                log(tx, [Note(event, home, home, NOBODY, now, dict(detail))])
        return mark
