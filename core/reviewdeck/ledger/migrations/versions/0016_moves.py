"""The moves of a proposal are enforced, and what lists search has columns of its own."""

from __future__ import annotations

import json

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

RANKS = ("info", "low", "medium", "high", "critical")
SHIELDED = {chr(code): f"\ufdd0{code:04x}" for code in (0, 0xFDD0, *range(0xD800, 0xE000))}
"""What no cell holds as it is: NUL, lone surrogates, and the mark that spells them."""
MOVES = (
    "CREATE TRIGGER proposal_moves BEFORE UPDATE OF state ON proposal WHEN OLD.state <> "
    "NEW.state AND NOT ((OLD.state IN ('ready', 'conflict', 'dead', 'refused', "
    "'quarantined', 'deferred', 'live') AND NEW.state IN ('ready', 'conflict', 'dead', "
    "'refused', 'deferred', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', "
    "'refused', 'quarantined', 'deferred', 'live') AND NEW.state IN ('elsewhere')) OR "
    "(OLD.state IN ('elsewhere') AND NEW.state IN ('ready', 'quarantined')) OR (OLD.state IN "
    "('ready', 'conflict', 'dead', 'refused', 'deferred', 'live') AND NEW.state IN "
    "('deferred')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', "
    "'deferred', 'live', 'elsewhere', 'kept') AND NEW.state IN ('rejected')) OR (OLD.state "
    "IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred', 'live') AND "
    "NEW.state IN ('kept')) OR (OLD.state IN ('rejected', 'kept') AND NEW.state IN "
    "('quarantined', 'live')) OR (OLD.state IN ('ready', 'conflict', 'dead', 'refused', "
    "'deferred', 'live') AND NEW.state IN ('approved')) OR (OLD.state IN ('ready', "
    "'conflict', 'dead', 'refused', 'deferred', 'live', 'approved') AND NEW.state IN "
    "('applying')) OR (OLD.state IN ('applying') AND NEW.state IN ('applied')) OR (OLD.state "
    "IN ('applying') AND NEW.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', "
    "'live')) OR (OLD.state IN ('applied') AND NEW.state IN ('ready', 'rejected')) OR "
    "(OLD.state IN ('ready', 'conflict', 'dead', 'refused', 'deferred', 'live', 'rejected', "
    "'elsewhere') AND NEW.state IN ('applied'))) BEGIN SELECT RAISE(ABORT, 'a proposal does "
    "not move like this'); END"
)


def upgrade() -> None:
    """Adds the columns, fills them, and lets no row move as none may."""
    connection = op.get_bind()
    add = "ALTER TABLE proposal ADD COLUMN"
    connection.exec_driver_sql(f"{add} session TEXT")
    connection.exec_driver_sql(f"{add} gravity INTEGER DEFAULT '0' NOT NULL")
    rows = connection.exec_driver_sql("SELECT position, body, findings FROM proposal").all()
    for position, body, findings in rows:
        session = json.loads(body).get("session")
        gravity = max((RANKS.index(one["severity"]) for one in json.loads(findings)), default=0)
        if session is not None or gravity:
            connection.exec_driver_sql(
                "UPDATE proposal SET session = ?, gravity = ? WHERE position = ?",
                (session and session.translate(str.maketrans(SHIELDED)), gravity, position),
            )
    connection.exec_driver_sql(MOVES)


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")
