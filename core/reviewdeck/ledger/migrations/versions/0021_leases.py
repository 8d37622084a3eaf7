"""Batches are claimed with an epoch and a lease; hosts say that they are alive."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE batch ADD COLUMN epoch INTEGER DEFAULT '0' NOT NULL",
    "ALTER TABLE batch ADD COLUMN lease_until INTEGER",
    "ALTER TABLE batch ADD COLUMN worker TEXT DEFAULT '' NOT NULL",
    "CREATE TABLE host (id TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,"
    " seen_at INTEGER NOT NULL, problem TEXT DEFAULT '' NOT NULL, PRIMARY KEY (id))",
)


def upgrade() -> None:
    """Adds the columns and the table. What was claimed before has a lease that is over."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
