"""A shell offers commands, options and what is in the ledger, quickly and without harm."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cyclopts import App
from tests.cli.program import Program

from reviewdeck.cli.candidates import candidates
from reviewdeck.cli.commands.completion import commands_of, script
from reviewdeck.cli.table import build_app

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(scope="module")
def app() -> App:
    """The parser: what its scripts need of each command is looked up once."""
    return build_app()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command_and_the_shell_takes_it(
    shell: str, tmp_path: Path, app: App
) -> None:
    written = script(shell, app)
    for command in commands_of(app):
        assert command.words[-1] in written
        assert all(option.name[2:] in written for option in command.options)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / "script"
    file.write_text(written, "utf-8")
    subprocess.run([shell, "-n", str(file)], check=True)


def test_the_manual_page_has_every_command_and_option(app: App) -> None:
    page = script("man", app)
    for command in commands_of(app):
        assert f".SS {' '.join(command.words)}".replace("-", r"\-") in page
        for option in command.options:
            assert option.name.replace("-", "\\-") in page


def test_what_waits_is_offered_with_its_gist_and_what_was_done_with_its_document(
    applied: Program,
) -> None:
    there = ("--ledger", str(applied.ledger))
    ids = dict(line.split("\t") for line in candidates(["ID", *there]))
    assert set(ids) == {one["id"] for one in applied.read("list")}
    assert all(ids.values())
    assert "\u202e" not in "".join(ids.values())  # one proposal has it: it is told, not shown
    operations = dict(line.split("\t") for line in candidates(["OPERATION", *there]))
    assert "memories/MEMORY.md" in " ".join(operations.values())
    assert applied("undo", next(iter(operations))).code == 0
    documents = [line.split("\t")[0] for line in candidates(["DOCUMENT", *there])]
    assert {"memory", "user", "memories/MEMORY.md"} <= set(documents)


def test_a_document_that_a_shell_would_run_is_not_offered(applied: Program) -> None:
    with closing(sqlite3.connect(applied.ledger)) as ledger, ledger:
        ledger.execute("UPDATE operation_change SET path = 'skills/$(reboot)/SKILL.md'")
    offered = [*candidates(["DOCUMENT", "--ledger", str(applied.ledger)])]
    assert [line.split("\t")[0] for line in offered] == ["memory", "user"]


@pytest.mark.parametrize("ledger", ["none.db", "postgres://x", ""])
def test_nothing_is_said_where_no_ledger_can_be_read(ledger: str, tmp_path: Path) -> None:
    there = ledger if "://" in ledger else str(tmp_path / ledger)
    assert [*candidates(["ID", "--ledger", there])] == []


@pytest.mark.parametrize(
    ("type_of_completion", "expected"),
    [("9", "37a  ready: $(reboot)\n38b  dead"), ("37", "37a\n38b"), ("42", "37a\n38b")],
)
def test_bash_lists_a_gist_and_never_inserts_it(
    type_of_completion: str, expected: str, tmp_path: Path, app: App
) -> None:
    (tmp_path / "script").write_text(script("bash", app), "utf-8")
    program = tmp_path / "reviewdeck"
    program.write_text("#!/bin/sh\nprintf '37a\\tready: $(reboot)\\n38b\\tdead\\n'\n")
    program.chmod(0o755)
    asking = (
        f". {tmp_path}/script; COMP_WORDS=({program} approve ''); COMP_CWORD=2;"
        f' COMP_TYPE={type_of_completion}; _reviewdeck; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", asking], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_lists_what_waits_in_the_order_of_the_queue(tmp_path: Path, app: App) -> None:
    (tmp_path / "script").write_text(script("fish", app), "utf-8")
    program = tmp_path / "reviewdeck"
    program.write_text("#!/bin/sh\nprintf '9a\tready: $(reboot)\n38b\tdead\n'\n")
    program.chmod(0o755)
    asking = (
        f"set PATH {tmp_path} $PATH; source {tmp_path}/script; complete -C 'reviewdeck approve '"
    )
    done = subprocess.run(
        ["fish", "--no-config", "-c", asking], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["9a\tready: $(reboot)", "38b\tdead"]


def test_asking_for_candidates_loads_neither_the_parser_nor_a_model() -> None:
    code = (
        "import sys; from reviewdeck.cli.main import main; main(['--candidates', 'ID', '--ledger',"
        " 'none.db']); print(*(name for name in sys.modules if name.startswith(("
        "'cyclopts', 'rich', 'reviewdeck.engine', 'reviewdeck.model', 'sqlalchemy', 'textual'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
