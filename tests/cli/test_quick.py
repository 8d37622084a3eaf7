"""The quick answers say what the long way says, or leave it to that."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.cli.program import Program

from reviewdeck.cli import quick
from reviewdeck.cli.main import main
from reviewdeck.cli.quick import quickly
from reviewdeck.cli.quick_list import GRAVE
from reviewdeck.ledger.cells import dump
from reviewdeck.model import Severity, State
from reviewdeck.presentation.situation import WAITING

Spawn = Callable[..., CompletedProcess[str]]


def _where(program: Program) -> list[str]:
    return ["--home", str(program.home), "--ledger", str(program.ledger)]


def test_the_states_are_those_of_the_engine() -> None:
    assert sorted(quick.OPEN) == sorted(state.value for state in State if state.is_open)
    assert sorted(quick.STATES) == sorted(state.value for state in State)
    assert sorted(quick.WAITING) == sorted(state.value for state in WAITING)


def test_both_ways_say_the_same(program: Program) -> None:
    said = program("status", "--short").out
    assert quickly(["status", "--short", *_where(program)]) == said


def test_both_ways_say_the_same_of_drafts_and_of_what_was_put_off(program: Program) -> None:
    first, *_ = program.read("list")
    program("defer", first["proposal"])
    said = program("status", "--short").out
    assert quickly(["status", *_where(program), "--short"]) == said


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        ["--no-color"],
        ["--limit", "3"],
        ["--state", "refused"],
        ["--state", "approved", "--limit", "2"],
        ["--after", "5"],
        ["--after", "1"],
    ],
)
@pytest.mark.parametrize("columns", ["40", "80", "132"])
def test_both_ways_list_the_same(
    program: Program, tokens: list[str], columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    said = program("list", *tokens).out
    assert said
    assert quickly(["list", *tokens, *_where(program)]) == said


def test_both_ways_list_several_homes_the_same(
    program: Program, demo: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program.home / "profiles").mkdir()
    demo.home.rename(program.home / "profiles" / "work")
    monkeypatch.setenv("HERMES_HOME", str(program.home))
    where = ["--ledger", str(program.ledger)]
    program.capsys.readouterr()
    main(["list", *where])
    said = program.capsys.readouterr().out
    assert {"default", "work"} <= {line.split()[1] for line in said.splitlines()[1:-1]}
    assert quickly(["list", *where]) == said


def test_both_ways_say_the_same_of_what_is_hostile_secret_or_short_of_room(
    program: Program,
) -> None:
    program("list")
    token = "ghp_" + "a1" * 18
    capped = [
        {"code": "allowance", "severity": "low", "message": "Full.", "span": None, "quote": None},
        {"code": "x", "severity": "high", "message": "M", "span": None, "quote": '"severity"'},
    ]
    with closing(sqlite3.connect(program.ledger)) as ledger, ledger:
        ledger.execute(
            "UPDATE proposal SET state = 'ready', gist = ?, target = ?, findings = ?"
            " WHERE state = 'ready'",
            (f"key {token} \x1b[31m日本語", "[red]\u202eback", dump(capped)),
        )
    said = program("list").out
    assert "waiting for room. Full." in said
    assert "! ready" in said
    assert token not in said
    assert "\x1b" not in said
    assert quickly(["list", *_where(program)]) == said


@pytest.mark.parametrize(
    ("column", "value"), [("findings", "no json"), ("created_at", "soon"), ("gist", b"\xff")]
)
def test_a_damaged_row_is_left_to_the_long_way(program: Program, column: str, value: Any) -> None:
    program("list")
    with closing(sqlite3.connect(program.ledger)) as ledger, ledger:
        ledger.execute("PRAGMA ignore_check_constraints = ON")
        ledger.execute(f"UPDATE proposal SET {column} = ?", (value,))  # noqa: S608 - ours
    assert quickly(["list", *_where(program)]) is None


def test_the_grave_severities_are_those_of_the_engine() -> None:
    assert set(GRAVE) == {one.value for one in Severity if one.rank >= Severity.HIGH.rank}


def test_an_empty_queue_is_left_to_the_long_way(program: Program) -> None:
    for item in program.read("list"):
        (program.home / item["source"]).unlink()
    assert program("list").out.startswith("Nothing is waiting.\n")
    assert quickly(["list", *_where(program)]) is None  # It says whether the agent stages at all.
    dead = ["list", "--state", "dead", *_where(program)]
    assert quickly(dead) == program(*dead[:3]).out


def test_a_home_that_moved_is_left_to_the_long_way(program: Program) -> None:
    program("status", "--short")
    assert quickly(["status", "--short", *_where(program)]) is not None
    with (program.home / "memories" / "MEMORY.md").open("a") as memory:
        memory.write("\n§\nOne more.")
    assert quickly(["status", "--short", *_where(program)]) is None


@pytest.mark.parametrize(
    "tokens",
    [
        ["status"],
        ["status", "--short", "--json"],
        ["status", "--short", "--home"],
        ["status", "--short", "--all-profiles"],
        ["status", "--short", "more"],
        ["list", "--short"],
        ["list", "--json"],
        ["list", "--limit", "0"],
        ["list", "--limit", "100001"],
        ["list", "--after", "x"],
        ["list", "--state", "odd"],
        ["list", "--state", "dead", "refused"],
        ["list", "--all-profiles"],
    ],
)
def test_anything_but_the_plain_call_is_left_to_the_long_way(
    program: Program, tokens: list[str]
) -> None:
    program("status", "--short")
    assert quickly([*tokens, *_where(program)]) is None


def test_what_is_missing_or_damaged_is_left_to_the_long_way(
    program: Program, tmp_path: Path
) -> None:
    home = ["status", "--short", "--home", str(program.home)]
    assert quickly([*home, "--ledger", str(tmp_path / "none.db")]) is None
    (tmp_path / "odd.db").write_bytes(b"not a database" * 100)
    assert quickly([*home, "--ledger", str(tmp_path / "odd.db")]) is None
    gone = ["status", "--short", "--home", str(tmp_path / "gone")]
    assert quickly([*gone, "--ledger", str(program.ledger)]) is None


def test_a_memory_behind_a_link_is_left_to_the_long_way(program: Program, tmp_path: Path) -> None:
    memory = program.home / "memories" / "MEMORY.md"
    memory.rename(tmp_path / "elsewhere.md")
    memory.symlink_to(tmp_path / "elsewhere.md")
    said = program("status", "--short").out
    assert said
    assert quickly(["status", "--short", *_where(program)]) is None


@pytest.mark.parametrize("tokens", [("status", "--short"), ("list",)])
def test_the_program_answers_without_loading_the_engine(
    program: Program, spawn: Spawn, tokens: tuple[str, ...]
) -> None:
    said = program(*tokens).out
    watched = (
        "import sys\nfrom reviewdeck.cli.entry import main\ncode = main()\n"
        "heavy = {'cyclopts', 'rich.table', 're2', 'reviewdeck.model'} & set(sys.modules)\n"
        "print(sorted(heavy), code)\n"
    )
    done = spawn("-c", watched, *tokens, *_where(program))
    assert done.stdout == f"{said}[] 0\n"


def test_the_program_goes_the_long_way_by_itself(program: Program) -> None:
    script = "import sys; from reviewdeck.cli.entry import main; sys.exit(main())"
    from subprocess import run

    done = run(
        [sys.executable, "-c", script, "status", "--short", "--json", *_where(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HOME": str(program.home.parent)},
    )
    assert '"waiting"' in done.stdout
