"""Reading what the plugin notes beside a record: of its form or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.origin.kit import write_sidecar

from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.sidecar import LIMIT, Sidecar, has_sidecars, read_sidecar

ID = "aaaaaaaa"


def read(home: Path, id: str = ID) -> Sidecar | str | None:
    return read_sidecar(home, id, kernel=Kernel())


def test_everything_that_it_says_is_read(home: Path) -> None:
    call = {"name": "read_file", "arguments": {"path": "a.md"}, "id": "c1"}
    write_sidecar(
        home,
        at=1763715600.25,
        replayed=7,
        prompt=["one", "two"],
        calls=[call],
        views={"skills/x/SKILL.md": "text"},
        more="is ignored",
    )
    found = read(home)
    assert isinstance(found, Sidecar)
    assert (found.session, found.turn, found.call, found.tool) == (
        *("s1", "turn-1", "call-1", "memory"),
    )
    assert (found.at, found.replayed, found.prompt) == (1763715600.25, 7, "one\n\ntwo")
    assert [(one.name, one.arguments, one.id) for one in found.calls] == [
        ("read_file", {"path": "a.md"}, "c1")
    ]
    assert found.views == {"skills/x/SKILL.md": "text"}


def test_what_is_missing_tells_nothing(home: Path) -> None:
    path = write_sidecar(home)
    path.write_text(json.dumps({"v": 1, "session": "s1", "at": 1.5, "tool": "skill_manage"}))
    assert read(home) == Sidecar("s1", 1.5, "skill_manage")


def test_no_sidecar_is_none(home: Path) -> None:
    assert read(home) is None
    assert not has_sidecars(home, kernel=Kernel())
    (home / ".reviewdeck" / "sidecar").mkdir(parents=True)
    assert read(home) is None
    assert not has_sidecars(home, kernel=Kernel())
    write_sidecar(home, "bbbbbbbb")
    assert read(home) is None
    assert has_sidecars(home, kernel=Kernel())


@pytest.mark.parametrize("id", ["", "../../x", "AAAAAAAA", "aaaaaaa", "a/aaaaaaa", "aaaaaaaa\n"])
def test_an_id_that_hermes_never_makes_has_none(home: Path, id: str) -> None:
    write_sidecar(home)
    assert read(home, id) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"v": 2},
        {"v": True},
        {"v": None},
        {"session": ""},
        {"session": 7},
        {"tool": "terminal"},
        {"at": "soon"},
        {"at": None},
        {"at": True},
        {"replayed": "7"},
        {"replayed": True},
        {"prompt": [7]},
        {"prompt": {"a": 1}},
        {"calls": "all"},
        {"views": ["x"]},
        {"views": {"a": 1}},
    ],
)
def test_one_of_another_form_cannot_be_used(home: Path, wrong: dict[str, Any]) -> None:
    write_sidecar(home, **wrong)
    assert isinstance(read(home), str)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{", b'{"v": 1, "v": 1}', b"\xff\xfe", b"[" * 5000, b'{"v": NaN}', b"\0"],
)
def test_one_that_is_no_plain_json_cannot_be_used(home: Path, data: bytes) -> None:
    write_sidecar(home).write_bytes(data)
    assert isinstance(read(home), str)


def test_one_that_is_too_large_cannot_be_used(home: Path) -> None:
    write_sidecar(home, prompt=["x" * LIMIT])
    assert isinstance(read(home), str)


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604, 0o755])
def test_one_that_others_may_read_or_write_cannot_be_used(home: Path, mode: int) -> None:
    write_sidecar(home, mode=mode)
    assert isinstance(read(home), str)


def test_a_link_a_second_name_and_a_pipe_cannot_be_used(home: Path) -> None:
    path = write_sidecar(home)
    aside = home / "aside.json"
    path.rename(aside)
    path.symlink_to(aside)
    assert isinstance(read(home), str)
    path.unlink()
    path.hardlink_to(aside)
    assert isinstance(read(home), str)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert isinstance(read(home), str)


def test_a_folder_behind_a_link_is_not_entered(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_sidecar(other)
    (home / ".reviewdeck").symlink_to(other / ".reviewdeck")
    assert isinstance(read(home), str)
    assert has_sidecars(home, kernel=Kernel())
