"""A process that is killed at any step leaves each plan applied whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_each_plan_whole_or_absent(tmp_path: Path) -> None:
    # A process of its own: it forks, and a fork of a process with threads is a lottery.
    command = [sys.executable, "-m", "tests.engine.crashes", str(tmp_path), "9"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["wrong"] == []
    assert found["points"] >= 40
