"""A kill at any moment of a first start, a migration or a prune leaves a ledger that goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from tests.conftest import unpack_earlier
from tests.ledger.samples import clock, id_of, proposal
from tests.processes import Running, heard

from reviewdeck.clock import utc_now
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import back_up, is_current, open_ledger
from reviewdeck.ledger.place import make_directory
from reviewdeck.ledger.retention import prune

POINTS = 3


def open_it(pipe: Connection, path: Path) -> None:
    """Waits for a word, and opens the ledger."""
    pipe.send("ready")
    heard(pipe)
    open_ledger(str(path), now=utc_now).close()


def prune_it(pipe: Connection, path: Path) -> None:
    """Waits for a word, and lets go of what is old."""
    pipe.send("ready")
    heard(pipe)
    prune(str(path), keep=timedelta(days=1), now=utc_now)


def run(function: Callable[..., None], path: Path, kill_after: float | None) -> float:
    """Runs this in a process, kills it after so long, and says how long it took."""
    with Running(function, path) as running:
        assert running.receive() == "ready"
        began = time.monotonic()
        running.send("go")
        if kill_after is not None:
            time.sleep(kill_after)
            running.kill()
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
@pytest.mark.parametrize(
    ("make", "function"), [(nothing, open_it), (older, open_it), (full, prune_it)]
)
def test_a_kill_at_any_moment_leaves_a_ledger_that_goes_on(
    make: Callable[[Path], None], function: Callable[..., None], tmp_path: Path
) -> None:
    whole = tmp_path / "whole" / "ledger.db"
    make(whole)
    took = run(function, whole, None)
    for number in range(POINTS):
        path = tmp_path / str(number) / "ledger.db"
        make(path)
        run(function, path, took * (number + 0.5) / POINTS)
        with open_ledger(str(path), now=clock) as ledger:
            ledger.add([proposal(1)], {})
            assert ledger.state_of(id_of(1)) is not None
            assert ledger.verify() is None
        assert find_damage(str(path)) == ()
        assert is_current(path)
        assert back_up(path, "test", clock).stat().st_size > 0
