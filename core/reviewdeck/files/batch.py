"""The changes of one call, written in an order that is safe to interrupt at any point.

Documents are exchanged one by one; a skill appears or goes with one rename, so that no reader sees
half of it. Displaced files are cleared once the ledger records the changes as applied.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reviewdeck.errors import ReviewdeckError, StaleBase
from reviewdeck.files.atomic import NEW_MODE, Swap, is_live, mismatch_error
from reviewdeck.files.folder import (
    COPY,
    MANIFEST,
    NAME,
    STAGE,
    TRASH,
    Folder,
    is_recorded,
    key_of,
    make_directories,
    prune,
    read_manifest,
    read_tree,
    temp_name,
)
from reviewdeck.files.reads import (
    FileRead,
    directory_beneath,
    locate,
    names_in,
    open_beneath,
    open_directory,
    parts_of,
    read_place,
)
from reviewdeck.files.steps import owner_of, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn, exists, is_directory
from reviewdeck.model.plans import Change
from reviewdeck.ports import ForeignBytes


class Tree:
    """The changes that create or delete one whole directory."""

    def __init__(self, folder: Folder, place: NameIn, path: str, changes: Sequence[Change]) -> None:
        self._folder = folder
        self._steps = folder.steps
        self._place = place
        self._path = path
        self._changes = {change.path.removeprefix(f"{path}/"): change for change in changes}

    def check(self) -> None:
        """Raises StaleBase when the directory holds a file that was not decided on."""
        if not exists(self._place):
            return
        if all(change.after is None for change in self._changes.values()):
            if problem := self._find_mismatch(self._place):
                raise problem
        else:
            self._refuse_foreign_files()

    def publish(self) -> bool:
        """Builds the directory in our stage and renames it into place.

        False when it exists already or lies on another file system: then file by file.
        """
        if exists(self._place):
            self.check()
            return False
        with self._folder.opened(STAGE) as stage:
            staged = NameIn(stage, f"{key_of(self._path)}.new")
            try:
                self._build(staged)
                self._steps.rename_new(staged, self._place)
            except FileExistsError:
                self._refuse_foreign_files()
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
        self._steps.make_directory(staged, stat.S_IMODE(os.fstat(self._place.directory).st_mode))
        directories: list[tuple[str, ...]] = [()]
        with directory_beneath(self._steps.kernel, staged.directory, (staged.name,)) as top:
            for name, change in self._changes.items():
                parents = tuple(name.split("/")[:-1])
                directories += make_directories(self._steps, top, parents)
                with directory_beneath(self._steps.kernel, top, parents) as directory:
                    self._write(NameIn(directory, name.rpartition("/")[2]), change)
            for parts in sorted(directories, key=len, reverse=True):
                with directory_beneath(self._steps.kernel, top, parts) as directory:
                    self._steps.sync(directory)

    def _write(self, place: NameIn, change: Change) -> None:
        mode = NEW_MODE if change.mode is None else change.mode
        owner = owner_of(self._place.directory, FileRead())
        self._steps.write_file(place, change.after or b"", mode, owner)

    def _refuse_foreign_files(self) -> None:
        """Raises StaleBase when another program made the directory, not an earlier attempt."""
        files = read_tree(self._steps, self._place)
        if all(
            is_live(files.get(name, FileRead()), change.after)
            for name, change in self._changes.items()
        ):
            return
        for name, file in files.items():
            change = self._changes.get(name)
            if change is None or not is_live(file, change.after):
                raise mismatch_error(f"{self._path}/{name}", file)

    def withdraw(self) -> bool:
        """Renames the directory away if every file in it is the one that was decided on.

        False when our stage lies on another file system: then file by file.
        """
        with self._folder.opened(STAGE) as stage:
            aside = NameIn(stage, f"{key_of(self._path)}.old")
            if exists(aside):
                self._check_displaced(aside)
            if not exists(self._place):
                self._steps.sync(self._place.directory)
            elif not self._move_aside(aside):
                return False
        self._folder.clear(STAGE)
        return True

    def _move_aside(self, aside: NameIn) -> bool:
        self.check()
        try:
            self._steps.rename_new(self._place, aside)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return False
        self._check_displaced(aside)
        return True

    def _check_displaced(self, aside: NameIn) -> None:
        """Parks the displaced directory, or puts it back when another program wrote to it."""
        problem = self._find_mismatch(aside)
        if problem is None:
            self._folder.park(aside, self._path)
            return
        try:
            self._steps.rename_new(aside, self._place)
        except FileExistsError:
            self._folder.park(aside, self._path)
        raise problem

    def _find_mismatch(self, place: NameIn) -> Exception | None:
        """The error for the first file that differs from what the changes delete."""
        for name, file in read_tree(self._steps, place).items():
            change = self._changes.get(name)
            if change is None:
                return StaleBase(
                    f"{self._path}/{name} was added since the decision was made.",
                    path=f"{self._path}/{name}",
                    found=file.data,
                )
            if not is_live(file, change.before):
                return mismatch_error(change.path, file)
        return None


def empty_trash(folder: Folder) -> tuple[ForeignBytes, ...]:
    """Removes displaced files that the ledger has; returns those that it lacks, and keeps them.

    A second call returns the same rescued bytes again: they are never removed here.
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


def written_paths(folder: Folder) -> tuple[str, ...]:
    """The paths that this token has written, according to the manifest."""
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, (NAME, TRASH, folder.token)) as trash,
    ):
        return tuple(read_manifest(trash))
    return ()


def holds(folder: Folder, path: str, data: bytes | None = None) -> bool:
    """Whether the token's trash has a version of this document: these bytes, or any."""
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, (NAME, TRASH, folder.token)) as trash,
    ):
        key = key_of(path)
        names = [name for name in names_in(trash) if name.partition("-")[0] == key]
        return any(data is None or read_place(NameIn(trash, name)).data == data for name in names)
    return False


def _sweep(folder: Folder, trash: int) -> Iterator[ForeignBytes]:
    manifest = read_manifest(trash)
    names = {key_of(path): path for path in manifest}
    folder.steps.remove(NameIn(trash, COPY))
    for name in names_in(trash):
        if name.startswith(MANIFEST):
            continue
        path = names.get(name.partition("-")[0], name)
        place = NameIn(trash, name)
        file = read_place(place)
        if is_recorded(manifest, path, file):
            folder.steps.remove(place)
        elif file.data is not None:
            yield ForeignBytes(path, file.data)
        elif is_directory(place):
            yield from _sweep_tree(folder, place, path, manifest)


def _sweep_tree(
    folder: Folder, place: NameIn, path: str, manifest: dict[str, frozenset[str]]
) -> Iterator[ForeignBytes]:
    files = read_tree(folder.steps, place)
    unrecorded = {
        name: file
        for name, file in files.items()
        if not is_recorded(manifest, f"{path}/{name}", file)
    }
    if not unrecorded:
        folder.steps.remove_tree(place)
    for name, file in unrecorded.items():
        if file.data is not None:
            yield ForeignBytes(f"{path}/{name}", file.data)


def _clear_stage(folder: Folder) -> None:
    """Removes half-built directories; parks those that were on their way out."""
    names = {key_of(path): path for path in written_paths(folder)}
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
    location = locate(root, path, follow=follow)
    with open_beneath(location.root, location.parents, kernel) as directory:
        yield NameIn(directory, location.name)


def compare(kernel: Kernel, root: Path, changes: Sequence[Change], follows: Follows) -> None:
    """Raises StaleBase when a document is neither the before-image nor the after-image."""
    for change in changes:
        live = FileRead()
        with (
            translate_errors(change.path),
            suppress(FileNotFoundError),
            place_of(kernel, root, change.path, follow=follows(change.path)) as place,
        ):
            live = read_place(place)
        if not (is_live(live, change.before) or is_live(live, change.after)):
            raise mismatch_error(change.path, live)


class Batch:
    """The changes that are written under one token."""

    def __init__(self, root: Path, folder: Folder, follows: Follows) -> None:
        self._root = root
        self._folder = folder
        self._steps = folder.steps
        self._follows = follows

    def write(self, changes: Sequence[Change]) -> None:
        """Raises StaleBase for the first document that another program wrote in between."""
        groups = in_order(changes)
        self._folder.remember(changes)
        for tree, group in groups:
            if tree is not None:
                self._check_tree(tree, group)
        for tree, group in groups:
            with translate_errors(tree or group[0].path):
                if tree is None or not self._write_tree(tree, group):
                    for change in sorted(group, key=_rank):
                        self._write_file(change)
                self._prune([change.path for change in group if change.after is None])

    def _write_file(self, change: Change) -> None:
        follow = self._follows(change.path)
        location = locate(self._root, change.path, follow=follow)
        needed = location.parents if change.after is not None and location.link is None else ()
        try:
            with (
                open_directory(location.root) as top,
                self._parents(top, needed),
                directory_beneath(self._steps.kernel, top, location.parents) as directory,
            ):
                place = NameIn(directory, location.name)
                Swap(self._folder, place, change, refuses_hard_links=not follow).apply()
        except FileNotFoundError:
            if change.after is not None:
                raise

    def _check_tree(self, tree: str, group: Sequence[Change]) -> None:
        """Checks a directory before any is changed; cleans up an earlier attempt first."""
        with (
            translate_errors(tree),
            suppress(FileNotFoundError),
            self._tree(tree, group) as directory,
        ):
            for change in group:
                with (
                    suppress(FileNotFoundError),
                    place_of(self._steps.kernel, self._root, change.path, follow=False) as place,
                ):
                    Swap(self._folder, place, change, refuses_hard_links=True).clear()
            directory.check()

    @contextmanager
    def _tree(self, tree: str, group: Sequence[Change]) -> Iterator[Tree]:
        *parents, name = parts_of(tree)
        with directory_beneath(self._steps.kernel, self._folder.root, tuple(parents)) as directory:
            yield Tree(self._folder, NameIn(directory, name), tree, group)

    def _write_tree(self, tree: str, group: Sequence[Change]) -> bool:
        """False when the directory cannot be renamed as a whole."""
        appears = group[0].after is not None
        parents = parts_of(tree)[:-1] if appears else ()
        try:
            with self._parents(self._folder.root, parents), self._tree(tree, group) as directory:
                return directory.publish() if appears else directory.withdraw()
        except FileNotFoundError:
            if appears:
                raise
            return True

    @contextmanager
    def _parents(self, top: int, parts: tuple[str, ...]) -> Iterator[None]:
        """Creates the directories above a document, and removes them again on failure."""
        created = make_directories(self._steps, top, parts)
        try:
            yield
        except (OSError, ReviewdeckError):
            with suppress(OSError):
                prune(self._steps, top, created)
            raise

    def _prune(self, paths: Sequence[str]) -> None:
        """Removes the skill directories that are empty now, up to the skills folder."""
        parents = {
            parts[:depth]
            for parts in (parts_of(path) for path in paths if not self._follows(path))
            for depth in range(2, len(parts))
        }
        prune(self._steps, self._folder.root, sorted(parents))

    def has_displaced(self, change: Change) -> bool:
        """Whether the before-image of a change has been displaced and is not yet cleared."""
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            place_of(
                self._steps.kernel, self._root, change.path, follow=self._follows(change.path)
            ) as place,
        ):
            temp = NameIn(place.directory, temp_name(self._folder.token, change.path))
            if is_live(read_place(temp), change.before):
                return True
        return holds(self._folder, change.path, change.before)

    def collect(self, paths: Sequence[str]) -> None:
        """Moves what an abandoned attempt left beside a document to the trash."""
        for path in paths:
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                place_of(self._steps.kernel, self._root, path, follow=self._follows(path)) as place,
            ):
                temp = NameIn(place.directory, temp_name(self._folder.token, path))
                if not read_place(temp).absent:
                    self._folder.park(temp, path)


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
        if all(m.before is None for m in members) or all(m.after is None for m in members):
            groups.append((tree, tuple(members)))
        else:
            groups += [(None, (member,)) for member in members]
    return sorted(groups, key=_group_rank)


def _group_rank(group: tuple[str | None, tuple[Change, ...]]) -> tuple[int, int]:
    tree, members = group
    if tree is None:
        return _rank(members[0])
    return (0, 0) if members[0].after is not None else (3, 0)


def _rank(change: Change) -> tuple[int, int]:
    """A skill's main file is created after the files that it refers to, and deleted before."""
    main = change.path.endswith("/SKILL.md")
    return (1, int(main)) if change.after is not None else (2, int(not main))
