"""What hosts still have to do in their homes after decisions that were made elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from reviewdeck.ledger.cells import dump, load, unshield
from reviewdeck.ledger.database import HomeOf, LedgerPart
from reviewdeck.ledger.view_sql import read_decisions
from reviewdeck.model import Decision
from reviewdeck.model.ledger import Errand

_PUT: Final = """
    INSERT INTO errand (decision, home, digests)
    SELECT :decision, home, :digests FROM proposal WHERE id = :proposal
    ON CONFLICT DO NOTHING
"""
_ERRANDS: Final = "SELECT decision, digests FROM errand WHERE home = :home"
_THEIR: Final = "WHERE id IN (SELECT decision FROM errand WHERE home = :home)"


class SqlErrands(LedgerPart):
    """Errands: each is stored with its decision, and removed when it is done."""

    def put_errand(self, decision: Decision, digests: Collection[str]) -> None:
        """Leaves an errand to the host of the proposal's home."""
        row = {
            "decision": decision.id,
            "proposal": decision.proposal,
            "digests": dump(sorted(digests)),
        }
        with self._database.writing(HomeOf("proposal", (decision.proposal,))) as tx:
            tx.put(_PUT, row)

    def errands(self, home: str) -> tuple[Errand, ...]:
        """The errands in a home, in the order in which they were decided."""
        its = {"home": home}
        with self._reading("An errand") as tx:
            rows = tx.rows(_ERRANDS, its)
            if not rows:
                return ()
            digests = {unshield(decision): tuple(load(cell)) for decision, cell in rows}
            decisions = read_decisions(tx, _THEIR, its)
            return tuple(Errand(each, digests[each.id]) for each in decisions)

    def end_errand(self, decision: str) -> None:
        """Removes an errand that is done."""
        with self._database.writing() as tx:
            tx.put("DELETE FROM errand WHERE decision = :decision", {"decision": decision})
