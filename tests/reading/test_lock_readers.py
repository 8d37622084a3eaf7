"""The agents that a folder's lock names are those as which the deck judges its changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.reading import forms

from reviewdeck.cli.main import main


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command on a folder of one skill, and gives its JSON."""
    monkeypatch.setenv("HOME", str(tmp_path))
    forms.write(tmp_path / "skills", {"tidy/SKILL.md": forms.skill("tidy", "Tidies up")})

    def run(*words: str, home: bool = True) -> Any:
        capsys.readouterr()
        where = ["--ledger", str(tmp_path / "ledger.db"), "--json"]
        main([*words, *(["--home", str(tmp_path / "skills")] if home else []), *where])
        return json.loads(capsys.readouterr().out)

    return run


def test_a_change_is_judged_again_when_the_lock_names_other_agents(
    ran: Any, tmp_path: Path
) -> None:
    root = tmp_path / "skills"
    ran("auto")
    # Claude Code alone ends a front matter at a fence that is indented.
    text = "---\nname: tidy\ndescription: Tidies up\nallowed-tools: Bash(make *)\n  ---\n\nBody.\n"
    (root / "tidy" / "SKILL.md").write_text(text, "utf-8")
    ran("auto")

    def codes() -> set[str]:
        (item,) = ran("list")
        return {finding["code"] for finding in item["findings"]}

    assert "executes" in codes()
    ran("skills", "lock", str(root), "--yes", "--as", "gemini", home=False)
    ran("auto")
    assert "executes" not in codes()
    assert ran("prompt")["agent"] == "gemini"
