"""The steps that change a disk, each announced to a probe before it is taken.

A file is synced before it is renamed, and a directory after: nothing here relies on the order in
which a file system writes by itself.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from reviewdeck.errors import HomeReadOnly, WriteFailed
from reviewdeck.files.reads import FileRead, explain
from reviewdeck.files.syscalls import Kernel, NameIn, make_durable
from reviewdeck.ports import Probe

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
CHUNK = 1 << 16
_NONE = FileRead()
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

_IF_MOUNTED = (
    "Nothing was lost. A file that is mounted by itself, as into a container, cannot be replaced:"
    " mount its folder instead."
)
_NOT_PLAIN = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EXDEV})


@contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """Turns system errors into errors that an operator can act on."""
    try:
        yield
    except OSError as error:
        if error.errno in _READ_ONLY:
            raise HomeReadOnly(f"{path} cannot be written: {error.strerror}.") from error
        hint = _IF_MOUNTED if error.errno == errno.EBUSY else None
        reason = _why_not_plain(error, path) if error.errno in _NOT_PLAIN else error.strerror
        raise WriteFailed(f"{path} was not written: {reason}.", hint=hint) from error


def _why_not_plain(error: OSError, path: str) -> str:
    """What is a link or no directory: the path itself, or something else on the way."""
    name = error.filename
    is_other = isinstance(name, str) and not path.endswith(name)
    return f"{name} {explain(error)}" if is_other else explain(error)


class Steps:
    """Changes a disk in steps, each announced to the probe."""

    def __init__(self, kernel: Kernel, probe: Probe) -> None:
        self.kernel = kernel
        self._probe = probe

    def write_file(self, place: NameIn, data: bytes, mode: int, owner: tuple[int, int]) -> None:
        """Creates a file with these bytes, durably. A failure leaves no file."""
        self._probe(f"create {place.name}")
        file = os.open(place.name, NEW_FILE, 0o600, dir_fd=place.directory)
        try:
            self._fill(file, place.name, data, mode, owner)
        except OSError:
            # After a failed sync the kernel may drop the pages: the file is not to be trusted.
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
        set_owner(file, owner)
        os.fchmod(file, mode)
        self._probe(f"sync {name}")
        make_durable(file)

    def set_mode(self, place: NameIn, mode: int) -> None:
        """Sets the permission bits of a file, durably; never follows a link."""
        self._probe(f"permit {place.name}")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(place.name, flags, dir_fd=place.directory)
        try:
            os.fchmod(file, mode)
            make_durable(file)
        finally:
            os.close(file)

    def sync_file(self, place: NameIn) -> None:
        """Makes an existing file durable."""
        file = os.open(
            place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.directory
        )
        try:
            make_durable(file)
        finally:
            os.close(file)

    def sync(self, *directories: int) -> None:
        """Makes the entries of these directories durable."""
        for directory in directories:
            self._probe("sync-directory")
            make_durable(directory)

    def rename_new(self, source: NameIn, target: NameIn, *, durable: bool = True) -> None:
        """Renames to a free name and syncs both directories. Raises FileExistsError.

        Without `durable`, the caller renames again in the same directory and syncs that.
        """
        self._probe(f"rename {source.name} {target.name}")
        self.kernel.rename_new(source, target)
        if durable:
            self._sync_both(source, target)

    def exchange(self, first: NameIn, second: NameIn, *, durable: bool = True) -> bool:
        """Exchanges two names atomically; False when the system cannot."""
        self._probe(f"exchange {first.name} {second.name}")
        if not self.kernel.exchange(first, second):
            return False
        if durable:
            self._sync_both(first, second)
        return True

    def replace(self, source: NameIn, target: NameIn) -> None:
        """Renames over an existing file: for our own files, or where `exchange` is missing."""
        self._probe(f"replace {source.name} {target.name}")
        os.replace(
            source.name, target.name, src_dir_fd=source.directory, dst_dir_fd=target.directory
        )
        self._sync_both(source, target)

    def rewrite(
        self, place: NameIn, temporary: str, data: bytes, mode: int = 0o600, was: FileRead = _NONE
    ) -> None:
        """Replaces a file of ours, or that `was` read before, by way of a temporary name."""
        fresh = NameIn(place.directory, temporary)
        self.remove(fresh)
        self.write_file(fresh, data, mode, owner_of(place.directory, was))
        self.replace(fresh, place)

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
        """Creates a directory with the mode of its parent; False when it exists already."""
        parent = os.fstat(place.directory)
        self._probe(f"make-directory {place.name}")
        try:
            os.mkdir(place.name, 0o700, dir_fd=place.directory)
        except FileExistsError:
            return False
        directory = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=place.directory)
        try:
            set_owner(directory, (parent.st_uid, parent.st_gid))
            os.fchmod(directory, stat.S_IMODE(parent.st_mode) if mode is None else mode)
        finally:
            os.close(directory)
        self.sync(place.directory)
        return True

    def remove_directory(self, place: NameIn) -> bool:
        """Removes a directory if it is empty; returns whether it did."""
        self._probe(f"remove-directory {place.name}")
        try:
            os.rmdir(place.name, dir_fd=place.directory)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.EBUSY}:
                return False
            raise
        self.sync(place.directory)
        return True


def set_owner(file: int, owner: tuple[int, int]) -> None:
    """Gives a new file to this owner, where the system allows it."""
    status = os.fstat(file)
    if (status.st_uid, status.st_gid) != owner:
        with suppress(PermissionError):
            os.fchown(file, *owner)


def owner_of(directory: int, replaced: FileRead) -> tuple[int, int]:
    """The owner for a new file: that of the file it replaces, or of its directory."""
    if replaced.owner is not None:
        return replaced.owner
    status = os.fstat(directory)
    return status.st_uid, status.st_gid
