"""Bytes that are kept as what differs from others."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What is stored already stays as it is: whole."""
    # By hand, since the tool takes a new reference for a change of an old one.
    op.execute("ALTER TABLE blob ADD COLUMN base TEXT REFERENCES blob (sha)")
    op.execute("ALTER TABLE blob ADD COLUMN head INTEGER")
    op.execute("ALTER TABLE blob ADD COLUMN tail INTEGER")


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
