"""A proposal is written only after it is approved."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

MOVES = (
    "CREATE TRIGGER proposal_moves BEFORE UPDATE OF state ON proposal WHEN OLD.state <> "
    "NEW.state AND NOT ((OLD.state IN ('ready', 'conflict', 'dead', 'refused', "
    "'quarantined', 'deferred', 'live') AND NEW.state IN ('ready', 'conflict', 'dead', "
    "'refused', 'deferred', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', "
    "'refused', 'quarantined', 'deferred', 'live') AND NEW.state IN ('elsewhere')) OR "
    "(OLD.state IN ('elsewhere') AND NEW.state IN ('ready', 'quarantined')) OR (OLD.state "
    "IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live') AND NEW.state IN "
    "('deferred')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined',"
    " 'deferred', 'live', 'elsewhere', 'kept') AND NEW.state IN ('rejected')) OR (OLD.state"
    " IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live') AND "
    "NEW.state IN ('kept')) OR (OLD.state IN ('rejected', 'kept') AND NEW.state IN "
    "('quarantined', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', "
    "'deferred', 'live') AND NEW.state IN ('approved')) OR (OLD.state IN ('approved') AND "
    "NEW.state IN ('applying')) OR (OLD.state IN ('applying') AND NEW.state IN ('applied'))"
    " OR (OLD.state IN ('applying') AND NEW.state IN ('ready', 'conflict', 'dead', "
    "'refused', 'deferred', 'live')) OR (OLD.state IN ('applied') AND NEW.state IN "
    "('ready', 'rejected')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', "
    "'deferred', 'live', 'rejected', 'elsewhere') AND NEW.state IN ('applied'))) BEGIN "
    "SELECT RAISE(ABORT, 'a proposal does not move like this'); END"
)


def upgrade() -> None:
    """Replaces the guard of the moves. What is being written stays so, and ends as ever."""
    connection = op.get_bind()
    connection.exec_driver_sql("DROP TRIGGER proposal_moves")
    connection.exec_driver_sql(MOVES)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
