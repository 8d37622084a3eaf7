"""The program on real homes, with a ledger of its own and nobody's environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program, run_here

from reviewdeck.demo import write_demo
from reviewdeck.engine.authorisation import no_ancestors


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No home, no ledger and no taste of whoever runs the tests."""
    for name in (
        "HERMES_HOME",
        "NO_COLOR",
        "FORCE_COLOR",
        "XDG_DATA_HOME",
        "REVIEWDECK_LEDGER",
        "REVIEWDECK_DEBUG",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TZ", "UTC")
    # Whoever runs the tests may be an agent: what the program under test decides is no less ours.
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: no_ancestors)


@pytest.fixture
def program(hermes_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the home that the real Hermes made."""
    return Program(hermes_home, tmp_path / "ledger" / "ledger.db", capsys)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs one command of the program in this process."""

    return partial(run_here, capsys)


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the sample home, which has conflicts."""
    home = tmp_path / "demo"
    write_demo(home, datetime.now(UTC))
    return Program(home, tmp_path / "ledger" / "ledger.db", capsys)


@pytest.fixture
def spawn(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python in a process of its own, as a user's shell would."""

    def run(*arguments: str, **extra: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=extra.pop("cwd", tmp_path),
            env={**os.environ, **extra.pop("env", {})},
            **extra,
        )

    return run
