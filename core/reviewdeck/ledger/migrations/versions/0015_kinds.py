"""A home stays of the kind that it was first opened as."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds what nothing is known of yet: the next look at a home fills it in."""
    op.get_bind().exec_driver_sql("ALTER TABLE place ADD COLUMN kind TEXT NOT NULL DEFAULT ''")


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
