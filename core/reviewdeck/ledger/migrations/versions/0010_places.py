"""Where a home stands, so that one which was moved keeps what is known of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until now a home was known by its path."""
    op.create_table(
        "place",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("home"),
    )
    op.execute(
        "INSERT INTO place (home, path, number, mark)"
        " SELECT id, id, '', '' FROM home UNION SELECT DISTINCT home, home, '', '' FROM proposal"
    )


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
