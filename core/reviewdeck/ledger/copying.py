"""Copying a whole ledger from one database into another: row by row, with every number.

It is all or nothing: one view of the source, one transaction of the target, which is read back and
compared before it is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from sqlalchemy import Boolean, Table

from reviewdeck.errors import BadInput, LedgerDamaged, NotPermitted
from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.cells import dump, unshield
from reviewdeck.ledger.database import Database, Row, Transaction, first, insert
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.tables import METADATA
from reviewdeck.values import dataclass

_AT_ONCE: Final = 200
"""The rows that are in memory at once."""
_BY_TRIGGERS: Final = ("counter", "dirty")
"""Tables that triggers fill while others are: their rows are replaced at the end."""
_BLOBS: Final = """
    WITH RECURSIVE kept (sha, depth) AS (
        SELECT sha, 0 FROM blob WHERE base IS NULL
        UNION ALL SELECT blob.sha, depth + 1 FROM blob JOIN kept ON blob.base = kept.sha
    ) SELECT {columns} FROM kept JOIN blob ON blob.sha = kept.sha ORDER BY depth, blob.sha
"""
"""A difference comes after what it is a difference from."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied: each table's number of rows, and the digest of all of them."""

    rows: dict[str, int]
    digests: dict[str, str]

    @property
    def amount(self) -> int:
        return sum(self.rows.values())


def copy_ledger(
    source: Database, target: Database, renumber: Callable[[Transaction], None] = lambda tx: None
) -> Copied:
    """Copies every row of a ledger into one with none.

    `renumber` sets the target's numbering of rows behind those that it has now. Raises BadInput
    where the target has rows, and LedgerDamaged where the copy or its log is not the source's.
    """
    tables = METADATA.sorted_tables
    with source.at_once(), target.together() as keep:
        with source.reading() as rows, target.writing() as tx:
            _refuse_filled(tx, tables)
            tx.put("DELETE FROM home")
            digests: dict[str, str] = {}
            amounts: dict[str, int] = {}
            ordered = [table for table in tables if table.name not in _BY_TRIGGERS]
            last = [table for table in tables if table.name in _BY_TRIGGERS]
            for table in (*ordered, *last):
                if table in last:
                    tx.put(f"DELETE FROM {table.name}")  # noqa: S608 - a name of the schema
                digest = _Digest()
                for part in _parts(digest.over(rows_of(rows, table))):
                    insert(tx, table.name, [_values(table, row) for row in part])
                digests[table.name], amounts[table.name] = digest.text, digest.rows
            renumber(tx)
            for table in tables:
                if digest_of(tx, table) != digests[table.name]:
                    raise LedgerDamaged(
                        f"The table {table.name} of the copy is not the one that was copied.",
                        hint="Nothing was copied. `reviewdeck fsck` checks the ledger copied from.",
                    )
        if (broken := SqlAudit(target).verify()) is not None:
            raise LedgerDamaged(
                f"The log of the ledger that was to be copied breaks at {broken}.",
                hint="Nothing was copied. `reviewdeck fsck` says what is wrong.",
            )
        keep()
    return Copied(amounts, digests)


def copy_between(source: Ledger, target: Ledger, *, is_numbered: bool) -> Copied:
    """Copies one opened ledger into another. `is_numbered`: the target goes on by itself behind
    the highest numbers that it has, as SQLite does.

    Raises BadInput, LedgerDamaged, and NotPermitted for a role that sees only its own part of one.
    """
    for ledger in (source, target):
        if member := ledger.operator or ledger.machine:
            raise NotPermitted(
                f"{member} is a member's role: nobody but the ledger's owner sees all of it.",
                hint="Nothing was copied. Name it with the role that made it: postgresql://OWNER@...",
            )
    if is_numbered:
        return copy_ledger(source._database, target._database)
    from reviewdeck.ledger.postgres.numbering import renumber

    return copy_ledger(source._database, target._database, renumber)


def digest_of(tx: Transaction, table: Table) -> str:
    """The digest of all rows of a table: the same ones have it in any database."""
    digest = _Digest()
    for _ in digest.over(rows_of(tx, table)):
        pass
    return digest.text


def rows_of(tx: Transaction, table: Table) -> Iterator[Row]:
    """The rows of a table by its primary key, those first to which others refer."""
    columns = ", ".join(f'{table.name}."{column.name}"' for column in table.columns)
    key = ", ".join(f'"{column.name}"' for column in table.primary_key)
    sql = (
        _BLOBS.format(columns=columns)
        if table.name == "blob"
        else f"SELECT {columns} FROM {table.name} ORDER BY {key}"  # noqa: S608 - names of the schema
    )
    is_bool = [isinstance(column.type, Boolean) for column in table.columns]
    for row in tx.stream(sql):
        yield [bool(cell) if of else cell for of, cell in zip(is_bool, row, strict=True)]


class _Digest:
    """A digest over rows as they pass."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = hashlib.sha256()

    @property
    def text(self) -> str:
        return self._sum.hexdigest()

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows."""
        for row in rows:
            self.rows += 1
            cells = [bytes(cell).hex() if isinstance(cell, bytes) else cell for cell in row]
            self._sum.update(f"{dump(cells)}\n".encode())
            yield row


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while part := list(islice(rows, _AT_ONCE)):
        yield part


def _values(table: Table, row: Row) -> dict[str, Any]:
    # They become cells anew on their way.
    plain = (unshield(cell) if isinstance(cell, str) else cell for cell in row)
    return dict(zip(table.columns.keys(), plain, strict=True))


def _refuse_filled(tx: Transaction, tables: Sequence[Table]) -> None:
    for table in tables:
        if table.name == "home":  # A program that only looked makes the rows that it locks.
            continue
        if first(tx, f"SELECT 1 FROM {table.name} LIMIT 1"):  # noqa: S608 - a name of the schema
            raise BadInput(
                "The ledger to be copied to is not empty.",
                hint="Nothing was copied. Name one that is not there yet, or that is empty.",
            )
