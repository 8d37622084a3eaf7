"""The turns of sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A transcript for each stretch of a session, and its turns."""
    op.create_table(
        "transcript",
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False, unique=True),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text()),
        sa.Column("began", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
        sqlite_autoincrement=True,
    )
    op.create_index("transcript_session", "transcript", ["session", "sequence"])
    op.create_index("transcript_last", "transcript", ["last_at"])
    op.create_table(
        "turn",
        sa.Column("transcript", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text()),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["transcript"], ["transcript.sequence"]),
        sa.PrimaryKeyConstraint("transcript", "number"),
    )


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
