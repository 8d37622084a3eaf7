"""Mutates the modules that merge, and lists the mutants that no test of them notices.

The frozen merges are asked first, then the tests that state a sentence; those with made-up cases
are left out, since they ask something else in each run.

`python -m pip install cosmic-ray`, then `python benchmarks/text_mutation.py [MODULE ...]`. Most of
an hour for all of them; not a part of `make test`.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MODULES: Final = (
    "merge", "linemerge", "threeway", "conflicts", "entries", "pairing", "skills", "structure",
)  # fmt: skip
CHECK: Final = """
import sys
sys.dont_write_bytecode = True
sys.path[:0] = [".", "core"]
from tests.text.frozen import cases, outcome
for case in cases():
    now = outcome(case)
    if now != {name: case[name] for name in now}:
        sys.exit(1)
import pytest
tests = [f"tests/text/test_{name}.py" for name in (
    "front_matter", "structure", "merge_skill", "entries", "markers", "merge_laws"
)]
options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not hypothesis", "--assert", "plain"]
sys.exit(pytest.main([*options, *tests]))
"""
SETTINGS: Final = """
[cosmic-ray]
module-path = {modules}
timeout = 60.0
excluded-modules = []
test-command = "{python} check.py"
[cosmic-ray.distributor]
name = "local"
[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""
"""The excluded operator would change annotations, but for a union of counts and the flags of one
expression in `skills`, which were tried by hand."""
SURVIVORS: Final = """
SELECT module_path, operator_name, start_pos_row, diff FROM mutation_specs
JOIN work_results USING (job_id) WHERE test_outcome = 'SURVIVED'
ORDER BY module_path, start_pos_row
"""


def main(modules: Sequence[str]) -> None:
    """Runs cosmic-ray in a copy, and prints what survived."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "core", folder / "core")
        shutil.copytree(ROOT / "tests" / "text", folder / "tests" / "text")
        (folder / "check.py").write_text(CHECK, "utf-8")
        paths = [f"core/reviewdeck/text/{module}.py" for module in modules]
        settings = SETTINGS.format(modules=paths, python=sys.executable).replace("'", '"')
        (folder / "settings.toml").write_text(settings, "utf-8")
        for command in (
            ["cosmic_ray.cli", "init", "settings.toml", "session"],
            ["cosmic_ray.tools.filters.operators_filter", "session", "settings.toml"],
            ["cosmic_ray.cli", "exec", "settings.toml", "session"],
        ):
            subprocess.run([sys.executable, "-m", *command], cwd=folder, check=True)
        _report(folder / "session")


def _report(session: Path) -> None:
    with sqlite3.connect(session) as database:
        outcomes = database.execute(
            "SELECT test_outcome, count(*) FROM work_results GROUP BY test_outcome"
        ).fetchall()
        survivors = database.execute(SURVIVORS).fetchall()
    for path, operator, row, diff in survivors:
        print(f"{path}:{row} {operator}\n{diff}\n")
    print(", ".join(f"{outcome or 'skipped'}: {count}" for outcome, count in outcomes))


if __name__ == "__main__":
    main(sys.argv[1:] or MODULES)
