"""What was changed without us waits for a review like a proposal: one more state that is open."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

WAITING = "('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')"
OPEN = "('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live')"

STATEMENTS = (
    "DROP INDEX proposal_oldest",
    f"CREATE INDEX proposal_oldest ON proposal (home, since) WHERE state IN {OPEN}",
    "DROP TRIGGER proposal_arrived",
    "CREATE TRIGGER proposal_arrived AFTER INSERT ON proposal"  # noqa: S608 - constant states
    f" WHEN NEW.state IN {WAITING}"
    " BEGIN INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id); END",
    "DROP TRIGGER proposal_dirty",
    "CREATE TRIGGER proposal_dirty AFTER UPDATE OF state ON proposal"  # noqa: S608 - the same
    f" WHEN (OLD.state IN {WAITING}) <> (NEW.state IN {WAITING})"
    " BEGIN INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id); END",
)


def upgrade() -> None:
    """Knows the new state wherever open ones are named."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
