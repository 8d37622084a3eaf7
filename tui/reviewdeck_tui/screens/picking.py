"""`x`: one change of the diff is dropped, or taken in again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck_tui.choosing import APPROVABLE
from reviewdeck_tui.covering import covered
from reviewdeck_tui.documents import DiffDocument, Notice
from reviewdeck_tui.picking import as_drafted
from reviewdeck_tui.screens.drafting import Drafting

if TYPE_CHECKING:
    from reviewdeck_tui.looking import Look
    from reviewdeck_tui.own_text import OwnText  # loads all of the policy: not for one name
    from reviewdeck_tui.picking import Parts


@dataclass
class Picked(Message):
    """A document of a proposal was taken apart."""

    item: QueueItem
    own: OwnText
    parts: Parts | None
    """None when the whole document comes or goes."""
    section: int
    number: int
    """The change of that section that is meant, from 0."""


@dataclass
class Dropped(Message):
    """It is known what the draft of a proposal leaves out."""

    item: str
    digest: str | None
    section: int
    numbers: frozenset[int]
    ending: list[Notice]
    """What stands below the entries of a memory when these are left out."""


class Picking(Drafting):
    """Drafts the live text with only some changes of a proposal."""

    _dropped: Dropped | None = None
    """What the draft of the proposal that is looked at leaves out."""

    def decide_pick(self) -> None:
        """Drops the change that is looked at, or takes it in again."""
        item, change = self.current, self.diff.current_change
        if item is None or not self.in_diff:
            self.say("enter first: x drops one change of the diff.")
        elif item.state not in APPROVABLE or change is None:
            self.say("There is nothing to take apart here: m merges, e writes your own version.")
        elif not self.guard.is_seen(item.id, item.digest):
            self.say("It was not seen as it is now.", "flag")
        else:
            path = self._paths[change.section]
            section, number = change.section, change.number
            self.work(lambda: Picked(item, *self.bench.parts(item, path), section, number))

    @property
    def _paths(self) -> list[str]:
        document = self.diff.document
        return [section.title for section in document.sections] if document is not None else []

    @on(Picked)
    def _pick(self, event: Picked) -> None:
        parts, known = event.parts, self.draft_of(event.item.id)
        if parts is None:
            self.say("A whole file comes or goes here: r turns it down, e writes your own version.")
            return
        if self.diff.changes_in(event.section) != parts.amount:
            self.say("It cannot be taken apart change by change: e writes your own version.")
            return
        text = known.text if known is not None and known.verb is Verb.MERGE else None
        if text is not None and known is not None and known.document != event.own.document:
            self.say(f"Only one document can be in parts, and {known.document} is: u drops that.")
            return
        dropped = frozenset[int]() if text is None else parts.dropped_in(text)
        if dropped is None:
            self.say("There is a text of your own already: u drops it.", "flag")
            return
        self._keep(event, parts, dropped ^ {event.number})

    def after_look(self) -> None:
        """What the draft leaves out is struck through in the diff."""
        item, draft = self.current, self.draft_of(self.current.id) if self.current else None
        path, text = (draft.document, draft.text) if draft is not None else (None, None)
        paths = self._paths
        if item is None or path not in paths or text is None or item.state not in APPROVABLE:
            self._dropped = None
            self.diff.mark_dropped(0, ())
            return
        section = paths.index(path)

        def job() -> Message:
            _, parts = self.bench.parts(item, path)
            found = parts.dropped_in(text) if parts is not None else None
            numbers = found or frozenset()
            ending = parts.ending(numbers) if parts is not None else []
            return Dropped(item.id, item.digest, section, numbers, ending)

        self.work(job, group="dropped")

    @on(Dropped)
    def _show_dropped(self, event: Dropped) -> None:
        if self.look is not None and self.look.id == event.item:
            self._dropped = event
            self.diff.show(self.shown_of(self.look), keep_place=True)
            self.diff.mark_dropped(event.section, event.numbers)

    def shown_of(self, look: Look) -> DiffDocument:
        """With a draft of only some changes, what is lost and left describes that draft."""
        known, draft = self._dropped, self.draft_of(look.id)
        if (
            known is None
            or draft is None
            or draft.text is None
            or (known.item, known.digest) != (look.id, look.digest)
        ):
            return super().shown_of(look)
        document = as_drafted(look.document, known.section, known.ending)
        return document if self.shows_secrets else covered(document, look.cover)

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
