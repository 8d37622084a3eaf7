"""A directory that appears or goes away as a whole, with one rename: nobody sees half a skill."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from reviewdeck.errors import StaleBase
from reviewdeck.homes.files import Found, directory_beneath
from reviewdeck.homes.folder import STAGE, Folder, ensure, key_of, survey
from reviewdeck.homes.steps import owner_of
from reviewdeck.homes.swaps import NEW_MODE, complain, is_live
from reviewdeck.homes.syscalls import Place, exists
from reviewdeck.model.plans import Change


class Tree:
    """The changes that make up one directory."""

    def __init__(self, folder: Folder, place: Place, path: str, changes: Sequence[Change]) -> None:
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
            staged = Place(stage, f"{key_of(self._path)}.new")
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

    def _drop(self, staged: Place) -> None:
        if exists(staged):
            self._steps.remove_tree(staged)

    def _build(self, staged: Place) -> None:
        self._drop(staged)
        self._steps.make_directory(staged, self._mode())
        made: list[tuple[str, ...]] = [()]
        with directory_beneath(self._steps.kernel, staged.directory, (staged.name,)) as top:
            for name, change in self._changes.items():
                parents = tuple(name.split("/")[:-1])
                made += ensure(self._steps, top, parents)
                with directory_beneath(self._steps.kernel, top, parents) as directory:
                    self._write(Place(directory, name.rpartition("/")[2]), change)
            for parts in sorted(made, key=len, reverse=True):
                with directory_beneath(self._steps.kernel, top, parts) as directory:
                    self._steps.sync(directory)

    def _mode(self) -> int:
        """As open as the directory that it will be in."""
        return stat.S_IMODE(os.fstat(self._place.directory).st_mode)

    def _write(self, place: Place, change: Change) -> None:
        mode = NEW_MODE if change.mode is None else change.mode
        owner = owner_of(self._place.directory, Found())
        self._steps.write_file(place, change.after or b"", mode, owner)

    def _refuse_strangers(self) -> None:
        """Raises StaleBase when the directory is somebody else's; ours may be there already."""
        found = survey(self._steps, self._place)
        if all(
            is_live(found.get(name, Found()), change.after)
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
            aside = Place(stage, f"{key_of(self._path)}.old")
            if exists(aside):
                self._judge(aside)
            if not exists(self._place):
                self._steps.sync(self._place.directory)
            elif not self._take(aside):
                return False
        self._folder.clear(STAGE)
        return True

    def _take(self, aside: Place) -> bool:
        self.check()
        try:
            self._steps.rename_new(self._place, aside)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return False
        self._judge(aside)
        return True

    def _judge(self, aside: Place) -> None:
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

    def _stranger(self, place: Place) -> Exception | None:
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
