"""Documents' bytes by revision, and which revision was seen when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from reviewdeck.ledger.database import LedgerPart, bulk_insert, keep_bytes, runner
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.operations import actor_cell
from reviewdeck.ledger.tables import BatchRow, ObservationRow, WriteRow, table_of
from reviewdeck.ledger.view_sql import read_latest
from reviewdeck.model import (
    Actor,
    Cause,
    Observation,
    OperationState,
    Proposal,
    Revision,
    executes_otherwise,
)

_BATCH = table_of(BatchRow)
_WRITE = table_of(WriteRow)


class SqlRevisions(LedgerPart):
    """Storing what was seen of documents."""

    def observe(
        self,
        observations: Sequence[Observation],
        contents: Sequence[bytes],
        *,
        known: Mapping[str, Observation] | None = None,
        is_ours: bool = False,
    ) -> tuple[Observation, ...]:
        """Stores the bytes, and each observation that differs from the document's last one.

        With `known`, only those of documents of which these are the last observations still, and
        that no open batch is about to write, unless that `is_ours` to end. Gives what was stored.
        """
        homes = {observation.home for observation in observations}
        with self._storage.writing() as connection:
            keep_bytes(connection, contents)
            last = _last(connection, homes)
            busy = set() if known is None or is_ours else _busy(connection, homes)
            changed: list[Observation] = []
            for seen in observations:
                place = (seen.home, seen.path)
                now = last.get(place)
                if known is not None and (place in busy or now != known.get(seen.path)):
                    continue
                if (
                    now is None
                    or now.revision != seen.revision
                    or executes_otherwise(now.mode, seen.mode)
                ):
                    last[place] = seen
                    changed.append(seen)
            store_observations(connection, changed)
        return tuple(changed)

    def learn_modes(self, home: str, modes: Mapping[str, tuple[Revision, int]]) -> None:
        """Notes the mode of documents whose last observation has none, at this revision still."""
        seen = table_of(ObservationRow)
        with self._storage.writing() as connection:
            for path, (revision, mode) in modes.items():
                its = (seen.c.home == home, seen.c.path == path)
                last = select(func.max(seen.c.sequence)).where(*its).scalar_subquery()
                as_known = (seen.c.revision == revision, seen.c.mode.is_(None))
                connection.execute(
                    update(seen).where(seen.c.sequence == last, *as_known).values(mode=mode)
                )

    def claim(self, change: Proposal, by: Actor) -> None:
        """Names who made a change outside review, in each observation that it consists of."""
        seen = table_of(ObservationRow)
        made = (
            update(seen)
            .where(
                seen.c.home == change.home,
                seen.c.path.in_([one.path for one in change.outside]),
                seen.c.cause == Cause.OUTSIDE.value,
                seen.c.at >= change.created_at,
            )
            .values(actor=actor_cell(by), proposal=change.id)
        )
        with self._storage.writing() as connection:
            connection.execute(made)


def store_observations(connection: Connection, observations: Iterable[Observation]) -> None:
    """Adds observations as they are, in the caller's transaction."""
    bulk_insert(connection, ObservationRow, [_row_of(seen) for seen in observations])


def _last(connection: Connection, homes: set[str]) -> dict[tuple[str, str], Observation]:
    run = runner(connection)
    with decoding("An observation"):
        return {
            (home, path): seen for home in homes for path, seen in read_latest(run, home).items()
        }


_OPEN_WRITES = (
    select(_WRITE.c.path)
    .join(_BATCH, _BATCH.c.id == _WRITE.c.batch)
    .where(
        _BATCH.c.home == bindparam("home"),
        _BATCH.c.settled.is_(False),
        _BATCH.c.state == OperationState.INTENT.value,
    )
)


def _busy(connection: Connection, homes: set[str]) -> set[tuple[str, str]]:
    """Documents that an open batch writes: its end will say what stands there."""
    return {
        (home, path) for home in homes for path in connection.scalars(_OPEN_WRITES, {"home": home})
    }


def _row_of(seen: Observation) -> dict[str, Any]:
    return {
        "home": seen.home,
        "path": seen.path,
        "revision": seen.revision,
        "at": seen.at,
        "cause": seen.cause.value,
        "operation": seen.operation,
        "proposal": seen.proposal,
        "actor": None if seen.actor is None else actor_cell(seen.actor),
        "mode": seen.mode,
    }
