"""Renames on conditions, and bytes that are on the disk, as each system offers them."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from reviewdeck.files import syscalls
from reviewdeck.files.syscalls import Kernel, NameIn, find_rename_call, make_durable

ON_MACOS = pytest.mark.skipif(sys.platform != "darwin", reason="this call exists on macOS only")


@pytest.fixture
def exfat(tmp_path: Path) -> Iterator[Path]:
    """A volume as a memory card has it: no hard links, perhaps no conditional rename."""
    image, volume = tmp_path / "card.dmg", tmp_path / "card"
    volume.mkdir()
    subprocess.run(["hdiutil", "create", "-size", "8m", "-fs", "ExFAT", image], check=True)
    subprocess.run(["hdiutil", "attach", "-nobrowse", "-mountpoint", volume, image], check=True)
    yield volume
    subprocess.run(["hdiutil", "detach", "-force", volume], check=True)


def holds_the_contract(kernel: Kernel, folder: Path) -> None:
    """Names change places whole or not at all, and none is replaced unasked."""
    for name in ("one", "two"):
        (folder / name).write_text(name)
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        exchanged = kernel.exchange(NameIn(held, "one"), NameIn(held, "two"))
        assert exchanged or kernel.weaker
        texts = [(folder / name).read_text() for name in ("one", "two")]
        assert texts == (["two", "one"] if exchanged else ["one", "two"])
        with pytest.raises(FileExistsError):
            kernel.rename_new(NameIn(held, "one"), NameIn(held, "two"))
        kernel.rename_new(NameIn(held, "one"), NameIn(held, "free"))
        assert (folder / "free").read_text() == texts[0]
        assert not (folder / "one").exists()
        file = kernel.open_beneath(held, "free", os.O_RDONLY)
        make_durable(file)
        os.close(file)
        make_durable(held)
    finally:
        os.close(held)


@pytest.mark.parametrize("has_renames", [True, False])
def test_this_system_exchanges_two_names_and_takes_only_free_ones(
    has_renames: bool, tmp_path: Path
) -> None:
    kernel = Kernel(renames=has_renames, openat2=has_renames)
    holds_the_contract(kernel, tmp_path)
    assert kernel.weaker is not has_renames


@ON_MACOS
def test_a_volume_that_may_lack_the_calls_holds_the_same_contract(exfat: Path) -> None:
    holds_the_contract(Kernel(), exfat)


@ON_MACOS
def test_the_numbers_are_those_of_the_headers_of_this_macos() -> None:
    if shutil.which("xcrun") is None:
        pytest.skip("no developer tools: the headers were not compared")
    sdk = subprocess.run(
        ["xcrun", "--show-sdk-path"], capture_output=True, text=True, check=True
    ).stdout.strip()
    text = "".join(
        (Path(sdk) / "usr/include/sys" / name).read_text() for name in ("stdio.h", "fcntl.h")
    )
    found = dict(
        re.findall(r"#define\s+(RENAME_SWAP|RENAME_EXCL|AT_FDCWD|F_FULLFSYNC)\s+(\S+)", text)
    )
    renaming = find_rename_call(ctypes.CDLL(None))
    assert renaming is not None
    assert {name: int(number, 0) for name, number in found.items()} == {
        "RENAME_SWAP": renaming.exchange,
        "RENAME_EXCL": renaming.no_replace,
        "AT_FDCWD": renaming.current_directory,
        "F_FULLFSYNC": syscalls._FULL,
    }


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


@pytest.mark.parametrize("code", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY, errno.EIO])
def test_only_a_file_system_without_it_is_asked_for_less(
    code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []

    def refused(*_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(syscalls, "_FULL", 51)
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(fcntl, "fcntl", refused)
    if code == errno.EIO:
        with pytest.raises(OSError, match=os.strerror(code)):
            make_durable(7)
    else:
        make_durable(7)
    assert synced == ([] if code == errno.EIO else [7])
