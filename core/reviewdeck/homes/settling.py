"""Clearing what a write displaced, once the ledger says that the write stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from reviewdeck.homes.files import directory_beneath, names_in, read_place
from reviewdeck.homes.folder import (
    COPY,
    MANIFEST,
    NAME,
    STAGE,
    TRASH,
    Folder,
    key_of,
    known_here,
    read_manifest,
    survey,
)
from reviewdeck.homes.syscalls import Place, is_directory
from reviewdeck.ports import Rescued


def settle(folder: Folder) -> tuple[Rescued, ...]:
    """Removes what the ledger has; what it has not stays where it is and is given back.

    A second call gives the same rescued bytes again: they are never removed here.
    """
    _clear_stage(folder)
    try:
        with directory_beneath(
            folder.steps.kernel, folder.root, (NAME, TRASH, folder.token)
        ) as trash:
            rescued = tuple(_sweep(folder, trash))
            if not rescued:
                folder.steps.remove(Place(trash, f"{MANIFEST}.tmp"))
                folder.steps.remove(Place(trash, MANIFEST))
    except FileNotFoundError:
        rescued = ()
    else:
        folder.clear(TRASH)
    return rescued


def documents_of(folder: Folder) -> tuple[str, ...]:
    """The paths that this token has written, as far as the manifest tells."""
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, (NAME, TRASH, folder.token)) as trash,
    ):
        return tuple(read_manifest(trash))
    return ()


def holds(folder: Folder, path: str, data: bytes | None = None) -> bool:
    """Whether a version of this document waits in the trash of the token: this one, or any."""
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, (NAME, TRASH, folder.token)) as trash,
    ):
        key = key_of(path)
        parked = [name for name in names_in(trash) if name.partition("-")[0] == key]
        return any(data is None or read_place(Place(trash, name)).data == data for name in parked)
    return False


def _sweep(folder: Folder, trash: int) -> Iterator[Rescued]:
    known = read_manifest(trash)
    names = {key_of(path): path for path in known}
    folder.steps.remove(Place(trash, COPY))
    for name in names_in(trash):
        if name.startswith(MANIFEST):
            continue
        path = names.get(name.partition("-")[0], name)
        yield from _sweep_one(folder, Place(trash, name), path, known)


def _sweep_one(
    folder: Folder, place: Place, path: str, known: dict[str, frozenset[str]]
) -> Iterator[Rescued]:
    found = read_place(place)
    if known_here(known, path, found):
        folder.steps.remove(place)
    elif found.data is not None:
        yield Rescued(path, found.data)
    elif is_directory(place):
        yield from _sweep_tree(folder, place, path, known)


def _sweep_tree(
    folder: Folder, place: Place, path: str, known: dict[str, frozenset[str]]
) -> Iterator[Rescued]:
    files = survey(folder.steps, place)
    strange = {
        name: file for name, file in files.items() if not known_here(known, f"{path}/{name}", file)
    }
    if not strange:
        folder.steps.remove_tree(place)
    for name, file in strange.items():
        if file.data is not None:
            yield Rescued(f"{path}/{name}", file.data)


def _clear_stage(folder: Folder) -> None:
    """Removes half-built directories; one that was taken away half-way is kept."""
    names = {key_of(path): path for path in documents_of(folder)}
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, (NAME, STAGE, folder.token)) as stage,
    ):
        for name in names_in(stage):
            if name.endswith(".new"):
                folder.steps.remove_tree(Place(stage, name))
            else:
                folder.park(Place(stage, name), names.get(name.partition(".")[0], name))
    folder.clear(STAGE)
