"""What follows a write is done once, however often it is cut short."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.program import Program

from reviewdeck.errors import WriteFailed
from reviewdeck.homes.hermes.writer import HermesWriter

STOP = """
CREATE TRIGGER stop BEFORE UPDATE OF settled ON batch WHEN NEW.settled
BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END
"""


def run_on(ledger: Path, statement: str) -> None:
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute(statement)


def patches(home: Path, skill: str) -> int:
    usage = json.loads((home / "skills/.usage.json").read_text("utf-8"))
    count: int = usage[skill]["patch_count"]
    return count


def test_a_patch_is_counted_once_when_the_ledger_fails_after_the_count(program: Program) -> None:
    item = program.one("ready", action="patch")
    skill = item["target"].rpartition("/")[2]
    before = patches(program.home, skill)
    run_on(program.ledger, STOP)
    program("approve", item["id"], "--digest", item["digest"])
    assert patches(program.home, skill) == before + 1
    operation = program.read("log")["operations"][0]["id"]
    assert program("undo", operation).code == 1  # What follows it is not known to be done.
    for _ in range(2):
        program("recover")
        assert patches(program.home, skill) == before + 1
    run_on(program.ledger, "DROP TRIGGER stop")
    assert program("recover").code == 0
    assert patches(program.home, skill) == before + 1
    assert program("undo", operation).code == 0
    assert patches(program.home, skill) == before


def test_an_undo_takes_back_our_count_and_leaves_what_hermes_counted_since(
    program: Program,
) -> None:
    item = program.one("ready", action="patch")
    skill = item["target"].rpartition("/")[2]
    before = patches(program.home, skill)
    program("approve", item["id"], "--digest", item["digest"])
    path = program.home / "skills/.usage.json"
    usage = json.loads(path.read_text("utf-8"))
    usage[skill] |= {"patch_count": before + 2, "use_count": 41, "last_used_at": "today"}
    path.write_text(json.dumps(usage), "utf-8")
    operation = program.read("log")["operations"][0]["id"]
    assert program("undo", operation).code == 0
    record = json.loads(path.read_text("utf-8"))[skill]
    assert (record["patch_count"], record["use_count"]) == (before + 1, 41)
    assert record["last_used_at"] == "today"


def test_what_could_not_be_ended_is_said_and_is_no_success(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise WriteFailed("The disk is full.")

    item = program.one("ready", action="patch")
    with monkeypatch.context() as full:
        full.setattr(HermesWriter, "retire", refused)
        assert program("approve", item["id"], "--digest", item["digest"]).code == 0
        ran = program("recover")
        assert (ran.code, ran.out.partition(":")[0]) == (1, "stuck")
        other = program.one("ready")
        said = program("defer", other["id"]).err
        assert "could not finish an interrupted run: stuck. The disk is full." in said
    assert program("recover").code == 0
