"""One merge on the screen: its picks, its undo stack, its current place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.planning.merge import MergeProgress
from reviewdeck.text.conflicts import Choice, Take
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck_tui.merge.result import ResultView

if TYPE_CHECKING:
    from reviewdeck_tui.merge.open import OpenMerge

_TAKES = {
    "pick_base": Take.BASE,
    "pick_live": Take.OURS,
    "pick_proposed": Take.THEIRS,
    "pick_both": Take.BOTH,
    "pick_words": Take.WORDS,
}


class MergeSession:
    """The merge in progress. Picks change it; its texts stay."""

    def __init__(self, merge: OpenMerge) -> None:
        self.opened = merge
        self.merging = merge.merging
        self.view = merge.view
        self.at = next(iter(self.merging.open), 0)
        self._undo_stack: list[tuple[MergeProgress, int]] = []

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of the conflict."""
        return self.merging.places

    @property
    def where(self) -> str:
        """The position of the current place, as ``entry 7 of 12``."""
        return self.view.where(self.merging, self.at)

    @property
    def can_undo(self) -> bool:
        """Whether there is a pick to undo."""
        return bool(self._undo_stack)

    def can(self, name: str) -> bool:
        """Whether an action applies to the current place."""
        if not self.places:
            return name == "own_text"
        if name == "reopen":
            return self.at in self.merging.choices
        take = _TAKES.get(name)
        return take is None or self.merging.offers(self.at, take)

    def take(self, name: str) -> None:
        """Takes the version that an action names."""
        self.replace_state(self.merging.pick(self.at, _TAKES[name]))

    def pick(self, choice: Choice) -> None:
        """Decides the current place."""
        self.replace_state(self.merging.pick(self.at, choice))

    def reopen(self) -> None:
        """Reopens the current place."""
        self.replace_state(self.merging.reopen(self.at))

    def replace_state(self, merging: MergeProgress) -> None:
        """Replaces the state of the merge; undo restores the old one."""
        self._undo_stack.append((self.merging, self.at))
        self._show(merging)

    def undo(self) -> bool:
        """Undoes the last pick; False if there is none."""
        if not self._undo_stack:
            return False
        merging, self.at = self._undo_stack.pop()
        self._show(merging)
        return True

    def move(self, step: int) -> bool:
        """Moves to another place, wrapping around; False if there is no other."""
        if len(self.places) < 2:
            return False
        self.at = (self.at + step) % len(self.places)
        return True

    def _show(self, merging: MergeProgress) -> None:
        if merging.merged is not self.merging.merged:
            is_inline = self.view.is_inline
            self.view = ResultView(merging, self.opened.automatic, is_inline=is_inline)
        self.merging = merging
        self.at = min(self.at, max(0, len(merging.places) - 1))
