"""What can be said of a ledger's file: whether it is whole, who can read it, how to go on."""

from __future__ import annotations

import hashlib
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from reviewdeck.clock import utc_now
from reviewdeck.errors import LedgerDamaged, LedgerUnavailable, NotPermitted, ReviewdeckError
from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.blobs import Delta
from reviewdeck.ledger.cells import load, unshield
from reviewdeck.ledger.connecting import connect_to_read, is_at_rest
from reviewdeck.ledger.database import Transaction, first
from reviewdeck.ledger.faults import translated, why_unwritten
from reviewdeck.ledger.place import address_of, backups_of, is_lost, is_postgres, path_of, shown
from reviewdeck.ledger.row_sums import find_uncovered
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.shared import open_database
from reviewdeck.ledger.sqlite import SqliteDatabase, SqliteTransaction

_EMPTY: Final = "The file is empty: its content is lost."

Level: TypeAlias = Literal["ok", "warn", "bad"]


class Remark(NamedTuple):
    """One thing that was found of a ledger."""

    level: Level
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """The result of reading a whole ledger."""

    label: str
    """Which ledger."""
    damage: tuple[str, ...]
    """One sentence each; empty when all is well."""
    advice: tuple[str, ...]
    """How to recover from the damage; empty when there is none."""
    backups: tuple[str, ...]
    """Copies beside it, the newest last."""

    def as_json(self) -> dict[str, Any]:
        return {
            "ledger": self.label,
            "whole": not self.damage,
            "damage": [*self.damage],
            "advice": [*self.advice],
            "backups": [*self.backups],
        }


def inspect_ledger(url: str) -> LedgerReport:
    """Reads the whole ledger at this URL. Raises LedgerUnavailable, Busy."""
    if is_postgres(url):
        found = tuple(_damage_of_shared(url))
        return LedgerReport(address_of(url).label, found, _RESTORING if found else (), ())
    path = path_of(url)
    damage = (_EMPTY,) if _is_empty(path) else tuple(_damage(path))
    advice = recovery_steps(path) if damage else ()
    return LedgerReport(str(path), damage, advice, tuple(map(str, backups_of(path))))


_RESTORING: Final = (
    "The homes are intact: what was applied is in their own files.",
    "Whoever runs the server restores the database as it was at an earlier moment.",
)


def _damage_of_shared(url: str) -> Iterator[str]:
    yield from find_damage(url)
    database, _ = open_database(url, now=utc_now, is_read_only=True)
    with closing(database):
        broken = SqlAudit(database).verify()
    if broken is not None:
        yield f"The hash chain of the log breaks at {broken}."


def _is_empty(path: Path) -> bool:
    return is_lost(path) or (path.is_file() and not path.stat().st_size)


def _damage(path: Path) -> Sequence[str]:
    try:
        damage = find_damage(str(path))
        is_immutable = why_unwritten(path) is not None and is_at_rest(path)
        storage = SqliteDatabase(path, utc_now, is_immutable=is_immutable)
        try:
            broken = SqlAudit(storage).verify()
        finally:
            storage.close()
    except LedgerDamaged as damaged:
        return (damaged.message,)
    except (TypeError, ValueError) as error:
        return (f"A stored value is not valid: {error}.",)
    if broken is None:
        return damage
    return (*damage, f"The hash chain of the log breaks at {broken}.")


def recovery_steps(path: Path) -> tuple[str, ...]:
    """How to recover from a damaged ledger, one sentence a step."""
    steps = (
        "The homes are intact: what was applied is in their own files.",
        "Stop what uses the ledger, then move it away, with the files -wal and -shm beside it.",
    )
    if backups := backups_of(path):
        copy = f"Put the newest backup in its place: cp {backups[-1]} {path}"
        return (*steps, copy, "Then run `reviewdeck recover` and `reviewdeck status`.")
    return (
        *steps,
        "There is no backup beside it: `reviewdeck status` begins a new ledger. Earlier decisions,"
        " history and undo stay in the damaged file.",
    )


def advice_for(error: ReviewdeckError, url: str) -> str:
    """The hint of `doctor` when the ledger cannot be opened."""
    if not isinstance(error, LedgerDamaged):
        return error.hint
    if is_postgres(url):
        return " ".join(_RESTORING)
    return " ".join(recovery_steps(path_of(url)))


def look_over(url: str) -> Iterator[Remark]:
    """Where the ledger is, who can read it, and whether the database is intact."""
    if is_postgres(url):
        # Who can read it, and whether its pages are whole, is the business of its server.
        yield Remark("ok", address_of(url).label)
        return
    path = path_of(url)
    if is_lost(path) and not path.exists():
        yield _check_lost(path)
        return
    if not path.exists():
        yield Remark("ok", f"{path} does not exist yet")
        return
    if not path.is_file():
        return  # Whoever opens it says so.
    yield Remark("ok", str(path))
    open_to_others = [
        str(place) for place in (path, path.parent) if stat.S_IMODE(place.stat().st_mode) & 0o077
    ]
    # A directory that others may list is common where the operator chose it; the file is not.
    if str(path) in open_to_others:
        yield Remark("warn", f"others can read {path}", f"chmod 600 {path}")
    yield _check_lost(path) if _is_empty(path) else _quick_check(path)
    if (fault := why_unwritten(path)) is not None:
        yield Remark("bad", fault.message, fault.hint)


def _check_lost(path: Path) -> Remark:
    """An empty ledger: bad if it has backups, else it may just have been created."""
    level: Level = "bad" if backups_of(path) else "warn"
    return Remark(level, _EMPTY, " ".join(recovery_steps(path)))


def _quick_check(path: Path) -> Remark:
    try:
        with closing(connect_to_read(path)) as connection:
            (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except (ReviewdeckError, sqlite3.Error, UnicodeDecodeError) as error:
        answer = str(error)  # SQLite quotes broken bytes in what it says of them.
    if answer == "ok":
        return Remark("ok", "the database is intact")
    hint = " ".join(recovery_steps(path))
    return Remark("bad", f"the database is damaged: {answer}", hint)


def newest_backup(url: str) -> tuple[str, datetime] | None:
    """The newest copy of a ledger beside it, and when it was made. A server makes its own."""
    if is_postgres(url):
        return None
    copies = backups_of(path_of(url))
    if not copies:
        return None
    return str(copies[-1]), datetime.fromtimestamp(copies[-1].stat().st_mtime, UTC)


_COUNTED = "SELECT home, state, count(*) FROM proposal GROUP BY home, state"


def find_damage(url: str) -> tuple[str, ...]:
    """The problems found, one sentence each; empty when all is well.

    Raises LedgerUnavailable when there is no ledger or it cannot be read, LedgerTooNew,
    LedgerDamaged when it is too broken to be checked, and NotPermitted for a role that does not
    see all of it.
    """
    if is_postgres(url):
        database, _ = open_database(url, now=utc_now, is_read_only=True)
        with closing(database), database.reading() as tx:
            if first(tx, "SELECT member_kind()") == "host":
                raise NotPermitted(
                    f"This role sees the homes of one host alone in {shown(url)}.",
                    hint="Check the ledger as an operator, or as whoever runs it.",
                )
            return tuple(find_inconsistencies(tx))
    path = path_of(url)
    if not path.exists():
        raise LedgerUnavailable(f"There is no ledger at {path}.")
    with translated(str(path)), closing(connect_to_read(path)) as connection:
        connection.execute("BEGIN")
        if version_of(connection, str(path)) is None:
            return ()
        return (
            *_broken_pages(connection),
            *_dangling_references(connection),
            *find_inconsistencies(SqliteTransaction(connection)),
        )


def find_inconsistencies(tx: Transaction) -> Iterator[str]:
    """The rows that contradict each other, their checksums or the log."""
    yield from _wrong_counters(tx)
    yield from _changed_bytes(tx)
    yield from find_uncovered(tx)


def _broken_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check(20)"):
        if line != "ok":
            yield f"SQLite finds: {line}"


def _dangling_references(connection: sqlite3.Connection) -> Iterator[str]:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"Row {row} of {table} refers to something in {parent} that is not there."


def _wrong_counters(tx: Transaction) -> Iterator[str]:
    counters = tx.stream("SELECT home, state, amount FROM counter WHERE amount <> 0")
    counted = {(home, state): amount for home, state, amount in tx.stream(_COUNTED)}
    stored = {(home, state): amount for home, state, amount in counters}
    for home, state in sorted(counted.keys() | stored.keys()):
        right, counter = counted.get((home, state), 0), stored.get((home, state), 0)
        if right != counter:
            yield f"{unshield(home)} has {right} in state {state}; the counter says {counter}."


def _purged_sums(tx: Transaction) -> dict[str, str]:
    sums: dict[str, str] = {}
    query = "SELECT detail FROM event WHERE name = 'purge' ORDER BY position"
    for (detail,) in tx.stream(query):
        with suppress(AttributeError, TypeError, ValueError):
            sums.update(load(detail).get("texts") or {})
    return sums


def _changed_bytes(tx: Transaction) -> Iterator[str]:
    purged = _purged_sums(tx)
    bases: dict[str, bytes] = {}
    for sha, data, base, head, tail in tx.stream(
        "SELECT sha, data, base, head, tail FROM blob ORDER BY base"
    ):
        try:
            if base is not None:
                bases = {base: bases[base] if base in bases else _content(tx, base)}
                data = Delta(head, data, tail).on(bases[base])
            is_whole = hashlib.sha256(data).hexdigest() in (sha, purged.get(sha))
        except TypeError:  # a cell of another type than was stored: SQLite keeps what it is given
            is_whole = False
        if not is_whole:
            yield f"The bytes that are kept as {str(sha)[:12]} are not those that were stored."


def _content(tx: Transaction, sha: str) -> bytes:
    """The bytes under a SHA-256, with differences resolved; empty for none."""
    rows = tx.rows("SELECT data, base, head, tail FROM blob WHERE sha = :sha", {"sha": sha})
    if not rows:
        return b""
    data, base, head, tail = rows[0]
    content: bytes = data if base is None else Delta(head, data, tail).on(_content(tx, base))
    return content
