"""What the release before uses of a hub is there in this one: for a while both do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewdeck.ledger import versions

FIXTURES = Path(__file__).parents[1] / "fixtures"
TODAY = Path(versions.__file__).with_name("schema.sql").read_text("utf-8")
BEFORE = (FIXTURES / f"schema-{versions.RELEASED}.sql").read_text("utf-8")


def tables(sql: str) -> dict[str, dict[str, tuple[str, bool]]]:
    """By table and column, its type, and whether a row may be added without it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: {
                column: (kind, not is_needed or default is not None)
                for _, column, kind, is_needed, default, _key in connection.execute(
                    f"PRAGMA table_info({name})"
                )
            }
            for (name,) in names
        }


def breaks(before: str, now: str) -> Iterator[str]:
    """What a program of before would miss, or could not write."""
    found = tables(now)
    for name, columns in tables(before).items():
        if name not in found:
            yield f"{name} is gone"
            continue
        for column, (kind, _) in columns.items():
            if found[name].get(column, ("",))[0] != kind:
                yield f"{name}.{column} is gone, or of another type"
        for column, (_, is_optional) in found[name].items():
            if column not in columns and not is_optional:
                yield f"{name}.{column} is needed, and the release before does not write it"


def test_the_release_before_finds_all_that_it_reads_and_may_leave_out_what_it_does_not_know() -> (
    None
):
    assert list(breaks(BEFORE, TODAY)) == []


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ("ALTER TABLE vote RENAME TO ballot", "vote is gone"),
        ("ALTER TABLE look RENAME COLUMN sha TO digest", "look.sha is gone"),
        (
            "DROP TABLE seen; CREATE TABLE seen (operator TEXT, home TEXT, kind TEXT NOT NULL)",
            "seen.",
        ),
        ("ALTER TABLE host ADD COLUMN kind TEXT NOT NULL DEFAULT ''", ""),
        ("ALTER TABLE host ADD COLUMN kind TEXT", ""),
        ("CREATE TABLE more (home TEXT PRIMARY KEY)", ""),
    ],
)
def test_a_change_that_the_release_before_cannot_work_with_is_found(
    change: str, broken: str
) -> None:
    found = list(breaks(BEFORE, f"{BEFORE}\n{change};"))
    assert found[0].startswith(broken) if broken else not found


def test_programs_of_the_release_before_are_not_shut_out() -> None:
    assert versions.RELEASED in versions.SHIPPED
    assert versions.MIN_READER == versions.MIN_WRITER == versions.RELEASED
    assert versions.FIRST_HUB <= versions.RELEASED <= versions.HEAD
