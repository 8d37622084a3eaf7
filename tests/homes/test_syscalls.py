"""Renames on conditions, and bytes that are on the disk, as each system offers them."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from reviewdeck.homes import syscalls
from reviewdeck.homes.syscalls import Kernel, NameIn, find_rename_call, make_durable


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="it has no such call")
def test_this_system_exchanges_two_names_and_takes_only_free_ones(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    held = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        kernel = Kernel()
        assert not kernel.weaker
        assert kernel.exchange(NameIn(held, "one"), NameIn(held, "two"))
        assert (tmp_path / "one").read_text() == "two"
        with pytest.raises(FileExistsError):
            kernel.rename_new(NameIn(held, "one"), NameIn(held, "two"))
        kernel.rename_new(NameIn(held, "one"), NameIn(held, "free"))
        assert not kernel.weaker
    finally:
        os.close(held)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["free", "two"]


def test_the_numbers_of_macos_are_those_of_its_own_call() -> None:
    """From its `sys/stdio.h` and `sys/fcntl.h`: RENAME_SWAP, RENAME_EXCL, AT_FDCWD."""
    found = find_rename_call(SimpleNamespace(renameatx_np=lambda *_: 0))
    assert found is not None
    assert (found.exchange, found.no_replace, found.current_directory) == (2, 4, -2)
    assert find_rename_call(SimpleNamespace()) is None


def test_where_fsync_leaves_bytes_in_the_drive_the_drive_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    synced: list[int] = []
    monkeypatch.setattr(syscalls, "_FULL", 51)
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, request: asked.append(request))
    make_durable(7)
    assert (asked, synced) == ([51], [])

    def refused(*_: int) -> None:
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(syscalls, "_MISSING", frozenset({45}))  # its number of ENOTSUP
    monkeypatch.setattr(fcntl, "fcntl", refused)
    make_durable(7)
    assert synced == [7]
