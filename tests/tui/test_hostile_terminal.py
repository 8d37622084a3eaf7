"""A real terminal: what the two widgets send, byte by byte, when every text is hostile."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import pytest

SCRIPT = """
import asyncio
from tests.tui.kit_widgets import HOSTILE, TOGETHER, WidgetApp, hostile_document, row

class Tour(WidgetApp):
    def on_mount(self):
        self.run_worker(self.tour())

    async def tour(self):
        self.queue.show([row(name, text=text) for name, text in HOSTILE.items()])
        for text in TOGETHER.values():
            self.diff.show(hostile_document(text))
            self.queue.move(1)
            await asyncio.sleep(0.03)
            self.diff.scroll_to_finish()
            await asyncio.sleep(0.03)
        self.exit()

Tour().run()
"""

OWN = re.compile(
    rb"\x1b\[[0-9;]*m"  # colours
    rb"|\x1b\[[0-9;]*H"  # the place of the cursor
    rb"|\x1b\[\?[0-9]+(?:[hl]|\$p)"  # modes: alternate screen, mouse, cursor, paste, synchronised
    rb"|\x1b\[[<>][0-9]*u"  # the keyboard protocol
    rb"|\x1b\]22;[a-z-]*\x07"  # the pointer's shape
)


@pytest.mark.slow
def test_no_control_byte_beyond_the_apps_own_reaches_a_terminal() -> None:
    sent = run_in_terminal(SCRIPT, columns=160, lines=45)
    assert b"\xe2\x90\x9b" in sent, "the escape is there, as a picture of itself"
    rest = OWN.sub(b"", sent)
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", rest)
    text = rest.decode("utf-8", errors="surrogateescape")
    assert not re.search("[\x80-\x9f\udc80-\udcff]", text)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]", text)
    assert not re.search("[\U000e0000-\U000e007f]", text)


def run_in_terminal(script: str, *, columns: int, lines: int) -> bytes:
    """All that a Python program sends to its terminal before it ends."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONUTF8="1")
        os.execv(sys.executable, [sys.executable, "-c", script])  # noqa: S606  # our own program
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.kill(child, signal.SIGWINCH)
    sent, until = bytearray(), time.monotonic() + 120
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            break
        if not piece:
            break
        sent += piece
    else:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert status == 0, bytes(sent[-2_000:]).decode("utf-8", errors="replace")
    return bytes(sent)
