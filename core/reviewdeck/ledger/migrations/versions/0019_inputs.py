"""A pass knows what the last one evaluated against, and which remembered texts changed since."""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE home ADD COLUMN inputs TEXT",
    "ALTER TABLE dirty ADD COLUMN text TEXT",
    "DROP TRIGGER subject_remembered",
    "CREATE TRIGGER subject_remembered AFTER INSERT ON subject WHEN NEW.relation <> 'pending'"
    " BEGIN INSERT INTO dirty (home, text) VALUES (NEW.home, NEW.text); END",
    "CREATE TRIGGER subject_forgotten AFTER DELETE ON subject WHEN OLD.relation <> 'pending'"
    " BEGIN INSERT INTO dirty (home, text) VALUES (OLD.home, OLD.text); END",
)


def upgrade() -> None:
    """Adds the columns; the next pass looks at everything."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
