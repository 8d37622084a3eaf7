"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes all tables and the triggers that keep the counters and guard the log."""
    _blob()
    _proposal()
    _counter()
    _home()
    _draft()
    _decision()
    _batch()
    _operation()
    _operation_change()
    _batch_write()
    _rescued()
    _observation()
    _likeness()
    _event()
    _count_states()
    _count_drafts()
    _guard_log()


def downgrade() -> None:
    """There is nothing before the first schema: a backup is the way back."""
    raise RuntimeError("the first schema cannot be taken back")


def _blob() -> None:
    op.create_table(
        "blob",
        sa.Column("sha", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha"),
    )


def _proposal() -> None:
    op.create_table(
        "proposal",
        sa.Column("position", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("source_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("created_at", NUMBER, nullable=True),
        sa.Column("ingested_at", NUMBER, nullable=False),
        sa.Column("since", NUMBER, nullable=False),
        sa.Column("payload_sha", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.Column("paths", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("proposal_home", "proposal", ["home", "state", "position"])
    op.create_index(
        "proposal_oldest",
        "proposal",
        ["home", "since"],
        sqlite_where=sa.text(
            "state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred')"
        ),
    )
    op.create_index("proposal_source_id", "proposal", ["source_id"])
    op.create_index("proposal_state", "proposal", ["state", "position"])


def _counter() -> None:
    op.create_table(
        "counter",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("amount", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("home", "state"),
    )


def _home() -> None:
    op.create_table(
        "home",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("stamp", sa.Text(), nullable=True),
        sa.Column("looked_at", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _draft() -> None:
    op.create_table(
        "draft",
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("document", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["proposal"], ["proposal.id"]),
        sa.PrimaryKeyConstraint("proposal"),
    )


def _decision() -> None:
    op.create_table(
        "decision",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text_sha", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["proposal"], ["proposal.id"]),
        sa.PrimaryKeyConstraint("sequence"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decision_proposal", "decision", ["proposal"])


def _batch() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started_at", NUMBER, nullable=False),
        sa.Column("finished_at", NUMBER, nullable=True),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("batch_open", "batch", ["home"], sqlite_where=sa.text("NOT settled"))


def _operation() -> None:
    op.create_table(
        "operation",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("claimed_from", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("started_at", NUMBER, nullable=False),
        sa.Column("finished_at", NUMBER, nullable=True),
        sa.Column("undoes", sa.Text(), nullable=True),
        sa.Column("undone_by", sa.Text(), nullable=True),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("effects", sa.Text(), nullable=False),
        sa.Column("inverse", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"]),
        sa.ForeignKeyConstraint(["proposal"], ["proposal.id"]),
        sa.PrimaryKeyConstraint("sequence"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_operation_batch", "operation", ["batch"])
    op.create_index("ix_operation_proposal", "operation", ["proposal"])
    op.create_index("operation_home", "operation", ["home", "sequence"])
    op.create_index(
        "operation_undoes", "operation", ["undoes"], sqlite_where=sa.text("undoes IS NOT NULL")
    )


def _operation_change() -> None:
    op.create_table(
        "operation_change",
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("mode", sa.Integer(), nullable=True),
        sa.Column("tree", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["operation"], ["operation.id"]),
        sa.PrimaryKeyConstraint("operation", "ordinal"),
    )


def _batch_write() -> None:
    op.create_table(
        "batch_write",
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("mode", sa.Integer(), nullable=True),
        sa.Column("tree", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["after"], ["blob.sha"]),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"]),
        sa.ForeignKeyConstraint(["before"], ["blob.sha"]),
        sa.PrimaryKeyConstraint("batch", "ordinal"),
    )


def _rescued() -> None:
    op.create_table(
        "rescued",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha", sa.Text(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"]),
        sa.ForeignKeyConstraint(["sha"], ["blob.sha"]),
        sa.PrimaryKeyConstraint("sequence"),
    )
    op.create_index("ix_rescued_batch", "rescued", ["batch"])


def _observation() -> None:
    op.create_table(
        "observation",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=True),
        sa.Column("proposal", sa.Text(), nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
        sqlite_autoincrement=True,
    )
    op.create_index("observation_path", "observation", ["home", "path", "sequence"])


def _likeness() -> None:
    op.create_table(
        "likeness",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("sha", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("where", sa.Text(), nullable=False),
        sa.Column("exact", sa.Boolean(), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
    )
    op.create_index("likeness_text", "likeness", ["home", "relation", "sha"], unique=True)


def _event() -> None:
    op.create_table(
        "event",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=False),
        sa.Column("sha", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
    )


def _count_states() -> None:
    op.execute(
        "CREATE TRIGGER proposal_added AFTER INSERT ON proposal BEGIN"
        f" {_add('NEW.home', 'NEW.state')} END"
    )
    op.execute(
        "CREATE TRIGGER proposal_moved AFTER UPDATE OF state, home ON proposal"
        " WHEN OLD.state <> NEW.state OR OLD.home <> NEW.home BEGIN"
        f" {_take('OLD.home', 'OLD.state')} {_add('NEW.home', 'NEW.state')} END"
    )
    op.execute(
        "CREATE TRIGGER proposal_removed AFTER DELETE ON proposal BEGIN"
        f" {_take('OLD.home', 'OLD.state')} END"
    )


def _count_drafts() -> None:
    op.execute(
        "CREATE TRIGGER draft_added AFTER INSERT ON draft BEGIN"
        f""" {_add("NEW.home", "'draft'")} END"""
    )
    op.execute(
        "CREATE TRIGGER draft_removed AFTER DELETE ON draft BEGIN"
        f""" {_take("OLD.home", "'draft'")} END"""
    )


def _guard_log() -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER event_no_{verb.lower()} BEFORE {verb} ON event"
            " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )
    op.execute(
        "CREATE TRIGGER event_in_order BEFORE INSERT ON event"
        " WHEN NEW.sequence <= (SELECT max(sequence) FROM event)"
        " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    )


def _add(home: str, state: str) -> str:
    return (
        f"INSERT INTO counter (home, state, amount) VALUES ({home}, {state}, 1)"  # noqa: S608 - names of columns
        " ON CONFLICT (home, state) DO UPDATE SET amount = amount + 1;"
    )


def _take(home: str, state: str) -> str:
    return f"UPDATE counter SET amount = amount - 1 WHERE home = {home} AND state = {state};"  # noqa: S608 - names of columns
