"""`auto --watch` over a folder of skills, as a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_watch import Watching
from tests.homes.skill_tree import skill_text, write_skills

from reviewdeck.homes.skill_folder.kind import KIND


@pytest.mark.slow
def test_a_skill_that_appears_is_told_as_it_does(tmp_path: Path) -> None:
    folder = write_skills(tmp_path / "project" / ".claude" / "skills")
    watch = Watching(folder, tmp_path / "ledger" / "ledger.db", "--json")
    try:
        watch.wait_for("watching")
        (folder / "later").mkdir()
        (folder / "later" / "SKILL.md").write_text(skill_text("later", "Came later."))
        told = watch.wait_for("waiting", target="later")
        assert told["state"] == "live"
    finally:
        watch.stop()


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        ("pdf/SKILL.md", True),
        ("README.md", True),
        ("pdf/.mcp.json", True),
        ("skills.lock", False),
        (".reviewdeck/aside/x", False),
        (".git/index", False),
        ("pdf/scripts/__pycache__/count.pyc", False),
    ],
)
def test_what_is_nobodys_skill_wakes_nobody(tmp_path: Path, path: str, matters: bool) -> None:
    assert KIND.watched(tmp_path).matters(tuple(path.split("/"))) is matters
