"""The three things Linux offers beyond POSIX that make a compare-and-swap of files possible.

Each has a portable way round it, which promises less: `Kernel.weaker` says when it was taken.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import sys
from dataclasses import dataclass

RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2
AT_FDCWD = -100
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


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


class Kernel:
    """What this system can do. Tests switch parts of it off."""

    def __init__(self, *, renameat2: bool = True, openat2: bool = True) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._openat2 = openat2 and sys.platform == "linux"
        self._renameat2 = renameat2 and hasattr(self._libc, "renameat2")
        self.weaker = not (self._renameat2 and self._answers())
        """Whether a rename had to be done without the kernel's own compare."""

    def rename_new(self, source: NameIn, target: NameIn) -> None:
        """Renames to a name that has to be free. Raises FileExistsError when it is not."""
        if not self._rename(source, target, RENAME_NOREPLACE):
            _rename_new(source, target)

    def exchange(self, one: NameIn, other: NameIn) -> bool:
        """Lets two names change places at one instant. False when that is not on offer here."""
        return self._rename(one, other, RENAME_EXCHANGE)

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
        return (
            self._call(NameIn(AT_FDCWD, ""), NameIn(AT_FDCWD, ""), RENAME_EXCHANGE) != errno.ENOSYS
        )

    def _rename(self, source: NameIn, target: NameIn, flag: int) -> bool:
        """Whether the kernel did it. Raises OSError when it can and would not."""
        code = self._call(source, target, flag) if self._renameat2 else errno.ENOSYS
        if code in _MISSING:
            self.weaker = True
            return False
        if code:
            raise OSError(code, os.strerror(code), source.name, None, target.name)
        return True

    def _call(self, source: NameIn, target: NameIn, flag: int) -> int:
        """The error number, 0 for success."""
        done = self._libc.renameat2(
            ctypes.c_int(source.directory),
            ctypes.c_char_p(os.fsencode(source.name)),
            ctypes.c_int(target.directory),
            ctypes.c_char_p(os.fsencode(target.name)),
            ctypes.c_uint(flag),
        )
        return 0 if done == 0 else ctypes.get_errno()


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
