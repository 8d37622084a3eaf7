"""Pruning stored texts that nothing can need any more."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

from reviewdeck.errors import Busy, LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.cells import dump, load, micros_of
from reviewdeck.ledger.database import engine_for, translated
from reviewdeck.ledger.faults import translated as translated_plainly
from reviewdeck.ledger.opening import is_current
from reviewdeck.ledger.place import path_of
from reviewdeck.model import State
from reviewdeck.ports import Clock

EVIDENCE = timedelta(days=30)
"""The longest time after a decision that copies of a conversation are kept."""

_ENDED = ", ".join(
    f"'{state.value}'" for state in (State.APPLIED, State.REJECTED, State.ELSEWHERE, State.KEPT)
)

_FLOORS = f"""
    INSERT INTO temp.floor SELECT home, min(:cutoff, coalesce((
        SELECT min(since) FROM proposal WHERE proposal.home = every.home AND state NOT IN ({_ENDED})
    ), :cutoff)) FROM (
        SELECT home FROM observation UNION SELECT home FROM proposal UNION SELECT home FROM batch
    ) AS every
"""  # noqa: S608 - constant states
"""Nothing that a home has stored since then is pruned."""

_OLD_PROPOSAL = f"""
    state IN ({_ENDED})
    AND ingested_at < (SELECT moment FROM temp.floor WHERE floor.home = proposal.home)
    AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.proposal = proposal.id
        AND decision.at >= (SELECT moment FROM temp.floor WHERE floor.home = proposal.home))
"""  # noqa: S608 - constant states
_OLD_BATCH = """
    SELECT batch.id FROM batch JOIN temp.floor ON floor.home = batch.home
    WHERE batch.settled AND coalesce(batch.finished_at, batch.started_at) < floor.moment
"""
_NEEDED = (
    # what each document was at the floor, and everything that it became since
    """SELECT revision FROM observation JOIN temp.floor ON floor.home = observation.home
       WHERE at >= moment OR sequence IN (
           SELECT max(o.sequence) FROM observation AS o JOIN temp.floor AS f ON f.home = o.home
           WHERE o.at < f.moment GROUP BY o.home, o.path)""",
    """SELECT revision FROM observation WHERE sequence IN (
           SELECT max(sequence) FROM observation GROUP BY home, path)""",
    f"""SELECT value FROM operation
            JOIN operation_change ON operation_change.operation = operation.id,
            json_each(json_array(before, after)) WHERE batch NOT IN ({_OLD_BATCH})""",  # noqa: S608 - constant
    "SELECT before FROM batch_write WHERE before IS NOT NULL",
    "SELECT after FROM batch_write WHERE after IS NOT NULL",
    "SELECT sha FROM rescued",
    f"SELECT payload_sha FROM proposal WHERE NOT ({_OLD_PROPOSAL})",  # noqa: S608 - constant
    f"""SELECT json_extract(base.value, '$.revision') FROM proposal,
            json_each(proposal.body, '$.bases') AS base WHERE NOT ({_OLD_PROPOSAL})""",  # noqa: S608 - constant
)  # fmt: skip

_OLD_TRANSCRIPT = f"""
    SELECT sequence FROM transcript WHERE last_at < :cutoff AND session NOT IN (
        WITH RECURSIVE kept(session) AS (
            SELECT json_extract(body, '$.session') FROM proposal
            WHERE NOT ({_OLD_PROPOSAL}) AND json_extract(body, '$.session') IS NOT NULL
            UNION SELECT transcript.parent FROM transcript JOIN kept
            ON kept.session = transcript.session WHERE transcript.parent IS NOT NULL
        ) SELECT session FROM kept)
"""  # noqa: S608 - constant states
"""Turns behind no proposal that is open or was decided lately, directly or as a parent."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """The result of pruning."""

    texts: int
    size: int
    """Their bytes."""


def prune(url: str, *, keep: timedelta, now: Clock) -> Pruned:
    """Prunes what is older than this and not needed, in one transaction.

    Raises LedgerUnavailable, LedgerDamaged, Busy.
    """
    path = path_of(url)
    if not is_current(path):
        raise LedgerUnavailable(
            f"The ledger {path} is not there, or of an earlier version.",
            hint="Any command that writes, such as `reviewdeck auto`, brings it up to date.",
        )
    with alone(path) as connection:
        cutoff = micros_of(now() - keep)
        _prepare(connection, cutoff)
        _forget_bases(connection)
        _forget_evidence(connection, micros_of(now() - min(keep, EVIDENCE)))
        connection.exec_driver_sql(f"DELETE FROM batch_write WHERE batch IN ({_OLD_BATCH})")  # noqa: S608 - constant
        connection.exec_driver_sql(f"DELETE FROM rescued WHERE batch IN ({_OLD_BATCH})")  # noqa: S608 - constant
        texts, size = map(sum, zip(_drop(connection), _drop_turns(connection, cutoff), strict=True))
        if texts:
            detail: dict[str, object] = {"texts": texts, "bytes": size, "keep_days": keep.days}
            log(connection, [Note("pruned", "", "ledger", NOBODY, now(), detail)])
    if texts:
        shrink(path)
    return Pruned(texts, size)


@contextmanager
def alone(path: Path) -> Iterator[Connection]:
    """One transaction that holds the write lock from its start."""
    engine = engine_for(path)
    # Each text would be searched in tables without an index on it: checked once, at the end.
    event.listen(engine, "connect", lambda raw, _: raw.execute("PRAGMA foreign_keys = OFF"))
    try:
        writer = engine.execution_options(reviewdeck_begin="BEGIN IMMEDIATE")
        with translated(str(path)), writer.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _prepare(connection: Connection, cutoff: int) -> None:
    connection.exec_driver_sql("CREATE TEMP TABLE floor (home TEXT PRIMARY KEY, moment INTEGER)")
    connection.exec_driver_sql("CREATE TEMP TABLE needed (sha TEXT PRIMARY KEY)")
    connection.exec_driver_sql(_FLOORS, {"cutoff": cutoff})


def _forget_bases(connection: Connection) -> None:
    """Drops the base texts of proposals decided long ago, keeping their revisions."""
    query = f"""SELECT id, body FROM proposal WHERE {_OLD_PROPOSAL} AND EXISTS (
        SELECT 1 FROM json_each(body, '$.bases') AS base
        WHERE json_extract(base.value, '$.has_text'))"""  # noqa: S608 - constant
    rows = connection.exec_driver_sql(query).all()
    changed = [{"id": id, "body": dump(_without_texts(load(body)))} for id, body in rows]
    if changed:
        connection.exec_driver_sql("UPDATE proposal SET body = :body WHERE id = :id", changed)


def _forget_evidence(connection: Connection, cutoff: int) -> None:
    """Drops copies of conversations from old judgements, keeping the answers."""
    connection.exec_driver_sql(
        f"""UPDATE judgement SET body = json_set(body,
            '$.origin.utterances', json('[]'), '$.said', '', '$.closest', '',
            '$.currency', json('[]'))
            WHERE proposal IN (SELECT id FROM proposal WHERE state IN ({_ENDED})
                AND ingested_at < :cutoff
                AND NOT EXISTS (SELECT 1 FROM decision
                    WHERE decision.proposal = proposal.id AND decision.at >= :cutoff))""",  # noqa: S608 - constant states
        {"cutoff": cutoff},
    )


def _without_texts(body: Any) -> Any:
    bases = {path: base | {"has_text": False} for path, base in body["bases"].items()}
    return body | {"bases": bases}


def _drop(connection: Connection) -> tuple[int, int]:
    for query in _NEEDED:
        connection.exec_driver_sql(f"INSERT OR IGNORE INTO temp.needed {query}")
    spare = "FROM blob WHERE sha NOT IN (SELECT sha FROM temp.needed)"
    texts, size = connection.exec_driver_sql(
        f"SELECT count(*), coalesce(sum(length(data)), 0) {spare}"
    ).one()
    connection.exec_driver_sql(f"DELETE {spare}")
    for table in ("batch_write", "rescued"):
        if connection.exec_driver_sql(f"PRAGMA foreign_key_check({table})").first():
            raise LedgerDamaged("Something that is still referred to would have been let go of.")
    return int(texts), int(size)


def _drop_turns(connection: Connection, cutoff: int) -> tuple[int, int]:
    old = {"cutoff": cutoff}
    connection.exec_driver_sql(f"CREATE TEMP TABLE gone AS {_OLD_TRANSCRIPT}", old)
    spare = "FROM turn WHERE transcript IN (SELECT sequence FROM temp.gone)"
    turns, size = connection.exec_driver_sql(
        f"SELECT count(*), coalesce(sum(length(messages)), 0) {spare}"
    ).one()
    connection.exec_driver_sql(f"DELETE {spare}")
    connection.exec_driver_sql(
        "DELETE FROM transcript WHERE sequence IN (SELECT sequence FROM temp.gone)"
    )
    return int(turns), int(size)


def shrink(path: Path) -> bool:
    """Gives free space back to the disk, unless another program uses the ledger."""
    try:
        with (
            translated_plainly(str(path)),
            closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection,
        ):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except Busy:
        return False
    return True
