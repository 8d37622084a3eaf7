"""Folders of pending records: listing and reading them, and removing a decided record.

A record that cannot be read is a value to show, and its file is left alone.

Retiring never removes a record that has changed. It does not sync: the ledger has record and
decision, and the next pass removes a record that a power cut brought back.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from reviewdeck.errors import BadInput
from reviewdeck.files.folder import NAME, TRASH, Folder, key_of
from reviewdeck.files.reads import FileRead, directory_beneath, names_in, open_beneath, read_place
from reviewdeck.files.steps import Steps
from reviewdeck.files.syscalls import Kernel, NameIn, exists
from reviewdeck.model import revision_of
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile

UNSETTLED = 100_000_000
"""Nanoseconds within which a file system may give two versions of a file the same times."""


def see_pending(
    home: Path, folders: Iterable[str], *, kernel: Kernel, clock: Callable[[], int]
) -> Iterator[Sighting]:
    """Every record of these folders, by folder and name, without opening any: one stat each.

    The hint is size, mtime, ctime and inode; no program can set the ctime. A file that was written
    within the last `UNSETTLED` nanoseconds has an empty hint.
    """
    for folder in folders:
        yield from _see_folder(home, folder, kernel, clock() - UNSETTLED)


def _see_folder(home: Path, folder: str, kernel: Kernel, settled: int) -> Iterator[Sighting]:
    try:
        with open_beneath(home, folder, kernel) as directory, os.scandir(directory) as entries:
            sightings = [
                (entry.name, _hint(directory, entry.name, settled))
                for entry in entries
                if _is_record(entry.name)
            ]
    except FileNotFoundError:
        return
    except OSError:
        yield Sighting(folder, "")
        return
    sightings.sort()
    for name, hint in sightings:
        if hint is not None:
            yield Sighting(f"{folder}/{printable_name(name)}", hint)


def see_records(
    home: Path, places: Iterable[tuple[str, str]], kernel: Kernel, now: int
) -> Iterator[Sighting]:
    """The records at these places, by folder and name, without opening any. Never raises."""
    for folder, name in places:
        try:
            with open_beneath(home, folder, kernel) as directory:
                hint = _hint(directory, name, now - UNSETTLED)
        except OSError:
            continue
        if hint is not None:
            yield Sighting(f"{folder}/{name}", hint)


def _hint(directory: int, name: str, settled: int) -> str | None:
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return ""
    if max(status.st_mtime_ns, status.st_ctime_ns) > settled:
        return ""
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"


def scan_pending(
    home: Path, folders: Mapping[str, int], *, kernel: Kernel, only: Collection[str] | None = None
) -> Iterator[PendingFile]:
    """Every record of these folders, or only these, by folder and name.

    Each folder comes with the byte limit of a record. The problem of a record that was not read is
    a short code, a colon and a sentence: `too-large: ...`.
    """
    for folder, cap in folders.items():
        if only is None or any(source.startswith(folder) for source in only):
            yield from _scan_folder(home, folder, cap, kernel, only)


def _scan_folder(
    home: Path, folder: str, cap: int, kernel: Kernel, only: Collection[str] | None
) -> Iterator[PendingFile]:
    parts = tuple(folder.split("/"))
    try:
        with open_beneath(home, parts, kernel) as directory:
            for name in filter(_is_record, names_in(directory)):
                if only is not None and f"{folder}/{printable_name(name)}" not in only:
                    continue
                if (file := read_record(directory, folder, name, cap)) is not None:
                    yield file
    except FileNotFoundError:
        return
    except OSError as error:
        code = "link" if error.errno == errno.ELOOP else "unreadable"
        yield PendingFile(folder, None, f"{code}: the folder cannot be read: {error.strerror}")


def printable_name(name: str) -> str:
    """The name with bytes that are not UTF-8 escaped."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_record(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def read_record(directory: int, folder: str, name: str, cap: int) -> PendingFile | None:
    """One record; None when it was removed meanwhile: another program decided on it."""
    source = f"{folder}/{printable_name(name)}"
    if source != f"{folder}/{name}":
        return PendingFile(source, None, "bad-name: the file's name is not UTF-8")
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        return PendingFile(source, None, f"unreadable: it cannot be read: {error.strerror}")
    if (problem := _shape_problem(status, cap)) is not None:
        return PendingFile(source, None, problem)
    record = read_place(NameIn(directory, name), cap)
    if record.absent:
        return None
    if record.links != 1:  # It may have got one since the stat.
        return PendingFile(source, None, "not-plain: it has a second name (a hard link)")
    return PendingFile(source, record.data, record.problem and f"unreadable: it {record.problem}")


def scan_records(
    home: Path,
    places: Iterable[tuple[str, str]],
    cap: int,
    kernel: Kernel,
    only: Collection[str] | None,
) -> Iterator[PendingFile]:
    """The records at these places, by folder and name, or only these. Never raises."""
    for folder, name in places:
        if only is not None and f"{folder}/{name}" not in only:
            continue
        try:
            with open_beneath(home, folder, kernel) as directory:
                file = read_record(directory, folder, name, cap)
        except OSError:
            continue
        if file is not None:
            yield file


def _shape_problem(status: os.stat_result, cap: int) -> str | None:
    """Why a file of this shape is not opened at all."""
    if stat.S_ISLNK(status.st_mode):
        return "link: it is a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "not-plain: it is not a regular file"
    if status.st_nlink != 1:
        return "not-plain: it has a second name (a hard link)"
    if status.st_size > cap:
        return f"too-large: it has {status.st_size:,} bytes; {cap:,} is the limit"
    return None


TOKEN = "retired"  # noqa: S105 - the name of a folder
SUFFIX = ".json"


def retire(
    steps: Steps, home: int, records: Sequence[tuple[str, str]], folders: Collection[str]
) -> list[bool]:
    """Moves each record to our trash, compares it there, and puts it back if it has changed.

    A record is a source with the SHA-256 of its content. Returns whether each was removed.
    """
    groups: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for source, payload_sha in records:
        folder, _, name = source.rpartition("/")
        if source in folders:
            continue  # A folder that could not be read: it stays.
        if folder not in folders or name in {"", ".", ".."} or "\0" in name:
            raise BadInput(f"{source!r} is not a pending record.")
        groups.setdefault(tuple(folder.split("/")), []).append((name, source, payload_sha))
    retired: dict[str, bool] = {}
    for parents_of, group in groups.items():
        retired |= _retire_beneath(Folder(steps, home, TOKEN), parents_of, group)
    return [retired.get(source, False) for source, _ in records]


def _left_aside(steps: Steps, home: int) -> dict[str, str]:
    """The SHA-256 of each readable file that an interrupted `retire` left in our trash, by name."""
    hashes: dict[str, str] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(steps.kernel, home, (NAME, TRASH, TOKEN)) as trash,
    ):
        for name in names_in(trash):
            data = read_place(NameIn(trash, name)).data
            if name.endswith(SUFFIX) and data is not None:
                hashes[name] = revision_of(data)
    return hashes


def end_retiring(
    steps: Steps,
    home: int,
    decided: Callable[[], Iterable[tuple[str, str]]],
    folders: Collection[str],
) -> None:
    """Finishes interrupted calls of `retire`.

    A decided record is removed; one that another program wrote in its place goes back.
    """
    aside_hashes = _left_aside(steps, home)
    records: dict[str, str] = {}
    for source, payload_sha in decided() if aside_hashes else ():
        aside_sha = aside_hashes.get(f"{key_of(source)}{SUFFIX}")
        if aside_sha is not None and records.get(source) != aside_sha:
            records[source] = payload_sha
    retire(steps, home, list(records.items()), folders)


def _retire_beneath(
    folder: Folder, parents: tuple[str, ...], group: Sequence[tuple[str, str, str]]
) -> dict[str, bool]:
    retired: dict[str, bool] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, parents) as pending,
        # The folder stays: another process may be about to move its own record into it.
        folder.opened(TRASH) as trash,
    ):
        for name, source, payload_sha in group:
            aside, place = NameIn(trash, f"{key_of(source)}{SUFFIX}"), NameIn(pending, name)
            with suppress(FileNotFoundError):
                retired[source] = _retire_record(folder, aside, place, source, payload_sha)
    return retired


def _retire_record(
    folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str
) -> bool:
    try:
        folder.steps.rename_new(place, aside, durable=False)
    except FileNotFoundError:
        pass  # Perhaps because an interrupted attempt moved it.
    except FileExistsError:
        # The file of an interrupted attempt is in the way.
        is_retired = _end_attempt(folder, aside, place, source, payload_sha)
        if not exists(place):
            return is_retired
        folder.steps.rename_new(place, aside, durable=False)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The folder is on another file system: it is compared as late as possible.
        if not _has_sha(read_place(place), payload_sha):
            return False
        folder.steps.remove(place)
        return True
    return _end_attempt(folder, aside, place, source, payload_sha)


def _end_attempt(
    folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str
) -> bool:
    """Compares the file in our trash. False when there is none, or another record."""
    record = read_place(aside)
    if record.absent:
        return False
    if _has_sha(record, payload_sha):
        folder.steps.remove(aside)
        return True
    try:
        folder.steps.rename_new(aside, place, durable=False)
    except FileExistsError:
        folder.park(aside, source)
    return False


def _has_sha(record: FileRead, payload_sha: str) -> bool:
    return record.data is not None and revision_of(record.data) == payload_sha
