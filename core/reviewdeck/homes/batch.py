"""The changes of one call, written in an order that is safe to stop anywhere in.

Documents are exchanged one by one; a skill appears or goes as a whole, with one rename, so that
nobody sees half of it. What a write displaced is cleared once the ledger says that it was applied.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reviewdeck.errors import ReviewdeckError, StaleBase
from reviewdeck.homes.atomic import NEW_MODE, Swap, complain, is_live
from reviewdeck.homes.files import (
    FileRead,
    directory_beneath,
    locate,
    names_in,
    opened,
    parts_of,
    read_place,
)
from reviewdeck.homes.folder import (
    COPY,
    MANIFEST,
    NAME,
    STAGE,
    TRASH,
    Folder,
    ensure,
    key_of,
    known_here,
    prune,
    read_manifest,
    survey,
    temp_name,
)
from reviewdeck.homes.steps import owner_of, refusals
from reviewdeck.homes.syscalls import Kernel, NameIn, exists, is_directory
from reviewdeck.model.plans import Change
from reviewdeck.ports import Rescued


class Tree:
    """The changes that make up one directory."""

    def __init__(self, folder: Folder, place: NameIn, path: str, changes: Sequence[Change]) -> None:
        self._folder = folder
        self._steps = folder.steps
        self._place = place
        self._path = path
        self._changes = {change.path.removeprefix(f"{path}/"): change for change in changes}

    def check(self) -> None:
        """Raises StaleBase when the directory holds something that was not decided on."""
        if not exists(self._place):
            return
        if all(change.after is None for change in self._changes.values()):
            if problem := self._stranger(self._place):
                raise problem
        else:
            self._refuse_strangers()

    def publish(self) -> bool:
        """Builds the directory aside and renames it in.

        False when it is there already or cannot be renamed across: then file by file.
        """
        if exists(self._place):
            self.check()
            return False
        with self._folder.held(STAGE) as stage:
            staged = NameIn(stage, f"{key_of(self._path)}.new")
            try:
                self._build(staged)
                self._steps.rename_new(staged, self._place)
            except FileExistsError:
                self._refuse_strangers()
                return False
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                return False
            finally:
                with suppress(OSError):
                    self._drop(staged)
        self._folder.clear(STAGE)
        return True

    def _drop(self, staged: NameIn) -> None:
        if exists(staged):
            self._steps.remove_tree(staged)

    def _build(self, staged: NameIn) -> None:
        self._drop(staged)
        self._steps.make_directory(staged, self._mode())
        made: list[tuple[str, ...]] = [()]
        with directory_beneath(self._steps.kernel, staged.directory, (staged.name,)) as top:
            for name, change in self._changes.items():
                parents = tuple(name.split("/")[:-1])
                made += ensure(self._steps, top, parents)
                with directory_beneath(self._steps.kernel, top, parents) as directory:
                    self._write(NameIn(directory, name.rpartition("/")[2]), change)
            for parts in sorted(made, key=len, reverse=True):
                with directory_beneath(self._steps.kernel, top, parts) as directory:
                    self._steps.sync(directory)

    def _mode(self) -> int:
        """As open as the directory that it will be in."""
        return stat.S_IMODE(os.fstat(self._place.directory).st_mode)

    def _write(self, place: NameIn, change: Change) -> None:
        mode = NEW_MODE if change.mode is None else change.mode
        owner = owner_of(self._place.directory, FileRead())
        self._steps.write_file(place, change.after or b"", mode, owner)

    def _refuse_strangers(self) -> None:
        """Raises StaleBase when the directory is somebody else's; ours may be there already."""
        found = survey(self._steps, self._place)
        if all(
            is_live(found.get(name, FileRead()), change.after)
            for name, change in self._changes.items()
        ):
            return
        for name, file in found.items():
            change = self._changes.get(name)
            if change is None or not is_live(file, change.after):
                raise complain(f"{self._path}/{name}", file)

    def withdraw(self) -> bool:
        """Renames the directory away once every file in it is what was decided on.

        False when it cannot be renamed across: then file by file.
        """
        with self._folder.held(STAGE) as stage:
            aside = NameIn(stage, f"{key_of(self._path)}.old")
            if exists(aside):
                self._judge(aside)
            if not exists(self._place):
                self._steps.sync(self._place.directory)
            elif not self._take(aside):
                return False
        self._folder.clear(STAGE)
        return True

    def _take(self, aside: NameIn) -> bool:
        self.check()
        try:
            self._steps.rename_new(self._place, aside)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return False
        self._judge(aside)
        return True

    def _judge(self, aside: NameIn) -> None:
        """Keeps the directory that came away, or puts it back when somebody wrote in the gap."""
        problem = self._stranger(aside)
        if problem is None:
            self._folder.park(aside, self._path)
            return
        try:
            self._steps.rename_new(aside, self._place)
        except FileExistsError:
            self._folder.park(aside, self._path)
        raise problem

    def _stranger(self, place: NameIn) -> Exception | None:
        """The error for the first file that is not what the changes take away."""
        for name, file in survey(self._steps, place).items():
            change = self._changes.get(name)
            if change is None:
                return StaleBase(
                    f"{self._path}/{name} was added since the decision was made.",
                    path=f"{self._path}/{name}",
                    found=file.data,
                )
            if not is_live(file, change.before):
                return complain(change.path, file)
        return None


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
                folder.steps.remove(NameIn(trash, f"{MANIFEST}.tmp"))
                folder.steps.remove(NameIn(trash, MANIFEST))
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
        return any(data is None or read_place(NameIn(trash, name)).data == data for name in parked)
    return False


def _sweep(folder: Folder, trash: int) -> Iterator[Rescued]:
    known = read_manifest(trash)
    names = {key_of(path): path for path in known}
    folder.steps.remove(NameIn(trash, COPY))
    for name in names_in(trash):
        if name.startswith(MANIFEST):
            continue
        path = names.get(name.partition("-")[0], name)
        yield from _sweep_one(folder, NameIn(trash, name), path, known)


def _sweep_one(
    folder: Folder, place: NameIn, path: str, known: dict[str, frozenset[str]]
) -> Iterator[Rescued]:
    found = read_place(place)
    if known_here(known, path, found):
        folder.steps.remove(place)
    elif found.data is not None:
        yield Rescued(path, found.data)
    elif is_directory(place):
        yield from _sweep_tree(folder, place, path, known)


def _sweep_tree(
    folder: Folder, place: NameIn, path: str, known: dict[str, frozenset[str]]
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
                folder.steps.remove_tree(NameIn(stage, name))
            else:
                folder.park(NameIn(stage, name), names.get(name.partition(".")[0], name))
    folder.clear(STAGE)


Follows = Callable[[str], bool]
"""Whether a document may be reached through a symbolic link."""


@contextmanager
def place_of(kernel: Kernel, root: Path, path: str, *, follow: bool) -> Iterator[NameIn]:
    """Holds the directory of a document open. Raises OSError."""
    where = locate(root, path, follow=follow)
    with opened(where.root) as top, directory_beneath(kernel, top, where.parents) as directory:
        yield NameIn(directory, where.name)


def compare(kernel: Kernel, root: Path, changes: Sequence[Change], follows: Follows) -> None:
    """Raises StaleBase when a document is neither what it was nor what it becomes."""
    for change in changes:
        found = FileRead()
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
                place = NameIn(directory, where.name)
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
            yield Tree(self._folder, NameIn(directory, name), tree, group)

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
            left = NameIn(place.directory, temp_name(self._folder.token, change.path))
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
                left = NameIn(place.directory, temp_name(self._folder.token, path))
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
