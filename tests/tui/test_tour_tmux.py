"""The tour in a real terminal: what it made is gone, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.test_e2e_tmux import Terminal, program_in

pytestmark = [
    pytest.mark.slow,  # A program of its own, in a terminal.
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where the program makes its home."""
    found = tmp_path / "tmp"
    found.mkdir()
    return found


@pytest.fixture
def terminal(tmp_path: Path, temporary: Path) -> Iterator[Terminal]:
    """`reviewdeck demo`."""
    program, left = program_in(tmp_path, "demo")
    # A path of a socket has at most about a hundred characters.
    socket = Path("/tmp") / f"reviewdeck-tour-{os.getpid()}.tmux"  # noqa: S108 - our own, removed below
    command = f"exec env HOME={tmp_path} TMPDIR={temporary} {sys.executable} {program}"
    terminal = Terminal(socket, command, left)
    terminal.start()
    yield terminal
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, capture_output=True)
    socket.unlink(missing_ok=True)


def test_q_leaves_and_nothing_is_left(terminal: Terminal, temporary: Path) -> None:
    terminal.sees("TOUR 1 of 5", "2 shows what was applied automatically")
    assert list(temporary.iterdir())
    terminal.press("2")
    terminal.sees("TOUR 2 of 5", "then esc")
    terminal.press("Escape")
    terminal.sees("m merges the conflict under the cursor")
    terminal.press("q")
    assert terminal.ends() == "0"
    terminal.sees("the sample home was deleted")
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["hang-up", "end"])
def test_a_signal_ends_it_and_nothing_is_left(
    terminal: Terminal, temporary: Path, number: signal.Signals
) -> None:
    terminal.sees("TOUR 1 of 5")
    pid = int(terminal.tmux("display-message", "-p", "-t", "deck", "#{pane_pid}"))
    os.kill(pid, number)
    assert terminal.ends() == str(128 + number)
    assert not list(temporary.iterdir())
