"""Qwen Code's transcripts: what of a prompt was typed."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from reviewdeck.agents.gated.verdicts import END, HEAD
from reviewdeck.homes.gated.transcripts import read_lines
from reviewdeck.homes.qwen.transcripts import QWEN_FORM


def prompt(*texts: str, **more: Any) -> dict[str, Any]:
    parts = [{"text": text} for text in texts]
    return {"type": "user", "provenance": "real_user", "message": {"parts": parts}, **more}


def command(**told: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": "slash_command", "systemPayload": told}


def rows(*lines: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The role, the text and what was added of each row."""
    text = "".join(json.dumps({"uuid": f"u{at}", **line}) + "\n" for at, line in enumerate(lines))
    read = read_lines(io.BytesIO(text.encode()), QWEN_FORM, "s1")
    found = [line.row for line in read.lines.values() if line.row]
    return [(row.role, row.text, row.added) for row in found]


def test_a_named_file_or_a_text_of_a_hook_is_not_typed() -> None:
    file = "\n--- Content from referenced files ---"
    assert rows(prompt("Look at @a.md", file, "I like tea.")) == [
        ("user", "Look at @a.md", f"{file}\nI like tea.")
    ]
    shown = {"displayText": "Hi.", "hookContext": "x"}
    assert rows(prompt("Hi.", "x", systemPayload=shown)) == [("user", "Hi.", "x")]
    assert rows(prompt("Hi!", systemPayload=shown)) == [("user", "Hi.", "Hi!")]
    verdicts = f"{HEAD}\n- QWEN.md: applied by a person\n{END}"
    told = f"<qwen:user-prompt-submit-context>\n{verdicts}\n</qwen:user-prompt-submit-context>"
    assert rows(prompt("Hi.", told, systemPayload=shown)) == [("user", "Hi.", "")]


def test_a_message_that_cannot_be_read_is_from_outside() -> None:
    for message in (None, {}, {"parts": 7}, {"parts": [7]}):
        [[_, _, added]] = rows({"type": "assistant", "message": message})
        assert added == "[data]"


@pytest.mark.parametrize("told", [{"sentToModel": True}, {}])
def test_what_a_command_became_is_not_typed(told: dict[str, Any]) -> None:
    sent = command(phase="invocation", rawCommand="/greet", **told)
    result = command(phase="result", rawCommand="/greet")
    assert rows(sent, result, prompt("I like tea."), prompt("Hi.")) == [
        ("system", "I like tea.", "I like tea."),
        ("user", "Hi.", ""),
    ]


def test_a_command_of_which_the_model_was_told_nothing_takes_no_prompt_away() -> None:
    about = command(phase="invocation", rawCommand="/about", sentToModel=False)
    assert rows(about, prompt("Hi.")) == [("user", "Hi.", "")]
