"""Compare-and-swap of one document: what comes out of the exchange decides whether it stands.

At any instant a document is what it was, what it becomes, or what somebody else wrote.
"""

from __future__ import annotations

from contextlib import suppress

from reviewdeck.errors import StaleBase, WriteFailed
from reviewdeck.homes.files import FileRead, problem_of, read_place
from reviewdeck.homes.folder import Folder, temp_name
from reviewdeck.homes.steps import owner_of
from reviewdeck.homes.syscalls import NameIn
from reviewdeck.model.documents import executes_otherwise
from reviewdeck.model.plans import Change

NEW_MODE = 0o600
"""What Hermes itself gives a new file."""


def complain(path: str, found: FileRead) -> StaleBase | WriteFailed:
    """The error for a document that is not what the decision was made on."""
    if found.problem is not None:
        return WriteFailed(f"{path} {found.problem}.", hint="Nothing was changed there.")
    return StaleBase(
        f"{path} has changed since the decision was made.", path=path, found=found.data
    )


def is_live(found: FileRead, wanted: bytes | None) -> bool:
    """Whether these bytes, or nothing, are what is there."""
    return found.problem is None and found.data == wanted


class Swap:
    """One document's change, put on the disk."""

    def __init__(self, folder: Folder, place: NameIn, change: Change, *, lone: bool) -> None:
        self._folder = folder
        self._steps = folder.steps
        self._place = place
        self._change = change
        self._lone = lone
        """Whether a second name of the file is a reason not to touch it."""
        self._temp = NameIn(place.directory, temp_name(folder.token, change.path))

    def apply(self) -> None:
        """Raises StaleBase or WriteFailed and then has not changed the document."""
        self.clear()
        live = self._live()
        if is_live(live, self._change.after):
            self._confirm(live)
        elif not is_live(live, self._change.before):
            raise complain(self._change.path, live)
        else:
            try:
                self._put(live)
            except OSError as error:
                with suppress(OSError):
                    self.clear()
                if isinstance(error, FileNotFoundError) and not live.absent:
                    raise complain(self._change.path, read_place(self._place)) from None
                raise

    def clear(self) -> None:
        """Deals with what an attempt that did not end left under our temporary name.

        Bytes that the ledger has are parked or, when they are only the beginning of ours,
        removed. Anything else was displaced from under somebody: it goes back, or is kept.
        """
        left = read_place(self._temp)
        if left.absent:
            return
        if is_live(left, self._change.before):
            self._folder.park(self._temp, self._change.path)
        elif self._is_ours(left):
            self._steps.remove(self._temp)
        elif is_live(read_place(self._place), self._change.after):
            self._give_back(left)
        else:
            self._folder.park(self._temp, self._change.path)

    def _live(self) -> FileRead:
        found = read_place(self._place)
        if self._lone and (problem := problem_of(found)):
            return FileRead(problem=problem)
        return found

    def _confirm(self, live: FileRead) -> None:
        """Puts on who may execute it; makes durable what an attempt may have left to the system."""
        if live.absent:
            pass
        elif executes_otherwise(live.mode, self._change.mode) and self._change.was_mode is not None:
            self._steps.permit(self._place, self._change.mode or 0)
        else:
            self._steps.sync_file(self._place)
        self._steps.sync(self._place.directory)

    def _put(self, live: FileRead) -> None:
        if self._change.after is None:
            self._delete()
            return
        self._write_temp(self._change.after, live)
        if self._change.before is None:
            self._create()
        elif self._steps.exchange(self._temp, self._place, durable=False):
            self._judge()
        else:
            self._replace()

    def _write_temp(self, after: bytes, live: FileRead) -> None:
        wanted = self._change.mode if self._change.mode is not None else live.mode
        mode = NEW_MODE if wanted is None else wanted
        self._steps.write_file(self._temp, after, mode, owner_of(self._place.directory, live))

    def _create(self) -> None:
        try:
            self._steps.rename_new(self._temp, self._place)
        except FileExistsError:
            self._steps.remove(self._temp)
            raise complain(self._change.path, read_place(self._place)) from None

    def _delete(self) -> None:
        """Takes the document aside under a name of ours, and looks at it there."""
        try:
            self._steps.rename_new(self._place, self._temp, durable=False)
        except FileNotFoundError:
            return
        self._judge()

    def _judge(self) -> None:
        """Keeps what came out if it is the before-image, and gives it back if it is not.

        Either way it is renamed once more, and that makes the directory durable.
        """
        out = read_place(self._temp)
        if is_live(out, self._change.before):
            self._folder.park(self._temp, self._change.path)
        else:
            self._give_back(out)

    def _give_back(self, out: FileRead) -> None:
        """Somebody wrote in the gap: their version is live again, and what that displaces stays."""
        if self._change.after is None:
            try:
                self._steps.rename_new(self._temp, self._place)
            except FileExistsError:
                self._folder.park(self._temp, self._change.path)
                out = read_place(self._place)
        elif self._steps.exchange(self._temp, self._place):
            third = read_place(self._temp)
            if is_live(third, self._change.after):
                self._steps.remove(self._temp)
            else:
                self._folder.park(self._temp, self._change.path)
        else:
            self._folder.park(self._temp, self._change.path)
        raise complain(self._change.path, out)

    def _replace(self) -> None:
        """Without an exchange: compare as late as possible, then rename over it."""
        found = self._live()
        if not is_live(found, self._change.before):
            self._steps.remove(self._temp)
            raise complain(self._change.path, found)
        self._steps.replace(self._temp, self._place)

    def _is_ours(self, left: FileRead) -> bool:
        sides = (self._change.before, self._change.after)
        return left.data is not None and any(
            side is not None and side.startswith(left.data) for side in sides
        )
