"""Who may execute the files of a skill is known, and what changed it can be taken back."""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE observation ADD COLUMN mode INTEGER",
    "ALTER TABLE operation_change ADD COLUMN was_mode INTEGER",
    "ALTER TABLE batch_write ADD COLUMN was_mode INTEGER",
)


def upgrade() -> None:
    """Adds what nothing is known of yet: the next look at a home fills it in."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
