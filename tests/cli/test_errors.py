"""What goes wrong is one line and a hint, with the exit code that fits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.cli.program import Program, fingerprint
from tests.cli.several import answers, several

from reviewdeck.cli.main import main


def one_line(said: str) -> bool:
    """Whether this is one line of ours."""
    return said.startswith("reviewdeck: ") and said.count("\n") == 1


def test_a_home_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("status", "auto", "list", "since"):
        assert main([command, "--home", str(tmp_path / "none")]) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        assert one_line(printed.err) and "There is no Hermes home" in printed.err


def test_a_ledger_that_is_a_directory_is_named_and_not_called_damaged(
    program: Program, tmp_path: Path
) -> None:
    program = replace(program, ledger=tmp_path)
    for command in ("status", "auto"):
        ran = program(command)
        assert (ran.code, ran.out) == (1, "")
        assert one_line(ran.err) and "is not a file. Name a file with --ledger." in ran.err
    assert "damaged" not in program("doctor").out


def test_with_json_an_error_is_an_object_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "--json", "--home", str(tmp_path / "none")]) == 1
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert printed.err == ""
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "home-unavailable"


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["lst"], "Did you mean list?"),
        (["redo"], "undo the undo"),
        (["help", "lst"], "Did you mean list?"),
        (["since", "--since"], "See `reviewdeck since --help`"),
        (["list", "--stat", "ready"], "Did you mean --state?"),
        (["list", "--state", "sleepy"], "Choose from ready, conflict"),
        (["list", "--limit", "many"], "--limit cannot be 'many'"),
        (["list", "--limit", "0"], "a whole number from 1 to 100,000"),
        (["list", "--limit", "1.5"], "--limit cannot be '1.5'"),
        (["list", "--limit", "9" * 30], "a whole number"),
        (["list", "--limit", "0" * 19 + "1" + "9" * 9], "a whole number"),
        (["list", "--home", ""], "--home needs a value"),
        (["--ledger=", "list"], "--ledger needs a value"),
        (["list", "--state", "ready", "--state"], "--state needs a value"),
        (["list", "--limit", "1", "--limit", "2"], "--limit is given once"),
        (["approve", "x", "--digest", "0", "--wait", "nan"], "a number of seconds"),
        (["approve", "x", "--digest", "0", "--wait", "-3"], "a number of seconds"),
        (["approve", "x", "--until", "tomorrow"], "a day, such as 2026-10-31"),
        (["serve", "--port", "99999"], "from 0 to 65,535"),
        (["hermes", "gate", "maybe"], "Choose from on, off"),
        (["LIST"], "Did you mean list?"),
        (["version"], "`reviewdeck --version`"),
        (["polcy", "sign"], "Did you mean policy?"),
        (["serve"], "See `reviewdeck serve --help`"),
        (["policy", "--home", "x"], "needs a command. It has explain"),
        (["show"], "needs ID"),
        (["show", "a", "b"], "does not take 'b'"),
        (["approve", "x", "--digest"], "--digest needs a value"),
        (["merge", "x", "--digest", "0" * 12], "--file or --take"),
        (["policy", "expain", "x"], "no command 'policy expain'. Did you mean explain?"),
        (["since", "the other day"], "is not a time"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_a_usage_error(
    tokens: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(tokens) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert one_line(printed.err)
    assert words in printed.err


def test_an_empty_ledger_is_not_copied_where_a_file_was_misspelt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ledger", "copy", str(tmp_path / "legder.db"), str(tmp_path / "copy.db")]) == 1
    assert "There is no ledger at" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"a\0b", "has a NUL character"),
        (None, "cannot be read"),
    ],
)
def test_a_text_of_ones_own_that_is_no_text_changes_nothing(
    program: Program, tmp_path: Path, given: bytes | None, told: str
) -> None:
    item = program.one("ready", target="memory")
    before = fingerprint(program.home / "memories")
    file = tmp_path / "text.md"
    if given is not None:
        file.write_bytes(given)
    ran = program("merge", item["id"], "--digest", item["digest"], "--file", str(file))
    assert ran.code == 1 and one_line(ran.err) and told in ran.err
    assert fingerprint(program.home / "memories") == before


@pytest.mark.parametrize(
    "words", ["policy sign", "operators add robin", "operators rotate", "operators revoke robin"]
)
def test_where_there_are_no_keys_no_passphrase_is_asked_for(program: Program, words: str) -> None:
    ran = program(*words.split())
    assert ran.code == 1 and "There are no keys" in ran.err and "`reviewdeck init`" in ran.err


def test_a_usage_error_with_json_is_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lst", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    "content", [b"this is no database", b"SQLite format 3\x00" + b"\xff" * 400]
)
def test_a_ledger_that_is_something_else_is_left_alone(program: Program, content: bytes) -> None:
    program.ledger.write_bytes(content)
    for command in ("status", "list", "auto"):
        ran = program(command)
        assert ran.code == 1
        assert one_line(ran.err), ran.err
        assert ran.out == ""
    assert program.ledger.read_bytes() == content
    assert program("doctor").code == 1


def test_a_ledger_of_another_program_is_left_alone(program: Program) -> None:
    program.ledger.unlink()
    with closing(sqlite3.connect(program.ledger)) as connection, connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()
    ran = program("list")
    assert ran.code == 1
    assert "another program" in ran.err


@pytest.mark.skipif(
    os.getuid() == 0 and shutil.which("setpriv") is None,
    reason="modes do not bind root, and there is no setpriv to give its powers up",
)
def test_a_home_that_cannot_be_written_can_still_be_looked_at(program: Program) -> None:
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    where = ["--home", str(program.home), "--ledger", str(program.ledger)]
    commands = [
        [*words, *where] for words in (["status"], ["auto", "--dry-run"], ["auto"], ["doctor"])
    ]
    places = [program.home, *(path for path in program.home.rglob("*") if path.is_dir())]
    for place in places:
        place.chmod(0o555)
    try:
        before = fingerprint(program.home)
        command = [*powerless, sys.executable, *several(commands)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        ran = answers(done.stdout)
        assert [one.code for one in ran] == [0, 3, 1, 1], done.stdout
        assert "was not applied" in ran[2].err
        assert fingerprint(program.home) == before
    finally:
        for place in places:
            place.chmod(0o755)


def test_a_home_without_memories_and_skills_is_fine(tmp_path: Path, program: Program) -> None:
    bare = tmp_path / ".hermes"
    bare.mkdir()
    there = Program(bare, program.ledger, program.capsys)
    before = fingerprint(bare)
    for command in ("status", "auto", "list", "since", "doctor", "recover", "log"):
        ran = there(command)
        assert (ran.code, ran.err) == (0, ""), (command, ran)
    assert fingerprint(bare) == before


def test_a_memory_that_is_not_utf8_is_shown_and_everything_else_goes_on(program: Program) -> None:
    (program.home / "memories/USER.md").write_bytes(b"\xff\xfe broken")
    ran = program("auto")
    assert ran.code == 3
    assert "memories/USER.md" in ran.err
    assert "Applied " in ran.out
    assert program("doctor").code == 1
    assert (program.home / "memories/USER.md").read_bytes() == b"\xff\xfe broken"


def test_documents_go_by_several_names(program: Program) -> None:
    for name in (
        "memory",
        "MEMORY.md",
        "memories/MEMORY.md",
        str(program.home / "memories/MEMORY.md"),
    ):
        assert program("history", name).code == 0
    for name in ("release-notes", "dev/release-notes", "python-testing/references/flaky.md"):
        ran = program("blame", name)
        assert ran.code == 0, ran.err
    for name in ("", "nothing", "../../etc/passwd", "/etc/passwd"):
        assert program("history", name).code == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_that_is_full_is_one_line(program: Program) -> None:
    program("status")
    command = [sys.executable, "-m", "reviewdeck.cli.main", "list"]
    command += ["--home", str(program.home), "--ledger", str(program.ledger)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert one_line(done.stderr), done.stderr


def test_an_interruption_is_one_line(
    program: Program, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = (
        "import os, signal, sys\n"
        "from reviewdeck.cli.main import main\n"
        "def interrupt(event, arguments):\n"
        "    if event == 'open' and str(arguments[0]) == '/dev/stdin':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.addaudithook(interrupt)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    item = program.read("list")[0]
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    waiting = ("merge", item["id"], "--digest", "0" * 12, "--file", "/dev/stdin")
    read, write = os.pipe()
    try:
        done = spawn("-c", script, *waiting, *where, stdin=read)
    finally:
        os.close(read)
        os.close(write)
    told = "reviewdeck: Interrupted. Nothing was changed.\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", told)


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("import reviewdeck.cli.main", ""),
        ("import reviewdeck.cli.table", "reviewdeck: Interrupted. Nothing was changed.\n"),
        ("a class of reviewdeck.cli.table", "reviewdeck: Interrupted. Nothing was changed.\n"),
        ("the end", ""),
    ],
)
def test_an_interruption_shows_no_traceback_while_the_program_loads_or_ends(
    program: Program,
    spawn: Callable[..., subprocess.CompletedProcess[str]],
    when: str,
    told: str,
) -> None:
    script = (
        "import os, signal, sys, threading\n"
        "when, *sys.argv[1:] = sys.argv[1:]\n"
        "def interrupt(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "class Late:\n"
        "    __set_name__ = interrupt\n"
        "def importing(event, arguments):\n"
        "    if event == 'import' and when == f'import {arguments[0]}':\n"
        "        interrupt()\n"
        "    if event == 'import' and when == f'a class of {arguments[0]}':\n"
        "        type('Made', (), {'name': Late()})\n"
        "sys.addaudithook(importing)\n"
        "if when == 'the end':\n"
        "    threading._register_atexit(interrupt)\n"
        "from reviewdeck.cli.entry import main\n"
        "sys.exit(main())\n"
    )
    done = spawn("-c", script, when, "list", "--home", str(program.home))
    assert (done.returncode, done.stderr) == (-signal.SIGINT, told)


def test_a_mistake_of_our_own_is_one_line_too(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str, now: datetime) -> datetime:
        raise AssertionError("\x1b[2J")

    monkeypatch.setattr("reviewdeck.cli.commands.since.moment_of", broken)
    ran = program("since", "2d")
    assert ran.code == 1
    assert one_line(ran.err) and "\x1b" not in ran.err
    monkeypatch.setenv("REVIEWDECK_DEBUG", "1")
    ran = program("since", "2d")
    assert ran.code == 1
    assert "Traceback" in ran.err and "\x1b" not in ran.err


def test_the_tour_without_a_terminal_says_what_to_do_instead(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("reviewdeck: The tour needs a terminal.") and "demo PATH" in said


def test_the_deck_is_not_served_without_a_terminal_to_unlock_it_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serve"]) == 2
    assert "needs a terminal" in capsys.readouterr().err


def test_help_for_a_command_that_there_is_not_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aprove", "--help"]) == 2
    said = capsys.readouterr()
    assert "There is no command 'aprove'. Did you mean approve?" in said.err
    assert said.out == ""


def test_an_export_of_keys_that_there_are_not_says_so(program: Program) -> None:
    ran = program("operators", "export")
    assert ran.code == 1
    assert "There are no keys" in ran.err and "reviewdeck init" in ran.err
    named = program("operators", "export", "dana")
    assert named.code == 1 and "No operator is called dana" in named.err


def test_a_number_out_of_range_is_said_in_the_words_of_any_other_wrong_value(
    program: Program,
) -> None:
    for value in ("0", "abc"):
        ran = program("list", "--limit", value)
        assert ran.code == 2 and f"--limit cannot be '{value}'" in ran.err
