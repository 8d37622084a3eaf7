"""What a pass over a home has to remember, so that the next one looks at what moved alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from reviewdeck.ledger.cells import shield, unshield
from reviewdeck.text.similarity import normalise

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WAITING = "('ready', 'conflict', 'dead', 'refused', 'deferred')"
DONE = "('applied', 'rejected')"
IS_UNSTAGED = f"needs IS NULL AND state IN {WAITING}"


def upgrade() -> None:
    """Makes the tables of a pass; everything that is open is looked at anew by the next one."""
    op.add_column("proposal", sa.Column("needs", sa.Text(), nullable=True))
    op.create_index("proposal_unstaged", "proposal", ["home"], sqlite_where=sa.text(IS_UNSTAGED))
    op.add_column("home", sa.Column("round", NUMBER, nullable=False, server_default="0"))
    _record()
    _footing()
    _stirred()
    _kin()
    _subject()
    _find_words()
    _index_remembered()
    _stir()


def downgrade() -> None:
    """A backup is the way back."""
    raise RuntimeError("a ledger is not taken back to an earlier version")


def _record() -> None:
    op.create_table(
        "record",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("home", "source"),
    )
    op.create_index("record_proposal", "record", ["proposal"])
    op.create_index("record_done", "record", ["home"], sqlite_where=sa.text("done"))
    op.execute(
        "INSERT OR REPLACE INTO record (home, source, hint, proposal, done)"  # noqa: S608 - constant states
        " SELECT home, source, '', id, FALSE FROM proposal WHERE source IS NOT NULL"
        f" AND (state = 'quarantined' OR state IN {WAITING}) ORDER BY position"
    )
    op.execute(
        "CREATE TRIGGER record_follows AFTER UPDATE OF state ON proposal"  # noqa: S608 - constant states
        f" WHEN (OLD.state IN {DONE}) <> (NEW.state IN {DONE}) BEGIN"
        f" UPDATE record SET done = NEW.state IN {DONE} WHERE proposal = NEW.id; END"
    )


def _footing() -> None:
    op.create_table(
        "footing",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("home", "question"),
    )


def _stirred() -> None:
    op.create_table(
        "stirred",
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Text(), nullable=True),
        sa.Column("subject", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("sequence"),
        sa.UniqueConstraint("proposal"),
        sqlite_autoincrement=True,
    )
    op.create_index("stirred_home", "stirred", ["home", "sequence"])


def _kin() -> None:
    op.create_table(
        "kin",
        sa.Column("proposal", sa.Text(), nullable=False),
        sa.Column("other", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("proposal", "other"),
    )
    op.create_index("kin_other", "kin", ["other"])


def _subject() -> None:
    op.create_table(
        "subject",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("subject_home", "subject", ["home", "domain"])
    op.create_index("subject_place", "subject", ["place"])


def _find_words() -> None:
    """An index of words beside the subjects, which triggers keep."""
    op.execute(
        "CREATE VIRTUAL TABLE subject_words USING fts5(words, content='subject',"
        " content_rowid='id', detail='none',"
        """ tokenize="unicode61 remove_diacritics 0 tokenchars '.''’/\\:_-'")"""
    )
    op.execute("CREATE VIRTUAL TABLE subject_vocabulary USING fts5vocab('subject_words', 'row')")
    op.execute(
        "CREATE TRIGGER subject_added AFTER INSERT ON subject BEGIN"
        " INSERT INTO subject_words (rowid, words) VALUES (NEW.id, NEW.words); END"
    )
    op.execute(
        "CREATE TRIGGER subject_removed AFTER DELETE ON subject BEGIN"
        " INSERT INTO subject_words (subject_words, rowid, words)"
        " VALUES ('delete', OLD.id, OLD.words); END"
    )


def _index_remembered() -> None:
    connection = op.get_bind()
    rows = connection.exec_driver_sql(
        """SELECT home, relation, "where", text FROM likeness ORDER BY sequence"""
    ).all()
    for home, relation, place, text in rows:
        connection.exec_driver_sql(
            "INSERT INTO subject (home, relation, domain, place, text, words)"
            " VALUES (?, ?, 'any', ?, ?, ?)",
            (home, relation, place, text, shield(normalise(unshield(text)))),
        )


def _stir() -> None:
    """A proposal that begins or ceases to wait concerns those that are like it."""
    op.execute(
        "INSERT INTO stirred (home, proposal)"  # noqa: S608 - constant states
        f" SELECT home, id FROM proposal WHERE state IN {WAITING}"
    )
    op.execute(
        "CREATE TRIGGER proposal_arrived AFTER INSERT ON proposal"  # noqa: S608 - constant states
        f" WHEN NEW.state IN {WAITING} BEGIN"
        " INSERT OR REPLACE INTO stirred (home, proposal) VALUES (NEW.home, NEW.id); END"
    )
    op.execute(
        "CREATE TRIGGER proposal_stirred AFTER UPDATE OF state ON proposal"  # noqa: S608 - constant states
        f" WHEN (OLD.state IN {WAITING}) <> (NEW.state IN {WAITING}) BEGIN"
        " INSERT OR REPLACE INTO stirred (home, proposal) VALUES (NEW.home, NEW.id); END"
    )
    op.execute(
        "CREATE TRIGGER subject_remembered AFTER INSERT ON subject WHEN NEW.relation <> 'pending'"
        " BEGIN INSERT INTO stirred (home, subject) VALUES (NEW.home, NEW.id); END"
    )
