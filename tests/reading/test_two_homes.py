"""The same skills in homes of Claude Code and of Hermes: each shows its own model's list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reading import forms
from tests.reading.recordings import line, recorded

from reviewdeck.cli.main import main
from reviewdeck.reading.agents import CLAUDE, HERMES, Agent

FOLDERS = {CLAUDE: ".claude/skills", HERMES: "skills"}


@pytest.mark.parametrize("agent", FOLDERS, ids=lambda agent: agent.key)
def test_the_prompt_of_a_home_lists_what_the_real_agent_lists(
    agent: Agent,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ("app" if agent is CLAUDE else ".hermes")
    forms.write(home / FOLDERS[agent], forms.A, forms.B)
    where = ("--home", str(home), "--ledger", str(tmp_path / "ledger.db"))
    assert main(["prompt", "--json", *where]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    shown = {
        part["path"].removeprefix(f"{FOLDERS[agent]}/"): line(
            *part["text"].removeprefix("- ").split(": ", 1)
        )
        for part in parts
        if part["path"].endswith("/SKILL.md")
    }
    real = {path: text for path, text in recorded(agent).items() if path in {*forms.A, *forms.B}}
    assert shown == real
