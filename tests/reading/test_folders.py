"""No skill that an agent loads is out of sight of lock, verify and the deck."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reading import forms

from reviewdeck.cli.main import main
from reviewdeck.clock import utc_now
from reviewdeck.homes.kinds import HomeContext, kind_at
from reviewdeck.homes.skill_folder.contents import read_skills
from reviewdeck.homes.skill_folder.inspection import findings_of
from reviewdeck.homes.skill_folder.kind import KIND
from reviewdeck.homes.skill_sight import skill_sight
from reviewdeck.model import Severity
from reviewdeck.reading.agents import AGENTS, readers_of
from reviewdeck.reading.discovery import SkillFile, loaded_by

GRANT = "allowed-tools: Bash(*)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with every form in which some agent finds a skill."""
    root = tmp_path / "skills"
    forms.write(root, forms.A, forms.B)
    return root


def loaded(root: Path) -> set[str]:
    """The files that some agent loads as skills."""
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    files = [SkillFile(path) for path in paths]
    return {file.path for agent in AGENTS for file in loaded_by(agent, files)}


def test_every_file_that_an_agent_loads_is_in_what_is_approved(root: Path) -> None:
    listed = {
        f"{skill}/{node.path}" for skill, tree in read_skills(root).items() for node in tree.nodes
    }
    assert {".git/SKILL.md", ".archive/b02-archived/SKILL.md", "venv/SKILL.md"} < loaded(root)
    assert loaded(root) <= listed


def test_every_file_that_an_agent_loads_is_a_document_but_in_the_folders_of_git_and_ours(
    root: Path, tmp_path: Path
) -> None:
    home = KIND.home(root, HomeContext({}, tmp_path, utc_now))
    ours = {".git/SKILL.md", ".reviewdeck/SKILL.md"}
    assert loaded(root) - ours <= set(home.documents())


@pytest.mark.parametrize("path", [".archive/x", "venv", ".git", "outer/inner", "lower"])
def test_a_grant_is_found_wherever_an_agent_finds_the_skill(tmp_path: Path, path: str) -> None:
    name = "skill.md" if path == "lower" else "SKILL.md"
    data = forms.skill("x", "Purpose", GRANT)
    forms.write(tmp_path, {"outer/SKILL.md": forms.skill("outer", "Plain"), f"{path}/{name}": data})
    grave = [
        skill
        for skill, tree in read_skills(tmp_path).items()
        if any(finding.severity is Severity.HIGH for finding in findings_of(tree))
    ]
    assert grave == [path.removesuffix("/inner")]


def test_a_skill_that_is_not_utf_8_is_judged_as_the_agents_read_it_that_load_it(
    tmp_path: Path,
) -> None:
    data = forms.skill("x", "Caf\u00e9", GRANT).decode().encode("latin-1")
    forms.write(tmp_path, {"x/SKILL.md": data})
    messages = " ".join(each.message for each in findings_of(read_skills(tmp_path)["x"]))
    assert "not UTF-8" in messages
    assert "Bash(*)" in messages


def test_a_file_that_is_no_text_is_called_what_it_is(tmp_path: Path) -> None:
    contents = {"a.ttf": b"\x00\x01\x00\x00\xff", "b.zip": b"PK\x03\x04\xff", "c": b"\x7fELF\xff"}
    forms.write(tmp_path, {"x/SKILL.md": forms.skill("x", "Purpose")})
    forms.write(tmp_path / "x", contents)
    found = findings_of(read_skills(tmp_path)["x"], readers=readers_of("claude"))
    assert {(each.message.split(":")[0].split(",")[0], each.severity) for each in found} == {
        ("A font", Severity.LOW),
        ("An archive", Severity.MEDIUM),
        ("A program in machine code", Severity.HIGH),
    }


def test_verify_says_what_a_changed_skill_can_do_now_and_could_not_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ledger = f"sqlite:///{tmp_path / 'ledger.db'}"
    root = tmp_path / "skills"
    text = forms.skill("x", "Purpose", "allowed-tools: Read, Edit\n", "See docs.example.com.")
    forms.write(root, {"x/SKILL.md": text})
    assert main(["skills", "lock", str(root), "--yes", "--ledger", ledger]) == 0
    lines = "allowed-tools: Read, Edit, Bash(*)\nhooks: {}\n"
    text = forms.skill("x", "Purpose", lines, "See docs.example.com and https://other.example/x.")
    forms.write(root, {"x/SKILL.md": text})
    capsys.readouterr()
    assert main(["skills", "verify", str(root), "--json"]) == 3
    (skill,) = json.loads(capsys.readouterr().out)["folders"][0]["skills"]
    assert [each.split(":")[0] for each in skill["now"]] == [
        "Lets tools run without asking",
        "Registers hooks",
        "Names the host other.example",
    ]
    assert main(["skills", "verify", str(root)]) == 3
    assert "now: Names the host other.example" in capsys.readouterr().out


def test_a_home_names_what_its_agent_loads_and_nobody_reviews(tmp_path: Path) -> None:
    root = tmp_path / "app" / ".claude" / "skills"
    (tmp_path / "app" / "CLAUDE.md").parent.mkdir()
    (tmp_path / "app" / "CLAUDE.md").write_text("Be kind.\n", "utf-8")
    plain = forms.skill("x", "Purpose")
    files = (".git/SKILL.md", "plain/SKILL.md", "deep/er/SKILL.md", "lower/skill.md")
    forms.write(root, {path: plain for path in files})
    forms.write(tmp_path / "elsewhere", {"x/SKILL.md": plain, "y.md": plain})
    (root / "linked").symlink_to(tmp_path / "elsewhere" / "x")
    (root / "file").mkdir()
    (root / "file" / "SKILL.md").symlink_to(tmp_path / "elsewhere" / "y.md")
    (root / "loop").symlink_to(root)
    home = kind_at(tmp_path / "app").home(tmp_path / "app", HomeContext({}, tmp_path, utc_now))
    (bookkeeping, unloaded, *links) = sorted(home.cautions, key=lambda text: "link" in text)
    assert bookkeeping.startswith(".claude/skills/.git/SKILL.md lies among bookkeeping: Claude")
    assert unloaded == (
        "Looks like a skill, and is none to Claude Code: .claude/skills/lower/skill.md,"
        " .claude/skills/deep/er/SKILL.md."
    )
    assert [text.split(" is reached")[0] for text in sorted(links)] == [
        ".claude/skills/file/SKILL.md",
        ".claude/skills/linked/SKILL.md",
    ]
    assert str(tmp_path / "elsewhere" / "x") in "".join(links)


def test_of_many_that_no_agent_loads_some_are_named_and_all_are_counted(tmp_path: Path) -> None:
    for at in range(400):
        forms.write(tmp_path, {f"skill{at}/SKILL.md": b"", f"skill{at}/a/b/skill.md": b""})
    sight = skill_sight(tmp_path, ("",), readers_of("claude"))
    (caution,) = sight.cautions
    assert (sight.live, sight.seen, sight.unloaded) == (400, 400, 400)
    assert "and 395 more" in caution
