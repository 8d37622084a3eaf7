"""A deck whose terminal is gone, though nobody told it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # A program of its own, in a terminal.


def test_a_deck_ends_when_its_terminal_is_gone(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    (tmp_path / ".hermes").mkdir()
    # The terminal does not control it, so no hang-up is sent.
    deck = subprocess.Popen(
        [sys.executable, "-m", "reviewdeck.cli.entry"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "TERM": "xterm"},
    )
    try:
        os.close(theirs)
        until(ours, b"Decide 0")
        os.close(ours)
        assert deck.wait(60) is not None
    finally:
        deck.kill()
        deck.wait()


def until(terminal: int, wanted: bytes) -> None:
    """Reads a terminal until something stands there."""
    shown, end = b"", time.monotonic() + 60
    while wanted not in shown:
        assert time.monotonic() < end
        if select.select([terminal], [], [], 1)[0]:
            shown = (shown + os.read(terminal, 65_536))[-200_000:]
