"""What went in lately is found without reading all that ever did: every pass counts it for caps."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of a home, by time."""
    op.create_index("operation_time", "operation", ["home", "started_at"])


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
