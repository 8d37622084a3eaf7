"""`reviewdeck mcp` before there is an agent: what is missing is said."""

from __future__ import annotations

import importlib.util
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from reviewdeck.cli.main import main


def test_without_the_extra_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "reviewdeck.cli.commands.mcp.find_spec",
        lambda name: None if name == "mcp" else found(name),
    )
    assert main(["mcp"]) == 1
    assert "pip install 'reviewdeck[mcp]'" in capsys.readouterr().err


def test_a_person_who_starts_it_by_hand_is_told_what_it_is_for(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
    paths = os.pathsep.join(path for path in sys.path if path)
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reviewdeck.cli.main", "mcp", "--home", str(home)],
            stdin=follower,
            env={"PYTHONPATH": paths, "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 2 and "docs/mcp.md" in done.stderr
