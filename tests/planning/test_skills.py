"""What edits of a skill make of its files."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from tests.planning.plain import PlainPlaces

from reviewdeck.model import (
    Dead,
    DeadReason,
    Document,
    Effect,
    EffectKind,
    Protection,
    Skill,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.planning.skills import Located, effects_of, locate, removals, rewrite

GOOD = "---\nname: a\ndescription: b\n---\n# A\n\n1. Look.\n2. Test.\n"


@dataclass(frozen=True)
class Shelf(PlainPlaces):
    """A home with skills and nothing else."""

    skills: dict[str, Skill] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    home: str = "/home"

    def document(self, path: str) -> Document:
        return Document(path, b"x" if path in self.files else None)

    def skill(self, name: str) -> Skill | None:
        return self.skills.get(name)


def shelf(*skills: Skill) -> Shelf:
    return Shelf({skill.name: skill for skill in skills})


NOTES = Skill("notes", "skills/dev/notes", ("SKILL.md", "references/a.md", "scripts/run.sh"))
OTHER = Skill("other", "skills/other", ("SKILL.md",))
HOME = shelf(NOTES, OTHER)


def reason(outcome: object) -> DeadReason:
    assert isinstance(outcome, Dead), outcome
    assert outcome.message.endswith(".")
    return outcome.reason


def test_a_new_skill_is_a_tree_of_its_own() -> None:
    edit = SkillCreate("fresh", GOOD, "ops")
    assert locate(edit, HOME) == Located("skills/ops/fresh/SKILL.md", None, "skills/ops/fresh")


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (SkillEdit("notes", GOOD), "skills/dev/notes/SKILL.md"),
        (SkillPatch("notes", "a", "b"), "skills/dev/notes/SKILL.md"),
        (SkillPatch("notes", "a", "b", "references/a.md"), "skills/dev/notes/references/a.md"),
        (SkillWriteFile("notes", "assets/x", ""), "skills/dev/notes/assets/x"),
        (SkillRemoveFile("notes", "scripts/run.sh"), "skills/dev/notes/scripts/run.sh"),
    ],
)
def test_an_edit_acts_on_one_file_of_its_skill(edit: SkillChange, path: str) -> None:
    assert locate(edit, HOME) == Located(path, NOTES, None)


def test_a_deletion_takes_the_whole_tree() -> None:
    outcome = locate(SkillDelete("notes"), HOME)
    assert outcome == Located("skills/dev/notes/SKILL.md", NOTES, "skills/dev/notes")


@pytest.mark.parametrize(
    "edit",
    [
        SkillCreate("Bad Name", GOOD),
        SkillCreate("fine", GOOD, "../up"),
        SkillEdit("notes\n", GOOD),
        SkillWriteFile("notes", "../../x", ""),
        SkillWriteFile("notes", "notes/SKILL.md", ""),
        SkillPatch("notes", "a", "b", "README.md"),
        SkillDelete("notes", "notes"),
        SkillDelete("notes", "missing"),
        SkillDelete("notes", "../other"),
    ],
)
def test_names_and_paths_out_of_the_ordinary_are_invalid(edit: SkillChange) -> None:
    assert reason(locate(edit, HOME)) is DeadReason.INVALID


@pytest.mark.parametrize(
    "edit",
    [
        SkillEdit("gone", GOOD),
        SkillPatch("gone", "a", "b"),
        SkillWriteFile("gone", "assets/x", ""),
        SkillRemoveFile("gone", "assets/x"),
        SkillDelete("gone"),
    ],
)
def test_a_skill_that_is_not_there_is_gone(edit: SkillChange) -> None:
    assert reason(locate(edit, HOME)) is DeadReason.TARGET_GONE


def test_a_name_is_taken_once() -> None:
    assert reason(locate(SkillCreate("notes", GOOD), HOME)) is DeadReason.NAME_TAKEN
    occupied = Shelf(files=("skills/fresh/SKILL.md",))
    assert reason(locate(SkillCreate("fresh", GOOD), occupied)) is DeadReason.NAME_TAKEN


def test_an_external_skill_is_never_written() -> None:
    home = shelf(Skill("far", "/opt/skills/far", ("SKILL.md",), external=True))
    assert reason(locate(SkillEdit("far", GOOD), home)) is DeadReason.EXTERNAL
    assert reason(locate(SkillDelete("far"), home)) is DeadReason.EXTERNAL


def test_a_skill_that_is_not_plain_files_is_never_written() -> None:
    home = shelf(Skill("odd", "skills/odd", problem="its directory is a symbolic link"))
    assert reason(locate(SkillEdit("odd", GOOD), home)) is DeadReason.NOT_PLAIN


def test_a_pinned_skill_can_be_improved_and_not_deleted() -> None:
    home = shelf(Skill("p", "skills/p", ("SKILL.md",), frozenset({Protection.PINNED})), OTHER)
    assert isinstance(locate(SkillEdit("p", GOOD), home), Located)
    assert reason(locate(SkillDelete("p", "other"), home)) is DeadReason.PINNED


@pytest.mark.parametrize("heir", [None, "", " ", "other"])
def test_a_deletion_may_name_the_skill_that_took_over(heir: str | None) -> None:
    assert isinstance(locate(SkillDelete("notes", heir), HOME), Located)


def test_a_new_text_is_taken_as_it_is() -> None:
    assert rewrite(SkillCreate("a", GOOD), None) == GOOD
    assert rewrite(SkillEdit("a", GOOD), "old") == GOOD
    assert rewrite(SkillWriteFile("a", "references/x.md", "x"), None) == "x"
    assert rewrite(SkillWriteFile("a", "references/x.md", ""), "old") == ""


def test_a_patch_changes_only_its_place() -> None:
    patched = rewrite(SkillPatch("a", "2. Test.", "2. Test twice."), GOOD)
    assert patched == GOOD.replace("Test.", "Test twice.")


def test_a_patch_of_a_file_with_crlf_leaves_its_newlines_alone() -> None:
    crlf = GOOD.replace("\n", "\r\n")
    patched = rewrite(SkillPatch("a", "1. Look.\n2. Test.", "1. Look.\n\n2. Try."), crlf)
    assert patched == GOOD.replace("2. Test.", "\n2. Try.").replace("\n", "\r\n")


def test_a_patch_leaves_mixed_newlines_outside_its_place_alone() -> None:
    edit = SkillPatch("a", "two", "2", "references/x.md")
    assert rewrite(edit, "one\r\n\rtwo\nthree\r\n") == "one\r\n\r2\nthree\r\n"


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (SkillEdit("a", GOOD), None),
        (SkillPatch("a", "x", "y"), None),
        (SkillPatch("a", "not in there at all", "y"), GOOD),
    ],
)
def test_without_its_file_or_text_an_edit_is_gone(edit: SkillChange, text: str | None) -> None:
    assert reason(rewrite(edit, text)) is DeadReason.TARGET_GONE


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (SkillEdit("a", GOOD), GOOD),
        (SkillWriteFile("a", "references/x.md", "same"), "same"),
        (SkillPatch("a", "1.  Look.", "1. Look."), GOOD),
    ],
)
def test_an_edit_that_changes_nothing_is_there_already(edit: SkillChange, text: str) -> None:
    assert reason(rewrite(edit, text)) is DeadReason.ALREADY_THERE


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (SkillCreate("a", "# No front matter\n"), None),
        (SkillEdit("a", "# No front matter\n"), GOOD),
        (SkillWriteFile("a", "SKILL.md", "# No front matter\n"), GOOD),
        (SkillPatch("a", "description:", "desc:"), GOOD),
        (SkillPatch("a", "description:", "desc:", "SKILL.md"), GOOD),
        (SkillEdit("a", GOOD + "x" * 100_000), GOOD),
        (SkillWriteFile("a", "references/x.md", "x" * 100_001), None),
        (SkillPatch("a", "x", "y" * 1000, "references/x.md", True), "x" * 200),
    ],
)
def test_a_text_that_breaks_the_rules_is_invalid(edit: SkillChange, text: str | None) -> None:
    assert reason(rewrite(edit, text)) is DeadReason.INVALID


def test_a_skill_is_not_created_over_a_file() -> None:
    assert reason(rewrite(SkillCreate("a", GOOD), "old")) is DeadReason.NAME_TAKEN


def test_a_removed_file_goes_alone_and_a_deleted_skill_whole() -> None:
    removed = removals(SkillRemoveFile("notes", "scripts/run.sh"), NOTES)
    assert removed == ("skills/dev/notes/scripts/run.sh",)
    assert removals(SkillDelete("notes"), NOTES) == (
        "skills/dev/notes/SKILL.md",
        "skills/dev/notes/references/a.md",
        "skills/dev/notes/scripts/run.sh",
    )


def test_a_file_is_removed_only_where_there_is_one() -> None:
    gone = removals(SkillRemoveFile("notes", "assets/x"), NOTES)
    assert reason(gone) is DeadReason.TARGET_GONE


def test_the_skill_file_itself_is_not_removed_alone() -> None:
    outcome = removals(SkillRemoveFile("notes", "SKILL.md"), NOTES)
    assert reason(outcome) is DeadReason.INVALID


@pytest.mark.parametrize(
    ("edit", "origin", "kind"),
    [
        (SkillCreate("a", GOOD), "background_review", EffectKind.MARK_AGENT_CREATED),
        (SkillCreate("a", GOOD), "foreground", EffectKind.MARK_CREATED),
        (SkillEdit("a", GOOD), "foreground", EffectKind.COUNT_PATCH),
        (SkillPatch("a", "x", "y"), "background_review", EffectKind.COUNT_PATCH),
        (SkillWriteFile("a", "assets/x", ""), "foreground", EffectKind.COUNT_PATCH),
        (SkillRemoveFile("a", "assets/x"), "foreground", EffectKind.COUNT_PATCH),
        (SkillDelete("a"), "foreground", EffectKind.FORGET),
        (SkillDelete("a"), "unknown", EffectKind.FORGET),
        (SkillDelete("a"), "background_review", EffectKind.MARK_ARCHIVED),
    ],
)
def test_the_bookkeeping_is_what_hermes_does(
    edit: SkillChange, origin: str, kind: EffectKind
) -> None:
    assert effects_of(edit, origin) == (Effect(kind, "a"),)
