"""Pruning a hub while hosts and operators go on: short transactions, each of which says so.

Which bytes nothing needs is read in one view. What is named meanwhile is found when they go: then
nobody else writes, for as long as that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import islice
from typing import Final, TypeVar

from reviewdeck.errors import NotPermitted
from reviewdeck.ledger.cells import micros_of, unshield
from reviewdeck.ledger.database import Database, Transaction, first
from reviewdeck.ledger.needed import (
    EVIDENCE,
    NOTHING,
    Pruned,
    floors_of,
    forget_bases,
    forget_evidence,
    forget_writes,
    named_by,
    note_pruned,
    old_turns,
    remove_bytes,
    remove_turns,
    seen_in,
    spare_of,
    with_bases,
)
from reviewdeck.ledger.place import shown
from reviewdeck.ledger.postgres.opening import open_database
from reviewdeck.ports import Clock

AT_ONCE: Final = 2_000
"""The rows that go in one transaction."""
_PATIENCE: Final = "SET LOCAL lock_timeout = '3s'"
"""How long it waits for the writers of now. Others wait behind it meanwhile."""
# Every writer begins with a row of it, which it locks.
_ALONE: Final = "LOCK TABLE home IN EXCLUSIVE MODE"
_MARK: Final = "SELECT CAST(CAST(pg_current_xact_id() AS xid) AS text)"
_SINCE: Final = "age(xmin) < age(CAST(:mark AS xid))"
"""Of rows that were added or changed after the transaction of a mark."""
_NAMED_SINCE: Final = f"""
    SELECT revision FROM observation WHERE {_SINCE}
    UNION SELECT before FROM operation_change WHERE {_SINCE}
    UNION SELECT after FROM operation_change WHERE {_SINCE}
    UNION SELECT base FROM blob WHERE base IN :shas AND NOT (sha IN :shas)
    UNION SELECT before FROM batch_write WHERE before IN :shas
    UNION SELECT after FROM batch_write WHERE after IN :shas
    UNION SELECT sha FROM rescued WHERE sha IN :shas
"""  # noqa: S608 - constant
_PROPOSALS_SINCE: Final = f"SELECT payload_sha, body FROM proposal WHERE {_SINCE}"  # noqa: S608 - constant
_LOOKS_SINCE: Final = f"SELECT body FROM look WHERE {_SINCE}"  # noqa: S608 - constant
_SESSIONS_SINCE: Final = f"""
    SELECT session FROM proposal WHERE session IS NOT NULL AND {_SINCE}
"""  # noqa: S608 - constant
_STILL_OLD: Final = "SELECT sequence FROM transcript WHERE sequence IN :of AND last_at < :cutoff"

T = TypeVar("T")


def prune_hub(url: str, *, keep: timedelta, now: Clock) -> Pruned:
    """Prunes what is older than this and not needed.

    Raises LedgerUnavailable, LedgerDamaged, NotPermitted, and Busy where writers keep it waiting:
    what went before stays gone.
    """
    database, _ = open_database(url, now, is_read_only=False)
    with closing(database):
        with database.reading() as tx:
            refuse_members(tx, url, "prunes it")
        return _prune(database, keep, now)


def refuse_members(tx: Transaction, url: str, does: str) -> None:
    """Raises NotPermitted for the role of a host or an operator."""
    if (kind := first(tx, "SELECT member_kind()")) is not None:
        who = {"host": "a host's", "operator": "an operator's"}[kind]
        raise NotPermitted(
            f"This is {who} role in {shown(url)}: nobody but the ledger's owner {does}.",
            hint="Name the ledger with the role that made it: --ledger postgresql://OWNER@...",
        )


@contextmanager
def alone(database: Database) -> Iterator[Transaction]:
    """One transaction beside which nobody writes; views go on."""
    with database.writing() as tx:
        tx.put(_PATIENCE)
        tx.put(_ALONE)
        yield tx


def _prune(database: Database, keep: timedelta, now: Clock) -> Pruned:
    cutoff, evidence = micros_of(now() - keep), micros_of(now() - min(keep, EVIDENCE))
    with database.reading() as tx:
        floors = floors_of(tx, cutoff)
    for home, floor in floors.items():
        _in_parts(database, home, floor, forget_bases)
        _in_parts(database, home, evidence, forget_evidence)
        with database.writing(home) as tx:
            forget_writes(tx, home, floor)
    with alone(database) as tx:
        mark = str(first(tx, _MARK))
    with database.reading() as tx:
        spare, old = spare_of(tx, floors), old_turns(tx, floors, cutoff)
    pruned = NOTHING
    needed: set[str] = set()
    for shas in _parts(spare.shas):
        with alone(database) as tx:
            needed |= with_bases(_named_since(tx, mark, shas), spare.bases)
            removed = remove_bytes(tx, [sha for sha in shas if sha not in needed])
            note_pruned(tx, removed, keep, now)
        pruned += removed
    for numbers in _parts(tuple(old.sessions)):
        with alone(database) as tx:
            since = (unshield(name) for (name,) in tx.rows(_SESSIONS_SINCE, {"mark": mark}))
            kept = with_bases(since, old.parents)
            still = tx.rows(_STILL_OLD, {"of": numbers, "cutoff": cutoff})
            removed = remove_turns(tx, [n for (n,) in still if old.sessions[n] not in kept])
            note_pruned(tx, removed, keep, now)
        pruned += removed
    return pruned


def _in_parts(
    database: Database,
    home: str,
    floor: int,
    forget: Callable[[Transaction, str, int, int, int], int | None],
) -> None:
    after: int | None = 0
    while after is not None:
        with database.writing(home) as tx:
            after = forget(tx, home, floor, after, AT_ONCE)


def _named_since(tx: Transaction, mark: str, shas: list[str]) -> set[str]:
    since = {"mark": mark}
    proposals, looks = tx.later(_PROPOSALS_SINCE, since), tx.later(_LOOKS_SINCE, since)
    named = {sha for (sha,) in tx.rows(_NAMED_SINCE, since | {"shas": shas})}
    return named | named_by(proposals()) | seen_in(looks())


def _parts(values: tuple[T, ...]) -> Iterator[list[T]]:
    iterator = iter(values)
    while part := list(islice(iterator, AT_ONCE)):
        yield part
