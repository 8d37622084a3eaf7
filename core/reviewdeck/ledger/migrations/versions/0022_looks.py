"""What each host last saw of its homes is stored, for those who decide on another machine."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

TABLE = """
    CREATE TABLE look (
        home TEXT NOT NULL,
        host TEXT NOT NULL,
        machine TEXT NOT NULL,
        at INTEGER NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        path TEXT NOT NULL,
        sha TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (home)
    )
"""


def upgrade() -> None:
    """Adds the table; the next pass of a host fills it, where several hosts share the ledger."""
    op.get_bind().exec_driver_sql(TABLE)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
