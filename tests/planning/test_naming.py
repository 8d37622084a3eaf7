"""Names and paths that a proposal may use."""

from __future__ import annotations

import pytest
from tests.planning.plain import PlainSnapshot, proposal, skill_text

from reviewdeck.model import Dead, Edit, Ready, SkillCreate, SkillWriteFile
from reviewdeck.planning.skills import check_category, check_skill_name, check_support_path
from reviewdeck.planning.stage import stage
from reviewdeck.policy.additions import Addition, addition_of, non_additive_findings


@pytest.mark.parametrize("name", ["a", "release-notes", "v1.2_x", "0x", "a" * 64])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_skill_name(name) is None
    assert check_category(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "foo\n",
        "Foo",
        "-a",
        ".a",
        "a/b",
        "a b",
        "..",
        "é",
        "a\x1b",
        "a" * 65,
        "venv",
        "nul",
        "com1.x",
        "a.",
        "a\u202eb",
    ],
)
def test_any_other_name_is_refused(name: str) -> None:
    assert check_skill_name(name)


@pytest.mark.parametrize("category", [None, ""])
def test_a_category_may_be_left_out(category: str | None) -> None:
    assert check_category(category) is None


@pytest.mark.parametrize("category", ["ops\n", " ops", "a/b", "node_modules", "../x"])
def test_any_other_category_is_refused(category: str) -> None:
    assert check_category(category)


@pytest.mark.parametrize(
    "path",
    [
        "SKILL.md",
        "references/a.md",
        "scripts/x/y/z/run.sh",
        "assets/A-1_b.png",
        "templates/console",
    ],
)
def test_a_file_below_the_four_folders_is_taken(path: str) -> None:
    assert check_support_path(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "references",
        "references/",
        "README.md",
        "../SKILL.md",
        "references/../SKILL.md",
        "references/..",
        "references//a.md",
        "/references/a.md",
        "references/.hidden",
        "references/a.md\n",
        "references/a.",
        "references/a ",
        "references/a b.md",
        "references/SKILL.md",
        "references/skill.MD",
        "evil/SKILL.md",
        "references/CON",
        "references/nul.txt",
        "scripts/com1.sh",
        "references\\a.md",
        "references/1/2/3/4/5.md",
        "references/" + "a" * 101,
        ".git/hooks/pre-commit",
        "references/\u202etxt.md",
    ],
)
def test_any_other_path_is_refused(path: str) -> None:
    assert check_support_path(path)


def test_a_new_skill_with_a_name_that_only_some_agents_take_is_no_plain_addition() -> None:
    home = PlainSnapshot(free_names=True)
    for name, addition in (("triage", Addition.SKILL), ("Tri\x1b age", None)):
        staged = stage(proposal(SkillCreate(name, skill_text("triage"))), home)
        assert isinstance(staged.outcome, Ready)
        assert addition_of(staged) is addition
        messages = [finding.message for finding in non_additive_findings(staged)]
        assert any("skill name" in message for message in messages) is (addition is None)


def test_no_name_leads_out_of_a_home_that_takes_any() -> None:
    home = PlainSnapshot(texts={"skills/pdf/SKILL.md": skill_text("pdf")}, free_names=True)
    edits: list[Edit] = [
        SkillWriteFile("pdf", file, "x\n") for file in ("../x", "a/../../x", "/x", "a//x", "")
    ]
    edits += [SkillCreate(name, skill_text("pdf")) for name in ("..", "a/b", "", ".", "a\0b")]
    for edit in edits:
        assert isinstance(stage(proposal(edit), home).outcome, Dead)
