"""Taking a decided record out of the pending folder, and never one that has changed.

Nothing here waits for the disk: the ledger has the record and the decision, and a record that a
power cut brings back is taken out again by the next pass.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from contextlib import suppress

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import Found, directory_beneath, names_in, parts_of, read_place
from reviewdeck.homes.folder import NAME, TRASH, Folder, key_of
from reviewdeck.homes.steps import Steps
from reviewdeck.homes.syscalls import Place, exists
from reviewdeck.model.documents import revision_of

TOKEN = "retired"  # noqa: S105 - the name of a folder
ASIDE = ".json"


def retire(steps: Steps, home: int, records: Sequence[tuple[str, str]]) -> list[bool]:
    """Takes each file aside, looks at it there, and puts it back if it is another one.

    A record is a source with the SHA-256 of its content. Says of each whether it was taken.
    """
    folders: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for source, payload_sha in records:
        *parents, name = parts_of(source)
        if parents[:1] != ["pending"]:
            raise BadInput(f"{source!r} is not a pending record.")
        folders.setdefault(tuple(parents), []).append((name, source, payload_sha))
    taken: dict[str, bool] = {}
    for parents_of, group in folders.items():
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
            data = read_place(Place(trash, name)).data
            if name.endswith(ASIDE) and data is not None:
                found[name] = revision_of(data)
    return found


def end_retiring(steps: Steps, home: int, decided: Iterable[tuple[str, str]]) -> None:
    """Ends what an attempt that did not end had taken aside.

    A record that was decided goes; another one, which somebody wrote in its place, goes back.
    """
    left = left_aside(steps, home)
    records: dict[str, str] = {}
    for source, payload_sha in decided:
        found = left.get(f"{key_of(source)}{ASIDE}")
        if found is not None and records.get(source) != found:
            records[source] = payload_sha
    retire(steps, home, list(records.items()))


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
            aside, place = Place(trash, f"{key_of(source)}{ASIDE}"), Place(pending, name)
            with suppress(FileNotFoundError):
                taken[source] = _take(folder, aside, place, source, payload_sha)
    return taken


def _take(folder: Folder, aside: Place, place: Place, source: str, payload_sha: str) -> bool:
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


def _take_again(folder: Folder, aside: Place, place: Place, source: str, payload_sha: str) -> bool:
    """An attempt that did not end left one aside: that comes first."""
    taken = _finish(folder, aside, place, source, payload_sha)
    if not exists(place):
        return taken
    folder.steps.rename_new(place, aside, durable=False)
    return _finish(folder, aside, place, source, payload_sha)


def _finish(folder: Folder, aside: Place, place: Place, source: str, payload_sha: str) -> bool:
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


def _remove_in_place(folder: Folder, place: Place, payload_sha: str) -> bool:
    """The pending folder is on another file system: compare as late as possible."""
    if not _is(read_place(place), payload_sha):
        return False
    folder.steps.remove(place)
    return True


def _is(found: Found, payload_sha: str) -> bool:
    return found.data is not None and revision_of(found.data) == payload_sha
