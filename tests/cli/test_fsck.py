"""`fsck` finds what is broken in a ledger, and says how to go on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.program import Prepared, Program, fingerprint

from reviewdeck.demo import write_demo


@pytest.fixture
def used(applied: Program) -> Program:
    """A ledger in which something was applied."""
    return applied


def spoil(ledger: Path, *, size: int | None = None, at: int | None = None) -> None:
    """Cuts a ledger off, or turns a run of its bytes round; what waits in its log goes along."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = ledger.read_bytes()
    if size is not None:
        data = data[:size]
    if at is not None:
        data = data[:at] + bytes(byte ^ 0xFF for byte in data[at : at + 64]) + data[at + 64 :]
    ledger.write_bytes(data)


def test_a_whole_ledger_is_whole(used: Program) -> None:
    ran = used("fsck")
    assert ran.code == 0, ran.out
    assert "are consistent" in ran.out
    assert used.read("fsck") == {
        "ledger": str(used.ledger),
        "whole": True,
        "damage": [],
        "advice": [],
        "backups": [],
        "journal": [],
        "backup": None,
        "pruned": None,
    }


def test_what_this_host_did_not_finish_is_found_and_no_secret_is_purged_before(
    used: Program, tmp_path: Path
) -> None:
    folder = used.ledger.with_name(f"{used.ledger.name}.journal")
    entry = folder / "0123456789abcdef" / "b1.json"
    entry.parent.mkdir(parents=True, exist_ok=True)
    entry.write_text("{", "utf-8")
    ran = used("fsck")
    assert ran.code == 1
    assert str(entry) in ran.out and "reviewdeck recover" in ran.out
    secret = tmp_path / "secret"
    secret.write_text("a line of text\n", "utf-8")
    refused = used("purge", "--reason", "leaked", "--file", str(secret))
    assert refused.code == 1
    assert "unfinished writes" in refused.err


def test_without_a_ledger_there_is_nothing_to_look_at(demo: Program) -> None:
    demo.ledger.unlink()
    ran = demo("fsck")
    assert ran.code == 1
    assert "There is no ledger" in ran.err
    assert not demo.ledger.exists()


@pytest.mark.parametrize("size", [0, 10, 4096, -4096])
def test_a_ledger_that_was_cut_off_is_damaged_and_never_a_trace(used: Program, size: int) -> None:
    before = fingerprint(used.home)
    spoil(used.ledger, size=size if size >= 0 else used.ledger.stat().st_size + size)
    ran = used("fsck", "--json")
    assert "Traceback" not in ran.err
    assert ran.code == 1
    assert ran.json["damage"]
    assert any("homes are intact" in line for line in ran.json["advice"])
    for tokens in (("list",), ("auto",), ("doctor",)):
        said = used(*tokens)
        assert "Traceback" not in said.err
        assert "wrong in reviewdeck itself" not in said.err + said.out
    if size != 0:
        assert fingerprint(used.home).keys() >= before.keys() - {"pending"}


def test_turned_bytes_of_a_stored_text_are_found(used: Program) -> None:
    with closing(sqlite3.connect(used.ledger)) as connection:
        connection.execute("UPDATE blob SET data = CAST(data || 'x' AS BLOB) WHERE rowid = 1")
        connection.commit()
    ran = used("fsck")
    assert ran.code == 1
    assert "not those that were stored" in ran.out


@pytest.fixture(scope="session")
def _decided(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("decided"), decide)


@pytest.fixture
def decided(_decided: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """A ledger in which something was applied, taken back, rejected and removed."""
    return _decided.restored(capsys)


def decide(run: Program) -> None:
    write_demo(run.home, datetime.now(UTC))
    assert run("auto").code == 3
    first = run.read("log")["operations"][0]
    assert run("undo", first["id"]).code == 0
    ready = run.one("ready")
    assert run("reject", ready["proposal"], "--reason", "no").code == 0
    assert run("fsck").code == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE proposal SET state = 'ready' WHERE state = 'rejected'",
        "UPDATE proposal SET state = 'rejected' WHERE state = 'applied'",
        "UPDATE proposal SET state = 'applied' WHERE state = 'ready'",
        "UPDATE proposal SET body = replace(body, 'a', 'b') WHERE state = 'ready'",
        "UPDATE proposal SET target = 'user' WHERE target = 'memory'",
        "UPDATE proposal SET payload_sha = 'f' WHERE state = 'ready'",
        "INSERT INTO proposal SELECT (SELECT max(position) + 1 FROM proposal), 'f00d', home,"
        " source, source_id, kind, action, target, state, verdict, digest, origin, created_at,"
        " ingested_at, since, payload_sha, reason, summary, findings, paths, body,"
        " evaluation_key, gist, subject, session, gravity"
        " FROM proposal LIMIT 1",
        "DELETE FROM likeness WHERE relation = 'rejected'",
        "DELETE FROM subject WHERE relation = 'rejected'",
        "UPDATE likeness SET text = 'something else'",
        "UPDATE operation SET undone_by = NULL WHERE undone_by IS NOT NULL",
        "UPDATE operation SET undone_by = 'x' WHERE undone_by IS NULL",
        "UPDATE operation SET state = 'abandoned'",
        "UPDATE operation SET undoes = NULL",
        "UPDATE operation_change SET after = 'absent'",
        "DELETE FROM operation_change",
        "UPDATE decision SET verb = 'approve'",
        "UPDATE decision SET reason = 'another'",
        "UPDATE decision SET proposal = (SELECT id FROM proposal WHERE state = 'ready' LIMIT 1)",
        "DELETE FROM decision",
    ],
)
def test_a_row_that_a_decision_rests_on_and_somebody_edited_is_damage_and_no_backup(
    decided: Program, statement: str
) -> None:
    with closing(sqlite3.connect(decided.ledger)) as connection:
        connection.execute("DROP TRIGGER proposal_moves")
        assert connection.execute(statement).rowcount > 0
        connection.commit()
    ran = decided("fsck", "--backup", "--json")
    assert ran.code == 1
    assert ran.json["damage"]
    assert ran.json["backup"] is None
    assert list(decided.ledger.parent.glob("*.backup-*")) == []


def test_a_value_of_another_type_is_damage_too(used: Program) -> None:
    with closing(sqlite3.connect(used.ledger)) as connection:
        connection.execute("UPDATE blob SET data = 'text' WHERE rowid = 1")
        connection.commit()
    ran = used("fsck")
    assert ran.code == 1
    assert ran.out.count("bad") == 1


@pytest.mark.parametrize("part", [1, 3])
def test_turned_bytes_anywhere_end_in_a_clear_answer(used: Program, part: int) -> None:
    spoil(used.ledger, at=used.ledger.stat().st_size * part // 4 + 100)
    for tokens in (("fsck",), ("doctor",), ("auto", "--dry-run")):
        ran = used(*tokens)
        assert "Traceback" not in ran.err
        assert "wrong in reviewdeck itself" not in ran.err + ran.out
        assert ran.code in (0, 1, 3)


@pytest.mark.parametrize(
    "words",
    [("--keep-days", "30"), ("--prune", "--keep-days", "0"), ("--prune", "--keep-days", "999999")],
)
def test_a_number_of_days_that_would_do_nothing_is_refused(
    demo: Program, words: tuple[str, ...]
) -> None:
    ran = demo("fsck", *words)
    assert (ran.code, ran.out) == (2, ""), ran
    assert "keep-days" in ran.err


def test_a_changed_line_of_the_log_is_named(used: Program) -> None:
    with closing(sqlite3.connect(used.ledger)) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'event'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE event SET subject = 'somebody' WHERE position = 2")
        connection.commit()
    ran = used("fsck")
    assert ran.code == 1
    assert "breaks at line 2" in ran.out


def test_doctor_says_how_to_go_on_and_the_way_works(used: Program) -> None:
    assert used("fsck", "--backup").code == 0
    (copy,) = used.read("fsck")["backups"]
    assert copy in used("doctor").out.replace("\n", "").replace(" ", "")
    applied = {one["id"] for one in used.read("list", "--state", "applied")}
    used.ledger.write_bytes(b"not a database any more" * 400)
    for side in ("-wal", "-shm"):
        Path(f"{used.ledger}{side}").unlink(missing_ok=True)
    bad = [one for one in used.read("doctor") if one["level"] == "bad"]
    assert any(copy in one["hint"] and "homes are intact" in one["hint"] for one in bad)
    used.ledger.write_bytes(Path(copy).read_bytes())
    assert used("recover").code == 0
    assert {one["id"] for one in used.read("list", "--state", "applied")} == applied
    assert used("fsck").code == 0


@pytest.mark.parametrize("how", ["is empty", "is gone"])
def test_a_lost_ledger_is_not_begun_anew_over_its_backup(used: Program, how: str) -> None:
    assert used("fsck", "--backup").code == 0
    (copy,) = used.read("fsck")["backups"]
    spoil(used.ledger, size=0)
    if how == "is gone":
        for file in used.ledger.parent.glob(f"{used.ledger.name}*"):
            file.unlink() if file.is_file() and "backup" not in file.name else None
    for tokens in (("list",), ("status", "--short"), ("auto",)):
        said = used(*tokens)
        assert said.code == 1
        assert how in said.err
        assert "reviewdeck doctor" in said.err
    assert used.read("fsck")["damage"] == ["The file is empty: its content is lost."]
    (bad,) = [one for one in used.read("doctor") if "is empty: its content" in one["message"]]
    assert bad["level"] == "bad"
    assert copy in bad["hint"]
    assert not used.ledger.exists() or used.ledger.stat().st_size == 0


def test_an_empty_file_without_a_backup_becomes_a_ledger(demo: Program) -> None:
    demo.ledger.write_bytes(b"")
    assert demo("fsck").code == 1
    assert demo("status").code == 0
    assert demo("fsck").code == 0


def test_a_lost_ledger_costs_no_byte_of_the_home(used: Program) -> None:
    before = {k: v for k, v in fingerprint(used.home).items() if not k.startswith(".reviewdeck")}
    shutil.rmtree(used.ledger.parent)
    used.ledger.parent.mkdir()
    assert used("status").code == 0
    after = {k: v for k, v in fingerprint(used.home).items() if not k.startswith(".reviewdeck")}
    assert after == before
    assert used("fsck").code == 0


@pytest.mark.parametrize("state", ["ready", "applied", "conflict", "quarantined"])
def test_a_line_of_a_list_that_was_edited_is_found(used: Program, state: str) -> None:
    with closing(sqlite3.connect(used.ledger)) as connection, connection:
        (id,) = connection.execute(
            "SELECT id FROM proposal WHERE state = ? LIMIT 1", (state,)
        ).fetchone() or ("",)
        if not id:
            pytest.skip("the demo has none")
        connection.execute("UPDATE proposal SET gist = 'Likes tea.' WHERE id = ?", (id,))
    ran = used("fsck")
    assert ran.code == 1
    assert f"lists show for the proposal {id}" in " ".join(ran.out.split())
