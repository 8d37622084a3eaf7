"""Signatures under decisions, what they were for, and which keys the ledger knows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """What was decided before stays as it is: unsigned."""
    op.add_column("decision", sa.Column("batch", sa.Text(), nullable=True))
    op.add_column("decision", sa.Column("counter", NUMBER, nullable=True))
    op.add_column("decision", sa.Column("seal", sa.Text(), nullable=True))
    op.create_index(
        "decision_batch", "decision", ["batch"], sqlite_where=sa.text("batch IS NOT NULL")
    )
    op.create_index("decision_counter", "decision", ["counter"], unique=True)
    op.create_table(
        "pin",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
