"""What a command loads: starting fast is a promise, and so is never loading difflib."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Program

Spawn = Callable[..., subprocess.CompletedProcess[str]]
HEAVY = (
    *("sqlmodel", "sqlalchemy", "alembic", "pydantic", "nacl", "watchfiles", "rich.markdown"),
    *("mcp", "reviewdeck.mcp.session", "jinja2"),
)
NEVER = ("difflib", "snowballstemmer", "textual", "reviewdeck_tui.app")
PROBE = """
import json, sys
from reviewdeck.cli.main import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(spawn: Spawn, program: Program, *tokens: str) -> tuple[int, set[str]]:
    """The exit code of a command in a fresh process, and the modules that it loaded."""
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    done = spawn("-c", PROBE, *tokens, *where)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(modules)


RULES = ("reviewdeck.engine.evaluate", "reviewdeck.policy.gate", "reviewdeck.planning.stage")
JUDGING = ("reviewdeck.engine.judge", "reviewdeck.policy.gate", "reviewdeck.origin.said")
WRITING = ("reviewdeck.engine.decide", "reviewdeck.engine.applier", "reviewdeck.engine.intake")
PICTURES = ("rich.console", "rich.text")
LISTS = (*RULES, *PICTURES, "rapidfuzz", "ruamel.yaml", "tomllib", "reviewdeck.text.entries")


@pytest.mark.parametrize(
    ("tokens", "without"),
    [
        (("status", "--short"), LISTS),
        (("list",), LISTS),
        (("list", "--json"), LISTS),
        (("status",), (*RULES, "reviewdeck.origin.classify")),
        (("since",), RULES),
        (("since", "--json"), (*RULES, *PICTURES)),
        (("report", "--format", "csv"), (*RULES, *PICTURES)),
        (("history", "memory"), RULES),
        (("blame", "memory"), RULES),
        (("why", "a retry of the flaky test"), RULES),
        (("show", "cd551737"), (*JUDGING, "ruamel.yaml")),
        (("show", "cd551737", "--json"), (*JUDGING, *PICTURES)),
        (("diff", "cd551737"), (*JUDGING, "ruamel.yaml")),
        (("policy", "explain", "cd551737"), ()),
    ],
)
def test_a_look_at_an_unchanged_home_loads_no_more_than_it_needs(
    program: Program, spawn: Spawn, tokens: tuple[str, ...], without: tuple[str, ...]
) -> None:
    program("status")
    code, modules = loaded(spawn, program, *tokens)
    assert code == 0
    assert not modules & {*HEAVY, *NEVER, *WRITING, "importlib.metadata", *without}


@pytest.mark.parametrize("token", ["--help", "--version"])
def test_help_loads_nothing_that_opens_a_ledger_or_a_home(
    program: Program, spawn: Spawn, token: str
) -> None:
    code, modules = loaded(spawn, program, token)
    ours = {f"reviewdeck.{name}" for name in ("ledger", "homes", "files", "engine", "cli.session")}
    assert code == 0
    assert not modules & {*HEAVY, *NEVER, *ours, "reviewdeck.model", "ruamel.yaml"}


def test_skills_are_compared_without_a_ledger_and_without_rules(
    program: Program, spawn: Spawn, tmp_path: Path
) -> None:
    (tmp_path / "skills").mkdir()
    code, modules = loaded(spawn, program, "skills", "verify", str(tmp_path / "skills"))
    assert code == 0
    assert not modules & {
        *HEAVY,
        *NEVER,
        *WRITING,
        *RULES,
        "ruamel.yaml",
        "reviewdeck.policy.plain",
    }


def test_a_home_that_moved_is_taken_in_before_the_queue_is_shown(program: Program) -> None:
    program("status")
    item = program.read("list")[0]
    (program.home / item["source"]).unlink()
    assert item["id"] not in {one["id"] for one in program.read("list")}


COMMANDS = (
    ("status",),
    ("since",),
    ("since", "1d", "--mark"),
    ("auto", "--dry-run"),
    ("list",),
    ("show", "cd551737"),
    ("diff", "cd551737"),
    ("policy", "explain", "cd551737"),
    ("approve", "cd551737", "--digest", "0" * 64),
    ("merge", "cd551737", "--take", "live", "--digest", "0" * 64),
    ("defer", "cd551737"),
    ("reject", "cd551737", "--reason", "no"),
    ("auto",),
    ("undo", "0000"),
    ("log",),
    ("history", "memory"),
    ("blame", "memory"),
    ("why", "a retry of the flaky test"),
    ("recover",),
    ("doctor",),
    ("status", "--help"),
    ("lst",),
    ("list", "--stat", "x"),
    ("list", "--state", "x"),
    ("approve", "x", "--digset", "y"),
    (),
)


@pytest.mark.slow
def test_no_command_ever_loads_difflib_or_the_terminal_app(
    program: Program, spawn: Spawn, tmp_path: Path
) -> None:
    runs = [*COMMANDS, ("demo", str(tmp_path / "made-up"))]
    probe = PROBE.replace("code = main(sys.argv[1:])", LOOP)
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    done = spawn("-c", probe, json.dumps([[*tokens, *where] for tokens in runs]))
    codes, modules = json.loads(done.stderr.splitlines()[-1])
    assert len(codes) == len(runs)
    assert set(codes) <= {0, 1, 2, 3}
    assert set(NEVER).intersection(modules) == set()


LOOP = """
code = []
for tokens in json.loads(sys.argv[1]):
    code.append(main(tokens))
"""
