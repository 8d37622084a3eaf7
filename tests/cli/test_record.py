"""`record` takes turns from any agent that can write a line of JSON."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program

from reviewdeck.clock import utc_now
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.place import address_of


def line(text: str, **more: Any) -> str:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]
    return json.dumps({"session": "s-1", "messages": messages} | more) + "\n"


def typed(text: str) -> io.TextIOWrapper:
    """A standard input that says this."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")), "utf-8")


def kept(program: Program, session: str) -> list[list[str]]:
    with open_ledger(str(program.ledger), now=utc_now) as ledger:
        return [
            [turn.messages[0].text for turn in ledger.turns(one.id)]
            for one in ledger.transcripts(session)
        ]


def test_a_file_of_turns_is_recorded_under_its_sessions(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    later = {"session": "s-2", "parent": "s-1", "began": "compression", "turn": "t3"}
    lines = [line("one"), "\n", line("two", at=1_800_000_000), line("three", **later)]
    file.write_text("".join(lines), "utf-8")
    found = program.read("record", str(file), "--platform", "telegram")
    assert found == {"turns": 3, "retained": True, "waiting_bytes": 0}
    assert (kept(program, "s-1"), kept(program, "s-2")) == ([["one", "two"]], [["three"]])
    with open_ledger(str(program.ledger), now=utc_now) as ledger:
        (second,) = ledger.transcripts("s-2")
        assert (second.lineage.parent, second.lineage.began) == ("s-1", "compression")
        assert (second.platform, second.home) == ("telegram", str(program.home.resolve()))
        assert ledger.turns(second.id)[0].id == "t3"


def test_the_standard_input_is_read_without_a_file(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", typed(line("one") + line("two")))
    ran = program("record")
    assert (ran.code, ran.out) == (0, "2 turns recorded.\n")
    assert kept(program, "s-1") == [["one", "two"]]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not an object"),
        ('{"messages": []}', "it names no session"),
        ('{"session": " ", "messages": []}', "it names no session"),
        ('{"session": "s", "messages": []}', "it has no message"),
        ('{"session": "s", "messages": ["x"]}', "not a list of objects"),
        ('{"session": 5}', "its session is not a string"),
        (line("x", began="reborn"), "began is one of new, reset"),
        (line("x", at="soon"), "at is not a time"),
        (line("x", at=1e300), "at is not a time"),
        (line("x", at="0001-01-01T00:00:00+14:00"), "at is not a time"),
        ('{"session": "\udcff"}', "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
    ],
)
def test_a_line_that_is_no_turn_is_named_and_those_before_it_are_recorded(
    program: Program, monkeypatch: pytest.MonkeyPatch, bad: str, words: str
) -> None:
    monkeypatch.setattr(sys, "stdin", typed(line("one") + bad))
    ran = program("record")
    assert ran.code == 1
    assert "Line 2 is not a turn" in ran.err and words in ran.err
    assert kept(program, "s-1") == [["one"]]


def test_a_bad_first_line_does_not_say_that_lines_were_recorded(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", typed("[]"))
    assert "Nothing was recorded." in program("record").err


def test_a_file_that_is_not_there_is_an_error(program: Program) -> None:
    ran = program("record", "nowhere.jsonl")
    assert ran.code == 1 and "cannot be read" in ran.err


def test_what_a_killed_one_had_taken_is_brought_over_by_the_next_look(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    command = [sys.executable, "-m", "reviewdeck.cli.main", "record", *where]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, env=dict(os.environ)) as child:
        assert child.stdin is not None
        child.stdin.write(line("one"))
        child.stdin.flush()
        spool = address_of(str(program.ledger)).spool
        while not any(path.stat().st_size for path in spool.glob("*.spool")):
            assert child.poll() is None
        child.send_signal(signal.SIGKILL)
    program("list")
    program("show", program.read("list")[0]["id"])
    assert kept(program, "s-1") == [["one"]]
