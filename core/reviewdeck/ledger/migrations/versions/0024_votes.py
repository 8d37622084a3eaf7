"""Votes of operators about proposals that one alone does not decide."""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

STATEMENTS = (
    "CREATE TABLE vote (decision TEXT NOT NULL, proposal TEXT NOT NULL, home TEXT NOT NULL, "
    "operator TEXT NOT NULL, verb TEXT NOT NULL, revisions TEXT NOT NULL, text TEXT, "
    "document TEXT, batch TEXT, ended BOOLEAN NOT NULL, PRIMARY KEY (decision), "
    "FOREIGN KEY(decision) REFERENCES decision (id), "
    "FOREIGN KEY(proposal) REFERENCES proposal (id))",
    "CREATE INDEX vote_open ON vote (proposal) WHERE batch IS NULL AND NOT ended",
    "CREATE INDEX vote_batch ON vote (batch) WHERE batch IS NOT NULL",
)


def upgrade() -> None:
    """Adds the table."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
