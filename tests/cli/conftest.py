"""The program on real homes, with a ledger of its own and nobody's environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Prepared, Program, run_here
from tests.cli.site import Site, prepared_site

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


@pytest.fixture(scope="session")
def _known(tmp_path_factory: pytest.TempPathFactory, _unpacked: Path) -> Prepared:
    def make(program: Program) -> None:
        shutil.copytree(_unpacked, program.home, symlinks=True)
        assert program("list").code == 0

    return Prepared(tmp_path_factory.mktemp("known"), make)


@pytest.fixture
def program(_known: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the home that the real Hermes made, which it has looked at once."""
    return _known.restored(capsys)


@pytest.fixture
def hermes_home(program: Program) -> Path:
    """The home of `program`."""
    return program.home


def sample_home(root: Path, command: str, code: int) -> Prepared:
    """The sample home after one command, which ended with this code."""

    def make(program: Program) -> None:
        write_demo(program.home, datetime.now(UTC))
        assert program(command).code == code

    return Prepared(root, make)


@pytest.fixture(scope="session")
def _demo(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return sample_home(tmp_path_factory.mktemp("demo"), "list", 0)


@pytest.fixture
def demo(_demo: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the sample home, which has conflicts and which it has looked at once."""
    return _demo.restored(capsys)


@pytest.fixture(scope="session")
def _applied(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return sample_home(tmp_path_factory.mktemp("applied"), "auto", 3)


@pytest.fixture
def applied(_applied: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program over the sample home, in which it has applied what passes all checks."""
    return _applied.restored(capsys)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site in use, and the program in processes of its own."""
    with prepared_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs one command of the program in this process."""

    return partial(run_here, capsys)


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
