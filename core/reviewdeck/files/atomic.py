"""Compare-and-swap of one document: exchange first, then check what the exchange displaced.

At any instant a document is its before-image, its after-image, or another program's text.
"""

from __future__ import annotations

from contextlib import suppress

from reviewdeck.errors import StaleBase, WriteFailed
from reviewdeck.files.folder import Folder, temp_name
from reviewdeck.files.reads import FileRead, problem_of, read_place
from reviewdeck.files.steps import owner_of
from reviewdeck.files.syscalls import NameIn
from reviewdeck.model.documents import executes_otherwise
from reviewdeck.model.plans import Change

NEW_MODE = 0o600
"""The mode that Hermes gives a new file."""


def mismatch_error(path: str, live: FileRead) -> StaleBase | WriteFailed:
    """The error for a document that differs from the one that the decision was made on."""
    if live.problem is not None:
        return WriteFailed(f"{path} {live.problem}.", hint="Nothing was changed there.")
    return StaleBase(f"{path} has changed since the decision was made.", path=path, found=live.data)


def is_live(live: FileRead, expected: bytes | None) -> bool:
    """Whether a file has these bytes; None expects that there is none."""
    return live.problem is None and live.data == expected


class Swap:
    """The change of one document, written to disk."""

    def __init__(
        self, folder: Folder, place: NameIn, change: Change, *, refuses_hard_links: bool
    ) -> None:
        self._folder = folder
        self._steps = folder.steps
        self._place = place
        self._change = change
        self._refuses_hard_links = refuses_hard_links
        """Whether a second name of the file is a reason not to touch it."""
        self._temp = NameIn(place.directory, temp_name(folder.token, change.path))

    def apply(self) -> None:
        """Writes the change. Raises StaleBase or WriteFailed; the document is unchanged then."""
        self.clear()
        live = self._read_live()
        if is_live(live, self._change.after):
            self._make_durable(live)
        elif not is_live(live, self._change.before):
            raise mismatch_error(self._change.path, live)
        else:
            try:
                self._write(live)
            except OSError as error:
                with suppress(OSError):
                    self.clear()
                if isinstance(error, FileNotFoundError) and not live.absent:
                    raise mismatch_error(self._change.path, read_place(self._place)) from None
                raise

    def clear(self) -> None:
        """Cleans up what an interrupted attempt left under our temporary name.

        A before-image is parked; a prefix of our own text is removed. Anything else is another
        program's text that we displaced: it goes back to its place, or is kept.
        """
        temp = read_place(self._temp)
        if temp.absent:
            return
        if is_live(temp, self._change.before):
            self._folder.park(self._temp, self._change.path)
        elif self._is_ours(temp):
            self._steps.remove(self._temp)
        elif is_live(read_place(self._place), self._change.after):
            self._give_back(temp)
        else:
            self._folder.park(self._temp, self._change.path)

    def _read_live(self) -> FileRead:
        live = read_place(self._place)
        if self._refuses_hard_links and (problem := problem_of(live)):
            return FileRead(problem=problem)
        return live

    def _make_durable(self, live: FileRead) -> None:
        """Finishes an earlier attempt: sets the execute bits and syncs file and directory."""
        if live.absent:
            pass
        elif executes_otherwise(live.mode, self._change.mode) and self._change.was_mode is not None:
            self._steps.set_mode(self._place, self._change.mode or 0)
        else:
            self._steps.sync_file(self._place)
        self._steps.sync(self._place.directory)

    def _write(self, live: FileRead) -> None:
        if self._change.after is None:
            self._delete()
            return
        self._write_temp(self._change.after, live)
        if self._change.before is None:
            try:
                self._steps.rename_new(self._temp, self._place)
            except FileExistsError:
                self._steps.remove(self._temp)
                raise mismatch_error(self._change.path, read_place(self._place)) from None
        elif self._steps.exchange(self._temp, self._place, durable=False):
            self._check_displaced()
        else:
            self._replace()

    def _write_temp(self, after: bytes, live: FileRead) -> None:
        bits = self._change.mode if self._change.mode is not None else live.mode
        mode = NEW_MODE if bits is None else bits
        self._steps.write_file(self._temp, after, mode, owner_of(self._place.directory, live))

    def _delete(self) -> None:
        try:
            self._steps.rename_new(self._place, self._temp, durable=False)
        except FileNotFoundError:
            return
        self._check_displaced()

    def _check_displaced(self) -> None:
        """Parks the displaced file if it is the before-image, and gives it back if it is not.

        Either way it is renamed once more, and that rename syncs the directory.
        """
        displaced = read_place(self._temp)
        if is_live(displaced, self._change.before):
            self._folder.park(self._temp, self._change.path)
        else:
            self._give_back(displaced)

    def _give_back(self, displaced: FileRead) -> None:
        """Restores another program's write and raises; of two such writes the later one stays."""
        if self._change.after is None:
            try:
                self._steps.rename_new(self._temp, self._place)
            except FileExistsError:
                self._folder.park(self._temp, self._change.path)
                displaced = read_place(self._place)
        elif self._steps.exchange(self._temp, self._place):
            third = read_place(self._temp)
            if is_live(third, self._change.after):
                self._steps.remove(self._temp)
            else:
                self._steps.exchange(self._temp, self._place)
                self._folder.park(self._temp, self._change.path)
        else:
            self._folder.park(self._temp, self._change.path)
        raise mismatch_error(self._change.path, displaced)

    def _replace(self) -> None:
        """Without an exchange: compares as late as possible, then renames over the document."""
        live = self._read_live()
        if not is_live(live, self._change.before):
            self._steps.remove(self._temp)
            raise mismatch_error(self._change.path, live)
        self._steps.replace(self._temp, self._place)

    def _is_ours(self, temp: FileRead) -> bool:
        sides = (self._change.before, self._change.after)
        return temp.data is not None and any(
            side is not None and side.startswith(temp.data) for side in sides
        )
