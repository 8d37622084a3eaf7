"""What a system offers beyond POSIX that makes a compare-and-swap of files possible, and last.

Linux has `renameat2` and `openat2`, macOS `renameatx_np` and `F_FULLFSYNC`. The renames and the
opening have a portable way round them, which promises less: `Kernel.weaker` says when it was taken.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

OPENAT2 = 437
"""The number of the system call: the same on every architecture."""
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

_MISSING = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_LINKS = _MISSING | {errno.EPERM, errno.EMLINK, errno.EISDIR}


@dataclass(frozen=True, slots=True)
class NameIn:
    """A name in a directory that is held open, so that no path is walked twice."""

    directory: int
    name: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """A system's call that renames on conditions, and its numbers."""

    call: Callable[..., int]
    no_replace: int
    exchange: int
    here: int
    """What stands for the current directory."""


def renaming_of(libc: Any) -> Renaming | None:
    """What this C library has of it: both take two directories, two names and flags."""
    if hasattr(libc, "renameat2"):
        return Renaming(libc.renameat2, no_replace=1, exchange=2, here=-100)
    if hasattr(libc, "renameatx_np"):
        return Renaming(libc.renameatx_np, no_replace=4, exchange=2, here=-2)
    return None


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


class Kernel:
    """What this system can do. Tests switch parts of it off."""

    def __init__(self, *, renames: bool = True, openat2: bool = True) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._openat2 = openat2 and sys.platform == "linux"
        self._renaming = renaming_of(self._libc) if renames else None
        self.weaker = not self._answers()
        """Whether a rename had to be done without the kernel's own compare."""

    def rename_new(self, source: NameIn, target: NameIn) -> None:
        """Renames to a name that has to be free. Raises FileExistsError when it is not."""
        flag = self._renaming.no_replace if self._renaming else 0
        if not self._rename(source, target, flag):
            _rename_new(source, target)

    def exchange(self, one: NameIn, other: NameIn) -> bool:
        """Lets two names change places at one instant. False when that is not on offer here."""
        return self._rename(one, other, self._renaming.exchange if self._renaming else 0)

    def open_beneath(self, directory: int, path: str, flags: int) -> int:
        """Opens a path below a directory; no part of it may be a symbolic link or lead out."""
        if not self._openat2:
            return _open_each(directory, path, flags)
        resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
        how = _OpenHow(flags=flags | os.O_CLOEXEC, mode=0, resolve=resolve)
        opened: int = self._libc.syscall(
            ctypes.c_long(OPENAT2),
            ctypes.c_int(directory),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if opened >= 0:
            return opened
        code = ctypes.get_errno()
        if code not in {errno.ENOSYS, errno.EPERM}:
            raise OSError(code, os.strerror(code), path)
        self._openat2 = False
        return _open_each(directory, path, flags)

    def _answers(self) -> bool:
        """Asks for a rename of nothing: the answer tells whether the call exists."""
        if self._renaming is None:
            return False
        nothing = NameIn(self._renaming.here, "")
        return self._call(self._renaming, nothing, nothing, self._renaming.exchange) != errno.ENOSYS

    def _rename(self, source: NameIn, target: NameIn, flag: int) -> bool:
        """Whether the kernel did it. Raises OSError when it can and would not."""
        renaming = self._renaming
        code = self._call(renaming, source, target, flag) if renaming else errno.ENOSYS
        if code in _MISSING:
            self.weaker = True
            return False
        if code:
            raise OSError(code, os.strerror(code), source.name, None, target.name)
        return True

    @staticmethod
    def _call(renaming: Renaming, source: NameIn, target: NameIn, flag: int) -> int:
        """The error number, 0 for success."""
        done = renaming.call(
            ctypes.c_int(source.directory),
            ctypes.c_char_p(os.fsencode(source.name)),
            ctypes.c_int(target.directory),
            ctypes.c_char_p(os.fsencode(target.name)),
            ctypes.c_uint(flag),
        )
        return 0 if done == 0 else ctypes.get_errno()


_FULL: Final[int | None] = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS fsync leaves the bytes in the drive's own memory; this asks the drive to write them."""


def make_durable(descriptor: int) -> None:
    """Returns when the bytes of a file, or the names of a directory, are on the disk."""
    if _FULL is not None:
        try:
            fcntl.fcntl(descriptor, _FULL)
        except OSError as error:
            if error.errno not in _MISSING | {errno.ENOTTY}:  # a file system without it
                raise
        else:
            return
    os.fsync(descriptor)


def exists(place: NameIn) -> bool:
    """Whether anything at all goes by this name, a dangling link included."""
    try:
        os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_directory(place: NameIn) -> bool:
    """Whether this name is a directory itself, not a link to one."""
    try:
        facts = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(facts.st_mode)


def _rename_new(source: NameIn, target: NameIn) -> None:
    """A hard link is the portable way to take a name only when it is free."""
    try:
        os.link(
            source.name,
            target.name,
            src_dir_fd=source.directory,
            dst_dir_fd=target.directory,
            follow_symlinks=False,
        )
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        os.unlink(source.name, dir_fd=source.directory)
        return
    if exists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target.name)
    os.rename(source.name, target.name, src_dir_fd=source.directory, dst_dir_fd=target.directory)


def _open_each(directory: int, path: str, flags: int) -> int:
    """Opens part by part, and follows no link at any of them."""
    parts = path.split("/")
    if ".." in parts or path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    held = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
    try:
        for part in parts[:-1]:
            inner = _open_directory(held, part)
            os.close(held)
            held = inner
        return os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=held)
    finally:
        os.close(held)


def _open_directory(directory: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, dir_fd=directory)


def describe_weakness(weaker: bool) -> str | None:
    """One sentence for `doctor` on what is not promised here."""
    if not weaker:
        return None
    return (
        f"This file system or kernel ({platform.system()} {platform.release()}) cannot exchange "
        "two files at one instant: a write by another program in the moment between our last "
        "comparison and our rename would be overwritten."
    )
