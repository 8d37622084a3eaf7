"""Runs of the background reviewer, with what they cost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """None has run yet."""
    op.create_table(
        "review",
        sa.Column("sequence", NUMBER, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("id", "home", "session")),
        sa.Column("occasion", sa.Text(), nullable=False),
        sa.Column("started_at", NUMBER, nullable=False),
        sa.Column("finished_at", NUMBER, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("ending", "detail")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("provider", "model")),
        sa.Column("is_routed", sa.Boolean(), nullable=False),
        sa.Column("prompts", sa.Text(), nullable=False),
        sa.Column("iterations", sa.Integer(), nullable=False),
        *(sa.Column(f"{name}_tokens", NUMBER, nullable=False) for name in ("input", "output")),
        sa.Column("cached_tokens", NUMBER, nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("shared", sa.Float(), nullable=True),
        sa.Column("saved_tokens", NUMBER, nullable=False),
        sa.Column("denied", sa.Text(), nullable=False),
        sa.Column("denied_count", sa.Integer(), nullable=False),
        sa.Column("proposals", sa.Text(), nullable=False),
        sa.Column("proposal_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("review_home", "review", ["home", "sequence"])


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
