"""Through a pooler in transaction mode, each transaction may get another connection."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from tests.ledger.databases import postgres_url
from tests.ledger.samples import HOME, OPERATOR, START, clock
from tests.ledger.statements import CALLS
from tests.postgres import Server

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres_url import read_address

CONNECTIONS = 2
"""To the server, for all who use the pooler."""
SETTINGS = """
[databases]
* = host={folder} user=postgres
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
logfile = {folder}/pooler.log
"""


@pytest.fixture(scope="module")
def pooler(postgres_server: Server) -> Iterator[int]:
    """The port of a pooler before the server."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    folder = postgres_server.folder
    settings = folder / "pooler.ini"
    settings.write_text(SETTINGS.format(folder=folder, connections=CONNECTIONS), "utf-8")
    running = subprocess.Popen([program, "-q", str(settings)], user=postgres_server.user)
    try:
        deadline = time.monotonic() + 60
        while not (folder / ".s.PGSQL.6432").exists():
            assert running.poll() is None and time.monotonic() < deadline, "it does not start"
            time.sleep(0.02)
        yield 6432
    finally:
        running.terminate()
        running.wait(60)


@pytest.fixture
def url(pooler: int, tmp_path: Path) -> str:
    """A ledger through it."""
    return f"{postgres_url(tmp_path)}&port={pooler}"


def test_every_method_works_through_a_pooler(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        for name, call in CALLS.items():
            if name != "wait_for_news":
                call(ledger)
        assert ledger.verify() is None


def test_many_programs_share_few_connections_and_leave_one_chain(url: str) -> None:
    def write(number: int) -> None:
        with open_ledger(url, now=clock) as ledger:
            for _ in range(10):
                with ledger.at_once():
                    ledger.counts()
                ledger.append("note", home=HOME, subject=str(number), actor=OPERATOR, at=START)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    with open_ledger(url, now=clock) as ledger:
        assert [event.sequence for event in ledger.chain(HOME)] == list(range(1, 81))
        assert ledger.verify() is None
    with psycopg.connect("", **read_address(url).parameters) as connection:  # type: ignore[arg-type]
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        ).fetchone()
    assert row is not None and row[0] <= CONNECTIONS
