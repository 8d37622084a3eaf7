"""What becomes of a fact that a person types in the terminal of the real Hermes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.contract.kit import add, decided, make_home, model, needs_hermes, records
from tests.contract.terminal import Terminal, say

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

FACT = "The user drinks tea."
TYPED = "I drink tea."
ALLOW = re.compile("Allow once|approval_once")
"""A choice in the box in which Hermes asks; the wheel of 0.22.2 has no words, only their keys."""


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
    assert not ALLOW.search(terminal.printed)
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
            terminal.wait_for(lambda: ALLOW.search(terminal.printed), "no question")
            memory = home / "memories" / "USER.md"
            terminal.enter_until(memory.exists, "nothing was written")
            terminal.wait_for(lambda: "Noted." in terminal.printed, "no answer")
        finally:
            terminal.end()
    assert FACT in memory.read_text("utf-8")
    decided(home, "auto")
    assert "approved in Hermes, session" in decided(home, "since").stdout
    assert "approved in Hermes (session" in decided(home, "log", "--verify").stdout
