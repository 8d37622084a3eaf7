"""Running the program, and telling whether a home is as it was."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.cli.main import main


@dataclass(frozen=True, slots=True)
class Ran:
    """How one run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


def run_here(capsys: pytest.CaptureFixture[str], *words: str) -> Ran:
    """Runs one command of the program in this process."""
    capsys.readouterr()
    code = main([*words])
    printed = capsys.readouterr()
    return Ran(code, printed.out, printed.err)


@dataclass(frozen=True, slots=True)
class Program:
    """`reviewdeck` over one home and one ledger."""

    home: Path
    ledger: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *tokens: str) -> Ran:
        """Runs one command in this process."""
        words = (*tokens, "--home", str(self.home), "--ledger", str(self.ledger))
        return run_here(self.capsys, *words)

    def read(self, *tokens: str) -> Any:
        """What a command prints with `--json`."""
        return self(*tokens, "--json").json

    def one(self, state: str, **wanted: str) -> dict[str, Any]:
        """The first proposal in a state that has these values."""
        found: list[dict[str, Any]] = self.read("list", "--state", state)
        return next(
            item for item in found if all(item[key] == value for key, value in wanted.items())
        )


class Prepared:
    """A home and its ledger as a few commands left them, which are run once in a run of tests.

    A ledger knows a home by its path: each test has both at the same place, as they were.
    """

    def __init__(self, root: Path, make: Callable[[Program], object]) -> None:
        self._make = make
        self._kept, self._used = root / "kept", root / "used"

    def restored(self, capsys: pytest.CaptureFixture[str]) -> Program:
        """The program over them, as nothing has touched them since."""
        program = Program(self._used / "home", self._used / "ledger" / "ledger.db", capsys)
        shutil.rmtree(self._used, ignore_errors=True)
        if self._kept.exists():
            shutil.copytree(self._kept, self._used, symlinks=True)
        else:
            self._make(program)
            shutil.copytree(self._used, self._kept, symlinks=True)
        return program


def fingerprint(home: Path) -> dict[str, tuple[int, int, str]]:
    """Every file and directory below a home: mode, time of its last change, content."""
    found = {}
    for path in sorted(home.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        digest = hashlib.sha256(data).hexdigest()
        found[str(path.relative_to(home))] = (status.st_mode, status.st_mtime_ns, digest)
    return found


def contents(home: Path) -> dict[str, tuple[int, str]]:
    """The same without the times."""
    return {name: (mode, data) for name, (mode, _, data) in fingerprint(home).items()}
