"""System calls beyond POSIX for an atomic and durable compare-and-swap of files.

Linux has `renameat2` and `openat2`, macOS `renameatx_np` and `F_FULLFSYNC`. Renaming and opening
have portable fallbacks that guarantee less: `Kernel.weaker` says whether one was used.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable
from typing import Any, Final

from reviewdeck.values import dataclass

OPENAT2 = 437
"""The number of the system call: the same on every architecture."""
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

_MISSING = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_LINKS = _MISSING | {errno.EPERM, errno.EMLINK, errno.EISDIR}


@dataclass(frozen=True, slots=True)
class NameIn:
    """A name in an open directory, so that no path is resolved twice."""

    directory: int
    name: str


@dataclass(frozen=True, slots=True)
class ConditionalRename:
    """The system call that renames conditionally, and its flags."""

    call: Callable[..., int]
    no_replace: int
    exchange: int
    current_directory: int
    """The system's AT_FDCWD."""


def find_rename_call(libc: Any) -> ConditionalRename | None:
    """The call of this C library; both variants take two directories, two names and flags."""
    if hasattr(libc, "renameat2"):
        return ConditionalRename(libc.renameat2, no_replace=1, exchange=2, current_directory=-100)
    if hasattr(libc, "renameatx_np"):
        return ConditionalRename(libc.renameatx_np, no_replace=4, exchange=2, current_directory=-2)
    return None


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


class Kernel:
    """The system calls that are available. Tests switch some of them off."""

    def __init__(self, *, renames: bool = True, openat2: bool = True) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._openat2 = openat2 and sys.platform == "linux"
        self._conditional_rename = find_rename_call(self._libc) if renames else None
        self.weaker = not self._has_rename()
        """Whether a rename cannot be conditional in the kernel."""

    def rename_new(self, source: NameIn, target: NameIn) -> None:
        """Renames to a free name. Raises FileExistsError when it is taken."""
        flag = self._conditional_rename.no_replace if self._conditional_rename else 0
        if not self._rename(source, target, flag):
            _rename_new(source, target)

    def exchange(self, first: NameIn, second: NameIn) -> bool:
        """Exchanges two names atomically. False when the system cannot."""
        return self._rename(
            first, second, self._conditional_rename.exchange if self._conditional_rename else 0
        )

    def open_beneath(self, directory: int, path: str, flags: int) -> int:
        """Opens a path below a directory; no part may be a symbolic link or lead outside."""
        if not self._openat2:
            return _open_each(directory, path, flags)
        resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
        request = _OpenHow(flags=flags | os.O_CLOEXEC, mode=0, resolve=resolve)
        file: int = self._libc.syscall(
            ctypes.c_long(OPENAT2),
            ctypes.c_int(directory),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(request),
            ctypes.c_size_t(ctypes.sizeof(request)),
        )
        if file >= 0:
            return file
        code = ctypes.get_errno()
        if code not in {errno.ENOSYS, errno.EPERM}:
            raise OSError(code, os.strerror(code), path)
        self._openat2 = False
        return _open_each(directory, path, flags)

    def _has_rename(self) -> bool:
        """Tries a rename of nothing: the error number tells whether the call exists."""
        if self._conditional_rename is None:
            return False
        nothing = NameIn(self._conditional_rename.current_directory, "")
        return (
            self._call(
                self._conditional_rename, nothing, nothing, self._conditional_rename.exchange
            )
            != errno.ENOSYS
        )

    def _rename(self, source: NameIn, target: NameIn, flag: int) -> bool:
        """Whether the kernel supports the call. Raises OSError when it refuses the rename."""
        renaming = self._conditional_rename
        code = self._call(renaming, source, target, flag) if renaming else errno.ENOSYS
        if code in _MISSING:
            self.weaker = True
            return False
        if code:
            raise OSError(code, os.strerror(code), source.name, None, target.name)
        return True

    @staticmethod
    def _call(renaming: ConditionalRename, source: NameIn, target: NameIn, flag: int) -> int:
        """The error number, 0 for success."""
        result = renaming.call(
            ctypes.c_int(source.directory),
            ctypes.c_char_p(os.fsencode(source.name)),
            ctypes.c_int(target.directory),
            ctypes.c_char_p(os.fsencode(target.name)),
            ctypes.c_uint(flag),
        )
        return 0 if result == 0 else ctypes.get_errno()


_FULL: Final[int | None] = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS fsync leaves the bytes in the drive's cache; this flushes the cache."""


def make_durable(descriptor: int) -> None:
    """Blocks until the bytes of a file, or the entries of a directory, are on disk."""
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
    """Whether the name exists, as a dangling link too."""
    try:
        os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_directory(place: NameIn) -> bool:
    """Whether the name is a directory and not a link to one."""
    try:
        status = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode)


def _rename_new(source: NameIn, target: NameIn) -> None:
    """The portable fallback: a hard link takes a name only when it is free."""
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
    """Opens a path part by part without following a link."""
    parts = path.split("/")
    if ".." in parts or path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    parent = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
    try:
        for part in parts[:-1]:
            child = _open_directory(parent, part)
            os.close(parent)
            parent = child
        return os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    finally:
        os.close(parent)


def _open_directory(directory: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, dir_fd=directory)


def describe_weakness(weaker: bool) -> str | None:
    """One sentence for `doctor` on the guarantee that is missing here."""
    if not weaker:
        return None
    return (
        f"This file system or kernel ({os.uname().sysname} {os.uname().release}) cannot exchange "
        "two files at one instant: a write by another program in the moment between our last "
        "comparison and our rename would be overwritten."
    )
