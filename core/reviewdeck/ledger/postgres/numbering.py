"""The numbers that PostgreSQL gives to rows by itself."""

from __future__ import annotations

from reviewdeck.ledger.database import Transaction
from reviewdeck.ledger.postgres.schema import SCHEMA
from reviewdeck.ledger.tables import METADATA


def renumber(tx: Transaction, schema: str = SCHEMA) -> None:
    """Goes on behind the highest numbers that tables have: rows came with theirs."""
    for table in METADATA.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            tx.rows(
                f"SELECT setval(pg_get_serial_sequence('{schema}.{table.name}', '{column.name}'),"  # noqa: S608 - names of the schema
                f" coalesce(max({column.name}), 0) + 1, FALSE) FROM {table.name}"
            )
