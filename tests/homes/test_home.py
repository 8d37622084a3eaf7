"""Reading a real home: documents, budgets, stamps, and never a changed byte."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.steps import steps_of

from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import ABSENT, Skill
from reviewdeck.ports import Home

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)

MEMORY = "memories/MEMORY.md"

needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def open_home(path: Path) -> HermesHome:
    return HermesHome(path, env={}, user_home=path.parent, clock=lambda: NOW)


def prints(root: Path) -> dict[str, tuple[str, int, int]]:
    """A fingerprint of every file and directory below a root."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        digest = hashlib.sha256(content).hexdigest()
        found[str(path)] = (digest, status.st_mtime_ns, status.st_mode)
    return found


def test_looking_changes_nothing(hermes_home: Path) -> None:
    before = prints(hermes_home)
    home: Home = open_home(hermes_home)
    snapshot = home.snapshot()
    for path in home.documents():
        snapshot.document(path)
    for file in home.pending():
        home.parse(file, NOW)
    for name in ("log-triage", "release-notes", "nothing"):
        snapshot.skill(name)
        snapshot.archive_directory(name)
    home.stamp(home.documents())
    assert prints(hermes_home) == before


def test_a_home_is_known_by_its_resolved_path(hermes_home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(hermes_home)
    home = open_home(tmp_path / "link")
    assert home.id == str(hermes_home)
    assert home.name == "default"
    assert home.snapshot().home == home.id


def test_a_home_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(HomeUnavailable):
        open_home(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(HomeUnavailable):
        open_home(tmp_path / "file")


def test_an_empty_home_is_read_as_empty(tmp_path: Path) -> None:
    home = open_home(tmp_path)
    snapshot = home.snapshot()
    assert home.documents() == ()
    assert list(home.pending()) == []
    assert home.notes == ()
    assert snapshot.document(MEMORY).revision == ABSENT
    assert not snapshot.document(MEMORY).exists
    assert snapshot.skill("anything") is None
    assert snapshot.budget(MEMORY) == 2200


def test_bytes_and_mode_are_as_they_are_on_disk(hermes_home: Path) -> None:
    raw = b"one\r\n\xc2\xa7\r\ntwo\r\n"
    (hermes_home / MEMORY).write_bytes(raw)
    (hermes_home / MEMORY).chmod(0o640)
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert (document.data, document.mode, document.problem) == (raw, 0o640, None)


def test_a_snapshot_reads_each_document_once(hermes_home: Path) -> None:
    home = open_home(hermes_home)
    snapshot = home.snapshot()
    before = snapshot.document(MEMORY)
    (hermes_home / MEMORY).write_text("changed in between")
    assert snapshot.document(MEMORY) == before
    assert home.snapshot().document(MEMORY).text == "changed in between"


def test_text_that_is_not_utf8_is_shown_and_refused(hermes_home: Path) -> None:
    (hermes_home / MEMORY).write_bytes(b"caf\xe9")
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.data == b"caf\xe9"
    assert document.problem is not None
    assert "UTF-8" in document.problem


def test_a_nul_character_is_a_problem(hermes_home: Path) -> None:
    (hermes_home / MEMORY).write_bytes(b"a\0b")
    assert "NUL" in (open_home(hermes_home).snapshot().document(MEMORY).problem or "")


def test_a_huge_document_is_a_problem_and_not_read(hermes_home: Path) -> None:
    with (hermes_home / MEMORY).open("wb") as file:
        file.truncate(50_000_000)
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.data is None
    assert document.exists
    assert "larger" in (document.problem or "")


def test_a_directory_in_the_place_of_a_document_is_a_problem(hermes_home: Path) -> None:
    (hermes_home / MEMORY).unlink()
    (hermes_home / MEMORY).mkdir()
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.exists
    assert document.problem is not None


def test_a_pipe_in_the_place_of_a_document_does_not_hold_us_up(hermes_home: Path) -> None:
    (hermes_home / MEMORY).unlink()
    os.mkfifo(hermes_home / MEMORY)
    assert open_home(hermes_home).snapshot().document(MEMORY).problem is not None


@needs_permissions
def test_a_file_that_may_not_be_read_is_not_absent(hermes_home: Path) -> None:
    (hermes_home / MEMORY).chmod(0)
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.exists
    assert "Permission denied" in (document.problem or "")


def test_a_linked_memory_is_followed_and_shown(hermes_home: Path, tmp_path: Path) -> None:
    dotfile = tmp_path / "dotfiles.md"
    dotfile.write_text("kept elsewhere")
    (hermes_home / MEMORY).unlink()
    (hermes_home / MEMORY).symlink_to(dotfile)
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert (document.text, document.link, document.problem) == (
        "kept elsewhere",
        str(dotfile),
        None,
    )


@pytest.mark.parametrize("target", ["nowhere.md", "MEMORY.md"])
def test_a_memory_link_that_leads_nowhere_is_not_absent(hermes_home: Path, target: str) -> None:
    (hermes_home / MEMORY).unlink()
    (hermes_home / MEMORY).symlink_to(target)
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.exists
    assert document.problem is not None


def test_a_memory_within_a_linked_directory_is_followed_too(
    hermes_home: Path, tmp_path: Path
) -> None:
    (hermes_home / "memories").rename(tmp_path / "dotfiles")
    (hermes_home / "memories").symlink_to(tmp_path / "dotfiles")
    document = open_home(hermes_home).snapshot().document(MEMORY)
    assert document.link == str(tmp_path / "dotfiles" / "MEMORY.md")
    assert document.data


@pytest.mark.parametrize(
    "path",
    [
        "../outside.md",
        "/etc/passwd",
        "skills/../../outside.md",
        "",
        "skills//x",
        "a\0b",
        "a\ud800b",
    ],
)
def test_a_path_out_of_the_home_is_never_read(hermes_home: Path, path: str) -> None:
    (hermes_home.parent / "outside.md").write_text("secret")
    document = open_home(hermes_home).snapshot().document(path)
    assert document.data is None
    assert document.problem is not None


@pytest.mark.parametrize("openat2", [True, False])
def test_a_skill_file_behind_a_link_is_a_problem(
    hermes_home: Path, tmp_path: Path, openat2: bool
) -> None:
    (tmp_path / "target.md").write_text("elsewhere")
    skill = hermes_home / "skills" / "dev" / "release-notes"
    (skill / "references").symlink_to(tmp_path)
    (skill / "linked.md").symlink_to(tmp_path / "target.md")
    kernel = Kernel(openat2=openat2)
    home = HermesHome(hermes_home, env={}, user_home=tmp_path, kernel=kernel)
    snapshot = home.snapshot()
    for path in ("references/target.md", "linked.md"):
        document = snapshot.document(f"skills/dev/release-notes/{path}")
        assert document.data is None
        assert "link" in (document.problem or "")


def test_documents_are_the_memories_and_the_files_of_local_skills(hermes_home: Path) -> None:
    (hermes_home / "skills" / "README.md").write_text("not a skill's")
    (hermes_home / "skills" / "dev" / "release-notes" / ".git").mkdir()
    (hermes_home / "skills" / "dev" / "release-notes" / ".git" / "HEAD").write_text("x")
    assert open_home(hermes_home).documents() == (
        "memories/MEMORY.md",
        "memories/USER.md",
        "skills/dev/python-testing/SKILL.md",
        "skills/dev/python-testing/references/flaky.md",
        "skills/dev/release-notes/SKILL.md",
        "skills/ops/log-triage/SKILL.md",
        "skills/ops/log-triage/scripts/top.sh",
        "skills/ops/old-ci-fixes/SKILL.md",
        "skills/postgres-backup/SKILL.md",
    )


def test_budgets_come_from_the_configuration(hermes_home: Path) -> None:
    (hermes_home / "config.yaml").write_text("memory: {memory_char_limit: 3000}\n")
    snapshot = open_home(hermes_home).snapshot()
    assert snapshot.budget(MEMORY) == 3000
    assert snapshot.budget("memories/USER.md") == 1375
    assert snapshot.budget("skills/dev/release-notes/SKILL.md") is None


@pytest.mark.parametrize(
    "config",
    [
        b"memory: [unclosed",
        b"\xff\xfe",
        b"just text",
        b"memory: 7",
        b"memory: {memory_char_limit: lots}",
        b"memory: {memory_char_limit: true}",
        b"a: &a [*a]\nmemory: {memory_char_limit: 2.5}",
        b"memory: {x: 1}\nmemory: {memory_char_limit: 9}",
    ],
)
def test_a_configuration_that_cannot_be_used_gives_the_default_and_a_note(
    hermes_home: Path, config: bytes
) -> None:
    (hermes_home / "config.yaml").write_bytes(config)
    home = open_home(hermes_home)
    assert home.snapshot().budget(MEMORY) == 2200
    assert len(home.notes) == 1
    assert "config.yaml" in home.notes[0]


@pytest.mark.parametrize(
    "config",
    [
        "memory:\n  memory_char_limit: 9\n",
        "# first\n\nother: 1\nlist:\n- a\n- memory: 7\nmemory:\n\n  memory_char_limit: 9\n# last",
        "other: &it {memory_char_limit: 9}\nmemory: *it\n",
        "memory : {memory_char_limit: 9}",
        '"memory": {memory_char_limit: 9}',
        " memory:\n  memory_char_limit: 9\n",
        "{memory: {memory_char_limit: 9}}",
        "---\nmemory: {memory_char_limit: 9}\n",
        "text: |\n  memory: {memory_char_limit: 7}\nmemory: {memory_char_limit: 9}\n",
        "other: 1\r\nmemory:\r\n\r\n  memory_char_limit: 9\r\n",
        "other: 1\rmemory: {memory_char_limit: 9}\r",
        "\ufeffmemory: {memory_char_limit: 9}",
    ],
)
def test_a_limit_is_found_however_the_configuration_is_laid_out(
    hermes_home: Path, config: str
) -> None:
    (hermes_home / "config.yaml").write_bytes(config.encode())
    home = open_home(hermes_home)
    assert home.snapshot().budget(MEMORY) == 9
    assert home.notes == ()


def test_the_sections_of_others_in_a_configuration_are_gone_through_and_not_parsed(
    hermes_home: Path,
) -> None:
    section = "  enabled: true\n  items: [a, b, {c: 1}]\n  nested:\n    name: 'x y z'\n"

    def steps(others: int) -> int:
        other = "".join(f"section_{number}:\n{section}" for number in range(others))
        config = f"{other}memory:\n  memory_char_limit: 9\n"
        (hermes_home / "config.yaml").write_text(config)
        return steps_of(lambda: open_home(hermes_home).snapshot().budget(MEMORY))

    steps(1)
    lines = 400 * 5
    assert steps(400) - steps(0) < 20 * lines  # to parse them takes a hundred times as many
    assert open_home(hermes_home).snapshot().budget(MEMORY) == 9


def test_a_configuration_that_is_broken_elsewhere_is_noted(hermes_home: Path) -> None:
    config = "memory: {memory_char_limit: 9}\nother: [unclosed\n"
    (hermes_home / "config.yaml").write_text(config)
    home = open_home(hermes_home)
    assert home.notes == ("config.yaml is not valid YAML: Hermes itself uses its defaults.",)


def test_an_empty_configuration_is_no_problem(hermes_home: Path) -> None:
    (hermes_home / "config.yaml").write_text("")
    assert open_home(hermes_home).notes == ()


def test_the_stamp_stays_as_long_as_nothing_changes(hermes_home: Path) -> None:
    home = open_home(hermes_home)
    paths = home.documents()
    assert home.stamp(paths) == home.stamp(paths) == home.stamp(reversed(paths))


@pytest.mark.parametrize(
    "path",
    [
        "pending/memory/0123abcd.json",
        "pending/skills/0123abcd.json",
        "memories/MEMORY.md",
        "skills/ops/log-triage/SKILL.md",
        "skills/dev/brand-new/SKILL.md",
        "skills/brand-new/SKILL.md",
        "config.yaml",
        "skills/.usage.json",
    ],
)
def test_the_stamp_changes_with_what_staging_depends_on(hermes_home: Path, path: str) -> None:
    home = open_home(hermes_home)
    paths = home.documents()
    before = home.stamp(paths)
    (hermes_home / path).parent.mkdir(exist_ok=True)
    (hermes_home / path).write_text("something else")
    assert home.stamp(paths) != before


def test_a_text_of_the_same_length_whose_time_was_put_back_changes_the_stamp(
    hermes_home: Path,
) -> None:
    home, memory = open_home(hermes_home), hermes_home / "memories" / "MEMORY.md"
    paths, was, text = home.documents(), memory.stat(), memory.read_bytes()
    before = home.stamp(paths)
    with memory.open("r+b") as file:
        file.write(bytes(reversed(text)))
    os.utime(memory, ns=(was.st_atime_ns, was.st_mtime_ns))
    after = memory.stat()
    assert (after.st_size, after.st_ino, after.st_mtime_ns) == (
        was.st_size,
        was.st_ino,
        was.st_mtime_ns,
    )
    assert home.stamp(paths) != before


def test_a_stamp_never_fails(tmp_path: Path) -> None:
    home = open_home(tmp_path)
    assert home.stamp(["a\0b", "x/" * 3000, "skills/gone.md"])


def test_new_and_archived_skills_have_their_places(hermes_home: Path) -> None:
    snapshot = open_home(hermes_home).snapshot()
    assert snapshot.new_skill_directory("x", "ops") == "skills/ops/x"
    assert snapshot.new_skill_directory("x", None) == "skills/x"
    assert snapshot.archive_directory("x") == "skills/.archive/x"
    (hermes_home / "skills" / ".archive" / "x").mkdir(parents=True)
    assert snapshot.archive_directory("x") == "skills/.archive/x-20270112100000"
    (hermes_home / "skills" / ".archive" / "x-20270112100000").mkdir()
    assert snapshot.archive_directory("x") == "skills/.archive/x-20270112100001"


def test_a_skill_is_described_with_its_files(hermes_home: Path) -> None:
    assert open_home(hermes_home).snapshot().skill("log-triage") == Skill(
        name="log-triage",
        directory="skills/ops/log-triage",
        files=("SKILL.md", "scripts/top.sh"),
    )
