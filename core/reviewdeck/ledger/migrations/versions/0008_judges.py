"""By which policy each decision was judged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What was decided before does not say so."""
    op.add_column("decision", sa.Column("policy", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
