"""Texts are found by their terms, and by home and domain."""

from __future__ import annotations

from alembic import op

from reviewdeck.ledger.cells import unshield
from reviewdeck.text.terms import terms_of

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

STATEMENTS = (
    "CREATE TABLE term (term TEXT NOT NULL, subject INTEGER NOT NULL, PRIMARY KEY (term, subject),"
    " FOREIGN KEY(subject) REFERENCES subject (id) ON DELETE CASCADE) WITHOUT ROWID",
    "CREATE INDEX term_subject ON term (subject)",
    "DROP INDEX subject_home",
    "CREATE INDEX subject_home ON subject (home, domain)",
)


def upgrade() -> None:
    """Adds the table, and the terms of all texts there are."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    for number, text in connection.exec_driver_sql("SELECT id, text FROM subject").all():
        rows = [(term, number) for term in terms_of(unshield(text))]
        connection.exec_driver_sql("INSERT INTO term (term, subject) VALUES (?, ?)", rows)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
