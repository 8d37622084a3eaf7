"""Taking a secret that got in out of a ledger for good, with its backups.

What held it says `[purged]` in its place. The texts and the lines of the log that are replaced keep
the sums under which everything else names them; one line of the log says which they are, what
they sum up to now, who did it and why. Whoever checks sums goes by that line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from sqlalchemy import Connection

from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.ledger.audit import PURGE, Note, line_sum, log
from reviewdeck.ledger.blobs import bytes_of
from reviewdeck.ledger.cells import dump, load, shield, unshield
from reviewdeck.ledger.database import runner
from reviewdeck.ledger.opening import back_up, is_current
from reviewdeck.ledger.place import backups_of, path_of
from reviewdeck.ledger.retention import alone, shrink
from reviewdeck.ledger.row_sums import FORGOTTEN, REMEMBERED, SUMMED, sum_of, sum_of_text
from reviewdeck.ledger.versions import HEAD
from reviewdeck.model import Actor
from reviewdeck.ports import Clock
from reviewdeck.ports.authority import Attest, unattested

SAYS: Final = "[purged]"
"""What stands in the place of the secret."""
SHORTEST: Final = 6
"""Characters that a secret has to have: a shorter one stands in half of all texts."""
_OTHERWISE: Final = frozenset({"blob", "event"})
"""Tables whose rows are named by their sums."""
_NAMES: Final = frozenset({"home", "sha", "id"})
"""Columns by which rows are found."""

Sums: TypeAlias = dict[str, str]
"""The sum under which something is kept, or the number of a line, to what it sums up to now."""


@dataclass(frozen=True, slots=True)
class Purged:
    """How much held the secret."""

    texts: int
    """Stored revisions and records."""
    lines: int
    """Of the log."""
    cells: int
    """Of the other tables."""
    backups: int
    """That are replaced by a new one."""
    is_gone: bool
    """Whether no byte of the files has it any more."""

    @property
    def amount(self) -> int:
        """All of that."""
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
    """Takes every copy of a secret out of the ledger at this URL and out of its backups.

    Raises BadInput, LedgerUnavailable, LedgerDamaged, Busy.
    """
    path = path_of(url)
    if len(secret.strip()) < SHORTEST or "\n" in secret:
        raise BadInput(
            f"A secret to be purged is one line of at least {SHORTEST} characters.",
            hint="Purge each line of a longer one.",
        )
    if secret in reason:
        raise BadInput("The reason tells the secret.", hint="It stays in the log for ever.")
    if not is_current(path):
        raise LedgerUnavailable(f"The ledger {path} is not there, or of an earlier version.")
    forms = forms_of(secret)
    holding = [copy for copy in backups_of(path) if holds(copy, forms)]
    with alone(path) as connection:
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
        _refuse_unsettled(connection)
        known = _proposal_sums(connection)
        texts, lines = _texts(connection, forms), _lines(connection, forms)
        cells = _cells(connection, forms)
        moved = _resum_remembered(connection)
        if texts or lines or cells or holding:
            detail: dict[str, object] = {
                "reason": reason,
                "texts": texts,
                "lines": lines,
                "cells": cells,
                "backups": [copy.name for copy in holding],
            }
            sums = _proposal_sums(connection)
            if changed := {id: sum for id, sum in sums.items() if known[id] != sum}:
                detail["sums"] = changed
            note = Note(PURGE, "", "ledger", actor, now(), detail)
            log(connection, [note], attest)
            log(connection, [Note(*one, actor, now(), {"texts": said}) for one, said in moved])
    is_alone = shrink(path)
    _replace_backups(path, holding, now)
    return Purged(len(texts), len(lines), cells, len(holding), is_alone and not holds(path, forms))


def forms_of(secret: str) -> tuple[str, ...]:
    """A secret as it may be written: as it is, and within JSON, and within JSON of that."""
    once = dump(secret)[1:-1]
    readable = secret.replace("\\", "\\\\").replace('"', '\\"')
    every = (secret, shield(secret), once, readable, dump(once)[1:-1], dump(readable)[1:-1])
    return tuple(sorted(dict.fromkeys(every), key=len, reverse=True))


def holds(path: Path, forms: Iterable[str]) -> bool:
    """Whether the bytes of a ledger's files have a secret anywhere."""
    wanted = [form.encode("utf-8", "surrogateescape") for form in forms]
    beside = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))
    for file in (path, *(one for one in beside if one.exists())):
        data = file.read_bytes()
        if any(form in data for form in wanted):
            return True
    return False


def _refuse_unsettled(connection: Connection) -> None:
    if connection.exec_driver_sql("SELECT 1 FROM batch WHERE NOT settled LIMIT 1").first():
        raise BadInput(
            "Something is being applied, or was cut short.",
            hint="`reviewdeck recover` ends it; purge then.",
        )


def _without(text: str, forms: Sequence[str]) -> str:
    for form in forms:
        text = text.replace(form, SAYS)
    return text


def _texts(connection: Connection, forms: Sequence[str]) -> Sums:
    """Stored bytes: what is left of them stays under the sum of what they were."""
    wanted = [form.encode("utf-8", "surrogateescape") for form in forms]
    shas = connection.exec_driver_sql("SELECT sha, base FROM blob").all()
    changed: Sums = {}
    whole: dict[str, bytes] = {}
    run = runner(connection)
    for sha, _ in shas:
        data = bytes_of(run, [sha])[sha]
        left = data
        for form in wanted:
            left = left.replace(form, SAYS.encode())
        if left != data:
            whole[sha] = left
            changed[sha] = hashlib.sha256(left).hexdigest()
    for sha, base in shas:
        if base in changed and sha not in changed:
            whole[sha] = bytes_of(run, [sha])[sha]
    statement = "UPDATE blob SET data = ?, base = NULL, head = NULL, tail = NULL WHERE sha = ?"
    for sha, data in whole.items():
        connection.exec_driver_sql(statement, (data, sha))
    return changed


def _lines(connection: Connection, forms: Sequence[str]) -> Sums:
    """Lines of the log: each keeps its sum, which the line after it names."""
    guards = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name = 'event_no_update'"
    ).all()
    changed: Sums = {}
    for name, _ in guards:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    for row in connection.exec_driver_sql("SELECT * FROM event ORDER BY sequence").mappings():
        left = {name: _without(str(row[name]), forms) for name in ("subject", "detail")}
        if left == {name: row[name] for name in left}:
            continue
        connection.exec_driver_sql(
            "UPDATE event SET subject = ?, detail = ? WHERE sequence = ?",
            (left["subject"], left["detail"], row["sequence"]),
        )
        changed[str(row["sequence"])] = line_sum(dict(row) | left)
    for _, sql in guards:
        connection.exec_driver_sql(sql)
    return changed


def _cells(connection: Connection, forms: Sequence[str]) -> int:
    """Every other text, whatever table it stands in. What was worked out from it is no more."""
    amount = 0
    for table, columns in _tables(connection).items():
        for column in columns:
            amount += _column(connection, table, column, forms)
    if amount:
        connection.exec_driver_sql("UPDATE proposal SET evaluation_key = NULL")
        connection.exec_driver_sql("UPDATE home SET stamp = NULL")
    return amount


def _proposal_sums(connection: Connection) -> Sums:
    """By proposal, what its row sums up to."""
    columns = ", ".join(SUMMED)
    rows = connection.exec_driver_sql(f"SELECT {columns}, body FROM proposal")  # noqa: S608 - constant
    found: Sums = {}
    for *cells, body in rows:
        row = {
            name: None if cell is None else unshield(cell)
            for name, cell in zip(SUMMED, cells, strict=True)
        }
        found[row["id"] or ""] = sum_of({**row, "body": load(body)})
    return found


def _resum_remembered(connection: Connection) -> list[tuple[tuple[str, str, str], list[list[str]]]]:
    """Names what is remembered by the sums of today; gives the lines that tell of it."""
    lines: list[tuple[tuple[str, str, str], list[list[str]]]] = []
    rows = connection.exec_driver_sql(
        'SELECT sequence, home, relation, sha, text, "where" FROM likeness'
    ).all()
    for sequence, home, relation, sha, text, where in rows:
        today = sum_of_text(unshield(text), unshield(where))
        if today == sha:
            continue
        connection.exec_driver_sql(
            "UPDATE OR REPLACE likeness SET sha = ? WHERE sequence = ?", (today, sequence)
        )
        told = unshield(home)
        lines.append(((FORGOTTEN, told, told), [[relation, sha]]))
        lines.append(((REMEMBERED, told, told), [[relation, today]]))
    return lines


def _tables(connection: Connection) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for (name,) in connection.exec_driver_sql(
        "SELECT name FROM sqlite_master"
        r" WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'"
    ).all():
        if name not in _OTHERWISE:
            columns = connection.exec_driver_sql(f"PRAGMA table_info({name})").all()
            found[name] = [f'"{one[1]}"' for one in columns if one[1] not in _NAMES]
    return found


def _column(connection: Connection, table: str, column: str, forms: Sequence[str]) -> int:
    anywhere = " OR ".join(f"instr({column}, ?)" for _ in forms)
    rows = connection.exec_driver_sql(
        f"SELECT rowid, {column} FROM {table} WHERE typeof({column}) = 'text' AND ({anywhere})",  # noqa: S608 - names of the schema
        tuple(forms),
    ).all()
    for rowid, value in rows:
        connection.exec_driver_sql(
            f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?",  # noqa: S608 - the same
            (_without(value, forms), rowid),
        )
    return len(rows)


def _replace_backups(path: Path, holding: Sequence[Path], now: Clock) -> None:
    """Copies that hold it go, once there is one that does not."""
    if not holding:
        return
    back_up(path, HEAD, now)
    for copy in holding:
        _overwrite(copy)
        copy.unlink()


def _overwrite(file: Path) -> None:
    """Zeros in the place of its bytes, where the file system writes in place."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        for part in _zeros(size):
            opened.write(part)


def _zeros(size: int) -> Iterator[bytes]:
    step = 1 << 20
    for start in range(0, size, step):
        yield bytes(min(step, size - start))
