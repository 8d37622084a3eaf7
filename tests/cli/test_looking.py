"""Looking never writes: not a byte, not a mode, not a time of the home."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.cli.program import Program, fingerprint

LOOKS = (
    ("status",),
    ("status", "--short"),
    ("since",),
    ("since", "3d", "--mark"),
    ("auto", "--dry-run"),
    ("list",),
    ("show", "cd551737"),
    ("diff", "cd551737"),
    ("policy", "explain", "cd551737"),
    ("log",),
    ("history", "memory"),
    ("blame", "memory"),
    ("why", "a retry of the flaky test"),
    ("doctor",),
    (),
)


def test_no_command_that_looks_changes_the_home(program: Program) -> None:
    before = fingerprint(program.home)
    for tokens in LOOKS:
        ran = program(*tokens)
        assert ran.code in (0, 3), (tokens, ran.err)
        assert ran.out.strip()
        assert fingerprint(program.home) == before, tokens


def test_make_run_shows_a_real_home_and_leaves_it_alone(
    hermes_home: Path, tmp_path: Path, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before = fingerprint(hermes_home)
    here = tmp_path / "here"
    here.mkdir()
    done = spawn("-m", "reviewdeck.cli.first_run", cwd=here, env={"HERMES_HOME": str(hermes_home)})
    assert done.returncode == 0, done.stderr
    assert "Nothing in it is changed." in done.stdout
    assert "Would apply 2 proposals" in done.stdout
    assert "--ledger" not in done.stdout
    assert fingerprint(hermes_home) == before


def test_make_run_in_the_home_itself_leaves_it_alone_too(
    hermes_home: Path, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before = fingerprint(hermes_home)
    done = spawn(
        "-m", "reviewdeck.cli.first_run", cwd=hermes_home, env={"HERMES_HOME": str(hermes_home)}
    )
    assert done.returncode == 0, done.stderr
    assert fingerprint(hermes_home) == before


def test_make_run_without_a_home_works_on_a_made_up_one(
    tmp_path: Path, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    spawn("-m", "reviewdeck.cli.first_run", cwd=here)
    done = spawn("-m", "reviewdeck.cli.first_run", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "Applied " in done.stdout
    assert done.stdout.count("--home .demo/home --ledger .demo/ledger.db") >= 3
    suggested = done.stdout.strip().splitlines()[-1].split()
    shown = spawn("-m", "reviewdeck.cli.main", *suggested[1:], cwd=here)
    assert shown.returncode == 0
    assert "# conflict" in shown.stdout


def test_make_run_never_replaces_a_directory_that_is_not_the_demos(
    tmp_path: Path, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    own = tmp_path / "here" / ".demo" / "home" / "mine.txt"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    done = spawn("-m", "reviewdeck.cli.first_run", cwd=tmp_path / "here")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert [path.name for path in own.parent.iterdir()] == ["mine.txt"]


def test_a_reader_that_stops_early_gets_no_complaint(program: Program) -> None:
    program("status")
    command = f"{sys.executable} -m reviewdeck.cli.main list --home {program.home}"
    done = subprocess.run(
        ["bash", "-c", f"{command} --ledger {program.ledger} --json | head -n 1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("[\n", "")
