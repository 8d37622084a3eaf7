"""A process that is killed at any step leaves each plan applied whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def killed(tmp_path: Path, *options: str) -> dict[str, Any]:
    """What the scenarios come to, in a process of its own: it forks, beside no threads."""
    command = [sys.executable, "-m", "tests.engine.crashes", str(tmp_path), *options]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_each_plan_whole_or_absent(tmp_path: Path) -> None:
    found = killed(tmp_path, "9")
    assert found["wrong"] == []
    assert found["points"] >= 40


def test_a_rejection_that_is_killed_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    found = killed(tmp_path, "1", "a rejected proposal")
    assert found["wrong"] == []
    assert found["points"] >= 5
