"""Recognising a home: a moved one is still the same, a copy beside it is another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reviewdeck.model.ledger import DirectoryIdentity, KnownHome, bounded_key
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Recognised:
    """The identity of a directory in a ledger."""

    id: str
    moved_from: str = ""
    """Its earlier path; empty when it has not moved, or is new."""
    copy_of: str = ""
    """The path of another directory with the same mark: one of the two is a copy."""


def recognise(
    standing: DirectoryIdentity,
    homes: Sequence[KnownHome],
    find: Callable[[str], DirectoryIdentity | None],
    is_alike: Callable[[str], bool],
    host: str = "",
) -> Recognised:
    """The identity of the home in a directory of this host.

    What another host has is another home, even at the same path or with the same mark: an image
    may have been copied. `find` reads the directory at a path, and `is_alike` tells whether the
    ledger's texts of a home are those in this directory: the number of a removed directory is
    given to another one.
    """
    every = homes
    homes = [home for home in every if not host or home.host in (host, "")]
    marked = [home for home in homes if standing.mark and home.at.mark == standing.mark]
    other_paths = [
        home.at.path
        for home in marked
        if home.at.path != standing.path and _is_still_there(home.at, find)
    ]
    copy_of = other_paths[0] if other_paths else ""
    for home in homes:
        if home.at.path == standing.path and (home in marked or not (marked and home.at.mark)):
            return Recognised(home.id, copy_of=copy_of)
    if marked:
        moved = [home for home in marked if home.at.path not in other_paths]
    else:
        moved = [
            home for home in homes if _was_there(home.at, standing, find) and is_alike(home.id)
        ]
    for home in sorted(moved, key=lambda home: home.at.number != standing.number):
        return Recognised(home.id, moved_from=home.at.path or home.id)
    return Recognised(_new_id(standing.path, every, host), copy_of=copy_of)


def _is_still_there(
    then: DirectoryIdentity, find: Callable[[str], DirectoryIdentity | None]
) -> bool:
    now = find(then.path)
    return now is not None and now.mark == then.mark


def _was_there(
    then: DirectoryIdentity,
    standing: DirectoryIdentity,
    find: Callable[[str], DirectoryIdentity | None],
) -> bool:
    if then.number != standing.number or standing.mark:
        return False
    now = find(then.path)
    return now is None or now.number != then.number


def _new_id(path: str, homes: Sequence[KnownHome], host: str) -> str:
    """The path; with the host where another one has this path, else numbered, if it is taken."""
    taken, path = {home.id: home.host for home in homes}, bounded_key(path)
    if taken.get(path, "") not in ("", host):
        path = f"{path}@{host}"
    id, number = path, 2
    while id in taken:
        id, number = f"{path}#{number}", number + 1
    return id
