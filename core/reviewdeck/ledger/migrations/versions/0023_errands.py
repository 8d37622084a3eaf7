"""What follows in a home from a decision made on another machine is stored for its host."""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

TABLE = """
    CREATE TABLE errand (
        decision TEXT NOT NULL,
        home TEXT NOT NULL,
        digests TEXT NOT NULL,
        PRIMARY KEY (decision),
        FOREIGN KEY(decision) REFERENCES decision (id)
    )
"""


def upgrade() -> None:
    """Adds the table; nobody has left an errand yet."""
    connection = op.get_bind()
    connection.exec_driver_sql(TABLE)
    connection.exec_driver_sql("CREATE INDEX errand_home ON errand (home)")


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
