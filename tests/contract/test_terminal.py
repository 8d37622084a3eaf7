"""What becomes of a fact that a person types in the terminal of the real Hermes."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contract.kit import (
    PYTHON,
    Model,
    add,
    decided,
    environment,
    make_home,
    model,
    needs_hermes,
    patience,
    records,
)

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

FACT = "The user drinks tea."
TYPED = "I drink tea."
PASTE = 0.2
"""Seconds. Hermes 0.22 takes Enter within 0.05 s of a change of the text for a line of a paste
(`_RAPID_INPUT_ENTER_WINDOW_S` of its `hermes_cli/cli_tui_mixin.py`)."""
ALLOW = "Allow once"
"""A choice in the box in which Hermes asks."""


class Terminal:
    """The real Hermes in a terminal, and what it printed there."""

    def __init__(self, home: Path, running: Model, *words: str) -> None:
        settings = (
            "model: {provider: custom, default: mock-model, base_url: %s/v1, api_key: x}\n"
            # Hermes 0.22 asks about this at its first start.
            "telemetry: {shared_metrics: {enabled: false, send: false, offer_version: 2}}\n"
        )
        with (home / "config.yaml").open("a", encoding="utf-8") as config:
            config.write(settings % running.url)
        program = str(Path(PYTHON).with_name("hermes"))
        variables = environment(home) | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        self.printed = ""
        self._is_over = False
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(home.parent)
            os.execve(program, [program, "chat", *words], variables)  # noqa: S606

    def wait_for(self, happened: Callable[[], object], what: str) -> None:
        """Reads what it prints until something has happened."""
        deadline = time.monotonic() + patience(120)
        while not happened():
            assert time.monotonic() < deadline, f"{what}: {self.printed[-2000:]}"
            assert not self._is_over or happened(), f"{what}: {self.printed[-2000:]}"
            self._read()

    def enter(self, text: str = "") -> None:
        """Types a line as a person does: the key that ends it comes a moment after its text."""
        os.write(self._terminal, text.encode())
        self.wait_for(lambda: text in self.printed, "nothing is echoed")
        time.sleep(PASTE)
        os.write(self._terminal, b"\r")

    def _read(self) -> None:
        if not select.select([self._terminal], [], [], 0.2)[0]:
            return
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the other side is closed.
            data = b""
        self._is_over = not data
        if b"\x1b[6n" in data:
            os.write(self._terminal, b"\x1b[1;1R")
        self.printed += data.decode("utf-8", "replace")

    def end(self) -> None:
        """Ends it, however far it is."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


def say(terminal: Terminal, running: Model, text: str) -> None:
    """Types a message once the prompt is there, and again if it came too early."""
    terminal.wait_for(lambda: "/help for commands" in terminal.printed, "no prompt")
    typed_at = 0.0

    def is_sent() -> bool:
        nonlocal typed_at
        if time.monotonic() - typed_at > patience(10):
            typed_at = time.monotonic()
            terminal.enter(text)
        return any(text in json.dumps(one["messages"]) for one in running.conversation)

    terminal.wait_for(is_sent, "nothing was sent")


@pytest.mark.parametrize("is_interactive", [True, False], ids=["typed", "query"])
def test_a_fact_in_the_terminal_is_staged_without_a_question(
    tmp_path: Path, is_interactive: bool
) -> None:
    home = make_home(tmp_path / ".hermes", nudge=0)
    words = () if is_interactive else ("-Q", "-q", TYPED)
    with model(add(FACT, "user"), {"say": "Noted."}) as running:
        terminal = Terminal(home, running, *words)
        try:
            if is_interactive:
                say(terminal, running, TYPED)
            terminal.wait_for(lambda: records(home), "nothing was staged")
            terminal.wait_for(lambda: "Noted." in terminal.printed, "no answer")
        finally:
            terminal.end()
    (record,) = records(home)
    assert record["payload"]["content"] == FACT
    assert ALLOW not in terminal.printed
    assert not (home / "memories" / "USER.md").exists()


@pytest.mark.parametrize("plugin", [True, False], ids=["told to ask", "no plugin"])
def test_what_a_person_allowed_in_the_box_is_approved_in_hermes(
    tmp_path: Path, plugin: bool
) -> None:
    home = make_home(tmp_path / ".hermes", plugin=plugin, nudge=0)
    if plugin:
        settings = home / ".reviewdeck" / "plugin.json"
        settings.write_text(
            json.dumps(json.loads(settings.read_text("utf-8")) | {"terminal": "ask"}), "utf-8"
        )
    assert decided(home, "auto").returncode == 0
    with model(add(FACT, "user"), {"say": "Noted."}) as running:
        terminal = Terminal(home, running)
        try:
            say(terminal, running, TYPED)
            terminal.wait_for(lambda: ALLOW in terminal.printed, "no question")
            terminal.enter()
            memory = home / "memories" / "USER.md"
            terminal.wait_for(memory.exists, "nothing was written")
            terminal.wait_for(lambda: "Noted." in terminal.printed, "no answer")
        finally:
            terminal.end()
    assert FACT in memory.read_text("utf-8")
    decided(home, "auto")
    assert "approved in Hermes, session" in decided(home, "since").stdout
    assert "approved in Hermes (session" in decided(home, "log", "--verify").stdout
