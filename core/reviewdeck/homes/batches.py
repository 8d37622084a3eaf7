"""The changes of one call, put on the disk in an order that is safe to stop anywhere in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import (
    Found,
    directory_beneath,
    locate,
    opened,
    parts_of,
    read_place,
)
from reviewdeck.homes.folder import Folder, ensure, prune, temp_name
from reviewdeck.homes.settling import holds
from reviewdeck.homes.steps import refusals
from reviewdeck.homes.swaps import Swap, complain, is_live
from reviewdeck.homes.syscalls import Kernel, Place
from reviewdeck.homes.trees import Tree
from reviewdeck.model.plans import Change

Follows = Callable[[str], bool]
"""Whether a document may be reached through a symbolic link."""


@contextmanager
def place_of(kernel: Kernel, root: Path, path: str, *, follow: bool) -> Iterator[Place]:
    """Holds the directory of a document open. Raises OSError."""
    where = locate(root, path, follow=follow)
    with opened(where.root) as top, directory_beneath(kernel, top, where.parents) as directory:
        yield Place(directory, where.name)


def compare(kernel: Kernel, root: Path, changes: Sequence[Change], follows: Follows) -> None:
    """Raises StaleBase when a document is neither what it was nor what it becomes."""
    for change in changes:
        found = Found()
        with (
            refusals(change.path),
            suppress(FileNotFoundError),
            place_of(kernel, root, change.path, follow=follows(change.path)) as place,
        ):
            found = read_place(place)
        if not (is_live(found, change.before) or is_live(found, change.after)):
            raise complain(change.path, found)


class Batch:
    """Changes on their way to the disk, under one token."""

    def __init__(self, root: Path, folder: Folder, follows: Follows) -> None:
        self._root = root
        self._folder = folder
        self._steps = folder.steps
        self._follows = follows

    def write(self, changes: Sequence[Change]) -> None:
        """Raises StaleBase for the first document that somebody wrote to in between."""
        groups = in_order(changes)
        self._folder.remember(changes)
        for tree, group in groups:
            if tree is not None:
                self._check_tree(tree, group)
        for tree, group in groups:
            with refusals(tree or group[0].path):
                if tree is None or not self._write_tree(tree, group):
                    for change in sorted(group, key=_rank):
                        self._write_file(change)
                self._prune([change.path for change in group if change.after is None])

    def _write_file(self, change: Change) -> None:
        follow = self._follows(change.path)
        where = locate(self._root, change.path, follow=follow)
        needed = where.parents if change.after is not None and where.link is None else ()
        try:
            with (
                opened(where.root) as top,
                self._parents(top, needed),
                directory_beneath(self._steps.kernel, top, where.parents) as directory,
            ):
                place = Place(directory, where.name)
                Swap(self._folder, place, change, lone=not follow).apply()
        except FileNotFoundError:
            if change.after is not None:
                raise

    def _check_tree(self, tree: str, group: Sequence[Change]) -> None:
        """Looks at a directory before any other is changed; an earlier attempt is tidied first."""
        with refusals(tree), suppress(FileNotFoundError), self._tree(tree, group) as whole:
            for change in group:
                self._clear(change)
            whole.check()

    def _clear(self, change: Change) -> None:
        with (
            suppress(FileNotFoundError),
            place_of(self._steps.kernel, self._root, change.path, follow=False) as place,
        ):
            Swap(self._folder, place, change, lone=True).clear()

    @contextmanager
    def _tree(self, tree: str, group: Sequence[Change]) -> Iterator[Tree]:
        *above, name = parts_of(tree)
        with directory_beneath(self._steps.kernel, self._folder.root, tuple(above)) as directory:
            yield Tree(self._folder, Place(directory, name), tree, group)

    def _write_tree(self, tree: str, group: Sequence[Change]) -> bool:
        """False when the directory cannot come or go as a whole."""
        appears = group[0].after is not None
        above = parts_of(tree)[:-1] if appears else ()
        try:
            with self._parents(self._folder.root, above), self._tree(tree, group) as whole:
                return whole.publish() if appears else whole.withdraw()
        except FileNotFoundError:
            if appears:
                raise
            return True

    @contextmanager
    def _parents(self, top: int, parts: tuple[str, ...]) -> Iterator[None]:
        """Makes the directories above a document, and takes them away again on a failure."""
        made = ensure(self._steps, top, parts)
        try:
            yield
        except (OSError, ReviewdeckError):
            with suppress(OSError):
                prune(self._steps, top, made)
            raise

    def _prune(self, gone: Sequence[str]) -> None:
        """Removes the directories of skills that are empty now, up to the skills folder."""
        above = {
            parts[:depth]
            for parts in (parts_of(path) for path in gone if not self._follows(path))
            for depth in range(2, len(parts))
        }
        prune(self._steps, self._folder.root, sorted(above))

    def has_displaced(self, change: Change) -> bool:
        """Whether the text that a change replaces came out of its place, and waits for the end."""
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            place_of(
                self._steps.kernel, self._root, change.path, follow=self._follows(change.path)
            ) as place,
        ):
            left = Place(place.directory, temp_name(self._folder.token, change.path))
            if is_live(read_place(left), change.before):
                return True
        return holds(self._folder, change.path, change.before)

    def collect(self, paths: Sequence[str]) -> None:
        """Brings what an attempt that was given up left beside its document to the trash."""
        for path in paths:
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                place_of(self._steps.kernel, self._root, path, follow=self._follows(path)) as place,
            ):
                left = Place(place.directory, temp_name(self._folder.token, path))
                if not read_place(left).absent:
                    self._folder.park(left, path)


def in_order(changes: Sequence[Change]) -> list[tuple[str | None, tuple[Change, ...]]]:
    """Trees that appear, then documents, then deletes, then trees that go away."""
    trees: dict[str, list[Change]] = {}
    groups: list[tuple[str | None, tuple[Change, ...]]] = []
    for change in changes:
        if change.tree is not None and change.path.startswith(f"{change.tree}/"):
            trees.setdefault(change.tree, []).append(change)
        else:
            groups.append((None, (change,)))
    for tree, members in trees.items():
        if _is_whole(members):
            groups.append((tree, tuple(members)))
        else:
            groups += [(None, (member,)) for member in members]
    return sorted(groups, key=_group_rank)


def _is_whole(members: Sequence[Change]) -> bool:
    return all(m.before is None for m in members) or all(m.after is None for m in members)


def _group_rank(group: tuple[str | None, tuple[Change, ...]]) -> tuple[int, int]:
    tree, members = group
    if tree is None:
        return _rank(members[0])
    return (0, 0) if members[0].after is not None else (3, 0)


def _rank(change: Change) -> tuple[int, int]:
    """A skill's main file comes after the files that it speaks of, and goes before them."""
    main = change.path.endswith("/SKILL.md")
    return (1, int(main)) if change.after is not None else (2, int(not main))
