"""A secret that got in is taken out for good, and the log says so."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program
from tests.engine.kit import entries, set_entries
from tests.operators.signed import Office, operators_of
from tests.operators.terminals import account, piped

from reviewdeck.clock import utc_now
from reviewdeck.engine.authorisation import no_ancestors
from reviewdeck.errors import BadInput
from reviewdeck.ledger.purge import purge
from reviewdeck.model import Event
from reviewdeck.operators.audit import audit

SECRET = 'marma"lade' + "-pier é 77"
"""With what JSON writes otherwise."""


@pytest.fixture
def run(
    office: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Program:
    """The program over the office, whoever runs the tests."""
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: no_ancestors)
    monkeypatch.setenv("XDG_DATA_HOME", str(office.root / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(office.root / "config"))
    office.open(None).close()
    return Program(office.home, office.ledger, capsys)


def spread(office: Office, run: Program) -> Path:
    """The secret goes everywhere: applied, waiting, rejected with a reason, in a backup."""
    added = office.agent.add(f"The door of the lab opens with {SECRET}.")
    run("approve", added, "--digest", run.read("show", added)["digest"])
    office.agent.add(f"Somebody said: {SECRET}!")
    turned = office.agent.replace("tox", f"Tests run with {SECRET}.")
    run("reject", turned, "--reason", f"It tells {SECRET}")
    assert run("fsck", "--backup").code == 0
    # What an operator does by hand first: the live text is theirs.
    set_entries(office.home, *(one for one in entries(office.home) if SECRET not in one))
    for record in (office.home / "pending").rglob("*.json"):
        record.unlink()
    run("status")
    file = office.root / "secret"
    file.write_text(f"{SECRET}\n", "utf-8")
    return file


def bytes_with_it(office: Office) -> list[str]:
    """The files beside the ledger that have it anywhere, however JSON writes it."""
    forms = (SECRET.encode(), SECRET.replace('"', '\\"').encode(), b'marma\\"lade-pier \\u00e9 77')
    files = [one for one in office.ledger.parent.iterdir() if one.is_file()]
    return sorted(one.name for one in files if any(f in one.read_bytes() for f in forms))


def lines_of(run: Program) -> dict[int, dict[str, Any]]:
    """The whole log by the numbers of its lines."""
    lines = map(json.loads, run("log", "--export").out.splitlines())
    return {one["sequence"]: one for one in lines if one["record"] == "event"}


def test_the_log_is_append_only_again_after_a_purge(office: Office, run: Program) -> None:
    run("purge", "--file", str(spread(office, run)), "--reason", "A mistake.")
    with (
        closing(sqlite3.connect(office.ledger)) as database,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        database.execute("UPDATE event SET name = 'x'")


def test_a_purged_secret_is_in_no_byte_of_the_ledger_its_log_or_its_backups(
    office: Office, run: Program
) -> None:
    file = spread(office, run)
    interrupted = office.ledger.with_name(f"{office.ledger.name}.backup-0014-1.unfinished")
    interrupted.write_bytes(f"..{SECRET}..".encode())
    assert len(bytes_with_it(office)) >= 3
    ran = run("purge", "--file", str(file), "--reason", "It was told by mistake.")
    assert ran.code == 0, ran.err
    assert SECRET not in ran.out and "1 line of the log" in ran.out
    assert bytes_with_it(office) == []
    assert len(list(office.ledger.parent.glob("*.backup-*"))) == 1


def test_the_chain_and_the_ledger_are_whole_after_a_purge_and_say_what_was_done(
    office: Office, run: Program
) -> None:
    file = spread(office, run)
    before = lines_of(run)
    run("purge", "--file", str(file), "--reason", "It was told by mistake.")
    after = lines_of(run)
    assert {number: one["sha"] for number, one in before.items()}.items() <= {
        number: one["sha"] for number, one in after.items()
    }.items()
    of_home, own = sorted(
        (one for one in after.values() if one["name"] == "purge"),
        key=lambda one: one["chain"] == "",
    )
    assert (of_home["chain"], own["chain"]) == (str(office.home), "")
    for line in (of_home, own):
        assert line["actor"]["kind"] == "operator"
        assert line["detail"]["reason"] == "It was told by mistake."
    assert own["detail"]["texts"] and of_home["detail"]["lines"]
    assert run("fsck").code == 0
    codes = {one["code"] for one in run.read("log", "--verify")["irregular"]}
    assert codes <= {"file"}, "the document that was changed by hand, and nothing else"
    assert "[purged]" in str(after)


def test_a_line_or_a_text_that_is_changed_after_a_purge_is_found(
    office: Office, run: Program
) -> None:
    run("purge", "--file", str(spread(office, run)), "--reason", "A mistake.")
    with office.sql() as database:
        database.execute("UPDATE event SET detail = replace(detail, '[purged]', 'harmless')")
        database.execute(
            "UPDATE blob SET data = CAST(replace(CAST(data AS TEXT), '[purged]', 'x') AS BLOB)"
        )
    assert run("fsck").code == 1
    assert "chain" in {one["code"] for one in run.read("log", "--verify")["irregular"]}


def test_what_it_cannot_reach_is_named(office: Office, run: Program) -> None:
    office.agent.add(f"The door of the lab opens with {SECRET}.")
    set_entries(office.home, *entries(office.home), f"The lab: {SECRET}")
    run("status")
    file = office.root / "secret"
    file.write_text(SECRET, "utf-8")
    done = run.read("purge", "--file", str(file), "--reason", "A mistake.")
    assert Path(done["left"][0]).name == "MEMORY.md"
    assert [Path(one).suffix for one in done["left"]] == [".md", ".json"]
    assert "other machines" in run("purge", "--file", str(file), "--reason", "Again.").out
    assert SECRET in (office.home / "memories" / "MEMORY.md").read_text("utf-8")


def test_what_it_cannot_reach_is_named_where_a_moved_home_is_now(
    office: Office, run: Program
) -> None:
    set_entries(office.home, *entries(office.home), f"The lab: {SECRET}")
    run("status")
    moved = office.home.rename(office.home.with_name("elsewhere"))
    file = office.root / "secret"
    file.write_text(SECRET, "utf-8")
    there = replace(run, home=moved)
    done = there.read("purge", "--file", str(file), "--reason", "A mistake.")
    assert done["left"] == [str(moved / "memories" / "MEMORY.md")]


def test_the_log_of_the_working_memory_is_searched_too(office: Office, run: Program) -> None:
    file = office.root / "secret"
    file.write_text("marmalade-pier", "utf-8")
    log = office.ledger.with_name("working.db-wal")
    log.write_bytes(b"..marmalade-pier..")
    done = run.read("purge", "--file", str(file), "--reason", "A mistake.")
    assert done["left"] == [str(log)]


@pytest.mark.parametrize("secret", ["abc", "", "two\nlines of it"])
def test_what_would_take_half_of_the_ledger_with_it_is_refused(
    office: Office, run: Program, secret: str
) -> None:
    deck = office.open(None)
    with pytest.raises(BadInput):
        purge(str(office.ledger), secret, "why", actor=deck.operator(), now=utc_now)


@pytest.mark.parametrize("word", ["memory", "content", "applied", "digest", "tox-session"])
def test_a_word_of_the_ledger_itself_is_refused_and_nothing_is_changed(
    office: Office, run: Program, word: str
) -> None:
    added = office.agent.add("The linter is ruff.")
    run("approve", added, "--digest", run.read("show", added)["digest"])
    run("fsck", "--backup")
    file = office.root / "secret"
    file.write_text(word, "utf-8")
    before = lines_of(run)
    ran = run("purge", "--file", str(file), "--reason", "A mistake.")
    assert (ran.code == 1) == (word != "tox-session"), ran
    assert lines_of(run) == before
    assert run("fsck").code == run("log", "--verify").code == 0
    assert run("list").code == run("show", added).code == 0


def test_names_of_actors_stay_in_rows_as_in_the_log(office: Office, run: Program) -> None:
    office.agent.add("The linter is ruff.")
    assert run.read("auto")["applied"]
    file = office.root / "secret"
    file.write_text("memory-addition", "utf-8")
    assert run.read("purge", "--file", str(file), "--reason", "A mistake.")["gone"] is False
    assert run("log", "--verify").code == 0


def test_a_reason_that_tells_the_secret_is_refused(office: Office, run: Program) -> None:
    file = spread(office, run)
    assert run("purge", "--file", str(file), "--reason", f"It was {SECRET}.").code == 1
    assert bytes_with_it(office)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.slow  # Programs in processes of their own.
def test_an_agent_purges_nothing(office: Office, run: Program) -> None:
    file = spread(office, run)
    agent = office.root / "claude"
    agent.symlink_to("/bin/sh")
    where = f"--home {office.home} --ledger {office.ledger} --file {file} --reason x --json"
    script = f"'{sys.executable}' -m reviewdeck.cli.main purge {where}; true"
    said = piped([str(agent), "-c", script], "", account(office.root)).stdout
    assert '"code": "agent"' in said
    assert bytes_with_it(office)


def test_where_decisions_are_signed_a_purge_is_signed_and_one_that_is_not_is_found(
    office: Office,
) -> None:
    office.init()
    deck = office.open()
    office.agent.replace("tox", f"Tests run with {SECRET}.")
    deck.intake()
    (item,) = deck.pending()
    deck.reject(item.id, f"It tells {SECRET}")
    for record in (office.home / "pending").rglob("*.json"):
        record.unlink()
    actor, attest = deck.operator(), deck.authority.attest
    url = str(office.ledger)
    done = purge(url, SECRET, "A mistake.", actor=actor, now=office.clock, attest=attest)
    assert done.texts and done.lines and done.cells
    assert audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities == ()
    purge(url, "It tells", "Somebody else.", actor=actor, now=office.clock)
    found = audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities
    assert {one.code for one in found} == {"unsigned"}


def test_a_purge_is_signed_while_the_ledger_is_free(office: Office) -> None:
    office.init()
    deck = office.open()
    office.agent.replace("tox", f"Tests run with {SECRET}.")
    deck.intake()
    (item,) = deck.pending()
    deck.reject(item.id, f"It tells {SECRET}")
    for record in (office.home / "pending").rglob("*.json"):
        record.unlink()
    asked: list[str] = []

    def attest(line: Event) -> tuple[str, str] | None:
        with closing(sqlite3.connect(office.ledger, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")  # Another program could write now.
        if not asked:
            deck.ledger.append("noted", home="", subject="x", actor=deck.actor, at=office.clock())
        asked.append(line.name)
        return deck.authority.attest(line)

    done = purge(
        str(office.ledger), SECRET, "why", actor=deck.operator(), now=office.clock, attest=attest
    )
    assert done.texts and set(asked) == {"purge"}
    assert audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities == ()
