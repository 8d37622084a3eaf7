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
        with self._storage.writing() as connection:
            keep_bytes(connection, contents)
            last = _last(connection, homes)
            busy = set() if latest is None or is_ours else _busy(connection, homes)
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
            store_observations(connection, changed)
        return tuple(changed)

    def learn_modes(self, home: str, modes: Mapping[str, tuple[Revision, int]]) -> None:
        """Notes the mode of documents whose last observation has none, at this revision still."""
        table = table_of(ObservationRow)
        with self._storage.writing() as connection:
            for path, (revision, mode) in modes.items():
                its = (table.c.home == home, table.c.path == path)
                last = select(func.max(table.c.sequence)).where(*its).scalar_subquery()
                as_known = (table.c.revision == revision, table.c.mode.is_(None))
                connection.execute(
                    update(table).where(table.c.sequence == last, *as_known).values(mode=mode)
                )

    def claim(self, change: Proposal, by: Actor) -> None:
        """Names who made a change outside review, in each observation that it consists of.

        An operation ends it: what is written outside review after that is another change.
        """
        table = table_of(ObservationRow)
        earlier = table.alias()
        operations_between = (
            select(earlier.c.sequence)
            .where(earlier.c.home == table.c.home, earlier.c.path == table.c.path)
            .where(earlier.c.cause == Cause.OPERATION.value, earlier.c.at >= change.created_at)
            .where(earlier.c.sequence < table.c.sequence)
        )
        credit = (
            update(table)
            .where(
                table.c.home == change.home,
                table.c.path.in_([document.path for document in change.outside]),
                table.c.cause == Cause.OUTSIDE.value,
                table.c.at.between(change.created_at, change.ingested_at),
                ~operations_between.exists(),
            )
            .values(actor=actor_cell(by), proposal=change.id)
        )
        with self._storage.writing() as connection:
            connection.execute(credit)

    def disclaim(self, change: Proposal, unknown: Actor) -> None:
        """Takes the claim of a change outside review back: it is credited to nobody known."""
        table = table_of(ObservationRow)
        claimed = (table.c.home == change.home, table.c.proposal == change.id)
        nobody = update(table).where(*claimed, table.c.cause == Cause.OUTSIDE.value)
        with self._storage.writing() as connection:
            connection.execute(nobody.values(actor=actor_cell(unknown), proposal=None))


def store_observations(connection: Connection, observations: Iterable[Observation]) -> None:
    """Adds observations as they are, in the caller's transaction."""
    bulk_insert(connection, ObservationRow, [_row_of(observation) for observation in observations])


def _last(connection: Connection, homes: set[str]) -> dict[tuple[str, str], Observation]:
    run = runner(connection)
    with decoding("An observation"):
        return {
            (home, path): observation
            for home in homes
            for path, observation in read_latest(run, home).items()
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
    """Documents that an open batch writes: its end observes them."""
    return {
        (home, path) for home in homes for path in connection.scalars(_OPEN_WRITES, {"home": home})
    }


def _row_of(observation: Observation) -> dict[str, Any]:
    return {
        "home": observation.home,
        "path": observation.path,
        "revision": observation.revision,
        "at": observation.at,
        "cause": observation.cause.value,
        "operation": observation.operation,
        "proposal": observation.proposal,
        "actor": None if observation.actor is None else actor_cell(observation.actor),
        "mode": observation.mode,
    }
