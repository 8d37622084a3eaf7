"""One proposal in parts: which of its changes a draft leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice
from reviewdeck_tui.proposal.parts import as_drafted
from reviewdeck_tui.proposal.redaction import redacted
from reviewdeck_tui.queue.selection import APPROVABLE
from reviewdeck_tui.widgets.diff_changes import FlatChange

if TYPE_CHECKING:
    from reviewdeck_tui.proposal.own_text import EditorText  # imports the whole policy
    from reviewdeck_tui.proposal.parts import Parts
    from reviewdeck_tui.proposal.view import ProposalView
    from reviewdeck_tui.screens.deck import DeckScreen


@dataclass(frozen=True, slots=True)
class DroppedLines:
    """The lines that the draft of a proposal leaves out."""

    item: str
    digest: str | None
    section: int
    numbers: frozenset[int]
    ending: list[Notice] | None
    """The notices at the end of the document without these lines; None where all are taken."""


class PartPicker:
    """Drafts the live text with only some changes of a proposal."""

    def __init__(self, screen: DeckScreen, drafts: DraftController) -> None:
        self._screen = screen
        self._drafts = drafts
        self._dropped: DroppedLines | None = None
        """The lines that the draft of the shown proposal leaves out."""

    def pick_change(self) -> None:
        """Takes the current document apart, to drop the change at the cursor or to take it in."""
        screen = self._screen
        item, change = screen.current, screen.diff.current_change
        if item is None or not screen.in_diff:
            screen.say("Press enter to open the diff; then x drops a change, X works line by line.")
        elif item.state not in APPROVABLE or change is None:
            screen.say("There is no single change to drop here: m merges, e writes your own text.")
        elif not screen.guard.is_seen(item.id, item.digest):
            screen.say("You have not seen its current diff yet.", "flag")
        else:
            path = self._paths[change.section]
            screen.work(lambda: screen.engine.parts(item, path), partial(self._pick, item, change))

    def _pick(
        self, item: QueueItem, change: FlatChange, taken_apart: tuple[EditorText, Parts | None]
    ) -> None:
        own, parts = taken_apart
        draft = self._drafts.of(item.id)
        say = self._screen.say
        if parts is None:
            say("This is a whole file, new or deleted: r rejects it.")
            return
        if self._screen.diff.changed_lines_in(change.section) != parts.amount:
            say("It cannot be split: e writes your own text.")
            return
        text = draft.text if draft is not None and draft.verb is Verb.MERGE else None
        if text is not None and draft is not None and draft.document != own.document:
            say(f"Only one document can be split, and {draft.document} is: u drops that.")
            return
        dropped = frozenset[int]() if text is None else parts.dropped_in(text)
        if dropped is None:
            say("Your own text is drafted already: u drops it.", "flag")
            return
        picked = frozenset(change.numbers)
        is_back = picked <= dropped
        dropped = dropped - picked if is_back else dropped | picked
        remaining = parts.amount - len(dropped)
        if not remaining:
            self._screen.say("That would drop every change: r rejects the proposal.", "flag")
        elif not dropped:
            self._drafts.drop([item.id], "All changes are kept: its draft is dropped.")
        else:
            done = "Kept" if is_back else "Dropped"
            draft = Draft(
                item.id,
                Verb.MERGE,
                own.digest,
                self._screen.now(),
                text=parts.text(dropped),
                document=own.document,
            )
            total = count(parts.amount, "changed line")
            self._drafts.put([draft], f"{done}: {remaining} of {total} remain.")

    def show_current(self) -> None:
        """Strikes out in the diff what the draft of the current proposal leaves out."""
        screen, item = self._screen, self._screen.current
        draft = self._drafts.of(item.id) if item is not None else None
        path, text = (draft.document, draft.text) if draft is not None else (None, None)
        if item is None or path not in self._paths or text is None or item.state not in APPROVABLE:
            self.show(None)
            screen.diff.mark_dropped(0, ())
            return
        section = self._paths.index(path)

        def job() -> DroppedLines:
            _, parts = screen.engine.parts(item, path)
            dropped = parts.dropped_in(text) if parts is not None else None
            numbers = dropped or frozenset()
            ending = parts.ending(numbers) if parts is not None else None
            return DroppedLines(item.id, item.digest, section, numbers, ending)

        screen.work(job, screen.mark_dropped, group="dropped")

    @property
    def _paths(self) -> list[str]:
        document = self._screen.diff.document
        return [section.title for section in document.sections] if document is not None else []

    def show(self, dropped: DroppedLines | None) -> None:
        """Sets the lines left out of the shown proposal; None when there are none."""
        self._dropped = dropped

    def document_of(self, look: ProposalView, *, secrets: bool) -> DiffDocument:
        """The diff of a proposal, reduced to what its draft takes if that is only a part."""
        dropped, draft = self._dropped, self._drafts.of(look.id)
        if (
            dropped is None
            or draft is None
            or draft.text is None
            or (dropped.item, dropped.digest) != (look.id, look.digest)
        ):
            return look.visible_document(secrets=secrets)
        document = as_drafted(look.document, dropped.section, dropped.ending)
        return document if secrets else redacted(document, look.redaction)
