"""A ledger from before the first release becomes one of today, with every row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Earlier
from tests.ledger.samples import clock

from reviewdeck.errors import LedgerDamaged
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import is_current, open_ledger

DERIVED = {"footing", "kin", "stirred", "subject_vocabulary", "subject_words", "alembic_version"}
"""Tables of which nothing is kept: what a pass had worked out, and the version."""

EVALUATED_AGAIN = {("proposal", "needs"), ("home", "stamp"), ("subject", "words")}
"""Columns that are gone or emptied: what waits is evaluated again."""

PLACE = "CREATE TABLE place (home TEXT NOT NULL, path TEXT NOT NULL, number TEXT NOT NULL,"
JUDGEMENT = "CREATE TABLE judgement (proposal TEXT NOT NULL, policy TEXT NOT NULL,"
BROUGHT = {
    "0010": PLACE + " mark TEXT NOT NULL, PRIMARY KEY (home))",
    "0011": JUDGEMENT + " is_settled BOOLEAN NOT NULL, marks TEXT, body TEXT NOT NULL,"
    " PRIMARY KEY (proposal), FOREIGN KEY(proposal) REFERENCES proposal (id))",
}
"""What each later schema added."""

Rows = dict[str, list[dict[str, Any]]]


def rows_in(path: Path) -> Rows:
    """Every row of every table, as cells."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).fetchall()
        return {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")]  # noqa: S608 - our own names
            for (name,) in tables
        }


def kept_in(before: Rows) -> Rows:
    """The rows that an upgrade keeps, where it keeps them."""
    homes = before["home"]
    return {
        **before,
        # Drafts are counted where they are.
        "counter": [row for row in before["counter"] if row["state"] != "draft"],
        "home": [{k: v for k, v in row.items() if k != "looked_at"} for row in homes],
        "seen": before["seen"]
        + [
            {"home": row["id"], "path": "", "at": row["looked_at"]}
            for row in homes
            if row["looked_at"] is not None
        ],
    }


def shape_of(path: Path) -> dict[str, Any]:
    """Columns, keys, indexes and triggers as SQLite sees them."""
    with closing(sqlite3.connect(path)) as connection:

        def ask(sql: str) -> list[tuple[Any, ...]]:
            return sorted(connection.execute(sql), key=repr)

        made = ask("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_auto%'")
        shape: dict[str, Any] = {
            f"{kind} {name}": " ".join(sql.split()) for kind, name, sql in made if kind != "table"
        }
        for table in (name for kind, name, _ in made if kind == "table"):
            shape[f"table {table}"] = [
                ask(f"PRAGMA table_xinfo({table})"),
                # Without the numbers that come from the order in which they were made.
                ask(f'SELECT "table", "from", "to" FROM pragma_foreign_key_list(\'{table}\')'),  # noqa: S608 - our own names
                ask(f"SELECT name, \"unique\", origin, partial FROM pragma_index_list('{table}')"),  # noqa: S608 - our own names
            ]
        return shape


def change(path: Path, *statements: str) -> None:
    """Executes these on a ledger."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def become(path: Path, version: str) -> None:
    """Makes an earlier ledger one of a later version before the first release."""
    for later, brought in BROUGHT.items():
        if later <= version:
            change(path, brought, f"UPDATE alembic_version SET version_num = '{later}'")  # noqa: S608 - our own names


@pytest.mark.parametrize("version", ["0009", "0010", "0011"])
def test_every_row_of_an_earlier_ledger_is_there(earlier: Earlier, version: str) -> None:
    become(earlier.ledger, version)
    before = rows_in(earlier.ledger)
    assert {"decision", "operation", "event", "observation", "blob", "turn", "review"} <= set(
        name for name, rows in before.items() if rows
    )
    open_ledger(str(earlier.ledger), now=clock).close()
    after = rows_in(earlier.ledger)
    for table, rows in kept_in(before).items():
        if not rows or table.startswith(tuple(DERIVED)):
            continue
        kept = [
            {name: cell for name, cell in row.items() if (table, name) not in EVALUATED_AGAIN}
            for row in rows
        ]
        assert [{name: row[name] for name in kept[0]} for row in after[table]] == kept
    assert is_current(earlier.ledger)
    assert find_damage(str(earlier.ledger)) == ()


@pytest.mark.parametrize("version", ["0009", "0010", "0011"])
def test_an_earlier_ledger_comes_to_the_schema_of_a_new_one(
    earlier: Earlier, version: str, tmp_path: Path
) -> None:
    become(earlier.ledger, version)
    open_ledger(str(earlier.ledger), now=clock).close()
    open_ledger(str(tmp_path / "new.db"), now=clock).close()
    assert shape_of(earlier.ledger) == shape_of(tmp_path / "new.db")


def test_a_home_that_was_known_by_its_path_stands_there(earlier: Earlier) -> None:
    with open_ledger(str(earlier.ledger), now=clock) as ledger:
        (home,) = ledger.known_homes()
    assert (home.id, home.at.path) == (earlier.known_as, earlier.known_as)


def test_a_copy_of_an_earlier_ledger_is_beside_it(earlier: Earlier) -> None:
    before = rows_in(earlier.ledger)
    open_ledger(str(earlier.ledger), now=clock).close()
    (copy,) = earlier.ledger.parent.glob("ledger.db.backup-0009-*")
    assert rows_in(copy) == before


def test_nothing_that_waits_is_applied_because_earlier_rules_approved_it(earlier: Earlier) -> None:
    change(
        earlier.ledger,
        "UPDATE proposal SET verdict = 'auto-apply', needs = '[]' WHERE state = 'ready'",
    )
    with open_ledger(str(earlier.ledger), now=clock) as ledger:
        assert len(ledger.last_evaluations(earlier.known_as)) == 2
        assert ledger.automatic(earlier.known_as) == ()
        last = ledger.last_evaluations(earlier.known_as).values()
        assert {one.key for one in last} == {None}
    decided = [row for row in rows_in(earlier.ledger)["proposal"] if row["state"] == "applied"]
    assert "auto-apply" in {row["verdict"] for row in decided}


def test_an_earlier_ledger_that_lacks_a_table_stays_as_it_was(earlier: Earlier) -> None:
    change(earlier.ledger, "DROP TABLE kin")
    before = rows_in(earlier.ledger)
    with pytest.raises(LedgerDamaged):
        open_ledger(str(earlier.ledger), now=clock)
    assert rows_in(earlier.ledger) == before
