"""A process that is killed between a turn and its sink has every turn retained exactly once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_turn_is_retained_exactly_once_in_order_under_its_own_session(
    tmp_path: Path,
) -> None:
    # A process of its own: it forks, and a fork of a process with threads is a lottery. All of
    # the hundred: `python -m tests.sessions.kills FOLDER 100`.
    command = [sys.executable, "-m", "tests.sessions.kills", str(tmp_path / "here"), "10"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["wrong"] == []
    assert found["left"] == []
    assert (found["kills"], found["turns"] > 40) == (10, True)
