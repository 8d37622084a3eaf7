"""The adapter of PostgreSQL: its connections, its errors, and who waits for whom."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
from tests.ledger.cutting import Cutting
from tests.ledger.databases import postgres_url
from tests.ledger.deciders import append_each
from tests.ledger.samples import HOME, OPERATOR, START, claim, clock, id_of, proposal
from tests.ledger.tampering import connected
from tests.postgres import Server
from tests.processes import Running
from tests.working.kit import eventually

from reviewdeck.errors import (
    BadInput,
    Busy,
    LedgerDamaged,
    LedgerReadOnly,
    LedgerUnavailable,
    NotPermitted,
    ReviewdeckError,
    UnknownId,
)
from reviewdeck.ledger import connecting
from reviewdeck.ledger.blobs import keep_bytes
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import make_backup, open_ledger
from reviewdeck.ledger.place import address_of, path_of, refuse_password, shown
from reviewdeck.ledger.postgres.faults import fault_of
from reviewdeck.ledger.postgres.line import Line, QueuedStatement, Statement
from reviewdeck.ledger.postgres_url import read_address
from reviewdeck.ledger.reader import open_reader
from reviewdeck.locations import moved_places
from reviewdeck.model import State, revision_of


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A ledger on a server."""
    return postgres_url(tmp_path)


@pytest.fixture
def ledger(url: str) -> Any:
    """The same, opened."""
    with open_ledger(url, now=clock) as opened:
        yield opened


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements that are told."""
    texts: list[str] = []
    tell = Line.tell

    def noted(line: Line, statement: Statement) -> QueuedStatement:
        texts.append(statement.text)
        return tell(line, statement)

    monkeypatch.setattr(Line, "tell", noted)
    return texts


def cut(url: str) -> None:
    """Ends every other connection, as a server that is restarted does."""
    with connected(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_connection_that_was_cut_is_replaced(ledger: Ledger, url: str) -> None:
    ledger.add([proposal(1)], {})
    for _ in range(2):
        assert ledger.counts().by_state[State.READY] == 1
        cut(url)
    assert ledger.add([proposal(2)], {}) == {id_of(2)}
    cut(url)
    with ledger.together(HOME):
        ledger.add([proposal(3)], {})
    assert ledger.counts().by_state[State.READY] == 3


def test_what_was_cut_in_the_middle_is_not_stored_and_not_told_twice(
    ledger: Ledger, url: str
) -> None:
    with pytest.raises(LedgerUnavailable), ledger.together(HOME):
        ledger.add([proposal(1)], {})
        cut(url)
        ledger.add([proposal(2)], {})
    assert ledger.counts().by_state[State.READY] == 0
    with pytest.raises(LedgerUnavailable), ledger.at_once():
        ledger.counts()
        cut(url)
        ledger.drafts()  # What was asked before is known.
    assert ledger.add([proposal(1)], {}) == {id_of(1)}
    assert ledger.verify() is None


def test_an_error_takes_the_transaction_back_and_leaves_the_connection(ledger: Ledger) -> None:
    with pytest.raises(LedgerDamaged), ledger._database.writing(HOME) as tx:
        tx.run("INSERT INTO pin (name, value) VALUES ('a', 'b')")
        tx.run("INSERT INTO pin (name, value) VALUES ('a', 'b')")
    with pytest.raises(LedgerDamaged), ledger._database.writing(HOME) as tx:
        tx.many("INSERT INTO pin (name, value) VALUES (:n, :n)", [{"n": "a"}, {"n": "a"}])
    assert ledger.pinned("a") is None
    ledger.pin("a", "c")
    assert ledger.pinned("a") == "c"


def test_a_view_is_of_one_moment(ledger: Ledger, url: str) -> None:
    with open_ledger(url, now=clock) as other, ledger.at_once():
        assert ledger.counts().by_state[State.READY] == 0
        other.add([proposal(1)], {})
        assert ledger.state_of(id_of(1)) is None
    assert ledger.state_of(id_of(1)) is State.READY


def test_a_long_view_keeps_only_so_many_answers(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewdeck.ledger.postgres.database._MOST_KEPT", 10)
    texts = [str(number) for number in range(50)]
    with ledger._database.writing() as tx:
        keep_bytes(tx, map(str.encode, texts))
    with ledger.at_once():
        for text in [*texts, *texts]:
            assert ledger.content(revision_of(text.encode())) == text.encode()
        view = ledger._database._view()  # type: ignore[attr-defined]  # of PostgreSQL
        assert len(view._foreseen) <= 10


def test_a_pass_that_waited_for_the_home_knows_that_another_one_ended(
    ledger: Ledger, url: str
) -> None:
    ledger.add([proposal(1)], {})
    first, second = ledger.begin_refresh(HOME), ledger.begin_refresh(HOME)

    def waits() -> bool:
        sql = (
            "SELECT 1 FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        with connected(url) as connection:
            return connection.execute(sql).fetchone() is not None

    with ThreadPoolExecutor(1) as thread, open_ledger(url, now=clock) as other:
        with other.together(HOME):
            assert other.end_refresh(first, {id_of(1): "first"})
            ended = thread.submit(ledger.end_refresh, second, {id_of(1): "second"})
            eventually(waits)
        assert not ended.result(60)


def test_questions_that_were_foreseen_share_a_journey(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(2, base=b"base")], {})
    with ledger.at_once():
        line = ledger._database._view()._line  # type: ignore[attr-defined]  # of this adapter
        ledger.foresee(
            (
                lambda: ledger.state_of(id_of(1)),
                lambda: ledger.proposal(id_of(2)),
                lambda: ledger.proposal("none"),
                lambda: ledger.content(revision_of(b"base")),
            )
        )
        before = line.trips
        for _ in range(2):
            assert ledger.state_of(id_of(1)) is State.READY
            with pytest.raises(UnknownId):
                ledger.proposal("none")
        assert line.trips == before + 1
        assert ledger.proposal(id_of(2)).bases  # Its bytes are known by the first answer.
        assert ledger.content(revision_of(b"base")) == b"base"
        assert line.trips <= before + 2


def test_an_answer_that_was_foreseen_is_void_once_something_is_written(ledger: Ledger) -> None:
    question = partial(ledger.state_of, id_of(1))
    with ledger.together(HOME):
        ledger.foresee([question])
        assert question() is None
        ledger.foresee([question])
        ledger.add([proposal(1)], {})
        assert question() is State.READY


def test_an_answer_that_was_foreseen_ends_with_its_view(ledger: Ledger, url: str) -> None:
    question = partial(ledger.state_of, id_of(1))
    with open_ledger(url, now=clock) as other, ledger.at_once():
        ledger.foresee([question])
        assert question() is None
        other.add([proposal(1)], {})
        assert question() is None
    ledger.foresee([question])
    assert question() is State.READY


def test_what_reads_only_is_refused_to_write(ledger: Ledger, url: str) -> None:
    with open_reader(url) as reader, pytest.raises(LedgerUnavailable, match="opened to be read"):
        reader.add([proposal(1)], {})
    with ledger._database.reading() as tx, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        tx.run("DELETE FROM pin")


def test_values_come_back_as_those_of_a_file_do(ledger: Ledger) -> None:
    ledger.add([proposal(n) for n in range(5)], {})
    with ledger._database.reading() as tx:
        ((total, none, text),) = tx.rows(
            "SELECT sum(position), sum(gravity) FILTER (WHERE FALSE), ': ' || '100%' || :b"
            " FROM proposal WHERE id IN :ids OR position > :c",
            {"ids": (), "b": "%s", "c": 0},
        )
        assert (total, type(total), none, text) == (15, int, None, ": 100%%s")
        nothing: list[object] = [(), [], set()]
        for empty in nothing:
            assert tx.rows("SELECT 1 FROM proposal WHERE position IN :ids", {"ids": empty}) == []
            assert tx.rows("SELECT 1 FROM proposal WHERE id IN :ids", {"ids": empty}) == []


def test_a_program_that_ends_waits_for_no_answer_any_more(url: str) -> None:
    with Cutting(url) as network, open_ledger(network.url, now=clock) as ledger:
        network.passes.clear()
        with ThreadPoolExecutor(1) as thread:
            asked = thread.submit(ledger.counts)
            ledger.break_off()  # Before it began, or while it waits.
            with pytest.raises(LedgerUnavailable):
                asked.result(60)
        with pytest.raises(LedgerUnavailable):
            ledger.counts()
        network.passes.set()


def test_a_connection_that_is_given_back_while_the_ledger_closes_is_closed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[Line] = []
    ledger = open_ledger(url, now=clock)

    def usable_as_the_ledger_closes(line: Line) -> bool:
        lines.append(line)
        ledger.close()
        return not line.connection.closed

    monkeypatch.setattr(Line, "is_usable", property(usable_as_the_ledger_closes))
    ledger.counts()
    assert lines
    assert all(line.connection.closed for line in lines)


def test_what_is_done_for_many_rows_is_one_statement_for_all(
    ledger: Ledger, told: list[str]
) -> None:
    put = (
        "INSERT INTO home (id, stamp, round) VALUES (:id, :stamp, (SELECT :at))"
        " ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, inputs = :none"
    )
    homes = [
        {"id": f"{n}\x00%s", "stamp": None if n else "a", "at": n, "none": None} for n in (0, 2, 3)
    ]
    with ledger._database.writing() as tx:
        told.clear()
        tx.many(put, homes)
        tx.many("UPDATE home SET inputs = :x WHERE id = :id AND round > 1", [
            {"id": each["id"], "x": f"{each['at']}: 100%"} for each in homes])  # fmt: skip
        tx.many("DELETE FROM home WHERE id = :id", [{"id": "x"}, {"id": homes[1]["id"]}])
        assert len(told) == 3
        found = tx.rows("SELECT id, stamp, inputs FROM home WHERE id > '' ORDER BY id")
    assert found == [("0\ufdd00000%s", "a", None), ("3\ufdd00000%s", None, "3: 100%")]


def test_values_that_are_too_long_for_one_statement_go_out_in_several(
    ledger: Ledger, told: list[str]
) -> None:
    rows = [{"sha": str(n), "data": b"x" * size * 2**20} for n, size in enumerate((9, 9, 1, 20, 1))]
    with ledger._database.writing() as tx:
        told.clear()
        tx.many("INSERT INTO blob (sha, data) VALUES (:sha, :data)", rows)
        assert len(told) == 4
        assert tx.rows("SELECT sha, data FROM blob ORDER BY sha") == [
            (row["sha"], row["data"]) for row in rows
        ]


def test_two_that_store_the_same_bytes_at_once_wait_for_each_other_in_no_circle(
    ledger: Ledger,
) -> None:
    contents = [f"{number}" for number in range(3_000)]
    both_begun = Barrier(2)

    def keep(texts: list[str]) -> None:
        with ledger._database.writing() as tx:
            both_begun.wait(30)
            keep_bytes(tx, map(str.encode, texts))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(keep, (contents, contents[::-1]))) == [None, None]
    assert ledger.content(revision_of(b"7")) == b"7"


def test_all_batches_of_a_decision_store_their_bytes_in_one_order(ledger: Ledger, url: str) -> None:
    """So two of them that store the same bytes wait for each other in no circle."""
    amount = 6
    ledger.add([proposal(number) for number in range(amount)], {})
    claims = []
    for number in range(amount):
        made = claim(number, batch=f"b{number}")
        ends = (b"was %d\n" % number, b"is %d\n" % number)
        write = replace(made.writes[0], path=f"{number}.md", before=ends[0], after=ends[1])
        contents = {revision_of(end): end for end in ends}
        claims.append(replace(made, writes=(write,), contents=contents))
    assert len(ledger.begin(claims) or ()) == amount
    with connected(url) as connection:
        rows = connection.execute("SELECT sha FROM reviewdeck.blob ORDER BY ctid").fetchall()
    stored = [sha for (sha,) in rows if sha in {sha for one in claims for sha in one.contents}]
    assert len(stored) == 2 * amount
    assert stored == sorted(stored)


def test_rows_of_a_stream_come_beside_other_statements(ledger: Ledger) -> None:
    with ledger._database.writing(HOME) as tx:
        rows = [{"name": f"{n:05}", "value": str(n)} for n in range(4_500)]
        tx.many("INSERT INTO pin (name, value) VALUES (:name, :value)", rows)
        found = []
        for name, _ in tx.stream("SELECT name, value FROM pin ORDER BY name"):
            found.append(name)
            assert len(found) % 1_000 or tx.rows("SELECT count(*) FROM pin") == [(4_500,)]
    assert found == [row["name"] for row in rows]


@pytest.mark.slow
def test_eight_processes_on_eight_homes_do_not_wait_for_each_other(
    ledger: Ledger, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = [f"/homes/{n}" for n in range(8)]
    for home in homes:  # A new chain is entered in the ledger's own.
        ledger.append("note", home=home, subject="x", actor=OPERATOR, at=START)
    with ExitStack() as stack:
        for home in homes[1:]:
            running = stack.enter_context(Running(append_each, url, home, 20))
            assert running.receive() == "ready"
            stack.callback(running.receive)
            running.send("go")
        with ledger._database.writing(homes[0]) as tx:
            tx.rows("SELECT 1")
            stack.close()  # All others end while this one is held.
            monkeypatch.setattr(connecting, "BUSY_SECONDS", 0.02)
            with open_ledger(url, now=clock) as other, pytest.raises(Busy):
                other.append("note", home=homes[0], subject="x", actor=OPERATOR, at=START)
    assert all(len(ledger.chain(home)) == 21 for home in homes[1:])
    assert ledger.verify() is None


def test_two_that_name_homes_in_different_orders_do_not_block_each_other(url: str) -> None:
    pairs = [("/homes/a", "/homes/b"), ("/homes/b", "/homes/a")]

    def write(pair: tuple[str, str]) -> None:
        with open_ledger(url, now=clock) as opened:
            for _ in range(30):
                with opened.together(*pair):
                    for home in pair:
                        opened.append("note", home=home, subject="x", actor=OPERATOR, at=START)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, pairs))
    with open_ledger(url, now=clock) as opened:
        assert len(opened.chain("/homes/a")) == 60
        assert opened.verify() is None


@pytest.mark.parametrize(
    ("kind", "becomes", "words"),
    [
        (psycopg.errors.LockNotAvailable, Busy, "in use"),
        (psycopg.errors.SerializationFailure, Busy, "in use"),
        (psycopg.errors.DeadlockDetected, Busy, "in use"),
        (psycopg.errors.QueryCanceled, Busy, "in use"),
        (psycopg.errors.AdminShutdown, LedgerUnavailable, "shutting down"),
        (psycopg.errors.TooManyConnections, LedgerUnavailable, "no room"),
        (psycopg.errors.ConnectionFailure, LedgerUnavailable, "cannot be used"),
        (psycopg.OperationalError, LedgerUnavailable, "connection to its server was lost"),
        (psycopg.errors.DiskFull, LedgerReadOnly, "disk of its server is full"),
        (psycopg.errors.ReadOnlySqlTransaction, LedgerReadOnly, "replica"),
        (psycopg.errors.UndefinedTable, NotPermitted, "is closed to this role now"),
        (psycopg.errors.InvalidSchemaName, NotPermitted, "is closed to this role now"),
        (psycopg.errors.InsufficientPrivilege, NotPermitted, "does not let this role"),
        (psycopg.errors.InvalidPassword, NotPermitted, "refused the login"),
        (psycopg.errors.UniqueViolation, LedgerDamaged, "UniqueViolation 23505"),
    ],
)
def test_each_complaint_becomes_something_to_act_on(
    kind: type[psycopg.Error], becomes: type[ReviewdeckError], words: str
) -> None:
    fault = fault_of(kind("an agent's own words"), "db.test:5432/ledger")
    assert type(fault) is becomes
    assert words in fault.message and "db.test:5432/ledger" in fault.message
    assert "agent" not in fault.message + fault.hint
    assert fault.hint or becomes is LedgerDamaged


@pytest.mark.parametrize(
    ("url", "label", "said"),
    [
        ("postgresql://db.test/ledger", "db.test:5432/ledger", {"sslmode": "verify-full"}),
        ("postgres://anna@db.test:6432/l%2D1?sslmode=verify-full", "db.test:6432/l-1",
         {"user": "anna", "port": "6432"}),
        ("postgresql://a,b:6432/x", "a:5432,b:6432/x", {"host": "a,b", "port": "5432,6432"}),
        ("postgresql://u:p%40w@localhost/x", "localhost:5432/x", {"password": "p@w"}),
        ("postgresql://[::1]:6000/x?sslmode=disable", "::1:6000/x", {"host": "::1"}),
        ("postgresql:///x?host=/run/pg", "/run/pg:5432/x", {"host": "/run/pg", "dbname": "x"}),
    ],
)  # fmt: skip
def test_a_url_says_where_a_ledger_is(url: str, label: str, said: dict[str, str]) -> None:
    address = read_address(url)
    assert address.label == label
    assert said.items() <= address.parameters.items()
    assert ("sslmode" in address.parameters) or address.is_local


@pytest.mark.parametrize(
    "url",
    [
        *(f"postgresql://u:{{}}@db.test/x?sslmode={mode}" for mode in ("require", "disable", "")),
        "postgresql://u:{}@db.test/",
        "postgresql://u:{}@/x",
        "postgresql://u:{}@db.test:port/x",
        "postgresql://u:{}@db.test/x?options=-csearch_path%3Dx",
        "postgresql://u:{}@db.test/x?hostaddr=10.0.0.1",
        "postgresql://u:{}@[::1/x",
        "mysql://u:{}@db.test/x",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        open_ledger(url.format("hunter2"), now=clock)
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"
    assert refused.value.hint


def test_no_password_is_in_what_is_said(postgres_server: Server) -> None:
    """Neither where nobody answers, nor where there is no ledger, nor where files are meant."""
    folder = postgres_server.folder
    for url in (
        "postgresql://u:hunter2@127.0.0.1:1/x?sslmode=disable",
        f"postgresql://postgres:hunter2@/none?host={folder}",
        f"postgresql://nobody-here:hunter2@/postgres?host={folder}",
        f"postgresql://postgres:hunter2@/postgres?host={folder}",
    ):
        said = []
        for act in (partial(open_ledger, now=clock), open_reader):
            with pytest.raises(ReviewdeckError) as failed:
                act(url)
            said += [failed.value.message, failed.value.hint]
        for refused in (path_of, lambda url: make_backup(url, clock)):
            with pytest.raises(BadInput) as failed:
                refused(url)
            said += [failed.value.message, failed.value.hint]
        assert "hunter2" not in " ".join((*said, address_of(url).label, str(address_of(url).state)))
        assert all(said)


def test_each_ledger_has_a_folder_of_its_own_on_a_host(url: str, tmp_path: Path) -> None:
    here, again = address_of(url), address_of(url)
    other = address_of(postgres_url(tmp_path / "other"))
    assert here.is_shared and here.state == again.state != other.state
    assert here.url == url
    assert here.spool.parent == here.journal.parent == here.state


def test_a_database_of_another_program_is_refused(postgres_server: Server) -> None:
    with postgres_server.database() as name:
        with postgres_server.connect(name) as connection:
            connection.execute("CREATE SCHEMA reviewdeck")
            connection.execute("CREATE TABLE reviewdeck.proposal (id int)")
        with pytest.raises(LedgerDamaged, match="another program"):
            open_ledger(postgres_server.url(name), now=clock)
        with postgres_server.connect(name) as connection:
            connection.execute("DROP SCHEMA reviewdeck CASCADE")
        with pytest.raises(LedgerUnavailable) as missing:
            open_ledger(postgres_server.url(name), now=clock)
        assert "ledger create" in missing.value.hint


def test_a_role_that_the_server_does_not_know_is_refused(url: str) -> None:
    with pytest.raises(NotPermitted, match="refused the login"):
        open_ledger(url.replace("postgres@", "nobody@"), now=clock)


def test_nothing_is_left_open(url: str) -> None:
    with open_ledger(url, now=clock) as opened:
        opened.add([proposal(1)], {})
        opened.counts()
    others = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with connected(url) as connection:
        # A process of the server ends a moment after its connection.
        deadline = time.monotonic() + 60.0
        while connection.execute(others).fetchall() != [(0,)]:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_password_is_shown_nowhere_and_written_into_no_file() -> None:
    url = "postgresql://anna:hunter2@localhost/x"
    assert shown(url) == "localhost:5432/x" and shown("sqlite:///a.db") == "sqlite:///a.db"
    assert "hunter2" not in " ".join(moved_places(url))
    with pytest.raises(BadInput, match="a file"):
        refuse_password(url, "a file")
    refuse_password("postgresql://anna@localhost/x", "a file")


def test_a_server_that_does_not_run_is_said_in_one_sentence_and_what_to_look_at(
    tmp_path: Path,
) -> None:
    with pytest.raises(LedgerUnavailable) as refused:
        open_ledger(f"postgresql://iris@/agents?host={tmp_path}", now=clock)
    assert refused.value.message.endswith("does not answer: No such file or directory.")
    assert "whether the server runs" in refused.value.hint
