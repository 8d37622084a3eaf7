"""The steps that change a disk, each announced before it is taken.

A file is synced before it is renamed, and a directory after: nothing here relies on the order in
which a file system writes two things by itself.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from reviewdeck.errors import HomeReadOnly, WriteFailed
from reviewdeck.homes.files import FileRead, explain
from reviewdeck.homes.syscalls import Kernel, NameIn, make_durable
from reviewdeck.ports import Probe

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
CHUNK = 1 << 16
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

_NOT_PLAIN = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EXDEV})


@contextmanager
def refusals(path: str) -> Iterator[None]:
    """Turns the system's refusals into errors that a person can act on."""
    try:
        yield
    except OSError as error:
        if error.errno in _READ_ONLY:
            raise HomeReadOnly(f"{path} cannot be written: {error.strerror}.") from error
        reason = explain(error) if error.errno in _NOT_PLAIN else error.strerror
        raise WriteFailed(f"{path} was not written: {reason}.") from error


class Steps:
    """What is done to a disk, one announced step at a time."""

    def __init__(self, kernel: Kernel, probe: Probe) -> None:
        self.kernel = kernel
        self._probe = probe

    def write_file(self, place: NameIn, data: bytes, mode: int, owner: tuple[int, int]) -> None:
        """Makes a new file with these bytes, on the disk for good. A failure leaves none."""
        self._probe(f"create {place.name}")
        file = os.open(place.name, NEW_FILE, 0o600, dir_fd=place.directory)
        try:
            self._fill(file, place.name, data, mode, owner)
        except OSError:
            # After a failed sync the pages are gone: the file is worth nothing, however it looks.
            with suppress(OSError):
                os.unlink(place.name, dir_fd=place.directory)
            raise
        finally:
            os.close(file)

    def _fill(self, file: int, name: str, data: bytes, mode: int, owner: tuple[int, int]) -> None:
        view = memoryview(data)
        while view:
            self._probe(f"write {name}")
            view = view[os.write(file, view[:CHUNK]) :]
        own(file, owner)
        os.fchmod(file, mode)
        self._probe(f"sync {name}")
        make_durable(file)

    def permit(self, place: NameIn, mode: int) -> None:
        """Gives a file that is there these permission bits, durably; never one behind a link."""
        self._probe(f"permit {place.name}")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(place.name, flags, dir_fd=place.directory)
        try:
            os.fchmod(file, mode)
            make_durable(file)
        finally:
            os.close(file)

    def sync_file(self, place: NameIn) -> None:
        """Makes a file that is there already durable."""
        file = os.open(
            place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.directory
        )
        try:
            make_durable(file)
        finally:
            os.close(file)

    def sync(self, *directories: int) -> None:
        """Makes the names in these directories durable."""
        for directory in directories:
            self._probe("sync-directory")
            make_durable(directory)

    def rename_new(self, source: NameIn, target: NameIn, *, durable: bool = True) -> None:
        """Renames to a free name and syncs both directories. Raises FileExistsError.

        Not `durable` is for a caller that renames on in the same directory and syncs that.
        """
        self._probe(f"rename {source.name} {target.name}")
        self.kernel.rename_new(source, target)
        if durable:
            self._sync_both(source, target)

    def exchange(self, one: NameIn, other: NameIn, *, durable: bool = True) -> bool:
        """Lets two names change places; False when the system cannot. `durable` as above."""
        self._probe(f"exchange {one.name} {other.name}")
        if not self.kernel.exchange(one, other):
            return False
        if durable:
            self._sync_both(one, other)
        return True

    def replace(self, source: NameIn, target: NameIn) -> None:
        """Renames over whatever is there: only for our own files, or where nothing better is."""
        self._probe(f"replace {source.name} {target.name}")
        os.replace(
            source.name, target.name, src_dir_fd=source.directory, dst_dir_fd=target.directory
        )
        self._sync_both(source, target)

    def _sync_both(self, source: NameIn, target: NameIn) -> None:
        """The new name first: in between, a power cut may leave two names, and never none."""
        self.sync(target.directory)
        if not os.path.sameopenfile(source.directory, target.directory):
            self.sync(source.directory)

    def remove(self, place: NameIn) -> None:
        """Removes a file of ours, or one whose bytes are known."""
        self._probe(f"remove {place.name}")
        with suppress(FileNotFoundError):
            os.unlink(place.name, dir_fd=place.directory)

    def remove_tree(self, place: NameIn) -> None:
        """Removes a directory of ours with everything in it."""
        self._probe(f"remove {place.name}")
        with suppress(FileNotFoundError):
            shutil.rmtree(place.name, dir_fd=place.directory)

    def make_directory(self, place: NameIn, mode: int | None = None) -> bool:
        """Makes a directory, as open as the one it is in; says whether it was not there."""
        parent = os.fstat(place.directory)
        self._probe(f"make-directory {place.name}")
        try:
            os.mkdir(place.name, 0o700, dir_fd=place.directory)
        except FileExistsError:
            return False
        made = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=place.directory)
        try:
            own(made, (parent.st_uid, parent.st_gid))
            os.fchmod(made, stat.S_IMODE(parent.st_mode) if mode is None else mode)
        finally:
            os.close(made)
        self.sync(place.directory)
        return True

    def remove_directory(self, place: NameIn) -> bool:
        """Removes a directory if it is empty; says whether it did."""
        self._probe(f"remove-directory {place.name}")
        try:
            os.rmdir(place.name, dir_fd=place.directory)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.EBUSY}:
                return False
            raise
        self.sync(place.directory)
        return True


def own(file: int, owner: tuple[int, int]) -> None:
    """Gives a new file to the owner of what it replaces, where the system allows that."""
    facts = os.fstat(file)
    if (facts.st_uid, facts.st_gid) != owner:
        with suppress(PermissionError):
            os.fchown(file, *owner)


def owner_of(directory: int, found: FileRead) -> tuple[int, int]:
    """Who a new file is to belong to: the owner of the old one, or of its directory."""
    if found.owner is not None:
        return found.owner
    facts = os.fstat(directory)
    return facts.st_uid, facts.st_gid
