"""What can be said of a ledger's file: whether it is whole, who can read it, how to go on."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from reviewdeck.clock import utc_now
from reviewdeck.errors import LedgerDamaged, ReviewdeckError
from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.connecting import connect_to_read, is_at_rest
from reviewdeck.ledger.faults import why_unwritten
from reviewdeck.ledger.integrity import find_damage
from reviewdeck.ledger.place import backups_of, is_lost, path_of
from reviewdeck.ledger.sqlite import SqliteDatabase

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
        """For `--json`."""
        return {
            "ledger": self.label,
            "whole": not self.damage,
            "damage": [*self.damage],
            "advice": [*self.advice],
            "backups": [*self.backups],
        }


def inspect_ledger(url: str) -> LedgerReport:
    """Reads the whole ledger at this URL. Raises LedgerUnavailable, Busy."""
    path = path_of(url)
    damage = (_EMPTY,) if _is_empty(path) else tuple(_damage(path))
    advice = recovery_steps(path) if damage else ()
    return LedgerReport(str(path), damage, advice, tuple(map(str, backups_of(path))))


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
    return " ".join(recovery_steps(path_of(url)))


def look_over(url: str) -> Iterator[Remark]:
    """Where the ledger is, who can read it, and whether the database is intact."""
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
    """The newest copy of a ledger, and when it was made."""
    copies = backups_of(path_of(url))
    if not copies:
        return None
    return str(copies[-1]), datetime.fromtimestamp(copies[-1].stat().st_mtime, UTC)
