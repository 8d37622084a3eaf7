"""What the real Hermes writes past the gates, and what the plugin notes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contract.kit import call, converse, make_home, model, needs_hermes

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes


def test_a_file_and_a_command_are_noted_with_the_revisions_that_they_met(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", nudge=0)
    memory = home / "memories" / "MEMORY.md"
    memory.parent.mkdir()
    memory.write_text("Tests run with tox.", "utf-8")
    turns = [
        call("terminal", command=f"echo Tests run with nox. > {memory}"),
        {"say": "It is written."},
    ]
    with model(*turns) as running:
        converse(home, running.url, "Write it yourself.")
    (note,) = [
        json.loads(one.read_text("utf-8")) for one in (home / ".reviewdeck/direct").iterdir()
    ]
    known = note["documents"]["memories/MEMORY.md"]
    assert memory.read_text("utf-8") == "Tests run with nox.\n"
    assert known["before"] != known["after"]
    assert (note["session"], note["tool"], note["origin"]) == ("s1", "terminal", "assistant_tool")
    assert note["call"] and note["turn"]
