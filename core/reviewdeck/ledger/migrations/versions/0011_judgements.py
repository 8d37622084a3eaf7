"""What the checks said of each proposal, with the evidence that they said it from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What was judged before keeps its findings and has no evidence."""
    op.create_table(
        "judgement",
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("is_settled", sa.Boolean(), nullable=False),
        sa.Column("marks", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["proposal"], ["proposal.id"]),
        sa.PrimaryKeyConstraint("proposal"),
    )
    # Everything is judged anew: nothing that other rules let through goes in by an upgrade.
    op.execute("UPDATE proposal SET needs = NULL, verdict = NULL WHERE verdict = 'auto-apply'")
    op.execute("DELETE FROM footing")


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
