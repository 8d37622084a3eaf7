"""The proposal that each operator has open."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.execute(
        "CREATE TABLE looking (operator TEXT NOT NULL, home TEXT NOT NULL, "
        "proposal TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (operator), "
        "FOREIGN KEY(proposal) REFERENCES proposal (id))"
    )


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
