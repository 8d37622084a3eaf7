"""Keys that make drafts, and those that take them back. None of them writes to a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from reviewdeck.cli.words import count
from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck_tui import choosing
from reviewdeck_tui.board import Stock
from reviewdeck_tui.choosing import Choice
from reviewdeck_tui.messages import Opened, Stocked
from reviewdeck_tui.screens.dialogs import ReasonDialog, WordsDialog
from reviewdeck_tui.screens.frame import Frame

if TYPE_CHECKING:
    from reviewdeck_tui.own_text import OwnText


class Drafting(Frame):
    """The half of the keys that makes drafts."""

    def setup(self) -> None:
        """What taking back works from."""
        self._steps: list[dict[str, Draft | None]] = []
        self._written: list[tuple[str, ...]] = []

    def action_decide(self, name: str) -> None:
        """Every decision key comes through here: some presses are not meant, or come too soon."""
        item = self.current
        if not self.stock.is_whole:
            self.say("A moment: the home is still being looked at.")
        elif self.guard.is_repeat(name):
            return
        elif item is not None and self.guard.is_held(item.id):
            self.say("It changed: look again, then move a key to go on.", "flag")
        else:
            getattr(self, f"decide_{name}")()

    @property
    def chosen(self) -> tuple[list[QueueItem], bool]:
        """What a decision is about: the marked ones, else the one under the cursor."""
        marked = [self.items[id] for id in self.queue.marked_ids if id in self.items]
        if marked and not self.in_diff:
            return marked, True
        return ([self.current] if self.current is not None else []), False

    def decide_approve(self) -> None:
        """Drafts an approval of exactly what was painted."""
        items, by_mark = self.chosen
        choice = choosing.for_approval(items, self.guard, by_mark=by_mark)
        drafts = [self.draft(item, Verb.APPROVE, digest=item.digest) for item in choice.taken]
        self.store(drafts, choice, "approval", by_mark=by_mark)

    def decide_defer(self) -> None:
        """Drafts a deferral."""
        items, by_mark = self.chosen
        choice = choosing.for_rejection(items, by_mark=by_mark)
        drafts = [self.draft(item, Verb.DEFER) for item in choice.taken]
        self.store(drafts, choice, "deferral", by_mark=by_mark)

    def decide_reject(self) -> None:
        """Drafts a rejection; the reason is asked for, and kept."""
        items, by_mark = self.chosen
        choice = choosing.for_rejection(items, by_mark=by_mark)
        if not choice.taken:
            self._say_why(choice)
            return
        self.ask_reason(choice, by_mark=by_mark)

    def ask_reason(self, choice: Choice, *, by_mark: bool) -> None:
        """Asks why; the answer drafts the rejections."""

        def answered(reason: str | None) -> None:
            if reason is not None:
                drafts = [self.draft(item, Verb.REJECT, reason=reason) for item in choice.taken]
                self.store(drafts, choice, "rejection", by_mark=by_mark)

        amount = len(choice.taken)
        what = "this" if amount == 1 else f"these {amount}"
        self.app.push_screen(ReasonDialog(what), answered)

    # The operator's own text.

    def decide_own_text(self) -> None:
        """Opens the operator's editor on the text as it would become."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self.say("There is nothing to write for here.")
            return
        self.work(lambda: Opened(self.bench.own_text(item)))

    @on(Opened)
    def _edit(self, event: Opened) -> None:
        own = event.own
        edited = self.edit(own.text, own.document)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        elif edited == own.text:
            self.say("You changed nothing: nothing is drafted.")
        else:
            self._keep_own(own, edited)

    def _keep_own(self, own: OwnText, text: str) -> None:
        item = self.items.get(own.proposal)
        if item is None:
            return
        draft = Draft(
            own.proposal, Verb.MERGE, own.digest, self.now(), text=text, document=own.document
        )
        self.store([draft], Choice((item,)), "own text", by_mark=False)

    def keep(self, draft: Draft, said: str) -> None:
        """Keeps one draft; the cursor stays."""
        self._steps.append({draft.proposal: self.draft_of(draft.proposal)})
        self._stocking(lambda: self.bench.put_drafts([draft]), said)

    def undoable(self, before: dict[str, Draft | None], after: dict[str, Draft | None]) -> None:
        """Takes drafts away in a way that can be taken back."""
        self._steps.append(before)
        self._restore(after, "All changes are taken in again: there is no draft of it now.")

    # Taking back.

    def action_clear(self) -> None:
        """Drops the draft of this proposal, or of the marked ones."""
        items, _ = self.chosen
        drafts = {item.id: self.draft_of(item.id) for item in items}
        had = {id: draft for id, draft in drafts.items() if draft is not None}
        if not had:
            self.say("There is no draft here.")
            return
        known = self.stock.drafts.items()
        had |= {id: one for id, one in known if _follows(one, had)}
        self._steps.append(dict(had))
        self._restore(dict.fromkeys(had), "Draft dropped.")

    def action_undo(self) -> None:
        """Takes the last draft back; after a commit, drafts its undo."""
        item = self.current
        if item is not None and item.state is State.APPLIED and not self.in_diff:
            self._undo_written(item)
        elif self._steps:
            self._restore(self._steps.pop(), "The last draft is taken back.")
        elif self._written:
            operations = self._written.pop()
            self._stocking(
                lambda: self.bench.draft_undos(operations),
                "The undo is drafted: ^s shows it, y there writes it.",
            )
        elif self.stock.drafts:
            last = max(self.stock.drafts.values(), key=lambda draft: draft.at)
            self._restore({last.proposal: None}, "The newest draft is taken back.")
        else:
            self.say("There is nothing to take back.")

    def _undo_written(self, item: QueueItem) -> None:
        self._stocking(
            lambda: self.bench.draft_undos(self.bench.operations_of(item.id)),
            "The undo is drafted: ^s shows it, y there writes it.",
        )

    def action_note(self) -> None:
        """Keeps a note in the log."""
        item = self.current
        if item is None:
            return

        def answered(words: str | None) -> None:
            if words is not None:
                self.work(lambda: self.bench.note(item, words))
                self.say("The note is in the log.")

        self.app.push_screen(WordsDialog("A note for the log:"), answered)

    def step(self, before: dict[str, Draft | None]) -> None:
        """Something was drafted: `z` brings back what was there before."""
        self._steps.append(before)

    def wrote(self, operations: Sequence[str]) -> None:
        """Something was written: `z` now drafts its undo."""
        self._steps.clear()
        if operations:
            self._written.append(tuple(reversed(operations)))

    def draft(
        self, item: QueueItem, verb: Verb, *, digest: str | None = None, reason: str = ""
    ) -> Draft:
        """A draft of now."""
        return Draft(item.id, verb, digest, self.now(), reason=reason)

    def store(self, drafts: Sequence[Draft], choice: Choice, noun: str, *, by_mark: bool) -> None:
        """Keeps drafts, says so, and goes on to the next proposal."""
        if not drafts:
            self._say_why(choice)
            return
        self._steps.append({draft.proposal: self.draft_of(draft.proposal) for draft in drafts})
        said = f"{count(len(drafts), noun)} drafted, nothing is written."
        self._stocking(
            lambda: self.bench.put_drafts(drafts), f"{said} {left_words(choice)}".strip()
        )
        if by_mark:
            self.queue.clear_marks()
        else:
            self.advance()

    def _say_why(self, choice: Choice) -> None:
        if choice.only is not None:
            self.say(choosing.why_not(*choice.only), "flag")
        elif choice.left_out:
            self.say(left_words(choice), "flag")

    def advance(self) -> None:
        """On to the next one without a draft; after the last one, to the first that was passed."""
        ids = self.items.ids
        here = self.items.place_of(self.queue.cursor_id or "") or 0
        after = (ids[place] for place in chain(range(here + 1, len(ids)), range(here)))
        if (id := next((one for one in after if one not in self.stock.drafts), None)) is not None:
            self.queue.move_to(id, by_key=True)

    def _restore(self, earlier: Mapping[str, Draft | None], said: str) -> None:
        self._stocking(lambda: self.bench.restore_drafts(earlier), said)

    def _stocking(self, job: Callable[[], Stock], said: str) -> None:
        def run() -> Message:
            return Stocked(job(), said)

        self.work(run)


def _follows(draft: Draft, leaders: Mapping[str, Draft]) -> bool:
    """Whether it goes where the draft of one of these goes."""
    return draft.verb is Verb.SUPERSEDE and draft.reason in leaders


def left_words(choice: Choice, lead: str = "Left out") -> str:
    """What a decision does not take."""
    return f"{lead}: {choice.said}." if choice.left_out else ""
