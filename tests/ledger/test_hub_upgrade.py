"""A hub is brought up to date while programs of this version go on using it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
import pytest
from alembic.config import Config
from psycopg import errors
from tests.ledger.hub import ledger_at, make_hub
from tests.ledger.samples import clock, proposal
from tests.postgres import Server

from reviewdeck.errors import Busy, LedgerDamaged, LedgerTooNew, LedgerUnavailable
from reviewdeck.ledger import upgrade as files
from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.postgres import upgrade as hubs
from reviewdeck.ledger.postgres.schema import versions_of
from reviewdeck.ledger.upgrade import configuration
from reviewdeck.ledger.versions import HEAD, KNOWN

Connection: TypeAlias = psycopg.Connection[Any]
LATER = "9999"
MIGRATION = f'''
import sqlalchemy
from alembic import op

revision, down_revision = "{LATER}", "{HEAD}"


def upgrade():
    op.add_column("proposal", sqlalchemy.Column("extra", sqlalchemy.Text()))
    op.create_table("more", sqlalchemy.Column("home", sqlalchemy.Text(), primary_key=True))
    STEP
'''


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The next version of the program: its migration, in a file of its own."""
    folder = tmp_path / "versions"
    folder.mkdir()

    def with_later() -> Config:
        config = configuration()
        shipped = Path(files.__file__).parent / "migrations" / "versions"
        config.set_main_option("version_locations", f"{shipped}:{folder}")
        return config

    monkeypatch.setattr(hubs, "configuration", with_later)
    monkeypatch.setattr(files, "configuration", with_later)
    monkeypatch.setattr(hubs, "HEAD", LATER)
    monkeypatch.setattr(hubs, "KNOWN", (*KNOWN, LATER))
    file = folder / "9999_later.py"
    file.write_text(MIGRATION.replace("STEP", ""), "utf-8")
    return file


@pytest.fixture
def name(postgres_server: Server) -> Iterator[str]:
    """A hub of this version."""
    with postgres_server.database("empty_hub", make_hub) as made:
        yield made


def version_in(server: Server, name: str) -> str:
    """The version of a hub now."""
    with closing(server.connect(name)) as connection:
        return versions_of(connection, "here")[0]


def upgraded(server: Server, name: str) -> str:
    """The version that a hub had."""
    with closing(server.connect(name)) as connection:
        return hubs.upgrade(connection, "here")


def test_the_same_migration_brings_a_hub_and_a_file_up_to_date(
    postgres_server: Server, name: str, later: Path, tmp_path: Path
) -> None:
    from reviewdeck.ledger.opening import open_ledger

    assert upgraded(postgres_server, name) == HEAD
    assert version_in(postgres_server, name) == LATER
    assert upgraded(postgres_server, name) == LATER  # there is nothing to do
    open_ledger(str(tmp_path / "ledger.db"), now=clock).close()
    files.upgrade(tmp_path / "ledger.db")


def test_programs_go_on_writing_while_a_hub_is_brought_up_to_date(
    postgres_server: Server, name: str, later: Path
) -> None:
    url = postgres_server.url(name)
    is_done, counts = threading.Event(), []

    def write(home: str) -> None:
        with ledger_at(url, NOBODY) as ledger:
            number = 0
            while not is_done.is_set() or number < 5:
                ledger.add([proposal(number, home=home)], {})
                number += 1
            counts.append(number)

    writers = [threading.Thread(target=write, args=(home,)) for home in ("/a", "/b")]
    for writer in writers:
        writer.start()
    assert upgraded(postgres_server, name) == HEAD
    is_done.set()
    for writer in writers:
        writer.join()
    with ledger_at(url, NOBODY) as ledger:
        assert sum(ledger.counts().by_state.values()) == sum(counts) >= 5
        assert ledger.verify() is None
        with pytest.raises(LedgerDamaged), ledger._database.writing() as tx:
            tx.run("UPDATE proposal SET state = 'applying'")


def test_a_migration_that_fails_changes_nothing(
    postgres_server: Server, name: str, later: Path
) -> None:
    later.write_text(MIGRATION.replace("STEP", "op.execute('SELECT 1 / 0')"), "utf-8")
    with pytest.raises(errors.DivisionByZero):
        upgraded(postgres_server, name)
    assert version_in(postgres_server, name) == HEAD
    with closing(postgres_server.connect(name)) as connection:
        found = connection.execute("SELECT to_regclass('reviewdeck.more') IS NULL").fetchone()
        assert found == (True,)


def test_a_program_that_keeps_writing_is_not_waited_for_for_ever(
    postgres_server: Server, name: str, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "_PATIENCE", "100ms")
    with ledger_at(postgres_server.url(name), NOBODY) as ledger, ledger._database.writing() as tx:
        tx.rows("SELECT 1 FROM home")
        with pytest.raises(Busy, match="in use"):
            upgraded(postgres_server, name)
    assert upgraded(postgres_server, name) == HEAD


def test_two_programs_that_bring_it_up_to_date_at_once_do_so_once(
    postgres_server: Server, name: str, later: Path
) -> None:
    found: list[str] = []
    both = [
        threading.Thread(target=lambda: found.append(upgraded(postgres_server, name)))
        for _ in range(2)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert set(found) <= {HEAD, LATER} and HEAD in found and len(found) == 2
    assert version_in(postgres_server, name) == LATER


@pytest.mark.parametrize(("version", "error"), [("0019", LedgerUnavailable), ("z", LedgerTooNew)])
def test_a_hub_that_this_program_cannot_bring_up_to_date_is_left_as_it_is(
    postgres_server: Server, name: str, later: Path, version: str, error: type[Exception]
) -> None:
    with closing(postgres_server.connect(name)) as connection:
        connection.execute("UPDATE reviewdeck.alembic_version SET version_num = %s", (version,))
        connection.execute("UPDATE reviewdeck.skew SET min_reader = %s", (version,))
    with pytest.raises(error):
        upgraded(postgres_server, name)
    assert version_in(postgres_server, name) == version
