"""Which home is this? One that was moved is still the same; a copy beside it is another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviewdeck.ports import KnownHome, Standing


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a directory is to a ledger."""

    id: str
    moved_from: str = ""
    """Where it was before; empty when it is where it was, or new."""
    copy_of: str = ""
    """Where another home stands that says it is this one: one of the two is a copy."""


def recognise(
    here: Standing,
    known: Sequence[KnownHome],
    find: Callable[[str], Standing | None],
    is_alike: Callable[[str], bool],
) -> Recognised:
    """Who the home is that stands here.

    `find` looks at what stands at a path now, and `is_alike` whether what the ledger has of a home
    is what is here: the number of a directory is given to another one once it is free.
    """
    marked = [one for one in known if here.mark and one.at.mark == here.mark]
    there = [one.at.path for one in marked if one.at.path != here.path and _stands(one.at, find)]
    copy_of = there[0] if there else ""
    for one in known:
        if one.at.path == here.path and (one in marked or not (marked and one.at.mark)):
            return Recognised(one.id, copy_of=copy_of)
    if marked:
        moved = [one for one in marked if one.at.path not in there]
    else:
        moved = [one for one in known if _was(one.at, here, find) and is_alike(one.id)]
    for one in sorted(moved, key=lambda one: one.at.number != here.number):
        return Recognised(one.id, moved_from=one.at.path or one.id)
    return Recognised(_new_id(here.path, known), copy_of=copy_of)


def _stands(then: Standing, find: Callable[[str], Standing | None]) -> bool:
    now = find(then.path)
    return now is not None and now.mark == then.mark


def _was(then: Standing, here: Standing, find: Callable[[str], Standing | None]) -> bool:
    """Whether this directory stood there, before it had a mark."""
    if then.number != here.number or here.mark:
        return False
    now = find(then.path)
    return now is None or now.number != then.number


def _new_id(path: str, known: Sequence[KnownHome]) -> str:
    """The path, unless a home that is elsewhere now is known by it."""
    taken, id, number = {one.id for one in known}, path, 2
    while id in taken:
        id, number = f"{path}#{number}", number + 1
    return id
