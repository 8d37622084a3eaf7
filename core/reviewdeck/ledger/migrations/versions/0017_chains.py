"""A chain of the log for each home; counters, drafts and marks for each operator; hosts.

The log so far stays as it is, and is the beginning of the ledger's own chain. Drafts and marks so
far are of nobody by name: every operator sees them until they make their own.
"""

from __future__ import annotations

import json

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

LOG = (
    "DROP TRIGGER event_no_update",
    "DROP TRIGGER event_no_delete",
    "DROP TRIGGER event_in_order",
    "ALTER TABLE event RENAME TO earlier",
    "CREATE TABLE event (position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,"
    " chain TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL, name TEXT NOT NULL,"
    " home TEXT NOT NULL, subject TEXT NOT NULL, actor TEXT NOT NULL, detail TEXT NOT NULL,"
    " previous TEXT NOT NULL, sha TEXT NOT NULL)",
    "INSERT INTO event SELECT sequence, '', sequence, at, name, home, subject, actor, detail,"
    " previous, sha FROM earlier ORDER BY sequence",
    "DROP TABLE earlier",
    "CREATE UNIQUE INDEX event_line ON event (chain, sequence)",
    "CREATE UNIQUE INDEX event_previous ON event (chain, previous)",
    "CREATE TRIGGER event_no_update BEFORE UPDATE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER event_in_order BEFORE INSERT ON event"
    " WHEN NEW.sequence <= (SELECT max(sequence) FROM event WHERE chain = NEW.chain)"
    " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
)
KEYS = (
    "ALTER TABLE decision ADD COLUMN signer TEXT",
    "DROP INDEX decision_counter",
    "CREATE UNIQUE INDEX decision_counter ON decision (signer, counter)",
)
OPERATORS = (
    "DROP TRIGGER draft_added",
    "DROP TRIGGER draft_removed",
    "DELETE FROM counter WHERE state = 'draft'",
    "ALTER TABLE draft RENAME TO earlier",
    "CREATE TABLE draft (proposal TEXT NOT NULL, operator TEXT NOT NULL, home TEXT NOT NULL,"
    " verb TEXT NOT NULL, digest TEXT, at INTEGER NOT NULL, reason TEXT NOT NULL, text TEXT,"
    " document TEXT, PRIMARY KEY (proposal, operator),"
    " FOREIGN KEY(proposal) REFERENCES proposal (id))",
    "INSERT INTO draft SELECT proposal, '', home, verb, digest, at, reason, text, document"
    " FROM earlier",
    "DROP TABLE earlier",
    "ALTER TABLE seen RENAME TO earlier",
    "CREATE TABLE seen (home TEXT NOT NULL, operator TEXT NOT NULL, path TEXT NOT NULL,"
    " at INTEGER NOT NULL, PRIMARY KEY (home, operator, path))",
    "INSERT INTO seen SELECT home, '', path, at FROM earlier"
    " UNION ALL SELECT id, '', '', looked_at FROM home WHERE looked_at IS NOT NULL",
    "DROP TABLE earlier",
    "ALTER TABLE home DROP COLUMN looked_at",
)
HOSTS = ("ALTER TABLE place ADD COLUMN host TEXT DEFAULT '' NOT NULL",)


def upgrade() -> None:
    """Moves the log, line by line as it is, and names the key of each signed decision."""
    connection = op.get_bind()
    for statement in (*LOG, *KEYS, *OPERATORS, *HOSTS):
        connection.exec_driver_sql(statement)
    rows = connection.exec_driver_sql(
        "SELECT sequence, seal FROM decision WHERE counter IS NOT NULL"
    ).all()
    for sequence, seal in rows:
        signed = json.loads(seal) if seal else None
        if isinstance(signed, dict) and isinstance(signed.get("key"), str):
            connection.exec_driver_sql(
                "UPDATE decision SET signer = ? WHERE sequence = ?", (signed["key"], sequence)
            )


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
