"""The paths of homes. An id stays the same wherever its home is moved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reviewdeck.errors import Busy
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import LedgerPart, upsert
from reviewdeck.ledger.view_sql import HERE
from reviewdeck.model.ledger import DirectoryIdentity, KnownHome


class SqlPlaces(LedgerPart):
    """The paths of homes."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        with self._database.reading() as tx:
            rows = tx.rows("SELECT home, path, number, mark, kind, host FROM place ORDER BY home")
            return tuple(
                KnownHome(
                    unshield(home), DirectoryIdentity(unshield(path), number, mark), kind, host
                )
                for home, path, number, mark, kind, host in rows
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
        Raises Busy where another host took the id a moment ago.
        """
        here = self._opener.host
        with self._database.writing() as tx:
            rows = tx.rows("SELECT mark, host FROM place WHERE home = :home", {"home": home})
            noted, host = rows[0] if rows else ("", here)
            if here and host not in (here, ""):
                raise Busy(f"Another host has just registered the home {home}: try again.")
            mark = at.mark or noted or spare
            row = {"home": home, "path": at.path, "number": at.number, "mark": mark}
            row |= {"host": here or host} | ({"kind": kind} if kind else {})
            tx.run(
                f"UPDATE place SET path = '' WHERE path = :path AND home <> :home AND {HERE}",  # noqa: S608 - constant
                row | {"host": here},
            )
            upsert(tx, "place", ("home",), row)
            if event:
                now = self._database.now()
                log(tx, [Note(event, home, home, NOBODY, now, dict(detail))])
        return mark
