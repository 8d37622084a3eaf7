"""The real Hermes in a terminal of its own, at which somebody types."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.contract.kit import PYTHON, Model, environment, patience

PASTE = 0.2
"""Seconds. Hermes 0.22 takes Enter within 0.05 s of a change of the text for a line of a paste
(`_RAPID_INPUT_ENTER_WINDOW_S` of its `hermes_cli/cli_tui_mixin.py`)."""


class Terminal:
    """The real Hermes in a terminal, and what it printed there."""

    def __init__(self, home: Path, running: Model, *words: str) -> None:
        settings = (
            "model: {provider: custom, default: mock-model, base_url: %s/v1, api_key: x}\n"
            # Hermes 0.22 asks about this at its first start.
            "telemetry: {shared_metrics: {enabled: false, send: false, offer_version: 2}}\n"
        )
        config = home / "config.yaml"
        if running.url not in (text := config.read_text("utf-8")):
            config.write_text(text + settings % running.url, "utf-8")
        program = str(Path(PYTHON).with_name("hermes"))
        variables = environment(home) | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        self.printed = ""
        self.is_over = False
        """Whether it has ended."""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(home.parent)
            os.execve(program, [program, "chat", *words], variables)  # noqa: S606

    def wait_for(self, happened: Callable[[], object], what: str) -> None:
        """Reads what it prints until something has happened."""
        deadline = time.monotonic() + patience(120)
        while not happened():
            assert time.monotonic() < deadline, f"{what}: {self.printed[-2000:]}"
            assert not self.is_over or happened(), f"{what}: {self.printed[-2000:]}"
            self._read()

    def enter_until(self, happened: Callable[[], object], what: str, text: str = "") -> float:
        """Types a line until something has happened: a key that comes too early is dropped.

        Gives the time at which the line was ended last.
        """
        typed_at = entered = 0.0

        def has_happened() -> object:
            nonlocal typed_at, entered
            if time.monotonic() - typed_at > patience(10):
                typed_at = time.monotonic()
                entered = self._enter(text)
            return happened()

        self.wait_for(has_happened, what)
        return entered

    def _enter(self, text: str) -> float:
        """Types a line as a person does: the key that ends it comes a moment after its text."""
        os.write(self._terminal, text.encode())
        self.wait_for(lambda: text in self.printed, "nothing is echoed")
        time.sleep(PASTE)
        os.write(self._terminal, b"\r")
        return time.time()

    def _read(self) -> None:
        if not select.select([self._terminal], [], [], 0.2)[0]:
            return
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the other side is closed.
            data = b""
        self.is_over = not data
        if b"\x1b[6n" in data:
            os.write(self._terminal, b"\x1b[1;1R")
        self.printed += data.decode("utf-8", "replace")

    def end(self) -> None:
        """Ends it, however far it is."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


def say(terminal: Terminal, running: Model, text: str) -> float:
    """Types a message once the prompt is there. Gives the time at which it was entered."""
    terminal.wait_for(lambda: "/help for commands" in terminal.printed, "no prompt")

    def is_sent() -> bool:
        return any(text in json.dumps(one["messages"]) for one in running.conversation)

    return terminal.enter_until(is_sent, "nothing was sent", text)
