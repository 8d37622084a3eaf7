"""The pending folder of a home: which files are there, read with care."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from reviewdeck.homes.files import directory_beneath, names_in, opened, read_place
from reviewdeck.homes.syscalls import Kernel, Place
from reviewdeck.model import Kind
from reviewdeck.ports import PendingFile, Sighting

CAPS = {Kind.MEMORY: 256 * 1024, Kind.SKILLS: 3 * 512 * 1024}
"""Bytes of one record: 256 KiB for memory, 1.5 MiB for skills."""


_CLAIM = re.compile(
    r"\.?([0-9a-f]{8,32})(?:\.json)?\.(?:applying|claimed|claim)(?:[^0-9A-Za-z].*)?"
)
"""How programs that decide on records call what they hold: the record under another name, or a file
beside it (`<id>.json.applying.4711`, `.<id>.applying`, `<id>.claim`)."""

UNSETTLED = 100_000_000
"""Nanoseconds for which a file system may give two versions of a file the same times."""


def see_pending(home: Path, *, kernel: Kernel, clock: Callable[[], int]) -> Iterator[Sighting]:
    """Every record of the home, by folder and name, without opening any: one look at each.

    The hint is size, both times and inode. The time of the last change of the inode cannot be set
    by a program. A file that was written this very moment has no hint yet.
    """
    for kind in Kind:
        yield from _see_folder(home, kind, kernel, clock() - UNSETTLED)


def claims(home: Path, *, kernel: Kernel) -> dict[str, str]:
    """The records that another program is deciding on, each with the file that says so."""
    found: dict[str, str] = {}
    for kind in Kind:
        folder = f"pending/{kind}"
        try:
            with (
                opened(home) as top,
                directory_beneath(kernel, top, ("pending", str(kind))) as place,
            ):
                names = names_in(place)
        except OSError:
            continue
        for name in names:
            if (match := _CLAIM.fullmatch(name)) is not None:
                found[f"{folder}/{match[1]}.json"] = f"{folder}/{_shown(name)}"
    return found


def _see_folder(home: Path, kind: Kind, kernel: Kernel, settled: int) -> Iterator[Sighting]:
    folder = f"pending/{kind}"
    try:
        with (
            opened(home) as top,
            directory_beneath(kernel, top, ("pending", str(kind))) as place,
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
            yield Sighting(f"{folder}/{_shown(name)}", hint)


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
    home: Path, *, kernel: Kernel, only: Collection[str] | None = None
) -> Iterator[PendingFile]:
    """Every record of the home, or only these, by folder and name. What was not read says why.

    A problem is a short code, a colon and a sentence: `too-large: ...`.
    """
    for kind in Kind:
        folder = f"pending/{kind}"
        if only is None or any(one.startswith(folder) for one in only):
            yield from _scan_folder(home, kind, kernel, only)


def _scan_folder(
    home: Path, kind: Kind, kernel: Kernel, only: Collection[str] | None
) -> Iterator[PendingFile]:
    folder = f"pending/{kind}"
    try:
        with opened(home) as top, directory_beneath(kernel, top, ("pending", str(kind))) as place:
            for name in filter(_is_record, names_in(place)):
                if only is not None and f"{folder}/{_shown(name)}" not in only:
                    continue
                if (file := _read(place, folder, name, CAPS[kind])) is not None:
                    yield file
    except FileNotFoundError:
        return
    except OSError as error:
        code = "link" if error.errno == errno.ELOOP else "unreadable"
        yield PendingFile(folder, None, f"{code}: the folder cannot be read: {error.strerror}")


def _shown(name: str) -> str:
    """The name as text: bytes that are not UTF-8 are spelt out."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_record(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _read(directory: int, folder: str, name: str, cap: int) -> PendingFile | None:
    """One file; None when it went away in the meantime: it was decided elsewhere."""
    source = f"{folder}/{_shown(name)}"
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
    found = read_place(Place(directory, name), cap)
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
