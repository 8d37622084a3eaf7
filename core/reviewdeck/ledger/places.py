"""The paths of homes. An id stays the same wherever its home is moved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import select, update

from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.database import LedgerPart, upsert
from reviewdeck.ledger.tables import PlaceRow, table_of
from reviewdeck.ports import DirectoryIdentity, KnownHome

_PLACE = table_of(PlaceRow)


class SqlPlaces(LedgerPart):
    """The paths of homes."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        with self._storage.viewing() as connection:
            rows = connection.execute(select(_PLACE).order_by(_PLACE.c.home))
            return tuple(
                KnownHome(row.home, DirectoryIdentity(row.path, row.number, row.mark), row.kind)
                for row in rows
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
        with self._storage.writing() as connection:
            noted = connection.scalar(select(_PLACE.c.mark).where(_PLACE.c.home == home))
            mark = at.mark or noted or spare
            displaced = update(_PLACE).where(_PLACE.c.path == at.path, _PLACE.c.home != home)
            connection.execute(displaced.values(path=""))
            row = {"home": home, "path": at.path, "number": at.number, "mark": mark}
            row |= {"kind": kind} if kind else {}
            upsert(connection, PlaceRow, "home", row)
            if event:
                now = self._storage.now()
                log(connection, [Note(event, home, home, NOBODY, now, dict(detail))])
        return mark
