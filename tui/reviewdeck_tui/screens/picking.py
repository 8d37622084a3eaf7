"""`x`: one change of the diff is dropped, or taken in again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck_tui.choosing import APPROVABLE
from reviewdeck_tui.screens.drafting import Drafting

if TYPE_CHECKING:
    from reviewdeck_tui.own_text import OwnText  # loads all of the policy: not for one name
    from reviewdeck_tui.picking import Parts


@dataclass
class Picked(Message):
    """A proposal was taken apart."""

    item: QueueItem
    own: OwnText
    parts: Parts | None
    """None when it changes several documents."""
    number: int
    """The change that is meant, from 0."""


class Picking(Drafting):
    """Drafts the live text with only some changes of a proposal."""

    def decide_pick(self) -> None:
        """Drops the change that is looked at, or takes it in again."""
        item, number = self.current, self.diff.current_change
        if item is None or not self.in_diff:
            self.say("enter first: x drops one change of the diff.")
        elif item.state not in APPROVABLE or number is None:
            self.say("There is nothing to take apart here: m merges, e writes your own version.")
        elif not self.guard.is_seen(item.id, item.digest):
            self.say("It was not seen as it is now.", "flag")
        else:
            self.work(lambda: Picked(item, *self.bench.parts(item), number))

    @on(Picked)
    def _pick(self, event: Picked) -> None:
        item, parts = event.item, event.parts
        known = self.draft_of(item.id)
        if parts is None or self.diff.change_count != parts.amount:
            self.say("Only a proposal for one document can be taken apart: e writes your own.")
            return
        text = known.text if known is not None and known.verb is Verb.MERGE else None
        dropped = frozenset[int]() if text is None else parts.dropped_in(text)
        if dropped is None:
            self.say("There is a text of your own already: u drops it.", "flag")
            return
        self._keep(event, parts, dropped ^ {event.number})

    def _keep(self, event: Picked, parts: Parts, dropped: frozenset[int]) -> None:
        item, left = event.item, parts.amount - len(dropped)
        if not left:
            self.say("That would drop every change: r turns the proposal down.", "flag")
        elif not dropped:
            self.undoable({item.id: self.draft_of(item.id)}, {item.id: None})
        else:
            word = "dropped" if event.number in dropped else "taken in again"
            own = event.own
            draft = Draft(
                item.id,
                Verb.MERGE,
                own.digest,
                self.now(),
                text=parts.text(dropped),
                document=own.document,
            )
            said = f"Change {event.number + 1} {word}: {left} of {parts.amount} go in."
            self.keep(draft, said)
