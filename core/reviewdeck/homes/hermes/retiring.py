"""Taking a decided record out of the pending folder, and never one that has changed.

Nothing here waits for the disk: the ledger has the record and the decision, and a record that a
power cut brings back is taken out again by the next pass.
"""

from __future__ import annotations

import errno
from contextlib import suppress

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import Found, directory_beneath, parts_of, read_place
from reviewdeck.homes.folder import TRASH, Folder, key_of
from reviewdeck.homes.steps import Steps
from reviewdeck.homes.syscalls import Place
from reviewdeck.model.documents import revision_of

TOKEN = "retired"  # noqa: S105 - the name of a folder


def retire(steps: Steps, home: int, source: str, payload_sha: str) -> bool:
    """Takes the file aside, looks at it there, and puts it back if it is another one."""
    *parents, name = parts_of(source)
    if parents[:1] != ["pending"]:
        raise BadInput(f"{source!r} is not a pending record.")
    folder = Folder(steps, home, TOKEN)
    with (
        suppress(FileNotFoundError),
        directory_beneath(steps.kernel, home, tuple(parents)) as pending,
    ):
        place = Place(pending, name)
        with folder.held(TRASH) as trash:
            aside = Place(trash, f"{key_of(source)}.json")
            taken = _finish(folder, aside, place, source, payload_sha)
            if not read_place(place).absent:
                taken = _take(folder, aside, place, source, payload_sha)
        # The folder stays: another process may be about to move its own record into it.
        return taken
    return False


def _take(folder: Folder, aside: Place, place: Place, source: str, payload_sha: str) -> bool:
    try:
        folder.steps.rename_new(place, aside, durable=False)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _remove_in_place(folder, place, payload_sha)
    return _finish(folder, aside, place, source, payload_sha)


def _finish(folder: Folder, aside: Place, place: Place, source: str, payload_sha: str) -> bool:
    """Also what an attempt that did not end left aside. False when there is nothing there."""
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
