"""Who may execute a file of a skill: a change of that outside review is found and can go back."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import _known as _known
from tests.cli.conftest import nobody as nobody
from tests.cli.conftest import program as program
from tests.cli.program import Program
from tests.cli.test_watch import Watching
from tests.homes.test_skill_folder import folder as folder

from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
    DirectChange,
    Kind,
    Proposal,
    Revision,
    SkillWriteFile,
)
from reviewdeck.origin.conversation import MessageRow, ToolCall
from reviewdeck.origin.writers import written_part

SCRIPT = "pdf/scripts/run.sh"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def said_of_mode(change: dict[str, Any]) -> list[tuple[str, str]]:
    return [(x["message"], x["severity"]) for x in change["findings"] if x["code"] == "mode"]


@pytest.fixture
def script(folder: Program) -> Path:
    """A text of a skill that nobody may execute."""
    path = folder.home / "pdf/forms.md"
    assert not os.access(path, os.X_OK)
    return path


def test_a_file_that_became_executable_is_a_grave_change_that_waits(
    folder: Program, script: Path
) -> None:
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    assert said_of_mode(change) == [("It can be executed now: pdf/forms.md.", "high")]
    assert {one["code"] for one in change["findings"]} == {"mode"}


def test_it_is_taken_back_to_the_mode_and_that_is_undone(folder: Program, script: Path) -> None:
    before, text = mode_of(script), script.read_bytes()
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    assert folder("reject", change["id"], "--reason", "no program").code == 0
    assert (mode_of(script), script.read_bytes()) == (before, text)
    operation = folder.read("log")["operations"][0]
    assert folder.read("list", "--state", "live") == []
    assert folder("undo", operation["id"]).code == 0
    assert (mode_of(script), script.read_bytes()) == (0o755, text)
    assert folder("log", "--verify").code == 0


def test_a_script_that_can_no_longer_be_executed_can_again(folder: Program) -> None:
    path = folder.home / SCRIPT
    before = mode_of(path)
    path.chmod(0o644)
    change = folder.one("live", target="pdf")
    assert said_of_mode(change) == [(f"It can no longer be executed: {SCRIPT}.", "low")]
    assert folder("reject", change["id"], "--reason", "it is needed").code == 0
    assert mode_of(path) == before


def test_text_and_mode_are_one_change_and_go_back_together(folder: Program, script: Path) -> None:
    before, text = mode_of(script), script.read_bytes()
    script.chmod(0o755)
    folder.one("live", target="pdf")
    script.write_bytes(text + b"\nMore.\n")
    (change,) = folder.read("list", "--state", "live")
    assert said_of_mode(change) == [("It can be executed now: pdf/forms.md.", "high")]
    assert folder("reject", change["id"], "--reason", "no").code == 0
    assert (mode_of(script), script.read_bytes()) == (before, text)


def test_what_is_as_it_was_again_waits_no_more(folder: Program, script: Path) -> None:
    before = mode_of(script)
    script.chmod(0o755)
    folder.one("live", target="pdf")
    script.chmod(before)
    assert folder.read("list", "--state", "live") == []


def test_what_is_kept_is_known_from_then_on(folder: Program, script: Path) -> None:
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    assert folder("approve", change["id"], "--digest", change["digest"]).code == 0
    assert mode_of(script) == 0o755
    assert folder.read("list", "--state", "live") == []


def test_a_change_among_those_who_could_execute_it_is_none(folder: Program) -> None:
    (folder.home / SCRIPT).chmod(0o700)
    assert folder.read("list", "--state", "live") == []


def test_an_earlier_ledger_learns_the_modes_and_says_nothing(folder: Program, script: Path) -> None:
    with closing(sqlite3.connect(folder.ledger, isolation_level=None)) as ledger:
        ledger.execute("UPDATE observation SET mode = NULL")

    script.chmod(0o755)
    assert folder.read("list", "--state", "live") == []
    script.chmod(0o644)
    change = folder.one("live", target="pdf")
    assert said_of_mode(change) == [("It can no longer be executed: pdf/forms.md.", "low")]


def test_history_since_and_the_diff_say_what_became_of_it(folder: Program, script: Path) -> None:
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    assert "became executable" in folder("history", "pdf/forms.md").out
    assert "became executable" in folder("since").out
    assert "became executable" in folder("show", change["id"]).out
    (shown,) = folder.read("diff", change["id"])["documents"]
    assert shown["executable"] == "became executable"
    assert folder.read("history", "pdf/forms.md")[-1]["executable"] == "became executable"
    (document,) = folder.read("since")
    assert document["executable"] == "became executable"


def test_a_revert_of_it_is_listed_by_what_it_does(folder: Program, script: Path) -> None:
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    assert folder("reject", change["id"], "--reason", "no program").code == 0
    revert = folder.one("applied")
    assert revert["gist"].endswith("no longer executable: pdf/forms.md")


def test_of_a_change_outside_review_it_is_known_what_was_there_before(folder: Program) -> None:
    path = folder.home / "pdf/SKILL.md"
    path.write_text(path.read_text() + "More.\n")
    change = folder.one("live", target="pdf")
    assert {one["code"] for one in change["findings"]} == {"not-additive"}


def test_a_link_in_its_place_gets_no_permission(folder: Program, script: Path) -> None:
    script.chmod(0o755)
    change = folder.one("live", target="pdf")
    elsewhere = folder.home.parent / "elsewhere.md"
    elsewhere.write_bytes(script.read_bytes())
    elsewhere.chmod(0o755)
    script.unlink()
    script.symlink_to(elsewhere)
    folder("reject", change["id"], "--reason", "no program")
    assert mode_of(elsewhere) == 0o755


def test_what_was_changed_while_nobody_looked_is_found_at_the_next_start_of_a_hermes_home(
    program: Program,
) -> None:
    path = next(one for one in (program.home / "skills").rglob("*.md") if one.name != "SKILL.md")
    name, before = str(path.relative_to(program.home)), mode_of(path)
    program("status")
    path.chmod(0o755)
    (change,) = program.read("list", "--state", "live")
    assert said_of_mode(change) == [(f"It can be executed now: {name}.", "high")]
    assert program("reject", change["id"], "--reason", "no program").code == 0
    assert mode_of(path) == before
    operation = program.read("log")["operations"][0]
    (shown,) = program.read("diff", operation["proposal"])["documents"]
    assert shown["executable"] == "no longer executable"
    assert program("undo", operation["id"]).code == 0
    assert mode_of(path) == 0o755


def test_a_mode_of_a_memory_is_nobodys_business(program: Program) -> None:
    program("status")
    (program.home / "memories/MEMORY.md").chmod(0o755)
    assert program.read("list", "--state", "live") == []


def test_who_wrote_the_text_is_not_said_to_have_made_it_executable() -> None:
    words = "Fill in the form from the top to the bottom."
    call = ToolCall("write_file", {"path": "skills/pdf/forms.md", "content": words})
    row = MessageRow(1, "assistant", "", calls=(call,))
    step = DirectChange("skills/pdf/forms.md", ABSENT, Revision("b"))
    made = Proposal(
        "p", "h", Kind.SKILLS, OUTSIDE, "pdf", (SkillWriteFile("pdf", "forms.md", words),), "s"
    )
    for outside, is_whole in ((step, True), (replace(step, modes=(0o644, 0o755)), False)):
        part = written_part(replace(made, outside=(outside,)), [row], datetime.now(UTC))
        assert part is not None
        assert part.is_whole is is_whole


@pytest.mark.slow
def test_the_watch_says_it_as_it_happens(folder: Program, script: Path) -> None:
    watch = Watching(folder.home, folder.ledger, "--json")
    try:
        watch.wait_for("watching")
        script.chmod(0o755)
        assert watch.wait_for("waiting", target="pdf")["state"] == "live"
    finally:
        watch.stop()
