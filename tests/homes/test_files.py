"""Documents are read without following links, and a failure to read is never "absent"."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from reviewdeck.errors import BadInput
from reviewdeck.files.reads import read_document
from reviewdeck.files.syscalls import Kernel, NameIn, exists, is_directory

NAME = "skills/notes/SKILL.md"


@pytest.fixture(params=[True, False], ids=["openat2", "each-part"])
def kernel(request: pytest.FixtureRequest) -> Kernel:
    on = bool(request.param)
    return Kernel(openat2=on, renames=on)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/skills/notes").mkdir(parents=True)
    (tmp_path / "home" / NAME).write_bytes(b"text")
    (tmp_path / "home" / NAME).chmod(0o640)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/SKILL.md").write_bytes(b"outside")
    return tmp_path / "home"


def problem(home: Path, kernel: Kernel, path: str = NAME, *, follow: bool = False) -> str | None:
    document = read_document(home, path, follow=follow, kernel=kernel)
    assert document.exists
    return document.problem


def test_a_plain_file_is_read_with_its_mode(home: Path, kernel: Kernel) -> None:
    document = read_document(home, NAME, follow=False, kernel=kernel)
    assert (document.data, document.mode, document.problem) == (b"text", 0o640, None)
    assert document.text == "text"


@pytest.mark.parametrize("path", ["skills/notes/x.md", "skills/none/SKILL.md", "a/b/c/d"])
def test_what_is_not_there_is_absent(home: Path, kernel: Kernel, path: str) -> None:
    document = read_document(home, path, follow=False, kernel=kernel)
    assert not document.exists
    assert document.problem is None


@pytest.mark.parametrize("target", ["outside/SKILL.md", "home/none", "home/skills/other.md"])
def test_a_link_is_a_problem_wherever_it_leads(
    home: Path, kernel: Kernel, tmp_path: Path, target: str
) -> None:
    (home / NAME).unlink()
    (home / NAME).symlink_to(tmp_path / target)
    assert problem(home, kernel) == "is a symbolic link"


@pytest.mark.parametrize("part", ["skills", "skills/notes"])
def test_a_link_on_the_way_is_a_problem(
    home: Path, kernel: Kernel, tmp_path: Path, part: str
) -> None:
    (home / part).rename(tmp_path / "moved")
    (home / part).symlink_to(tmp_path / "moved")
    said = problem(home, kernel)
    assert said is not None
    assert "link" in said


def test_a_file_on_the_way_is_a_problem(home: Path, kernel: Kernel) -> None:
    assert problem(home, kernel, f"{NAME}/x") == "a part of its path is a link or not a directory"


def test_a_directory_a_pipe_and_a_second_name_are_problems(home: Path, kernel: Kernel) -> None:
    os.mkfifo(home / "skills/pipe")
    os.link(home / NAME, home / "second")
    assert problem(home, kernel, "skills/notes") == "is not a plain file"
    assert problem(home, kernel, "skills/pipe") == "is not a plain file"
    assert problem(home, kernel) == "has a second name (a hard link)"


def test_too_large_a_file_is_a_problem(home: Path, kernel: Kernel) -> None:
    said = read_document(home, NAME, follow=False, kernel=kernel, limit=3).problem
    assert said == "is larger than 3 bytes"
    assert read_document(home, NAME, follow=False, kernel=kernel, limit=4).problem is None


def test_bytes_that_are_no_text_are_a_problem_and_are_kept(home: Path, kernel: Kernel) -> None:
    (home / NAME).write_bytes(b"ab\xff")
    document = read_document(home, NAME, follow=False, kernel=kernel)
    assert (document.data, document.problem) == (b"ab\xff", "is not UTF-8 (byte 2)")
    with pytest.raises(ValueError, match="UTF-8"):
        _ = document.text


def test_a_link_is_followed_where_that_is_wanted(
    home: Path, kernel: Kernel, tmp_path: Path
) -> None:
    (home / "memories").symlink_to(tmp_path / "outside")
    document = read_document(home, "memories/SKILL.md", follow=True, kernel=kernel)
    assert document.data == b"outside"
    assert document.link == str(tmp_path / "outside/SKILL.md")


def test_a_link_that_leads_nowhere_is_absent_where_links_are_followed(
    home: Path, kernel: Kernel, tmp_path: Path
) -> None:
    (home / "M.md").symlink_to(tmp_path / "none.md")
    document = read_document(home, "M.md", follow=True, kernel=kernel)
    assert (document.exists, document.link) == (False, str(tmp_path / "none.md"))


def test_a_link_to_itself_is_a_problem(home: Path, kernel: Kernel) -> None:
    (home / "M.md").symlink_to("M.md")
    assert problem(home, kernel, "M.md", follow=True) == "is a symbolic link"


@pytest.mark.parametrize("path", ["../outside/SKILL.md", "/etc/passwd", "a/./b", ".reviewdeck/x"])
def test_a_path_that_does_not_lead_down_is_refused(home: Path, kernel: Kernel, path: str) -> None:
    with pytest.raises(BadInput):
        read_document(home, path, follow=False, kernel=kernel)


def test_nothing_outside_is_opened_from_a_directory(home: Path, kernel: Kernel) -> None:
    directory = os.open(home, os.O_RDONLY)
    try:
        for path in ("../outside", "/etc", "skills/../../outside"):
            with pytest.raises(OSError) as caught:
                kernel.open_beneath(directory, path, os.O_RDONLY)
            assert caught.value.errno == errno.EXDEV
    finally:
        os.close(directory)


def test_a_taken_name_is_never_renamed_over(home: Path, kernel: Kernel) -> None:
    directory = os.open(home / "skills", os.O_RDONLY)
    try:
        (home / "skills/a").write_bytes(b"a")
        (home / "skills/b").mkdir()
        for source, target in (("a", "notes"), ("b", "a"), ("b", "notes"), ("a", "b")):
            with pytest.raises(FileExistsError):
                kernel.rename_new(NameIn(directory, source), NameIn(directory, target))
        kernel.rename_new(NameIn(directory, "a"), NameIn(directory, "c"))
        kernel.rename_new(NameIn(directory, "b"), NameIn(directory, "d"))
        assert sorted(path.name for path in (home / "skills").iterdir()) == ["c", "d", "notes"]
        assert is_directory(NameIn(directory, "d"))
        assert not is_directory(NameIn(directory, "c"))
        assert not exists(NameIn(directory, "a"))
    finally:
        os.close(directory)


def test_files_change_places_only_where_the_system_can(home: Path, kernel: Kernel) -> None:
    directory = os.open(home / "skills", os.O_RDONLY)
    try:
        (home / "skills/a").write_bytes(b"a")
        (home / "skills/b").write_bytes(b"b")
        swapped = kernel.exchange(NameIn(directory, "a"), NameIn(directory, "b"))
        assert swapped is not kernel.weaker
        assert (home / "skills/a").read_bytes() == (b"b" if swapped else b"a")
    finally:
        os.close(directory)
