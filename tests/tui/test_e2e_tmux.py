"""The program as an operator has it: in a real terminal, killed, and started again."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, entries
from tests.tui.kit_deck import Cockpit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

PATIENCE = 120.0


@dataclass
class Terminal:
    """One tmux session of its own server."""

    socket: Path
    command: str
    left: Path
    """Where the program leaves its exit status."""
    is_open: bool = False

    def tmux(self, *arguments: str) -> str:
        """Runs one tmux command on our own server."""
        found = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        return found.stdout

    def start(self) -> None:
        """Opens the deck in a fresh window, or again in the one that it died in."""
        if self.is_open:
            self.tmux("respawn-pane", "-k", "-t", "deck", self.command)
            return
        self.tmux("new-session", "-d", "-s", "deck", "-x", "100", "-y", "30", self.command)
        self.tmux("set-option", "-t", "deck", "remain-on-exit", "on")
        self.is_open = True

    def screen(self) -> str:
        """What is on the screen now."""
        return self.tmux("capture-pane", "-p", "-t", "deck")

    def press(self, *keys: str) -> None:
        """Types keys."""
        for key in keys:
            self.tmux("send-keys", "-t", "deck", key)
            time.sleep(0.1)

    def sees(self, *words: str) -> str:
        """Waits until all these words are on the screen."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            screen = self.screen()
            if all(word in screen for word in words):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{words} did not come:\n{self.screen()}")

    def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, self.screen()
            time.sleep(0.05)

    def ends(self) -> str:
        """Waits until the program has left, and gives its exit status.

        The program writes it down: tmux forgets it now and then, and the words "Pane is dead" do
        not always reach the screen.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.tmux("list-panes", "-t", "deck", "-F", "#{pane_dead}").strip() == "1":
                return self.left.read_text("utf-8")
            time.sleep(0.1)
        raise AssertionError(f"the program did not leave:\n{self.screen()}")

    def kill(self) -> None:
        """Takes the program down in the hardest way."""
        pid = int(self.tmux("display-message", "-p", "-t", "deck", "#{pane_pid}"))
        os.kill(pid, signal.SIGKILL)


def program_in(folder: Path, *arguments: str) -> tuple[Path, Path]:
    """The whole program as a script of its own, and where it leaves its exit status."""
    script, left = folder / "program.py", folder / "left"
    script.write_text(
        "from pathlib import Path\n"
        "from reviewdeck.cli.main import main\n"
        "from reviewdeck_tui.screens import base\n"
        "base.MESSAGE_SECONDS = 3_600.0\n"  # A loaded machine looks late.
        "try:\n"
        f"    status = main({[*arguments]!r})\n"
        "except SystemExit as left:\n"
        "    status = left.code\n"
        f"Path({str(left)!r}).write_text(str(status), 'utf-8')\n"
        "raise SystemExit(status)\n",
        "utf-8",
    )
    return script, left


@pytest.fixture
def terminal(cockpit: Cockpit, tmp_path: Path) -> Iterator[Terminal]:
    """The program over a home with three proposals."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.replace("staging host", "The staging host is stg-4.")
    cockpit.agent.memory("remove", old_text="Tests run")
    program, left = program_in(
        tmp_path, "--home", str(cockpit.home), "--ledger", str(cockpit.ledger)
    )
    # A path of a socket has at most about a hundred characters.
    socket = Path("/tmp") / f"reviewdeck-{os.getpid()}.tmux"  # noqa: S108 - our own, removed below
    command = f"exec env HOME={tmp_path} {sys.executable} {program}"
    terminal = Terminal(socket, command, left)
    terminal.start()
    yield terminal
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, capture_output=True)
    socket.unlink(missing_ok=True)


def test_a_day_in_a_terminal(terminal: Terminal, cockpit: Cockpit) -> None:
    before = (cockpit.home / MEMORY).read_bytes()
    terminal.sees("[1 Decide 3]", "Tests run with tox.")

    terminal.press("/", *"stg", "Enter")
    terminal.sees("/ stg", "stg-4")
    terminal.press("a")
    terminal.sees("2 to decide", "1 draft")
    assert (cockpit.home / MEMORY).read_bytes() == before

    terminal.kill()
    terminal.start()
    terminal.sees("2 to decide", "1 draft")

    terminal.press("C-s")
    terminal.sees("WRITES 1 document, 1 draft", "+ The staging host is stg-4.")
    terminal.press("y")
    terminal.sees("DONE: 1 decided, 1 written")
    assert entries(cockpit.home)[1] == "The staging host is stg-4."

    terminal.press("Escape")
    terminal.sees("[1 Decide 2]")
    terminal.press("z")
    terminal.sees("The undo is drafted")
    terminal.kill()
    terminal.start()
    terminal.sees("1 draft")
    terminal.press("C-s")
    terminal.sees("WRITES 1 document, 1 draft", "+ The staging host is stg-2.")
    terminal.press("y")
    terminal.sees("DONE: 1 decided, 1 written")
    assert (cockpit.home / MEMORY).read_bytes() == before

    terminal.press("Escape")
    terminal.sees("[1 Decide 3]", "undone ")
    terminal.press("q")
    assert terminal.ends() == "0"


def test_what_is_copied_in_tmux_is_in_its_buffer(terminal: Terminal) -> None:
    terminal.sees("3 to decide")
    terminal.press("y")
    terminal.sees("Copied: its id and request.")
    copied = terminal.tmux("show-buffer")
    assert "Tests run" in copied
    assert re.match(r"[0-9a-f]{12} ", copied)


def test_ctrl_z_gives_the_shell_back_until_fg(terminal: Terminal, cockpit: Cockpit) -> None:
    program = terminal.command.removeprefix("exec ")
    sizes = "COLUMNS=100 LINES=30"  # as some shells export them
    terminal.command = f"exec env {sizes} PS1='shell> ' bash --norc --noprofile -i"
    terminal.start()
    terminal.sees("shell>")
    terminal.press(program, "Enter")
    terminal.sees("1 Decide 3", "? help")
    terminal.press("C-z")
    terminal.sees("Stopped")
    terminal.press("fg", "Enter")
    terminal.sees("1 Decide 3", "? help")
    terminal.press("r", "c", "o", "l", "d", "C-z")  # A dialog is open, and has words in it.
    terminal.until(lambda: terminal.screen().count("Stopped") == 2)
    terminal.tmux("resize-window", "-t", "deck", "-x", "80", "-y", "24")
    terminal.press("until [ \"$(stty size)\" = '24 80' ]; do sleep 0.1; done; clear", "Enter")
    terminal.press("fg", "Enter")
    terminal.sees("1 Decide 3", "because it is", "old")
    terminal.press("Enter")
    terminal.sees("3 Drafts 1")
    assert len(entries(cockpit.home, MEMORY)) == 3
    terminal.press("q")
    terminal.sees("1 draft kept, not written.")
