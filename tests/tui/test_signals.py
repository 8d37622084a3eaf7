"""A deck that is asked to end gives the terminal back, whatever is on the screen."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewdeck.demo.home import write_demo

pytestmark = pytest.mark.slow  # A program of its own, in a terminal.

ENDING = [signal.SIGTERM, signal.SIGHUP]
SCREENS = {
    "the queue": ("", signal.SIGHUP),
    "a filter being typed": ("/a", signal.SIGTERM),
    "the palette": ("\x10", signal.SIGTERM),
    "the reason of a rejection": ("r", signal.SIGHUP),
    "a merge": ("Cm", signal.SIGTERM),
    "the summary": ("aS", signal.SIGTERM),
}
_SHOWN = re.compile(rb"\x1b\[\?(1049|25|1000|1002|1003|1006|2004)([hl])")


class Deck:
    """A program in a terminal of its own."""

    def __init__(self, words: list[str], env: dict[str, str]) -> None:
        self.ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (30, 100))
        self.theirs = theirs
        self.before = termios.tcgetattr(theirs)
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reviewdeck.cli.entry", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env=env,
        )

    def read(self, seconds: float) -> bool:
        """Reads what comes within this time; says whether anything did."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        self.shown += os.read(self.ours, 65_536)
        return True

    def until(self, wanted: bytes) -> None:
        end = time.monotonic() + 60
        while wanted not in self.shown:
            assert time.monotonic() < end, self.shown[-2_000:]
            self.read(1)

    def type(self, keys: str) -> None:
        """Types keys, and waits until all is painted: a cursor blinks each half second."""
        for key in keys:
            os.write(self.ours, key.encode())
            while self.read(0.3):
                pass

    def ends(self) -> int:
        """Waits for its end, and reads what it still painted."""
        end = time.monotonic() + 60
        while (code := self.process.poll()) is None:
            assert time.monotonic() < end, "it did not end"
            self.read(0.1)
        while self.read(0.1):
            pass
        return code

    @property
    def modes(self) -> dict[str, str]:
        """The last state of each mode of the terminal that was switched."""
        return {name.decode(): state.decode() for name, state in _SHOWN.findall(self.shown)}


@contextmanager
def deck(folder: Path, *words: str) -> Iterator[Deck]:
    env = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "TERM": "xterm-256color"}
    started = Deck(list(words), env)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        os.close(started.ours)
        os.close(started.theirs)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / ".hermes"
    write_demo(folder, datetime.now(UTC))
    return folder


@pytest.mark.parametrize(("keys", "number"), SCREENS.values(), ids=SCREENS)
def test_a_signal_gives_the_terminal_back(home: Path, keys: str, number: signal.Signals) -> None:
    with deck(home.parent, "--home", str(home)) as started:
        started.until(b"Decide")
        started.type(keys)
        os.kill(started.process.pid, number)
        assert started.ends() == 128 + number
        assert started.modes["1049"] == "l", "the alternate screen is left"
        assert started.modes["25"] == "h", "the cursor is back"
        others = {
            name: state for name, state in started.modes.items() if name not in ("1049", "25")
        }
        assert set(others.values()) == {"l"}, "neither mouse nor pastes are reported any more"
        assert termios.tcgetattr(started.theirs) == started.before


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_while_a_passphrase_is_typed_switches_the_echo_on_again(
    tmp_path: Path, number: signal.Signals
) -> None:
    script = (
        "from reviewdeck.interruption import heeding_signals, signal_received\n"
        "from reviewdeck.terminal import ask\n"
        "try:\n"
        "    with heeding_signals():\n"
        "        ask('Passphrase: ', is_secret=True)\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(128 + signal_received())\n"
    )
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    started = subprocess.Popen(
        ["setsid", "--ctty", sys.executable, "-c", script],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    try:
        shown = b""
        while b"Passphrase" not in shown:
            shown += os.read(ours, 1_024)
        assert not termios.tcgetattr(theirs)[3] & termios.ECHO
        os.kill(started.pid, number)
        assert started.wait(60) == 128 + number
        assert termios.tcgetattr(theirs) == before
    finally:
        started.kill()
        started.wait()
        os.close(ours)
        os.close(theirs)
