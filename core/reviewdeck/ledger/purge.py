"""Purging a secret from a ledger for good: of SQLite's file with its backups, and of a hub's rows.

It is replaced by `[purged]`. The texts and the lines of the log that are replaced keep
the sums under which everything else names them; one line in each chain of the log says which they
are, what their checksums are now, who did it and why. Checks of the sums go by that line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.ledger.audit import PURGE, Note
from reviewdeck.ledger.database import Transaction
from reviewdeck.ledger.opening import back_up, is_current
from reviewdeck.ledger.place import copies_of, is_postgres, path_of
from reviewdeck.ledger.purging import Detail, Site, forms_of, own_word, purge_rows
from reviewdeck.ledger.retention import alone, shrink
from reviewdeck.ledger.shared import extra
from reviewdeck.ledger.versions import HEAD
from reviewdeck.model import Actor
from reviewdeck.ports import Clock
from reviewdeck.ports.authority import Attest, unattested

SHORTEST: Final = 6
"""The least length of a secret: a shorter one occurs in half of all texts."""
_GUARD: Final = """
    SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'event_no_update'
"""


@dataclass(frozen=True, slots=True)
class Purged:
    """The number of places that held the secret."""

    texts: int
    """Stored revisions and records."""
    lines: int
    """Lines of the log."""
    cells: int
    """Cells of the other tables."""
    backups: int
    """Backups that are replaced by a new one."""
    is_gone: bool | None
    """Whether the files no longer contain it anywhere; None of a server, which keeps its own."""
    tables: tuple[str, ...] = ()
    """On a server, those whose files have the rows of before until they are written anew."""

    @property
    def amount(self) -> int:
        return self.texts + self.lines + self.cells + self.backups


def purge(
    url: str, secret: str, reason: str, *, actor: Actor, now: Clock, attest: Attest = unattested
) -> Purged:
    """Purges every copy of a secret from the rows of the ledger at this URL, and its backups.

    Raises BadInput, LedgerUnavailable, LedgerDamaged, Busy, and NotPermitted for a hub's host or
    operator.
    """
    if len(secret.strip()) < SHORTEST or "\n" in secret:
        raise BadInput(
            f"A secret to be purged is one line of at least {SHORTEST} characters.",
            hint="Purge each line of a longer one.",
        )
    if secret in reason:
        raise BadInput("The reason contains the secret.", hint="It stays in the log for ever.")
    forms, at = forms_of(secret), now()

    def note(home: str, detail: Detail) -> Note:
        return Note(PURGE, home, "ledger", actor, at, {"reason": reason, **detail})

    if is_postgres(url):
        with extra():
            from reviewdeck.ledger.postgres.purge import purge_hub
        there = purge_hub(url, forms, note, now, attest)
        return Purged(there.texts, there.lines, there.cells, 0, None, there.tables)
    path = path_of(url)
    if not is_current(path):
        raise LedgerUnavailable(f"The ledger {path} is not there, or of an earlier version.")
    holding = [copy for copy in copies_of(path) if holds(copy, forms)]
    done = purge_rows(_FileSite(path), forms, [copy.name for copy in holding], note, attest)
    is_alone = shrink(path)
    _replace_backups(path, holding, now)
    is_gone = is_alone and not holds(path, forms)
    return Purged(done.texts, done.lines, done.cells, len(holding), is_gone)


def refuse_member(url: str) -> None:
    """Raises NotPermitted for the role of a hub's host or operator, before a secret is asked for.

    Raises LedgerUnavailable too.
    """
    if is_postgres(url):
        with extra():
            from reviewdeck.ledger.postgres.purge import refuse_member
        refuse_member(url, utc_now)


class _FileSite(Site):
    """SQLite's file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def alone(self) -> Iterator[Transaction]:
        with alone(self._path) as tx:
            tx.put("PRAGMA secure_delete = ON")
            try:
                yield tx
            except sqlite3.IntegrityError as error:
                raise own_word() from error

    @contextmanager
    def unguarded(self, tx: Transaction) -> Iterator[None]:
        guards = tx.rows(_GUARD)
        tx.put("DROP TRIGGER IF EXISTS event_no_update")
        yield
        for (sql,) in guards:
            tx.put(sql)


def holds(path: Path, forms: Iterable[str]) -> bool:
    """Whether a ledger's files contain a secret."""
    patterns = [form.encode("utf-8", "surrogateescape") for form in forms]
    beside = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))
    for file in (path, *(log_file for log_file in beside if log_file.exists())):
        data = file.read_bytes()
        if any(form in data for form in patterns):
            return True
    return False


def _replace_backups(path: Path, holding: Sequence[Path], now: Clock) -> None:
    """Replaces backups that hold the secret, once there is a clean one."""
    if not holding:
        return
    back_up(path, HEAD, now)
    step = 1 << 20
    for copy in holding:
        size = copy.stat().st_size
        with copy.open("r+b") as opened:  # Zeros, where the file system writes in place.
            for start in range(0, size, step):
                opened.write(bytes(min(step, size - start)))
        copy.unlink()
