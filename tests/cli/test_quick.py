"""`status --short` without the engine says what the long way says, or leaves it to that."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.cli.program import Program

from reviewdeck.cli import quick
from reviewdeck.cli.quick import quickly
from reviewdeck.cli.situation import WAITING
from reviewdeck.model import State

Spawn = Callable[..., CompletedProcess[str]]


def _where(program: Program) -> list[str]:
    return ["--home", str(program.home), "--ledger", str(program.ledger)]


def test_the_states_are_those_of_the_engine() -> None:
    assert sorted(quick.OPEN) == sorted(state.value for state in State if state.is_open)
    assert sorted(quick.WAITING) == sorted(state.value for state in WAITING)


def test_both_ways_say_the_same(program: Program) -> None:
    said = program("status", "--short").out
    assert quickly(["status", "--short", *_where(program)]) == said


def test_both_ways_say_the_same_of_drafts_and_of_what_was_put_off(program: Program) -> None:
    first, *_ = program.read("list")
    program("defer", first["proposal"])
    said = program("status", "--short").out
    assert quickly(["status", *_where(program), "--short"]) == said


def test_both_ways_list_the_same(program: Program) -> None:
    said = program("list").out
    assert len(said.splitlines()) > 5
    assert quickly(["list", *_where(program)]) == said


def test_both_ways_list_the_same_where_nothing_waits(program: Program) -> None:
    for item in program.read("list"):
        (program.home / item["source"]).unlink()
    said = program("list").out
    assert quickly(["list", *_where(program)]) == said


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
        ["list", "--limit", "3"],
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


def test_the_program_answers_without_loading_the_engine(program: Program, spawn: Spawn) -> None:
    said = program("status", "--short").out
    watched = (
        "import sys\nfrom reviewdeck.cli.entry import main\ncode = main()\n"
        "print(sorted({'cyclopts', 'rich', 'reviewdeck.model'} & set(sys.modules)), code)\n"
    )
    done = spawn("-c", watched, "status", "--short", *_where(program))
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
