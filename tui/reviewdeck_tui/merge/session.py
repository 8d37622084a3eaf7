"""One merge on the screen: what is decided, what was before each pick, which place is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.planning.merge import Merging
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
    """The merge in hand. Only what is picked changes; the texts stay."""

    def __init__(self, shown: OpenMerge) -> None:
        self.shown = shown
        self.merging = shown.merging
        self.view = shown.view
        self.at = next(iter(self.merging.open), 0)
        self._past: list[tuple[Merging, int]] = []

    @property
    def places(self) -> tuple[Place, ...]:
        """All places."""
        return self.merging.places

    @property
    def where(self) -> str:
        """``entry 7 of 12``."""
        return self.view.where(self.merging, self.at)

    @property
    def can_undo(self) -> bool:
        """Whether there is a pick to take back."""
        return bool(self._past)

    def can(self, name: str) -> bool:
        """Whether an action that decides a place is open to the one that is looked at."""
        if not self.places:
            return name == "own_text"
        if name == "reopen":
            return self.at in self.merging.choices
        take = _TAKES.get(name)
        return take is None or self.merging.offers(self.at, take)

    def take(self, name: str) -> None:
        """One of the versions, or both."""
        self.become(self.merging.pick(self.at, _TAKES[name]))

    def pick(self, choice: Choice) -> None:
        """Decides the place."""
        self.become(self.merging.pick(self.at, choice))

    def reopen(self) -> None:
        """Opens the place again."""
        self.become(self.merging.reopen(self.at))

    def become(self, merging: Merging) -> None:
        """Another state of the merge; the one before can be had back."""
        self._past.append((self.merging, self.at))
        self._show(merging)

    def undo(self) -> bool:
        """Takes the last pick back; False when there is none."""
        if not self._past:
            return False
        merging, self.at = self._past.pop()
        self._show(merging)
        return True

    def move(self, step: int) -> bool:
        """Another place, in a circle; False when there is no other."""
        if len(self.places) < 2:
            return False
        self.at = (self.at + step) % len(self.places)
        return True

    def on_to_open(self) -> bool:
        """The next place that is open; False when none is."""
        ahead = [at for at in self.merging.open if at > self.at] or list(self.merging.open)
        if not ahead or ahead[0] == self.at:
            return False
        self.at = ahead[0]
        return True

    def _show(self, merging: Merging) -> None:
        if merging.ground is not self.merging.ground:
            is_inline = self.view.is_inline
            self.view = ResultView(merging, self.shown.alone, is_inline=is_inline)
        self.merging = merging
        self.at = min(self.at, max(0, len(merging.places) - 1))
