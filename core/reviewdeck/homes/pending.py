"""Folders of pending records: seeing them, reading them, taking a decided record away.

What cannot be read is a value to be shown, and its file is left alone.

Retiring never takes a record that has changed. It does not wait for the disk: the ledger has
record and decision, and one that a power cut brings back is taken out by the next pass.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import FileRead, directory_beneath, names_in, opened, read_place
from reviewdeck.homes.folder import NAME, TRASH, Folder, key_of
from reviewdeck.homes.steps import Steps
from reviewdeck.homes.syscalls import Kernel, NameIn, exists
from reviewdeck.model import revision_of
from reviewdeck.ports import PendingFile, Sighting

UNSETTLED = 100_000_000
"""Nanoseconds for which a file system may give two versions of a file the same times."""


def see_pending(
    home: Path, folders: Iterable[str], *, kernel: Kernel, clock: Callable[[], int]
) -> Iterator[Sighting]:
    """Every record of these folders, by folder and name, without opening any: one look at each.

    The hint is size, both times and inode. The time of the last change of the inode cannot be set
    by a program. A file that was written this very moment has no hint yet.
    """
    for folder in folders:
        yield from _see_folder(home, folder, kernel, clock() - UNSETTLED)


def _see_folder(home: Path, folder: str, kernel: Kernel, settled: int) -> Iterator[Sighting]:
    try:
        with (
            opened(home) as top,
            directory_beneath(kernel, top, tuple(folder.split("/"))) as place,
            os.scandir(place) as entries,
        ):
            found = [(one.name, _hint(one, settled)) for one in entries if _is_record(one.name)]
    except FileNotFoundError:
        return
    except OSError:
        yield Sighting(folder, "")
        return
    found.sort()
    for name, hint in found:
        if hint is not None:
            yield Sighting(f"{folder}/{shown(name)}", hint)


def _hint(entry: os.DirEntry[str], settled: int) -> str | None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return ""
    if max(facts.st_mtime_ns, facts.st_ctime_ns) > settled:
        return ""
    return f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ctime_ns}-{facts.st_ino}"


def scan_pending(
    home: Path,
    folders: Mapping[str, int],
    *,
    kernel: Kernel,
    only: Collection[str] | None = None,
) -> Iterator[PendingFile]:
    """Every record of these folders, or only these, by folder and name.

    Each folder has the bytes that one of its records may have. What was not read says why: a short
    code, a colon and a sentence: `too-large: ...`.
    """
    for folder, cap in folders.items():
        if only is None or any(one.startswith(folder) for one in only):
            yield from _scan_folder(home, folder, cap, kernel, only)


def _scan_folder(
    home: Path, folder: str, cap: int, kernel: Kernel, only: Collection[str] | None
) -> Iterator[PendingFile]:
    parts = tuple(folder.split("/"))
    try:
        with opened(home) as top, directory_beneath(kernel, top, parts) as place:
            for name in filter(_is_record, names_in(place)):
                if only is not None and f"{folder}/{shown(name)}" not in only:
                    continue
                if (file := _read(place, folder, name, cap)) is not None:
                    yield file
    except FileNotFoundError:
        return
    except OSError as error:
        code = "link" if error.errno == errno.ELOOP else "unreadable"
        yield PendingFile(folder, None, f"{code}: the folder cannot be read: {error.strerror}")


def shown(name: str) -> str:
    """The name as text: bytes that are not UTF-8 are spelt out."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_record(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _read(directory: int, folder: str, name: str, cap: int) -> PendingFile | None:
    """One file; None when it went away in the meantime: it was decided elsewhere."""
    source = f"{folder}/{shown(name)}"
    if source != f"{folder}/{name}":
        return PendingFile(source, None, "bad-name: the file's name is not UTF-8")
    try:
        facts = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        return PendingFile(source, None, f"unreadable: it cannot be read: {error.strerror}")
    if (problem := _shape_problem(facts, cap)) is not None:
        return PendingFile(source, None, problem)
    found = read_place(NameIn(directory, name), cap)
    if found.absent:
        return None
    if found.links != 1:  # It may have got one since the look at it.
        return PendingFile(source, None, "not-plain: it has a second name (a hard link)")
    return PendingFile(source, found.data, found.problem and f"unreadable: it {found.problem}")


def _shape_problem(facts: os.stat_result, cap: int) -> str | None:
    """Why a file of this shape is not opened at all."""
    if stat.S_ISLNK(facts.st_mode):
        return "link: it is a symbolic link"
    if not stat.S_ISREG(facts.st_mode):
        return "not-plain: it is not a regular file"
    if facts.st_nlink != 1:
        return "not-plain: it has a second name (a hard link)"
    if facts.st_size > cap:
        return f"too-large: it has {facts.st_size:,} bytes; {cap:,} is the limit"
    return None


TOKEN = "retired"  # noqa: S105 - the name of a folder
ASIDE = ".json"


def retire(
    steps: Steps, home: int, records: Sequence[tuple[str, str]], folders: Collection[str]
) -> list[bool]:
    """Takes each file aside, looks at it there, and puts it back if it is another one.

    A record is a source with the SHA-256 of its content. Says of each whether it was taken.
    """
    groups: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for source, payload_sha in records:
        folder, _, name = source.rpartition("/")
        if source in folders:
            continue  # A folder that could not be read: it stays.
        if folder not in folders or name in {"", ".", ".."} or "\0" in name:
            raise BadInput(f"{source!r} is not a pending record.")
        groups.setdefault(tuple(folder.split("/")), []).append((name, source, payload_sha))
    taken: dict[str, bool] = {}
    for parents_of, group in groups.items():
        taken |= _retire_beneath(Folder(steps, home, TOKEN), parents_of, group)
    return [taken.get(source, False) for source, _ in records]


def left_aside(steps: Steps, home: int) -> dict[str, str]:
    """What lies aside: the SHA-256 of each file that can be read, by its name."""
    found: dict[str, str] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(steps.kernel, home, (NAME, TRASH, TOKEN)) as trash,
    ):
        for name in names_in(trash):
            data = read_place(NameIn(trash, name)).data
            if name.endswith(ASIDE) and data is not None:
                found[name] = revision_of(data)
    return found


def end_retiring(
    steps: Steps, home: int, decided: Iterable[tuple[str, str]], folders: Collection[str]
) -> None:
    """Ends what an attempt that did not end had taken aside.

    A record that was decided goes; another one, which somebody wrote in its place, goes back.
    """
    left = left_aside(steps, home)
    records: dict[str, str] = {}
    for source, payload_sha in decided:
        found = left.get(f"{key_of(source)}{ASIDE}")
        if found is not None and records.get(source) != found:
            records[source] = payload_sha
    retire(steps, home, list(records.items()), folders)


def _retire_beneath(
    folder: Folder, parents: tuple[str, ...], group: Sequence[tuple[str, str, str]]
) -> dict[str, bool]:
    taken: dict[str, bool] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, parents) as pending,
        # The folder stays: another process may be about to move its own record into it.
        folder.held(TRASH) as trash,
    ):
        for name, source, payload_sha in group:
            aside, place = NameIn(trash, f"{key_of(source)}{ASIDE}"), NameIn(pending, name)
            with suppress(FileNotFoundError):
                taken[source] = _take(folder, aside, place, source, payload_sha)
    return taken


def _take(folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str) -> bool:
    try:
        folder.steps.rename_new(place, aside, durable=False)
    except FileNotFoundError:  # perhaps because an attempt that did not end took it aside
        return _finish(folder, aside, place, source, payload_sha)
    except FileExistsError:
        return _take_again(folder, aside, place, source, payload_sha)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _remove_in_place(folder, place, payload_sha)
    return _finish(folder, aside, place, source, payload_sha)


def _take_again(
    folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str
) -> bool:
    """An attempt that did not end left one aside: that comes first."""
    taken = _finish(folder, aside, place, source, payload_sha)
    if not exists(place):
        return taken
    folder.steps.rename_new(place, aside, durable=False)
    return _finish(folder, aside, place, source, payload_sha)


def _finish(folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str) -> bool:
    """Looks at what is aside. False when there is nothing there, or another record."""
    found = read_place(aside)
    if found.absent:
        return False
    if _is(found, payload_sha):
        folder.steps.remove(aside)
        return True
    try:
        folder.steps.rename_new(aside, place, durable=False)
    except FileExistsError:
        folder.park(aside, source)
    return False


def _remove_in_place(folder: Folder, place: NameIn, payload_sha: str) -> bool:
    """The pending folder is on another file system: compare as late as possible."""
    if not _is(read_place(place), payload_sha):
        return False
    folder.steps.remove(place)
    return True


def _is(found: FileRead, payload_sha: str) -> bool:
    return found.data is not None and revision_of(found.data) == payload_sha
