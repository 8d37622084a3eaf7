"""Purging a secret from a ledger and its backups for good: of SQLite's file, and its own.

It is replaced by `[purged]`. The texts and the lines of the log that are replaced keep
the sums under which everything else names them; one line in each chain of the log says which they
are, what their checksums are now, who did it and why. Checks of the sums go by that line.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.audit import (
    MOST_TRIES,
    PURGE,
    Note,
    attested,
    head_of,
    line_sum,
    lines_of,
    log,
    overtaken,
)
from reviewdeck.ledger.blobs import bytes_of
from reviewdeck.ledger.cells import dump, load, shield, unshield
from reviewdeck.ledger.database import NONE, HomeOf, Transaction
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.list_sql import read_items
from reviewdeck.ledger.opening import back_up, is_current
from reviewdeck.ledger.place import copies_of, is_postgres, path_of, shown
from reviewdeck.ledger.retention import alone, shrink
from reviewdeck.ledger.row_sums import (
    FORGOTTEN,
    REMEMBERED,
    SUMMED,
    other_gists,
    sum_of,
    sum_of_text,
)
from reviewdeck.ledger.sqlite import SqliteTransaction
from reviewdeck.ledger.subjects import index_terms
from reviewdeck.ledger.versions import HEAD
from reviewdeck.ledger.view_sql import read_decisions, read_operations, read_proposals
from reviewdeck.model import Actor
from reviewdeck.ports import Clock, Head
from reviewdeck.ports.authority import Attest, unattested

PLACEHOLDER: Final = "[purged]"
"""The replacement of the secret."""
SHORTEST: Final = 6
"""The least length of a secret: a shorter one occurs in half of all texts."""
_APART: Final = frozenset({"blob", "event", "term"})
"""Tables whose rows are named by their checksums, or made from other tables."""
_NAMES: Final = frozenset({"home", "sha", "id", "actor"})
"""Columns that identify rows and actors: lines of the log have the same names."""

Sums: TypeAlias = dict[str, str]
"""The checksum of a text, or the number of a line, with its checksum now."""


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
    is_gone: bool
    """Whether the files no longer contain it anywhere."""

    @property
    def amount(self) -> int:
        return self.texts + self.lines + self.cells + self.backups


def purge(
    url: str,
    secret: str,
    reason: str,
    *,
    actor: Actor,
    now: Clock,
    attest: Attest = unattested,
) -> Purged:
    """Purges every copy of a secret from the ledger at this URL and from its backups.

    Raises BadInput, LedgerUnavailable, LedgerDamaged, Busy.
    """
    refuse_server(url)
    path = path_of(url)
    if len(secret.strip()) < SHORTEST or "\n" in secret:
        raise BadInput(
            f"A secret to be purged is one line of at least {SHORTEST} characters.",
            hint="Purge each line of a longer one.",
        )
    if secret in reason:
        raise BadInput("The reason contains the secret.", hint="It stays in the log for ever.")
    if not is_current(path):
        raise LedgerUnavailable(f"The ledger {path} is not there, or of an earlier version.")
    forms = forms_of(secret)
    holding = [copy for copy in copies_of(path) if holds(copy, forms)]
    at = now()

    def note(home: str, detail: Mapping[str, object]) -> Note:
        return Note(PURGE, home, "ledger", actor, at, {"reason": reason, **detail})

    signed: dict[str, Note] = {}
    ground: list[tuple[Note, Head]] = []
    for _ in range(MOST_TRIES):
        with alone(path) as connection:
            connection.execute("SAVEPOINT unsigned")
            done = _purge_rows(connection, forms, holding)
            tx = SqliteTransaction(connection)
            lines = [(line := note(*it), head_of(tx, line.home)) for it in done.notes]
            if lines == ground or attest is unattested:
                for line, _ in lines:
                    log(tx, [signed.get(line.home, line)])
                log(tx, [Note(*it, actor, at, {"texts": texts}) for it, texts in done.moved])
                break
            connection.execute("ROLLBACK TO unsigned")
        # A key may take its time: the ledger is not locked meanwhile.
        ground, signed = lines, {line.home: attested(line, head, attest) for line, head in lines}
    else:
        raise overtaken("")
    is_alone = shrink(path)
    _replace_backups(path, holding, now)
    is_gone = is_alone and not holds(path, forms)
    return Purged(done.texts, done.lines, done.cells, len(holding), is_gone)


def refuse_server(url: str) -> None:
    """Raises BadInput for a ledger on a server, with what no program reaches there."""
    if is_postgres(url):
        raise BadInput(
            f"In {shown(url)} nothing can be purged for good: the server keeps it in dead rows,"
            " its write-ahead log and that log's archive, on replicas, in base backups and dumps.",
            hint="Replace the secret at its source. `reviewdeck ledger copy` to a file, a purge"
            " there, and a copy into a new database leave it in none of the ledger's rows.",
        )


@dataclass(frozen=True, slots=True)
class _PurgedRows:
    """What a purge changed, and the lines of the log that say so."""

    texts: int
    lines: int
    cells: int
    notes: tuple[tuple[str, Mapping[str, object]], ...]
    """By home, what its chain says; the ledger's own first. None where nothing was changed."""
    moved: tuple[tuple[tuple[str, str, str], list[list[str]]], ...]
    """The remembered texts that are others now."""


def _purge_rows(
    connection: sqlite3.Connection, forms: Sequence[str], holding: Sequence[Path]
) -> _PurgedRows:
    connection.execute("PRAGMA secure_delete = ON")
    _refuse_unsettled(connection)
    _read_everything(connection)
    before = _proposal_sums(connection)
    texts, lines = _purge_texts(connection, forms), _purge_lines(connection, forms)
    cells = _purge_cells(connection, forms)
    moved = tuple(_resum_remembered(connection))
    try:
        _read_everything(connection)
    except LedgerDamaged as error:
        raise _own_word() from error
    amount = sum(map(len, lines.values()))
    if not (texts or lines or cells or holding):
        return _PurgedRows(0, 0, 0, (), ())
    changed: dict[str, Sums] = {}
    for home, sums in _proposal_sums(connection).items():
        changed[home] = {id: sum for id, sum in sums.items() if before[home].get(id) != sum}
    notes: list[tuple[str, Mapping[str, object]]] = []
    for home in sorted({"", *lines, *(home for home in changed if changed[home])}):
        detail: dict[str, object] = {"lines": lines.get(home, {})}
        if not home:
            names = [copy.name for copy in holding]
            detail |= {"texts": texts, "cells": cells, "backups": names}
        detail |= {"sums": changed[home]} if changed.get(home) else {}
        notes.append((home, detail))
    return _PurgedRows(len(texts), amount, cells, tuple(notes), moved)


def forms_of(secret: str) -> tuple[str, ...]:
    """The forms of a secret: plain, within JSON, and within JSON in JSON."""
    once = dump(secret)[1:-1]
    readable = secret.replace("\\", "\\\\").replace('"', '\\"')
    every = (secret, shield(secret), once, readable, dump(once)[1:-1], dump(readable)[1:-1])
    return tuple(sorted(dict.fromkeys(every), key=len, reverse=True))


def holds(path: Path, forms: Iterable[str]) -> bool:
    """Whether a ledger's files contain a secret."""
    patterns = [form.encode("utf-8", "surrogateescape") for form in forms]
    beside = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))
    for file in (path, *(log_file for log_file in beside if log_file.exists())):
        data = file.read_bytes()
        if any(form in data for form in patterns):
            return True
    return False


def _refuse_unsettled(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM batch WHERE NOT settled LIMIT 1").fetchone():
        raise BadInput(
            "An operation is running, or was interrupted.",
            hint="`reviewdeck recover` ends it; purge then.",
        )


def _own_word() -> BadInput:
    return BadInput(
        "The ledger itself uses these characters: without them it could not be read.",
        hint="Nothing was changed. Purge a longer part of the line that has the secret.",
    )


class _Uncommitted:
    """Satisfies `Database` for a reader: what a purge has changed and not committed yet."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.now = utc_now

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """The purge's own transaction."""
        yield self._tx

    @contextmanager
    def writing(self, *homes: str | HomeOf) -> Iterator[Transaction]:
        yield self._tx

    @contextmanager
    def together(self, *homes: str) -> Iterator[Callable[[], None]]:
        yield lambda: None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        yield

    def wait_for_news(self, seconds: float) -> bool:
        """Nothing happens beside a purge."""
        return False

    def close(self) -> None:
        """Nothing: the purge closes its connection."""


def _read_everything(connection: sqlite3.Connection) -> None:
    """Reads back what decisions and evaluations need. Raises LedgerDamaged."""
    tx = SqliteTransaction(connection)
    reads = Ledger(_Uncommitted(tx))
    with decoding("A row"):
        ids = [unshield(id) for (id,) in tx.rows("SELECT id FROM proposal")]
        read_items(tx, ids)
        for _ in read_proposals(tx, "TRUE", NONE):
            pass
        for id in ids:
            reads.judgement(id)
        read_operations(tx)
        read_decisions(tx)
        for (session,) in tx.rows("SELECT DISTINCT session FROM transcript"):
            for transcript in reads.transcripts(unshield(session)):
                reads.turns(transcript.id)


def _purged(text: str, forms: Sequence[str]) -> str:
    for form in forms:
        text = text.replace(form, PLACEHOLDER)
    return text


def _purge_texts(connection: sqlite3.Connection, forms: Sequence[str]) -> Sums:
    """Purges stored bytes: what remains stays under the checksum of the original."""
    patterns = [form.encode("utf-8", "surrogateescape") for form in forms]
    shas = connection.execute("SELECT sha, base FROM blob").fetchall()
    changed: Sums = {}
    contents: dict[str, bytes] = {}
    tx = SqliteTransaction(connection)
    for sha, _ in shas:
        data = bytes_of(tx, [sha])[sha]
        purged = data
        for form in patterns:
            purged = purged.replace(form, PLACEHOLDER.encode())
        if purged != data:
            contents[sha] = purged
            changed[sha] = hashlib.sha256(purged).hexdigest()
    for sha, base in shas:
        if base in changed and sha not in changed:
            contents[sha] = bytes_of(tx, [sha])[sha]
    statement = "UPDATE blob SET data = ?, base = NULL, head = NULL, tail = NULL WHERE sha = ?"
    for sha, data in contents.items():
        connection.execute(statement, (data, sha))
    return changed


def _purge_lines(connection: sqlite3.Connection, forms: Sequence[str]) -> dict[str, Sums]:
    """Purges lines of the log, by chain: each keeps its checksum, which the next line names."""
    guards = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name = 'event_no_update'"
    ).fetchall()
    changed: dict[str, Sums] = {}
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for row in list(lines_of(SqliteTransaction(connection))):
        purged = {name: _purged(str(row[name]), forms) for name in ("subject", "detail")}
        if purged == {name: row[name] for name in purged}:
            continue
        try:
            is_kept = load(purged["detail"]).keys() == load(row["detail"]).keys()
        except ValueError:
            is_kept = False
        if not is_kept:
            raise _own_word()
        connection.execute(
            "UPDATE event SET subject = ?, detail = ? WHERE position = ?",
            (purged["subject"], purged["detail"], row["position"]),
        )
        sums = changed.setdefault(unshield(row["chain"]), {})
        sums[str(row["sequence"])] = line_sum(row | purged)
    for _, sql in guards:
        connection.execute(sql)
    return changed


def _purge_cells(connection: sqlite3.Connection, forms: Sequence[str]) -> int:
    amount = 0
    for table, columns in _text_columns(connection).items():
        for column in columns:
            amount += _purge_column(connection, table, column, forms)
    if amount:
        _index_again(connection)
        connection.execute("UPDATE proposal SET evaluation_key = NULL")
        for id, marks in [
            *other_gists(SqliteTransaction(connection))
        ]:  # their lines are purged as well
            connection.execute(
                "UPDATE judgement SET marks = ? WHERE proposal = ?", (marks, shield(id))
            )
        connection.execute("UPDATE home SET stamp = NULL")
    return amount


def _index_again(connection: sqlite3.Connection) -> None:
    """Replaces the terms of purged texts: the secret was among them."""
    purged = f"instr(text, '{PLACEHOLDER}')"
    connection.execute(f"DELETE FROM term WHERE subject IN (SELECT id FROM subject WHERE {purged})")  # noqa: S608 - constant
    index_terms(SqliteTransaction(connection), purged)


def _proposal_sums(connection: sqlite3.Connection) -> dict[str, Sums]:
    """By home and proposal, the checksum of its row."""
    columns = ", ".join(SUMMED)
    rows = connection.execute(f"SELECT {columns}, body FROM proposal")  # noqa: S608 - constant
    sums: dict[str, Sums] = {}
    for *cells, body in rows:
        row = {
            name: None if cell is None else unshield(cell)
            for name, cell in zip(SUMMED, cells, strict=True)
        }
        of_home = sums.setdefault(row["home"] or "", {})
        of_home[row["id"] or ""] = sum_of({**row, "body": load(body)})
    return sums


def _resum_remembered(
    connection: sqlite3.Connection,
) -> list[tuple[tuple[str, str, str], list[list[str]]]]:
    """Recomputes the checksums of remembered texts; gives the events that say so."""
    lines: list[tuple[tuple[str, str, str], list[list[str]]]] = []
    rows = connection.execute(
        'SELECT sequence, home, relation, sha, text, "where" FROM likeness'
    ).fetchall()
    for sequence, home, relation, sha, text, where in rows:
        today = sum_of_text(unshield(text), unshield(where))
        if today == sha:
            continue
        connection.execute(
            "UPDATE OR REPLACE likeness SET sha = ? WHERE sequence = ?", (today, sequence)
        )
        plain_home = unshield(home)
        lines.append(((FORGOTTEN, plain_home, plain_home), [[relation, sha]]))
        lines.append(((REMEMBERED, plain_home, plain_home), [[relation, today]]))
    return lines


def _text_columns(connection: sqlite3.Connection) -> Mapping[str, list[str]]:
    tables: dict[str, list[str]] = {}
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master"
        r" WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'"
    ).fetchall():
        if name not in _APART:
            columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
            tables[name] = [f'"{column[1]}"' for column in columns if column[1] not in _NAMES]
    return tables


def _purge_column(
    connection: sqlite3.Connection, table: str, column: str, forms: Sequence[str]
) -> int:
    anywhere = " OR ".join(f"instr({column}, ?)" for _ in forms)
    rows = connection.execute(
        f"SELECT rowid, {column} FROM {table} WHERE typeof({column}) = 'text' AND ({anywhere})",  # noqa: S608 - names of the schema
        tuple(forms),
    ).fetchall()
    for rowid, value in rows:
        connection.execute(
            f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?",  # noqa: S608 - the same
            (_purged(value, forms), rowid),
        )
    return len(rows)


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
