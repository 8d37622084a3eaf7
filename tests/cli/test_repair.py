"""A record that could not be read: opened, repaired and taken in, or dismissed with a reason."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program
from tests.homes.later import ENTRIES, MEMORY, Later

ADDED = {"action": "add", "target": "memory", "content": "The linter is ruff."}
RECORD = {"id": "0123abcd", "subsystem": "memory", "payload": ADDED}
BROKEN = json.dumps(RECORD, indent=2).replace('"subsystem": "memory",', '"subsystem": "memory"')


@pytest.fixture
def program(later: Later, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(later.root, tmp_path / "ledger" / "ledger.db", capsys)


@pytest.fixture
def source(later: Later) -> Path:
    """A pending record with a comma missing."""
    return later.write("pending/memory/0123abcd.json", BROKEN)


def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> None:
    """An editor that does this with the file at `path`."""
    script = tmp_path / "editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{program}\n")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


def kept(program: Program, data: bytes) -> bool:
    """Whether the ledger has these bytes."""
    sha = hashlib.sha256(data).hexdigest()
    with closing(sqlite3.connect(program.ledger)) as database:
        return bool(database.execute("SELECT 1 FROM blob WHERE sha = ?", (sha,)).fetchone())


def quarantined(program: Program) -> dict[str, Any]:
    return program.one("quarantined")


def test_a_record_is_repaired_in_the_editor_taken_in_and_gone_once_it_is_decided(
    program: Program, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    item = quarantined(program)
    assert f"reviewdeck repair {item['id']}" in program("show", item["id"]).out
    mend = "path.write_text(path.read_text().replace('\"memory\"\\n', '\"memory\",\\n', 1))"
    editor(monkeypatch, tmp_path, mend)
    ran = program("repair", item["id"])
    assert ran.code == 0, ran.err
    assert "cannot be read" in ran.err and "line 4 column 3" in ran.err
    assert source.read_text("utf-8") == BROKEN
    (ready,) = program.read("list")
    assert (ready["id"], ready["state"], ready["action"]) == (item["id"], "ready", "add")
    source.touch()  # It is looked at anew, and is the same record.
    assert [one["id"] for one in program.read("list")] == [item["id"]]
    done = program("approve", ready["id"], "--digest", ready["digest"])
    assert done.code == 0, done.err
    assert later.text(MEMORY).endswith("\n§\nThe linter is ruff.")
    assert not source.exists()
    assert kept(program, BROKEN.encode())
    (line,) = [one for one in program.read("log")["events"] if one["name"] == "repair"]
    assert line["actor"]["kind"] == "operator"
    assert line["detail"]["record"] == hashlib.sha256(BROKEN.encode()).hexdigest()
    assert program("log", "--verify").code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BROKEN, "it is not JSON: Expecting ',' delimiter: line 4 column 3"),
        ("", "the file is empty"),
        ("[]", "it is not a JSON object"),
        ('{"id": "0123abcd"}', "it has another shape than Hermes' own records"),
        (json.dumps({**RECORD, "id": "x"}), "its id is not 8 to 32 hexadecimal digits"),
        (json.dumps({**RECORD, "subsystem": "x"}), "its subsystem is neither memory nor skills"),
        (json.dumps({**RECORD, "payload": {**ADDED, "action": "x"}}), "an action that memory"),
    ],
)
def test_what_still_cannot_be_read_is_refused_with_the_reason(
    program: Program, source: Path, tmp_path: Path, text: str, message: str
) -> None:
    item = quarantined(program)
    (tmp_path / "mine.json").write_text(text)
    ran = program("repair", item["id"], "--file", str(tmp_path / "mine.json"))
    assert ran.code == 1
    assert message in ran.err and "A record is one JSON object" in ran.err
    assert quarantined(program)["id"] == item["id"]
    assert source.read_text("utf-8") == BROKEN


def test_nobody_types_a_repair_twice(
    program: Program, source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    item = quarantined(program)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    editor(monkeypatch, tmp_path, "path.write_text('{ my half of it')")
    ran = program("repair", item["id"])
    assert ran.code == 1
    (file,) = tmp_path.glob("reviewdeck-*.json")
    assert (file.read_text(), str(file) in ran.err) == ("{ my half of it", True)
    editor(monkeypatch, tmp_path, "pass")
    assert "You changed nothing" in program("repair", item["id"]).err


def test_a_record_of_another_program_is_repaired_under_any_name(
    program: Program, later: Later, tmp_path: Path
) -> None:
    foreign = later.write("pending/memory/mnemosyne-7.json", '{"type": "memory_candidate"}')
    item = quarantined(program)
    payload = {"action": "create", "name": "scan", "content": "---\nname: scan\n"}
    mine = {"id": "0123abcd", "subsystem": "skills", "payload": payload}
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    ran = program("repair", item["id"], "--file", str(tmp_path / "mine.json"), "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["kind"], ran.json["target"]) == ("skills", "scan")
    assert foreign.read_text() == '{"type": "memory_candidate"}'
    assert program("reject", item["id"], "--reason", "no").code == 0
    assert not foreign.exists()  # What was made of it is decided.


def test_a_dismissed_record_waits_no_longer_keeps_its_reason_and_stays_on_the_disk(
    program: Program, source: Path
) -> None:
    item = quarantined(program)
    assert program("reject", item["id"], "--reason", "of another program").code == 0
    assert program.read("list") == []
    program("auto")
    source.touch()
    program("auto")
    assert program.read("list") == []
    assert source.read_text("utf-8") == BROKEN
    assert kept(program, BROKEN.encode())
    assert "of another program" in program("show", item["id"]).out
    assert program("log", "--verify").code == 0
    assert program("reopen", item["id"]).code == 0
    assert quarantined(program)["id"] == item["id"]


def test_what_can_be_read_is_not_repaired(program: Program, later: Later) -> None:
    later.stage({**ADDED, "old_text": None})
    (item,) = program.read("list")
    ran = program("repair", item["id"], "--file", "-")
    assert ran.code == 1 and "only a record that could not be read" in ran.err


def test_a_record_that_was_never_read_is_given_or_dismissed(
    program: Program, later: Later, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text(json.dumps(RECORD))
    link = later.root / "pending/memory/0123abcd.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    item = quarantined(program)
    ran = program("repair", item["id"])
    assert ran.code == 1 and "was never read" in ran.err
    assert program("repair", item["id"], "--file", str(target)).code == 0
    (ready,) = program.read("list")
    assert program("approve", ready["id"], "--digest", ready["digest"]).code == 0
    assert later.text(MEMORY) == "\n§\n".join((*ENTRIES, "The linter is ruff."))
    assert link.is_symlink()
