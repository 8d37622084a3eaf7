"""The first schema. A new ledger is made in it; ledgers from before the first release become it.

Three earlier schemas are in use. Each lacks what the next one brought, so what is missing tells
which one it is. Every row of what an agent asked for, what was decided and what was written stays;
what waits is evaluated again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = None
branch_labels = None
depends_on = None

WAITING = "('ready', 'conflict', 'dead', 'refused', 'deferred')"

PLACES = (
    "CREATE TABLE place (home TEXT NOT NULL, path TEXT NOT NULL, number TEXT NOT NULL,"
    " mark TEXT NOT NULL, PRIMARY KEY (home))",
    # Until then, a home was known by its path.
    "INSERT INTO place (home, path, number, mark)"
    " SELECT id, id, '', '' FROM home UNION SELECT DISTINCT home, home, '', '' FROM proposal",
)
JUDGEMENTS = (
    "CREATE TABLE judgement (proposal TEXT NOT NULL, policy TEXT NOT NULL,"
    " is_settled BOOLEAN NOT NULL, marks TEXT, body TEXT NOT NULL,"
    " PRIMARY KEY (proposal), FOREIGN KEY (proposal) REFERENCES proposal (id))",
)
UNUSED = (
    "DROP TRIGGER subject_added",
    "DROP TRIGGER subject_removed",
    "DROP TRIGGER subject_remembered",
    "DROP TRIGGER proposal_arrived",
    "DROP TRIGGER proposal_stirred",
    "DROP TABLE subject_vocabulary",
    "DROP TABLE subject_words",
    "DROP TABLE footing",
    "DROP TABLE kin",
    "DROP INDEX subject_home",
    "DROP INDEX proposal_unstaged",
    "DROP INDEX stirred_home",
    "ALTER TABLE subject DROP COLUMN words",
    "ALTER TABLE stirred DROP COLUMN subject",
)
RENAMED = (
    "ALTER TABLE proposal RENAME COLUMN needs TO evaluation_key",
    "ALTER TABLE stirred RENAME TO dirty",
    # What waits gets both when it is evaluated next; what is decided has none.
    "ALTER TABLE proposal ADD COLUMN gist TEXT",
    "ALTER TABLE proposal ADD COLUMN subject TEXT",
    "CREATE INDEX subject_home ON subject (home)",
    "CREATE INDEX dirty_home ON dirty (home, sequence)",
    "CREATE TRIGGER proposal_arrived AFTER INSERT ON proposal"  # noqa: S608 - constant states
    f" WHEN NEW.state IN {WAITING}"
    " BEGIN INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id); END",
    "CREATE TRIGGER proposal_dirty AFTER UPDATE OF state ON proposal"  # noqa: S608 - the same
    f" WHEN (OLD.state IN {WAITING}) <> (NEW.state IN {WAITING})"
    " BEGIN INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id); END",
    "CREATE TRIGGER subject_remembered AFTER INSERT ON subject WHEN NEW.relation <> 'pending'"
    " BEGIN INSERT INTO dirty (home) VALUES (NEW.home); END",
)
EVALUATED_AGAIN = (
    "UPDATE proposal SET evaluation_key = NULL",
    # Nothing that other rules approved is applied by an upgrade.
    f"UPDATE proposal SET verdict = NULL WHERE verdict = 'auto-apply' AND state IN {WAITING}",  # noqa: S608 - constant states
    "UPDATE home SET stamp = NULL",
)


def upgrade() -> None:
    """Brings a ledger of an earlier schema to this one."""
    connection = op.get_bind()
    tables = set(sa.inspect(connection).get_table_names())
    brought = {"place": PLACES, "judgement": JUDGEMENTS}
    missing = [sql for table, part in brought.items() if table not in tables for sql in part]
    for statement in (*missing, *UNUSED, *RENAMED, *EVALUATED_AGAIN):
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
