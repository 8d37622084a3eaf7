"""CPU per command, and the import cost of one command as a tree.

`python -m benchmarks.imports` measures over a sample home of its own; `--tree list` prints what
`list` imports, with the milliseconds each module takes together with what it imports.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

PROGRAM: Final = ("-m", "reviewdeck.cli.entry")
GOALS: Final[Mapping[tuple[str, ...], float]] = {
    ("status", "--short"): 0.2,
    ("list",): 0.35,
    ("status",): 0.35,
    ("since",): 0.35,
    ("show", "ID"): 0.35,
    ("diff", "ID"): 0.35,
    ("--help",): 0.15,
    ("list", "--help"): 0.35,
}
"""Seconds of CPU that an everyday command may take over a home in which nothing moved."""
_LINE: Final = re.compile(r"import time:\s+\d+ \|\s+(\d+) \|( +)(\S+)$")


def main() -> None:
    """Prints the table, or the tree of one command."""
    parser = argparse.ArgumentParser(description="The import cost of the command line.")
    parser.add_argument("--runs", type=int, default=5, help="runs a command; the least counts")
    parser.add_argument("--tree", nargs=argparse.REMAINDER, help="the command to take apart")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder))
        proposal = prepared(env)
        if arguments.tree is not None:
            print("\n".join(tree([*PROGRAM, *arguments.tree], env)))
            return
        _print_table(proposal, env, arguments.runs)


def environment(folder: Path) -> dict[str, str]:
    places = {name: str(folder / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    return {
        **os.environ,
        **places,
        "XDG_STATE_HOME": str(folder / "state"),
        "HERMES_HOME": str(folder / "home"),
    }


def prepared(env: Mapping[str, str]) -> str:
    """Writes the sample home, takes it in, and gives the id of one that is ready."""
    _run([*PROGRAM, "demo", env["HERMES_HOME"]], env)
    _run([*PROGRAM, "status"], env)
    listed = json.loads(_run([*PROGRAM, "list", "--state", "ready", "--json"], env).stdout)
    return str(listed[0]["id"])


def _print_table(proposal: str, env: Mapping[str, str], runs: int) -> None:
    bare = cpu(["-c", "pass"], env, runs)
    print(f"{'command':16} {'CPU, s':>7} {'x bare Python':>14} {'goal, s':>8}")
    print(f"{'python -c pass':16} {bare:7.3f} {1:14.1f}")
    for words, goal in GOALS.items():
        tokens = [proposal if word == "ID" else word for word in words]
        seconds = cpu([*PROGRAM, *tokens], env, runs)
        name, verdict = " ".join(words), "" if seconds <= goal else "  too much"
        print(f"{name:16} {seconds:7.3f} {seconds / bare:14.1f} {goal:8.2f}{verdict}")


def cpu(words: Sequence[str], env: Mapping[str, str], runs: int) -> float:
    """The least seconds of CPU, user and system, that a fresh interpreter takes.

    Whatever else the machine does adds to it and never takes from it.
    """
    return min(_cpu_once(words, env) for _ in range(runs))


def _cpu_once(words: Sequence[str], env: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(words, env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tree(words: Sequence[str], env: Mapping[str, str], least: int = 5_000) -> list[str]:
    """The import tree, without imports below `least` microseconds."""
    output = _run(["-X", "importtime", *words], env).stderr
    matches = [match for line in output.splitlines() if (match := _LINE.match(line))]
    # The interpreter names a module after what it imports: backwards, the importer comes first.
    rows = ((int(match[1]), match[2][1:], match[3]) for match in reversed(matches))
    return [f"{took / 1000:8.1f} ms {depth}{name}" for took, depth, name in rows if took >= least]


def _run(words: Sequence[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    main()
