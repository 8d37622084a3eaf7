"""What a new ledger is made by: its tables, triggers and version as one SQL script.

`python -m reviewdeck.ledger.creation` writes schema.sql from the declared tables, so that no
program loads SQLModel to make a ledger. The migrations come to the same schema; tests compare.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Final

from sqlalchemy import ClauseElement, Index
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from reviewdeck.ledger.list_sql import WAITING_SQL, among
from reviewdeck.ledger.tables import METADATA
from reviewdeck.ledger.versions import HEAD
from reviewdeck.model.states import FINAL, MOVES

SCHEMA: Final = Path(__file__).with_name("schema.sql")
_COUNTERS: Final = (
    """
    CREATE TRIGGER proposal_added AFTER INSERT ON proposal BEGIN
        INSERT INTO counter (home, state, amount) VALUES (NEW.home, NEW.state, 1)
            ON CONFLICT (home, state) DO UPDATE SET amount = amount + 1;
    END
    """,
    """
    CREATE TRIGGER proposal_moved AFTER UPDATE OF state, home ON proposal
    WHEN OLD.state <> NEW.state OR OLD.home <> NEW.home BEGIN
        UPDATE counter SET amount = amount - 1 WHERE home = OLD.home AND state = OLD.state;
        INSERT INTO counter (home, state, amount) VALUES (NEW.home, NEW.state, 1)
            ON CONFLICT (home, state) DO UPDATE SET amount = amount + 1;
    END
    """,
    """
    CREATE TRIGGER proposal_removed AFTER DELETE ON proposal BEGIN
        UPDATE counter SET amount = amount - 1 WHERE home = OLD.home AND state = OLD.state;
    END
    """,
)
_LOG: Final = (
    """
    CREATE TRIGGER event_no_update BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
    """,
    """
    CREATE TRIGGER event_no_delete BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
    """,
    """
    CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence <= (SELECT max(sequence) FROM event WHERE chain = NEW.chain)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
    """,
)
_FINAL: Final = among(FINAL)
_RECORDS: Final = (
    f"""
    CREATE TRIGGER record_follows AFTER UPDATE OF state ON proposal
    WHEN (OLD.{_FINAL}) <> (NEW.{_FINAL}) BEGIN
        UPDATE record SET done = NEW.{_FINAL} WHERE proposal = NEW.id;
    END
    """,  # noqa: S608 - constant states
)
_DIRTY: Final = (
    f"""
    CREATE TRIGGER proposal_arrived AFTER INSERT ON proposal
    WHEN NEW.{WAITING_SQL} BEGIN
        INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id);
    END
    """,  # noqa: S608 - constant states
    f"""
    CREATE TRIGGER proposal_dirty AFTER UPDATE OF state ON proposal
    WHEN (OLD.{WAITING_SQL}) <> (NEW.{WAITING_SQL}) BEGIN
        INSERT OR REPLACE INTO dirty (home, proposal) VALUES (NEW.home, NEW.id);
    END
    """,  # noqa: S608 - the same
    """
    CREATE TRIGGER subject_remembered AFTER INSERT ON subject
    WHEN NEW.relation <> 'pending' BEGIN
        INSERT INTO dirty (home, text) VALUES (NEW.home, NEW.text);
    END
    """,
    """
    CREATE TRIGGER subject_forgotten AFTER DELETE ON subject
    WHEN OLD.relation <> 'pending' BEGIN
        INSERT INTO dirty (home, text) VALUES (OLD.home, OLD.text);
    END
    """,
)
_ALLOWED: Final = " OR ".join(
    f"(OLD.{among(move.sources)} AND NEW.{among(move.targets)})" for move in MOVES.values()
)
_MOVES: Final = (
    f"""
    CREATE TRIGGER proposal_moves BEFORE UPDATE OF state ON proposal
    WHEN OLD.state <> NEW.state AND NOT ({_ALLOWED})
    BEGIN SELECT RAISE(ABORT, 'a proposal does not move like this'); END
    """,
)
TRIGGERS: Final = (*_COUNTERS, *_LOG, *_RECORDS, *_DIRTY, *_MOVES)
"""What the database itself enforces; states and moves are those of `model.states`."""
_VERSION: Final = (
    # As Alembic makes it, which looks for the version there.
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))",
    f"INSERT INTO alembic_version (version_num) VALUES ('{HEAD}')",  # noqa: S608 - constant
)


def creation_script() -> str:
    """The SQL that makes the current schema in an empty database, in one transaction."""
    tables = METADATA.sorted_tables
    indexes = sorted((index for table in tables for index in table.indexes), key=_name)
    elements: list[ClauseElement] = [*map(CreateTable, tables), *map(CreateIndex, indexes)]
    declared = (str(element.compile(dialect=sqlite.dialect())) for element in elements)
    statements = ("BEGIN IMMEDIATE", *declared, *TRIGGERS, *_VERSION, "COMMIT")
    return "".join(f"{tidy(statement)};\n" for statement in statements)


def tidy(statement: str) -> str:
    """A statement as it is stored in a file: no indentation, no space at a line's end."""
    lines = dedent(statement).strip().replace("\t", "    ").splitlines()
    return "\n".join(map(str.rstrip, lines))


def _name(index: Index) -> str:
    return str(index.name)


if __name__ == "__main__":
    SCHEMA.write_text(creation_script(), "utf-8")
