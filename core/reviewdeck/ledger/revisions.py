"""Documents' bytes by revision, and which revision was seen when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from reviewdeck.ledger.blobs import keep_bytes
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.columns import actor_cell
from reviewdeck.ledger.database import LedgerPart, Transaction, insert
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.view_sql import OBSERVATION, read_latest
from reviewdeck.model import Actor, Observation, Proposal, Revision, executes_otherwise

_LEARN_MODE: Final = """
    UPDATE observation SET mode = :mode
    WHERE home = :home AND path = :path AND revision = :revision AND mode IS NULL AND sequence =
        (SELECT max(sequence) FROM observation WHERE home = :home AND path = :path)
"""
_CLAIM: Final = """
    UPDATE observation SET actor = :actor, proposal = :proposal
    WHERE home = :home AND path IN :paths AND cause = 'outside'
    AND at BETWEEN :created_at AND :ingested_at
    AND NOT EXISTS (
        SELECT 1 FROM observation AS earlier
        WHERE earlier.home = observation.home AND earlier.path = observation.path
        AND earlier.cause = 'operation' AND earlier.at >= :created_at
        AND earlier.sequence < observation.sequence)
"""
_DISCLAIM: Final = """
    UPDATE observation SET actor = :actor, proposal = NULL
    WHERE home = :home AND proposal = :proposal AND cause = 'outside'
"""
_OPEN_WRITES: Final = """
    SELECT path FROM batch_write JOIN batch ON batch.id = batch_write.batch
    WHERE batch.home = :home AND NOT batch.settled AND batch.state = 'intent'
"""


class SqlRevisions(LedgerPart):
    """Storing observations of documents."""

    def observe(
        self,
        observations: Sequence[Observation],
        contents: Sequence[bytes],
        *,
        latest: Mapping[str, Observation] | None = None,
        is_ours: bool = False,
    ) -> tuple[Observation, ...]:
        """Stores the bytes, and each observation that differs from the document's last one.

        With `latest`, only those of documents of which these are the last observations still, and
        that no open batch is about to write, unless that `is_ours` to end. Gives what was stored.
        """
        homes = {observation.home for observation in observations}
        with self._database.writing(*homes) as tx:
            keep_bytes(tx, contents)
            last = _last(tx, homes)
            busy = set() if latest is None or is_ours else _busy(tx, homes)
            changed: list[Observation] = []
            for new in observations:
                place = (new.home, new.path)
                now = last.get(place)
                if latest is not None and (place in busy or now != latest.get(new.path)):
                    continue
                if (
                    now is None
                    or now.revision != new.revision
                    or executes_otherwise(now.mode, new.mode)
                ):
                    last[place] = new
                    changed.append(new)
            store_observations(tx, changed)
        return tuple(changed)

    def learn_modes(self, home: str, modes: Mapping[str, tuple[Revision, int]]) -> None:
        """Notes the mode of documents whose last observation has none, at this revision still."""
        rows = [
            {"home": home, "path": path, "revision": revision, "mode": mode}
            for path, (revision, mode) in modes.items()
        ]
        with self._database.writing(home) as tx:
            tx.many(_LEARN_MODE, rows)

    def claim(self, change: Proposal, by: Actor) -> None:
        """Names who made a change outside review, in each observation that it consists of.

        An operation ends it: what is written outside review after that is another change.
        """
        values = {
            "home": change.home,
            "paths": [document.path for document in change.outside],
            "created_at": change.created_at,
            "ingested_at": change.ingested_at,
            "actor": actor_cell(by),
            "proposal": change.id,
        }
        with self._database.writing(change.home) as tx:
            tx.put(_CLAIM, values)

    def disclaim(self, change: Proposal, unknown: Actor) -> None:
        """Takes the claim of a change outside review back: it is credited to nobody known."""
        values = {"home": change.home, "proposal": change.id, "actor": actor_cell(unknown)}
        with self._database.writing(change.home) as tx:
            tx.put(_DISCLAIM, values)


def store_observations(tx: Transaction, observations: Iterable[Observation]) -> None:
    """Adds observations as they are, in the caller's transaction."""
    insert(tx, "observation", [OBSERVATION.row(observation) for observation in observations])


def _last(tx: Transaction, homes: set[str]) -> dict[tuple[str, str], Observation]:
    with decoding("An observation"):
        return {
            (home, path): observation
            for home in homes
            for path, observation in read_latest(tx, home).items()
        }


def _busy(tx: Transaction, homes: set[str]) -> set[tuple[str, str]]:
    """Documents that an open batch writes: its end observes them."""
    return {
        (home, unshield(path))
        for home in homes
        for (path,) in tx.rows(_OPEN_WRITES, {"home": home})
    }
