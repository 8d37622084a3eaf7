"""Pruning stored texts that nothing can need any more: of SQLite's file, and its own.

It has the file to itself meanwhile, works in tables of its own, and gives the space back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from reviewdeck.errors import BadInput, Busy, LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.cells import dump, load, micros_of
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.faults import translated
from reviewdeck.ledger.opening import is_current
from reviewdeck.ledger.place import is_postgres, path_of, shown
from reviewdeck.ledger.sqlite import SqliteTransaction, prepared, transaction
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
    *(
        f"""SELECT "{end}" FROM operation
            JOIN operation_change ON operation_change.operation = operation.id
            WHERE batch NOT IN ({_OLD_BATCH})"""  # noqa: S608 - constant
        for end in ("before", "after")
    ),
    "SELECT before FROM batch_write WHERE before IS NOT NULL",
    "SELECT after FROM batch_write WHERE after IS NOT NULL",
    "SELECT sha FROM rescued",
    f"SELECT payload_sha FROM proposal WHERE NOT ({_OLD_PROPOSAL})",  # noqa: S608 - constant
)  # fmt: skip

_OLD_TRANSCRIPT = f"""
    SELECT sequence FROM transcript WHERE last_at < :cutoff AND session NOT IN (
        WITH RECURSIVE kept(session) AS (
            SELECT proposal.session FROM proposal
            WHERE NOT ({_OLD_PROPOSAL}) AND proposal.session IS NOT NULL
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
    if is_postgres(url):
        raise BadInput(
            f"{shown(url)} is on a server, where nothing is pruned yet.",
            hint="`reviewdeck ledger copy` to a file, prune there, and copy into a new database.",
        )
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
        connection.execute(f"DELETE FROM batch_write WHERE batch IN ({_OLD_BATCH})")  # noqa: S608 - constant
        connection.execute(f"DELETE FROM rescued WHERE batch IN ({_OLD_BATCH})")  # noqa: S608 - constant
        texts, size = map(sum, zip(_drop(connection), _drop_turns(connection, cutoff), strict=True))
        if texts:
            detail: dict[str, object] = {"texts": texts, "bytes": size, "keep_days": keep.days}
            log(
                SqliteTransaction(connection), [Note("pruned", "", "ledger", NOBODY, now(), detail)]
            )
    if texts:
        shrink(path)
    return Pruned(texts, size)


@contextmanager
def alone(path: Path) -> Iterator[sqlite3.Connection]:
    """One transaction that holds the write lock from its start."""
    with translated(str(path)), closing(prepared(connect(path, "mode=rw"))) as connection:
        # Each text would be searched in tables without an index on it: checked once, at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        with transaction(connection, "BEGIN IMMEDIATE"):
            yield connection


def _prepare(connection: sqlite3.Connection, cutoff: int) -> None:
    connection.execute("CREATE TEMP TABLE floor (home TEXT PRIMARY KEY, moment INTEGER)")
    connection.execute("CREATE TEMP TABLE needed (sha TEXT PRIMARY KEY)")
    connection.execute(_FLOORS, {"cutoff": cutoff})


def _forget_bases(connection: sqlite3.Connection) -> None:
    rows = connection.execute(f"SELECT id, body FROM proposal WHERE {_OLD_PROPOSAL}").fetchall()  # noqa: S608 - constant
    pruned = ((id, body, dump(_without_texts(load(body)))) for id, body in rows)
    changed = [(now, id) for id, before, now in pruned if now != before]
    connection.executemany("UPDATE proposal SET body = ? WHERE id = ?", changed)


def _forget_evidence(connection: sqlite3.Connection, cutoff: int) -> None:
    """Drops copies of conversations from old judgements, keeping the answers."""
    rows = connection.execute(
        f"""SELECT proposal, body FROM judgement
            WHERE proposal IN (SELECT id FROM proposal WHERE state IN ({_ENDED})
                AND ingested_at < :cutoff
                AND NOT EXISTS (SELECT 1 FROM decision
                    WHERE decision.proposal = proposal.id AND decision.at >= :cutoff))""",  # noqa: S608 - constant states
        {"cutoff": cutoff},
    ).fetchall()
    pruned = ((id, body, dump(_without_evidence(load(body)))) for id, body in rows)
    changed = [(now, id) for id, before, now in pruned if now != before]
    connection.executemany("UPDATE judgement SET body = ? WHERE proposal = ?", changed)


def _without_evidence(body: Any) -> Any:
    origin = body["origin"] and body["origin"] | {"utterances": []}
    return body | {"origin": origin, "said": "", "closest": "", "currency": []}


def _without_texts(body: Any) -> Any:
    bases = {path: base | {"has_text": False} for path, base in body["bases"].items()}
    return body | {"bases": bases}


def _drop(connection: sqlite3.Connection) -> tuple[int, int]:
    for query in _NEEDED:
        connection.execute(f"INSERT OR IGNORE INTO temp.needed {query}")
    bases = (
        (base["revision"],)
        for (body,) in connection.execute(f"SELECT body FROM proposal WHERE NOT ({_OLD_PROPOSAL})")  # noqa: S608 - constant
        for base in load(body)["bases"].values()
    )
    seen = (
        (revision,)
        for (body,) in connection.execute("SELECT body FROM look")
        for revision, *_ in load(body)["documents"].values()
    )
    connection.executemany("INSERT OR IGNORE INTO temp.needed VALUES (?)", [*bases, *seen])
    spare = "FROM blob WHERE sha NOT IN (SELECT sha FROM temp.needed)"
    texts, size = connection.execute(
        f"SELECT count(*), coalesce(sum(length(data)), 0) {spare}"
    ).fetchone()
    connection.execute(f"DELETE {spare}")
    for table in ("batch_write", "rescued"):
        if connection.execute(f"PRAGMA foreign_key_check({table})").fetchone():
            raise LedgerDamaged("Something that is still referred to would have been let go of.")
    return int(texts), int(size)


def _drop_turns(connection: sqlite3.Connection, cutoff: int) -> tuple[int, int]:
    old = {"cutoff": cutoff}
    connection.execute(f"CREATE TEMP TABLE gone AS {_OLD_TRANSCRIPT}", old)
    spare = "FROM turn WHERE transcript IN (SELECT sequence FROM temp.gone)"
    turns, size = connection.execute(
        f"SELECT count(*), coalesce(sum(length(messages)), 0) {spare}"
    ).fetchone()
    connection.execute(f"DELETE {spare}")
    connection.execute("DELETE FROM transcript WHERE sequence IN (SELECT sequence FROM temp.gone)")
    return int(turns), int(size)


def shrink(path: Path) -> bool:
    """Gives free space back to the disk, unless another program uses the ledger."""
    try:
        with (
            translated(str(path)),
            closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection,
        ):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except Busy:
        return False
    return True
