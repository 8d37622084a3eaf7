"""Scanning the pending folder."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.steps import LINEAR, steps_of

from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import Quarantined
from reviewdeck.ports import PendingFile

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)


def scan(home: Path) -> list[PendingFile]:
    return list(HermesHome(home, env={}, user_home=home.parent).pending())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for memory records."""
    (tmp_path / "pending" / "memory").mkdir(parents=True)
    return tmp_path / "pending" / "memory"


def reason_of(home: Path) -> str:
    """Why the only file in the folder is quarantined."""
    (file,) = scan(home)
    assert file.data is None
    parsed = HermesHome(home, env={}, user_home=home.parent).parse(file, NOW)
    assert isinstance(parsed, Quarantined)
    assert parsed.source == file.source
    assert parsed.payload_sha == ""
    return parsed.reason


def test_records_come_by_folder_and_name(tmp_path: Path) -> None:
    for name in ("skills/0a.json", "memory/b0.json", "memory/a0.json", "skills/00.json"):
        path = tmp_path / "pending" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    assert [(file.source, file.data) for file in scan(tmp_path)] == [
        ("pending/memory/a0.json", b"memory/a0.json"),
        ("pending/memory/b0.json", b"memory/b0.json"),
        ("pending/skills/00.json", b"skills/00.json"),
        ("pending/skills/0a.json", b"skills/0a.json"),
    ]


def test_what_hermes_works_there_is_asked_once_for_all_records(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        (folder / f"a{number}.json").write_text("{}")
    asked: list[Path] = []

    def counted(home: Path) -> bool:
        asked.append(home)
        return False

    monkeypatch.setattr("reviewdeck.homes.hermes.home.is_later_home", counted)
    home = HermesHome(tmp_path, env={}, user_home=tmp_path.parent)
    assert len([home.parse(file, NOW) for file in home.pending()]) == 3
    assert asked == [tmp_path]


def test_unfinished_and_hidden_files_are_passed_over(tmp_path: Path, folder: Path) -> None:
    for name in ("ab.json.tmp", ".ab_x.tmp", ".ab.json", "notes.txt"):
        (folder / name).write_text("{}")
    assert scan(tmp_path) == []


def test_a_link_is_not_followed(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    (folder / "ab.json").symlink_to(tmp_path / "secret")
    assert reason_of(tmp_path) == "link"


def test_a_pipe_or_a_directory_is_not_read(tmp_path: Path, folder: Path) -> None:
    os.mkfifo(folder / "ab.json")
    assert reason_of(tmp_path) == "not-plain"
    (folder / "ab.json").unlink()
    (folder / "ab.json").mkdir()
    assert reason_of(tmp_path) == "not-plain"


def test_a_file_with_a_second_name_is_not_read(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "other").write_text("{}")
    (folder / "ab.json").hardlink_to(tmp_path / "other")
    assert reason_of(tmp_path) == "not-plain"


def test_a_huge_file_is_not_read(tmp_path: Path, folder: Path) -> None:
    (folder / "ab.json").write_bytes(b" " * (256 * 1024 + 1))
    assert reason_of(tmp_path) == "too-large"


def test_a_skill_record_may_be_larger(tmp_path: Path) -> None:
    (tmp_path / "pending" / "skills").mkdir(parents=True)
    file = tmp_path / "pending" / "skills" / "ab.json"
    file.write_bytes(b" " * (3 * 512 * 1024))
    assert scan(tmp_path)[0].data is not None
    file.write_bytes(b" " * (3 * 512 * 1024 + 1))
    assert reason_of(tmp_path) == "too-large"


def test_a_linked_folder_is_in_view_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ab.json").write_text("{}")
    (tmp_path / "pending").mkdir()
    (tmp_path / "pending" / "memory").symlink_to(tmp_path / "elsewhere")
    (file,) = scan(tmp_path)
    assert file.source == "pending/memory"
    assert reason_of(tmp_path) == "link"


@pytest.mark.parametrize("openat2", [True, False])
def test_a_folder_that_is_no_directory_of_ours_is_never_silent(
    tmp_path: Path, openat2: bool
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pending").mkdir()
    (tmp_path / "pending" / "memory").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "pending" / "skills").write_text("a file")
    kernel = Kernel(openat2=openat2)
    home = HermesHome(tmp_path, env={}, user_home=tmp_path, kernel=kernel)
    files = list(home.pending())
    assert [file.source for file in files] == ["pending/memory", "pending/skills"]
    assert all(file.problem for file in files)


def test_a_name_that_is_not_utf8_is_in_view(tmp_path: Path, folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    try:
        (folder / name).write_text("{}")
    except OSError:
        pytest.skip("this file system has no such names")
    assert reason_of(tmp_path) == "bad-name"
    assert scan(tmp_path)[0].source == "pending/memory/caf\\xe9.json"


def test_of_twice_as_many_records_each_is_read_once(tmp_path: Path, folder: Path) -> None:
    def steps(count: int) -> int:
        for number in range(count):
            (folder / f"{number:08x}.json").write_bytes(b'{"id": 1}')
        found = steps_of(lambda: scan(tmp_path))
        assert len(scan(tmp_path)) == count
        return found

    steps(10)
    once = steps(1_000)
    assert steps(2_000) < LINEAR * once
