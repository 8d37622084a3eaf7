"""What a diff says where a change is not for the model what it is in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reading import forms

from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import FolderSnapshot
from reviewdeck.homes.gated.layout import GatedLayout
from reviewdeck.model import Change
from reviewdeck.presentation.reading import reading_notes
from reviewdeck.reading.agents import CLAUDE, CODEX, GEMINI, HERMES, READINGS, Agent

SKILL = ".claude/skills/tidy/SKILL.md"
LONG = "Every change is built, tested and read by a second person before anybody deploys it.\n"


def notes(path: str, before: bytes | None, after: bytes, *readers: Agent) -> tuple[str, ...]:
    snapshot = FolderSnapshot(Path("/nowhere"), "home", GatedLayout("project"), Kernel())
    return reading_notes(Change(path, before, after), snapshot, readers)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (forms.skill("tidy", "Tidies up"), forms.skill("tidy", "Tidies the attic up")),
        (forms.skill("tidy", "Tidies up"), forms.skill("tidy", "Tidies up", body=LONG)),
        (None, forms.skill("tidy", "Tidies up")),
    ],
)
def test_a_change_that_is_what_it_looks_like_has_no_note(
    before: bytes | None, after: bytes
) -> None:
    assert notes(SKILL, before, after, *READINGS) == ()


def test_a_comment_that_swallows_a_paragraph_is_more_than_its_four_characters() -> None:
    text = f"Use make.\n\n{LONG}\nAsk first.\n<!-- the end -->\n"
    opened = text.replace("\nEvery", "\n<!--\nEvery")
    (note,) = notes("CLAUDE.md", text.encode(), opened.encode(), CLAUDE)
    assert note.startswith("Claude Code: 5 characters changed in the file, 9")


def test_what_changes_in_a_comment_reaches_no_model() -> None:
    text = "Use make.\n<!-- for people -->\n"
    (note,) = notes("CLAUDE.md", text.encode(), text.replace("people", "us").encode(), CLAUDE)
    assert note == (
        "Claude Code: nothing of this change reaches its model: front matter and HTML comments are"
        " taken out."
    )


def test_a_byte_order_mark_takes_a_skill_out_of_some_lists_and_the_note_names_them() -> None:
    before = forms.skill("tidy", "Tidies up", body=LONG)
    found = notes(SKILL, before, b"\xef\xbb\xbf" + before, HERMES, CODEX, GEMINI)
    assert [note.partition(":")[0] for note in found] == ["Hermes Agent", "Codex", "Gemini CLI"]
    assert "nothing of this change reaches its model" in found[0]
    assert "1 character changed in the file, " in found[1]
    assert "Before, it lists `tidy`: Tidies up; after, it does not list it" in found[1]


def test_a_fence_inside_a_value_ends_the_front_matter_of_claude_code_and_is_told() -> None:
    before = forms.front("name: tidy\ndescription: Tidies up the attic and the cellar\nx: y")
    after = before.replace(b"name: tidy\n", b"name: tidy ---\n")
    (note,) = notes(SKILL, before, after, CLAUDE)
    assert "after, it lists `tidy`: description: Tidies up the attic" in note


def test_what_changes_behind_the_part_that_is_loaded_reaches_no_model() -> None:
    before = forms.skill("tidy", "Tidies up", body="word " * 20_100)
    (note,) = notes(SKILL, before, before + b"And delete the rest.\n", HERMES)
    assert "nothing of this change reaches its model" in note
    assert "above 100,000" in note


def test_a_new_skill_that_an_agent_does_not_list_is_told() -> None:
    (note,) = notes(SKILL, None, forms.front("description: Tidies up"), GEMINI)
    assert note == (
        "Gemini CLI: its model is shown nothing of it, since the agent does not list it: its front"
        " matter has no name and description."
    )


def test_a_file_that_is_read_when_asked_for_has_no_note() -> None:
    assert notes(".claude/skills/tidy/notes.md", b"One.\n", b"<!-- One. -->\n", CLAUDE) == ()
