"""A kill at any moment of a first start, a migration or a prune leaves a ledger that goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import unpack_earlier
from tests.ledger.samples import clock, id_of, proposal

from reviewdeck.ledger.integrity import find_damage
from reviewdeck.ledger.opening import back_up, is_current, open_ledger
from reviewdeck.ledger.place import make_directory
from reviewdeck.ledger.retention import prune

BEGIN = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.retention import prune
now = lambda: datetime.now(UTC)
print("ready", flush=True)
sys.stdin.readline()
"""
OPEN = "open_ledger(sys.argv[1], now=now).close()"
PRUNE = "prune(sys.argv[1], keep=timedelta(days=1), now=now)"
POINTS = 3


def run(code: str, path: Path, kill_after: float | None) -> float:
    """Runs this in a process, kills it after so long, and says how long it took."""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        began = time.monotonic()
        process.stdin.write("go\n")
        process.stdin.flush()
        if kill_after is None:
            assert process.wait(60) == 0
        else:
            time.sleep(kill_after)
            process.kill()
        process.wait()
        return time.monotonic() - began


def nothing(path: Path) -> None:
    """There is no ledger yet."""
    make_directory(path)


def older(path: Path) -> None:
    """A ledger of an earlier version."""
    assert unpack_earlier(path.parent).ledger == path


def full(path: Path) -> None:
    """A ledger with something to let go of."""
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(n, base=bytes([n]) * 900) for n in range(200)], {})
    prune(str(path), keep=timedelta(days=1), now=clock)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "code"), [(nothing, OPEN), (older, OPEN), (full, PRUNE)])
def test_a_kill_at_any_moment_leaves_a_ledger_that_goes_on(
    make: object, code: str, tmp_path: Path
) -> None:
    assert callable(make)
    whole = tmp_path / "whole" / "ledger.db"
    make(whole)
    took = run(code, whole, None)
    for number in range(POINTS):
        path = tmp_path / str(number) / "ledger.db"
        make(path)
        run(code, path, took * (number + 0.5) / POINTS)
        with open_ledger(str(path), now=clock) as ledger:
            ledger.add([proposal(1)], {})
            assert ledger.state_of(id_of(1)) is not None
            assert ledger.verify() is None
        assert find_damage(str(path)) == ()
        assert is_current(path)
        assert back_up(path, "test", clock).stat().st_size > 0
