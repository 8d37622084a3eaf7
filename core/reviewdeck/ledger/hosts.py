"""The hosts that write to homes: whether they are alive, and whether there is something to do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final

from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import CLOCK, LedgerPart
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.model.ledger import Host

_SEEN: Final = f"""
    INSERT INTO host (id, name, version, seen_at, problem)
    VALUES (:id, :name, :version, {CLOCK}, :problem)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version,
        seen_at = excluded.seen_at, problem = excluded.problem
"""  # noqa: S608 - constant
_HOSTS: Final = f"SELECT id, name, version, {CLOCK} - seen_at, problem FROM host ORDER BY id"  # noqa: S608 - the same
_WAITING: Final = f"""
    SELECT home FROM batch WHERE NOT settled AND home IN :homes
    UNION SELECT home FROM errand WHERE home IN :homes
    UNION SELECT dirty.home FROM dirty JOIN proposal ON proposal.id = dirty.proposal
    WHERE dirty.home IN :homes AND NOT proposal.{WAITING_SQL}
"""  # noqa: S608 - constant states


class SqlHosts(LedgerPart):
    """Hosts, and the work that waits for them."""

    def note_host(self, name: str, version: str, problem: str = "") -> None:
        """Notes that this host's worker is alive, and what keeps it from its work."""
        row = {"id": self._opener.host, "name": name, "version": version, "problem": problem}
        with self._database.writing() as tx:
            tx.put(_SEEN, row)

    def hosts(self) -> tuple[Host, ...]:
        """The hosts whose workers ever reported."""
        with self._reading("A host") as tx:
            return tuple(
                Host(id, unshield(name), unshield(version), _span(micros), unshield(problem))
                for id, name, version, micros, problem in tx.rows(_HOSTS)
            )

    def homes_with_work(self, homes: Sequence[str]) -> frozenset[str]:
        """The homes among these for which something was decided and is not done.

        That is a batch that is not written, an errand, or a pass over what a decision concerns.
        """
        with self._reading("An unfinished batch") as tx:
            return frozenset(unshield(home) for (home,) in tx.rows(_WAITING, {"homes": homes}))

    def wait_for_news(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        """Waits until a database says that something was decided, or so many seconds passed.

        True where it said so, of one of these homes or of any. What it did not say is found by
        asking.
        """
        return self._database.wait_for_news(seconds, homes)


def _span(micros: int) -> timedelta:
    return timedelta(microseconds=max(micros, 0))
