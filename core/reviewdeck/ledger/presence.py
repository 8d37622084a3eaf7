"""Who is looking at what: it blocks nobody, and is over by itself."""

from __future__ import annotations

from typing import Final

from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.columns import actor_of
from reviewdeck.ledger.database import CLOCK, HomeOf, LedgerPart, first
from reviewdeck.model import ActorKind

_LOOKING: Final = f"""
    SELECT proposal, operator FROM looking
    WHERE until > {CLOCK} AND NOT (operator IN :mine) ORDER BY operator
"""  # noqa: S608 - constant
_LOOK: Final = f"""
    INSERT INTO looking (operator, home, proposal, until)
    SELECT :operator, home, id, {CLOCK} + :time FROM proposal WHERE id = :of
    ON CONFLICT (operator) DO UPDATE
    SET home = excluded.home, proposal = excluded.proposal, until = excluded.until
"""  # noqa: S608 - constant
_OTHERS: Final = """
    SELECT operator FROM draft WHERE NOT (operator IN :mine)
    UNION SELECT operator FROM seen WHERE NOT (operator IN :mine)
    UNION SELECT operator FROM looking WHERE NOT (operator IN :mine)
    LIMIT 1
"""
_LATEST: Final = "SELECT actor FROM decision ORDER BY sequence DESC LIMIT 200"


class SqlPresence(LedgerPart):
    """What each operator has open."""

    def note_looking(self, proposal: str, seconds: float) -> None:
        """Notes that this operator has a proposal open, for so long."""
        its = {"operator": self._opener.operator, "of": proposal, "time": int(seconds * 1e6)}
        with self._database.writing(HomeOf("proposal", (proposal,))) as tx:
            tx.run(_LOOK, its)

    def looking(self) -> dict[str, tuple[str, ...]]:
        """The other operators who have a proposal open now, by proposal."""
        found: dict[str, tuple[str, ...]] = {}
        with self._reading("A look") as tx:
            for proposal, operator in tx.rows(_LOOKING, {"mine": self._opener.names}):
                id = unshield(proposal)
                found[id] = (*found.get(id, ()), unshield(operator))
        return found

    def has_others(self) -> bool:
        """Whether several operators have prepared, seen or lately decided something here."""
        with self._reading("An operator") as tx:
            if first(tx, _OTHERS, {"mine": self._opener.names}) is not None:
                return True
            actors = [actor_of(cell) for (cell,) in tx.rows(_LATEST)]
        names = {actor.name for actor in actors if actor.kind is ActorKind.OPERATOR}
        return len(names) > 1  # One alone may have a key of another name than the account.
