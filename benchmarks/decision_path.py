"""What one command passes on its way: CPU, functions, evaluations, snapshots, transactions.

    python -m benchmarks.decision_path [--root DIR]...

Each root is a checkout; with several, the same sample home is measured with each in turn, so that
two versions can be held against each other in one run. Counts come from one run of each command
under a profiler, seconds are the least of several.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

RUNS: Final = 5
PACKAGES: Final = ("engine", "ledger", "ports")
PROBE: Final = r"""
import json, sqlite3, sys
from collections import Counter
counts, held = Counter(), [0]
connect = sqlite3.connect

def traced(*words, **options):
    made = connect(*words, **options)
    def statement(text):
        head = text.lstrip().upper()
        if head.startswith("BEGIN IMMEDIATE"):
            counts["writing"] += 1
        elif head.startswith("BEGIN"):
            counts["reading"] += 1
        elif not head.startswith(("PRAGMA", "COMMIT", "ROLLBACK")) and held[0]:
            counts["under the agent's lock"] += 1
    made.set_trace_callback(statement)
    return made

sqlite3.connect = sqlite3.dbapi2.connect = traced

def profile(frame, event, argument):
    code = frame.f_code
    if event == "call":
        name = code.co_filename
        if "/reviewdeck/" in name:
            counts["functions"] += code not in seen
            seen.add(code)
            counts["evaluations"] += code.co_name == "_evaluate" and name.endswith("evaluate.py")
            counts["snapshots"] += code.co_name == "snapshot" and "/homes/" in name

seen = set()
from contextlib import contextmanager
from reviewdeck.cli.main import main
from reviewdeck.homes.hermes.writer import HermesWriter
lock = HermesWriter.lock

@contextmanager
def locked(writer, paths):
    with lock(writer, paths):
        held[0] += 1
        try:
            yield
        finally:
            held[0] -= 1

HermesWriter.lock = locked
sys.setprofile(profile)
try:
    main(sys.argv[1:])
finally:
    sys.setprofile(None)
    print(json.dumps(counts), file=sys.stderr)
"""


class Stage:
    """A sample home and its ledger, used through one checkout."""

    def __init__(self, root: Path, folder: Path) -> None:
        paths = (str(root / "core"), str(root / "tui"))
        places = {name: str(folder / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")} | {
            "XDG_STATE_HOME": str(folder / "state"),
            "HERMES_HOME": str(folder / "home"),
        }
        self.env = {**os.environ, **places, "PYTHONPATH": os.pathsep.join(paths)}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self.run("demo", places["HERMES_HOME"])
        self.run("auto")

    def run(self, *words: str) -> str:
        """What a command prints."""
        return self._python("-m", "reviewdeck.cli.entry", *words).stdout

    def ready(self) -> list[tuple[str, str]]:
        """The ready proposals, with their digests."""
        listed = json.loads(self.run("list", "--state", "ready", "--json"))
        return [(one["id"], one["digest"]) for one in listed if one["digest"]]

    def seconds(self, *words: str) -> float:
        """The CPU of one run, user and system."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run(*words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def counts(self, *words: str) -> dict[str, Any]:
        """What the probe counted."""
        counted: dict[str, Any] = json.loads(
            self._python("-c", PROBE, *words).stderr.splitlines()[-1]
        )
        return counted

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], env=self.env, capture_output=True, text=True, check=False
        )


def measure(root: Path) -> dict[str, str]:
    """The figures of one checkout."""
    figures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(root, Path(folder))
        (counted, digest), *more = stage.ready()
        found = stage.counts("approve", counted, "--digest", digest)
        for name in ("evaluations", "snapshots", "reading", "writing", "under the agent's lock"):
            figures[f"approve: {name}"] = str(found.get(name, 0))
        figures["approve: functions"] = str(found["functions"])
        stage.run("list")
        figures["list: functions"] = str(stage.counts("list")["functions"])
        times = [stage.seconds("approve", id, "--digest", digest) for id, digest in more[:RUNS]]
        figures["approve, s"] = f"{min(times):.2f}"
        (id, _), *rest = more[RUNS:]
        rejecting = [stage.seconds("reject", one, "--reason", "no") for one, _ in rest[:RUNS]]
        figures["reject, s"] = f"{min(rejecting):.2f}"
        for words in (
            ("log",),
            ("auto",),
            ("list",),
            ("status",),
            ("since",),
            ("show", id),
            ("diff", id),
        ):
            stage.run(*words)
            figures[f"{words[0]}, s"] = f"{min(stage.seconds(*words) for _ in range(RUNS)):.2f}"
    sources = [
        *(path for name in PACKAGES for path in (root / "core/reviewdeck" / name).rglob("*.py")),
        root / "core/reviewdeck/bootstrap.py",
        root / "tui/reviewdeck_tui/engine.py",
    ]
    figures["lines of engine, ledger, ports, bootstrap, deck's engine"] = str(
        sum(len(path.read_text("utf-8").splitlines()) for path in sources)
    )
    figures["methods of protocols"] = str(sum(map(_protocol_methods, root.rglob("core/**/*.py"))))
    return figures


def _protocol_methods(path: Path) -> int:
    tree = ast.parse(path.read_text("utf-8"))
    return sum(
        isinstance(part, ast.FunctionDef)
        for one in ast.walk(tree)
        if isinstance(one, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in one.bases)
        for part in one.body
    )


def main(words: Sequence[str] | None = None) -> None:
    """Prints a table with a column for each checkout."""
    parser = argparse.ArgumentParser(description="The way of a decision, in figures.")
    parser.add_argument("--root", type=Path, action="append", help="a checkout; this one if none")
    roots = parser.parse_args(words).root or [Path(__file__).parents[1]]
    columns = [measure(root.resolve()) for root in roots]
    print(f"| figure | {' | '.join(root.name for root in roots)} |")
    print(f"| --- | {' | '.join('---' for _ in roots)} |")
    for name in columns[0]:
        print(f"| {name} | {' | '.join(column[name] for column in columns)} |")


if __name__ == "__main__":
    main()
