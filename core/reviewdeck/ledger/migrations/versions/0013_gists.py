"""What a proposal would do, in one line from its payload, and which entry it is about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What waits gets them when it is evaluated next; what is decided has none."""
    op.add_column("proposal", sa.Column("gist", sa.Text(), nullable=True))
    op.add_column("proposal", sa.Column("subject", sa.Text(), nullable=True))
    op.execute("UPDATE proposal SET evaluation_key = NULL")
    op.execute("UPDATE home SET stamp = NULL")


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
