#!/usr/bin/env bash
# alembic 1.20.1 with SQLAlchemy 2.1.9 on SQLite: `batch_alter_table` makes the table anew and moves the rows over, and the
# new one is what SQLAlchemy knows of the old. Gone, without a warning, after one column was made nullable: the triggers,
# `AUTOINCREMENT`, a column's `COLLATE NOCASE`, and the `ON DELETE CASCADE` that stands at a column. Of constraints without
# a name the documentation tells, and a warning too; STRICT is kept.
# So entries that a trigger keeps can be deleted, the number of a removed row is given again, `ANN` and `ann` are two
# people under one unique name, and a person who has notes cannot be removed.
# Guessed: what a migration does not name stays, or a warning says that it does not.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check alembic==1.20.1 sqlalchemy==2.1.9
cat > batch.py <<'PY'
import warnings
import sqlalchemy
from alembic.migration import MigrationContext
from alembic.operations import Operations
warnings.simplefilter("error")
TABLES = """
CREATE TABLE person (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE,
                     about TEXT NOT NULL, CONSTRAINT one UNIQUE (name)) STRICT;
CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL,
                   person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE);
CREATE TABLE entry (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL, about TEXT NOT NULL);
CREATE TRIGGER kept BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'entries are kept'); END
"""
ANN = "INSERT INTO person (name, about) VALUES ('ann', '')"
TRIED = {
    "an entry is deleted": ["INSERT INTO entry VALUES (1, 'first', '')", "DELETE FROM entry"],
    "the name in capitals": [ANN, "INSERT INTO person (name, about) VALUES ('ANN', '')"],
    "no text for a text": ["INSERT INTO person VALUES (7, 'bob', x'00')"],
    "the number after a removed one": [ANN, "DELETE FROM person", ANN, "SELECT id FROM person"],
    "a person with notes is removed": [ANN, "INSERT INTO note VALUES (1, 'tea', 1)", "DELETE FROM person"],
}
def made(connection):
    for statement in TABLES.split(";\n"):
        connection.exec_driver_sql(statement)
def migrated(connection):
    made(connection)
    operations = Operations(MigrationContext.configure(connection))
    for table, column in ("person", "about"), ("note", "text"), ("entry", "about"):
        with operations.batch_alter_table(table) as batch:
            batch.alter_column(column, nullable=True)
for when in made, migrated:
    for name, statements in TRIED.items():
        with sqlalchemy.create_engine("sqlite://").connect() as connection:
            when(connection)
            connection.commit()
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            try:
                for statement in statements:
                    answer = connection.exec_driver_sql(statement)
                print(f"{when.__name__}, {name}: {answer.scalar() if answer.returns_rows else 'done'}")
            except sqlalchemy.exc.DBAPIError as error:
                print(f"{when.__name__}, {name}: {error.orig}")
PY
python/bin/python batch.py > seen
cat > expected <<'TXT'
made, an entry is deleted: entries are kept
made, the name in capitals: UNIQUE constraint failed: person.name
made, no text for a text: cannot store BLOB value in TEXT column person.about
made, the number after a removed one: 2
made, a person with notes is removed: done
migrated, an entry is deleted: done
migrated, the name in capitals: done
migrated, no text for a text: cannot store BLOB value in TEXT column person.about
migrated, the number after a removed one: 1
migrated, a person with notes is removed: FOREIGN KEY constraint failed
TXT
diff expected seen
echo "alembic 1.20.1: as it was seen."
