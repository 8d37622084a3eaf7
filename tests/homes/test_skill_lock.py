"""skills.lock: what was approved of a folder of skills, and everything in which it differs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import fingerprint
from tests.homes.skill_tree import skill_text, write_skills

from reviewdeck.errors import BadInput, HomeReadOnly
from reviewdeck.homes.skill_folder.contents import Node, NodeKind, digest_of, read_skills
from reviewdeck.homes.skill_folder.inspection import findings_of
from reviewdeck.homes.skill_folder.lock import (
    FileChangeKind,
    Lock,
    SkillApproval,
    compare_with_lock,
    read_lock,
    render,
    write_lock,
)
from reviewdeck.homes.skill_folder.names import find_shadows, name_problem
from reviewdeck.homes.skill_folder.sources import sources_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_skills(tmp_path / "skills")


def approved(root: Path) -> Lock:
    """The lock of a folder as it is now, written and read."""
    skills = read_skills(root)
    write_lock(
        root, {one: SkillApproval(tree.nodes, "dana", "now") for one, tree in skills.items()}
    )
    lock = read_lock(root)
    assert lock is not None
    return lock


def differences(root: Path, lock: Lock) -> set[tuple[str, str, str]]:
    """How the folder differs, each as its skill, its path and how."""
    return {
        (one.skill, one.path, one.how.value) for one in compare_with_lock(lock, read_skills(root))
    }


def test_a_folder_is_what_it_was_approved_as(root: Path) -> None:
    lock = approved(root)
    assert len(lock) == 20 + 1  # What lies outside of all skills is one more.
    assert differences(root, lock) == set()


def test_looking_at_a_folder_changes_no_byte_and_no_time(root: Path) -> None:
    before = fingerprint(root)
    read_skills(root)
    assert fingerprint(root) == before


def test_the_digest_is_the_documented_sum() -> None:
    def framed(*parts: bytes) -> bytes:
        return b"".join(len(part).to_bytes(8, "big") + part for part in parts)

    nodes = (
        Node("b/run", NodeKind.FILE, 0o111, sha256="ab" * 32),
        Node("a", NodeKind.LINK, target="../x"),
    )
    expected = framed(b"reviewdeck skill tree 1", b"a", b"link", b"000", b"../x", b"")
    expected += framed(b"b/run", b"file", b"111", b"", b"ab" * 32)
    assert digest_of(nodes) == hashlib.sha256(expected).hexdigest()


def test_no_two_trees_have_one_digest_because_of_where_a_name_ends() -> None:
    one = (Node("ab", NodeKind.LINK, target="c"),)
    other = (Node("a", NodeKind.LINK, target="bc"),)
    assert digest_of(one) != digest_of(other)


Tamper = Callable[[Path], object]


def _append(path: str) -> Tamper:
    def tamper(root: Path) -> None:
        with (root / path).open("ab") as file:
            file.write(b"\n")

    return tamper


def _flip_one_byte(root: Path) -> None:
    data = bytearray((root / "pdf/scripts/count.py").read_bytes())
    data[5] ^= 1
    (root / "pdf/scripts/count.py").write_bytes(data)


def _replace_by_a_link(root: Path) -> None:
    (root / "pdf/forms.md").unlink()
    (root / "pdf/forms.md").symlink_to("/etc/hostname")


def _retarget(root: Path) -> None:
    (root / "shared/text.md").unlink()
    (root / "shared/text.md").symlink_to("../../../secret")


def _replace_by_a_pipe(root: Path) -> None:
    (root / "pdf/forms.md").unlink()
    os.mkfifo(root / "pdf/forms.md")


def _make_sparse(root: Path) -> None:
    with (root / "pdf/forms.md").open("r+b") as file:
        file.truncate(1 << 40)


def _add_a_plugin(root: Path) -> None:
    (root / "x/.claude-plugin").mkdir(parents=True)
    (root / "x/.claude-plugin/plugin.json").write_text("{}")


def _swallow(root: Path) -> None:
    (root / "office/SKILL.md").write_text(skill_text("office", "Swallow two skills."))


TAMPERED: dict[str, tuple[Tamper, set[tuple[str, str, str]]]] = {
    "one byte of a script": (_flip_one_byte, {("pdf", "scripts/count.py", "changed")}),
    "a line more in a SKILL.md": (
        _append("slides/SKILL.md"),
        {("slides", "SKILL.md", "changed")},
    ),
    "a byte more in a picture": (
        _append("pdf/assets/logo.png"),
        {("pdf", "assets/logo.png", "changed")},
    ),
    "a file more": (
        lambda root: (root / "pdf/scripts/extra.py").write_text("x = 1\n"),
        {("pdf", "scripts/extra.py", "added")},
    ),
    "a hidden file more": (
        lambda root: (root / "pdf/.mcp.json").write_text("{}"),
        {("pdf", ".mcp.json", "added")},
    ),
    "a file less": (
        lambda root: (root / "pdf/LICENSE.txt").unlink(),
        {("pdf", "LICENSE.txt", "removed")},
    ),
    "a script that anybody may execute now": (
        lambda root: (root / "pdf/scripts/count.py").chmod(0o755),
        {("pdf", "scripts/count.py", "mode")},
    ),
    "a script that nobody may execute any more": (
        lambda root: (root / "pdf/scripts/run.sh").chmod(0o644),
        {("pdf", "scripts/run.sh", "mode")},
    ),
    "a file that is a link now": (_replace_by_a_link, {("pdf", "forms.md", "link")}),
    "a link that leads elsewhere": (_retarget, {("shared", "text.md", "link")}),
    "a file that is a pipe now": (_replace_by_a_pipe, {("pdf", "forms.md", "special")}),
    "a file of a terabyte": (_make_sparse, {("pdf", "forms.md", "changed")}),
    "a name in other capitals": (
        lambda root: (root / "pdf/forms.md").rename(root / "pdf/FORMS.md"),
        {("pdf", "FORMS.md", "renamed")},
    ),
    "a SKILL.md in other capitals": (
        lambda root: (root / "pdf/SKILL.md").rename(root / "pdf/Skill.md"),
        {("pdf", "Skill.md", "renamed")},
    ),
    "a skill in other capitals": (
        lambda root: (root / "slides").rename(root / "Slides"),
        {("Slides", "", "renamed")},
    ),
    "a skill more": (
        lambda root: shutil.copytree(root / "slides", root / "slides-2"),
        {("slides-2", "", "unapproved")},
    ),
    "a skill less": (
        lambda root: shutil.rmtree(root / "slides"),
        {("slides", "", "removed")},
    ),
    "a skill above two others": (
        _swallow,
        {
            ("office", "", "unapproved"),
            ("office/weekly-report", "", "removed"),
            ("office/meeting-minutes", "", "removed"),
        },
    ),
    "a plugin beside the skills": (
        _add_a_plugin,
        {(".", "x/.claude-plugin/plugin.json", "added")},
    ),
    "a clone in a skill": (
        lambda root: (root / "pdf/.git").mkdir(),
        {("pdf", ".git", "added")},
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_is_done_to_a_folder_is_named(root: Path, what: str) -> None:
    lock = approved(root)
    tamper, expected = TAMPERED[what]
    tamper(root)
    assert differences(root, lock) == expected


def test_a_touch_is_no_change(root: Path) -> None:
    lock = approved(root)
    os.utime(root / "pdf/SKILL.md", (0, 0))
    (root / "pdf/empty").mkdir()
    assert differences(root, lock) == set()


def test_a_name_that_is_no_text_and_a_socket_are_differences(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = approved(root)
    (Path(os.fsdecode(os.fsencode(root) + b"/pdf/\xff\x1b[2J"))).write_text("x")
    server = socket.socket(socket.AF_UNIX)
    with monkeypatch.context() as there, server:
        there.chdir(root / "slides")  # A socket's path has to be short.
        server.bind("s")
    found = differences(root, lock)
    assert ("slides", "s", "special") in found
    assert {one[2] for one in found} == {"added", "special"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_told_apart_from_what_changed(root: Path) -> None:
    lock = approved(root)
    (root / "pdf/forms.md").chmod(0)
    assert differences(root, lock) == {("pdf", "forms.md", "unreadable")}


def test_a_link_out_of_the_folder_is_never_followed(root: Path, tmp_path: Path) -> None:
    lock = approved(root)
    outside = tmp_path / "outside"
    outside.mkdir()
    os.mkfifo(outside / "SKILL.md")  # Whoever opened it would wait for ever.
    (root / "out").symlink_to(outside)
    assert differences(root, lock) == {(".", "out", "added")}


RUBBISH = {
    "nothing": b"",
    "no JSON": b"<<<<<<< ours\n",
    "no object": b"[]",
    "another format": b'{"format": "reviewdeck.skills-lock/9", "skills": {}}',
    "no skills": b'{"format": "reviewdeck.skills-lock/1"}',
    "a deep one": b"[" * 100_000,
    "a skill that is a list": b'{"format": "reviewdeck.skills-lock/1", "skills": {"pdf": []}}',
    "bytes": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("data", RUBBISH.values(), ids=RUBBISH)
def test_a_lock_that_is_none_is_bad_input(root: Path, data: bytes) -> None:
    (root / "skills.lock").write_bytes(data)
    with pytest.raises(BadInput, match=r"skills\.lock"):
        read_lock(root)


def test_a_lock_that_was_edited_by_hand_does_not_hold_together(root: Path) -> None:
    approved(root)
    value = json.loads((root / "skills.lock").read_text())
    value["skills"]["pdf"]["files"]["scripts/run.sh"] = f"file 111 {'0' * 64}"
    (root / "skills.lock").write_text(json.dumps(value))
    with pytest.raises(BadInput, match="'pdf' is not that of the files"):
        read_lock(root)


def test_a_lock_that_names_a_skill_twice_is_bad_input(root: Path) -> None:
    lock = render({"pdf": SkillApproval((), "a", "b")}).decode()
    twice = lock.replace('"skills": {', '"skills": {"pdf": {}, ')
    (root / "skills.lock").write_text(twice)
    with pytest.raises(BadInput, match="twice"):
        read_lock(root)


def test_a_lock_that_is_a_link_or_a_pipe_is_not_opened(root: Path) -> None:
    (root / "skills.lock").symlink_to("/etc/hostname")
    with pytest.raises(BadInput, match="symbolic link"):
        read_lock(root)
    (root / "skills.lock").unlink()
    os.mkfifo(root / "skills.lock")
    with pytest.raises(BadInput, match="plain file"):
        read_lock(root)


def test_a_lock_is_written_whole_or_not_at_all(root: Path) -> None:
    approved(root)
    before = (root / "skills.lock").read_bytes()
    steps: list[str] = []
    write_lock(root, {}, steps.append)
    for number in range(len(steps)):
        (root / "skills.lock").write_bytes(before)
        seen: list[str] = []

        def stop(step: str, seen: list[str] = seen, number: int = number) -> None:
            seen.append(step)
            if len(seen) > number:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_lock(root, {}, stop)
        assert (root / "skills.lock").read_bytes() in (before, render({}))
    write_lock(root, {})
    assert read_lock(root) == {}
    assert sorted(one.name for one in root.iterdir() if "lock" in one.name) == [
        "skills-lock.json",
        "skills.lock",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_gets_no_lock(root: Path) -> None:
    root.chmod(0o555)
    try:
        with pytest.raises(HomeReadOnly):
            write_lock(root, {})
    finally:
        root.chmod(0o755)


def test_a_folder_that_is_one_skill_is_one(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(skill_text("x", "y"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/SKILL.md").write_text("inside")
    assert [tree.directory for tree in read_skills(tmp_path).values()] == ["."]


def test_what_a_skill_executes_is_found_with_the_words(root: Path) -> None:
    skills = read_skills(root)
    found = {
        skill: {(one.severity.value, one.quote) for one in findings_of(tree)}
        for skill, tree in skills.items()
    }
    assert ("medium", "allowed-tools: Bash(git:*), Read") in found["git-helper"]
    assert ("high", "!`git status --short`") in found["repo-state"]
    assert any("PostToolUse" in (quote or "") for _, quote in found["formatter"])
    assert ("high", '{"mcpServers": {}}\n') in found["bundle"]
    assert ("high", "../pdf/forms.md") in found["shared"]
    assert ("medium", "scripts/run.sh") in found["pdf"]
    assert found["changelog-writer"] == found["office/weekly-report"] == set()


def test_names_that_are_none_and_names_that_two_have_are_told(root: Path) -> None:
    skills = read_skills(root)
    problems = {one: name_problem(tree) for one, tree in skills.items() if name_problem(tree)}
    assert list(problems) == ["Bad_Name"]
    assert find_shadows(skills.items()) == {
        "office/weekly-report": ("personal/weekly-report",),
        "personal/weekly-report": ("office/weekly-report",),
    }


def test_an_installers_lock_says_where_a_skill_is_from_and_no_more(root: Path) -> None:
    assert sources_of(root) == {"pdf": "acme/agent-skills (skills-lock.json)"}
    (root / ".clawhub").mkdir()
    (root / ".clawhub/lock.json").write_text('{"skills": {"slides": {"version": "1.0.2"}}}')
    (root / ".skill-lock.json").write_text("[" * 100_000)
    assert sources_of(root)["slides"] == "ClawHub@1.0.2 (.clawhub/lock.json)"


def test_how_a_name_differs_is_one_of_the_documented_words() -> None:
    page = Path(__file__).parents[2] / "docs" / "internals" / "skill-folders.md"
    assert [how for how in FileChangeKind if f"| `{how}` |" not in page.read_text("utf-8")] == []
