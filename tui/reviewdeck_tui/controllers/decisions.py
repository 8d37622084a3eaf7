"""The decision keys: the proposals that they take, and the drafts that they make.

Nothing here writes to a home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.errors import Locked, ReviewdeckError
from reviewdeck.model import SENT_BACK, Draft, QueueItem, State, Verb
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.queue import selection
from reviewdeck_tui.queue.items import QueueItems
from reviewdeck_tui.queue.selection import Chosen, left_out_words
from reviewdeck_tui.queue.view import Backlog, arrange
from reviewdeck_tui.screens.dialogs import SEND_BACK, ReasonDialog, SureDialog, WordsDialog

if TYPE_CHECKING:
    from reviewdeck_tui.proposal.own_text import EditorText
    from reviewdeck_tui.screens.deck import DeckScreen


class Decisions:
    """Drafts decisions on the chosen proposals, or on everything that the lane shows."""

    def __init__(self, screen: DeckScreen, drafts: DraftController) -> None:
        self._screen = screen
        self._drafts = drafts

    def approve(self) -> None:
        """Drafts an approval of exactly the diff that was painted."""
        items, by_mark = self._screen.chosen
        choice = selection.for_approval(items, self._screen.guard, by_mark=by_mark)
        self._draft(choice, Verb.APPROVE, "approval", by_mark=by_mark)

    def claim(self) -> None:
        """Drafts the claim that a live change, exactly as painted, is the operator's own."""
        items, by_mark = self._screen.chosen
        choice = selection.for_claim(items, self._screen.guard, by_mark=by_mark)
        self._draft(choice, Verb.CLAIM, "claim", by_mark=by_mark)

    def defer(self) -> None:
        items, by_mark = self._screen.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        self._draft(choice, Verb.DEFER, "deferral", by_mark=by_mark)

    def reject(self) -> None:
        """Asks for a reason and drafts a rejection."""
        items, by_mark = self._screen.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        if choice.items:
            self._ask_reason(choice, by_mark=by_mark)
        else:
            self._explain_nothing_taken(choice)

    def revert_burst(self) -> None:
        """Asks for a reason and drafts the revert of all changes of one cause and time."""
        screen = self._screen
        chosen, _ = screen.chosen
        if len(chosen) != 1 or chosen[0].state is not State.LIVE:
            screen.say("Choose one live change, made outside review: its burst is reverted.")
            return
        item = chosen[0]

        def ask(burst: tuple[Sequence[QueueItem], str]) -> None:
            items, words = burst
            choice = selection.for_rejection(items, by_mark=False)
            amount = len(choice.items)
            self._ask_reason(choice, by_mark=False, many=f"these {amount} ({words})")

        screen.work(lambda: screen.engine.burst(item.id), ask, group="gather")

    def send_back(self) -> None:
        """Drafts a rejection whose reason is a note to the agent."""
        items, by_mark = self._screen.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        if not choice.items:
            self._explain_nothing_taken(choice)
            return

        def draft(note: str) -> None:
            reason = f"{SENT_BACK}{note}"
            self._draft(choice, Verb.REJECT, "rejection with a note", reason, by_mark=by_mark)

        self._screen.ask(WordsDialog(SEND_BACK, "send back"), draft)

    def make_room(self) -> None:
        """Queues the proposal that makes room for the one under the cursor, and goes there."""
        screen, item = self._screen, self._screen.current
        if item is None or not item.state.is_open:
            screen.say("There is nothing that needs room here.")
            return

        def show(made: tuple[Backlog, str, str]) -> None:
            backlog, id, words = made
            report = f"This takes out {words}, so that the other one fits: decide on it here."
            screen.show_backlog(backlog, report)
            if not screen.queue.move_to(id, by_key=True):
                screen.filter.drop()  # The filter hides it.
                screen.queue.move_to(id, by_key=True)

        screen.work(lambda: screen.engine.make_room(item.id), show)

    def requeue(self) -> None:
        """Reopens rejected and dismissed proposals."""
        screen = self._screen
        items, by_mark = screen.chosen
        ids = [item.id for item in items if item.state is State.REJECTED]
        if not ids:
            screen.say("Only rejected or dismissed proposals can be reopened: see lane 4.")
            return

        def show(reopened: tuple[Backlog, int, ReviewdeckError | None]) -> None:
            backlog, amount, refused = reopened
            others = f" {len(ids) - amount} left: {refused.message}" if refused else ""
            wait = "waits" if amount == 1 else "wait"
            screen.show_backlog(
                backlog, f"{count(amount, 'proposal')} reopened: {wait} again.{others}"
            )

        if by_mark:
            screen.queue.clear_marks()
        screen.work(lambda: screen.engine.reopen(ids), show)

    def reject_all(self) -> None:
        """Drafts the rejection of everything the lane shows."""

        def on_choice(choice: Chosen) -> None:
            if choice.items:
                self._ask_reason(choice, by_mark=True)
            else:
                left_out = left_out_words(choice)
                self._screen.say(f"Nothing here can be rejected together. {left_out}")

        self._choose_from_lane(
            lambda items: selection.for_rejection(items, by_mark=True), on_choice
        )

    def approve_all(self) -> None:
        """Drafts what is ready, unflagged and seen; reports what it leaves out."""

        def on_choice(choice: Chosen) -> None:
            self._confirm(choice, Verb.APPROVE, "approval", "draft them")

        self._choose_from_lane(
            lambda items: selection.for_wide_approval(items, self._screen.guard), on_choice
        )

    def dismiss_dead(self) -> None:
        """Drafts the dismissal of every proposal that can no longer be applied."""
        reason = "it can no longer be applied"

        def on_choice(choice: Chosen) -> None:
            self._confirm(choice, Verb.REJECT, "dismissal", "dismiss them", reason)

        screen = self._screen
        unfolded = arrange(screen.backlog, replace(screen.view, unfolds=True))
        self._choose_from_lane(selection.for_dismissal, on_choice, unfolded)

    def own_text(self) -> None:
        """Opens the editor; for a conflict, on its merge, where open places are kept."""
        deck = self._screen
        if (item := self._open_item("There is nothing to write for here.")) is None:
            return
        if item.state is State.CONFLICT and item.id not in deck.backlog.people.texts:
            deck.merges.open(item, to_write=True)
        else:
            self.write(item)

    def write(self, item: QueueItem) -> None:
        """Opens the editor on a proposal's text, and drafts what comes back from it."""
        deck = self._screen

        def edit(own: EditorText) -> None:
            edited = deck.edited(deck.edit, own.text, own.document)
            if edited is None:
                return
            if edited == own.text and not own.is_offered:
                deck.say("You changed nothing: nothing is drafted.")
            elif (now := deck.items.get(own.proposal)) is not None:
                made = deck.now()
                draft = Draft(
                    now.id, Verb.MERGE, own.digest, made, text=edited, document=own.document
                )
                self.store([draft], Chosen((now,)), "own text", by_mark=False)

        deck.work(lambda: deck.engine.own_text(item), edit)

    def merge(self) -> None:
        """Opens the merge of a conflict; of a dead proposal, at its likely new place."""
        if (item := self._open_item("There is nothing to merge here.")) is not None:
            self._screen.merges.open(item)

    def cluster(self) -> None:
        """Opens the waiting proposals that are about the same thing."""
        if (item := self._open_item("There is nothing to decide here.")) is not None:
            self._screen.merges.open_cluster(item)

    def pick(self) -> None:
        """Drops the change at the cursor, or takes it in again."""
        self._screen.parts.pick_change()

    def withdraw_vote(self, id: str) -> None:
        """Takes the operator's own vote back; asks for the passphrase if that is to be signed."""
        deck = self._screen

        def job() -> Backlog | None:
            try:
                return deck.engine.withdraw_vote(id)
            except Locked:
                return None

        def show(backlog: Backlog | None) -> None:
            if backlog is not None:
                deck.show_backlog(backlog, "Your vote is withdrawn: two operators have to approve.")
            else:
                deck.ask_passphrase(
                    lambda: self.withdraw_vote(id),
                    lambda: deck.say("Nothing was signed: your vote stays."),
                    "Your passphrase signs that you withdraw your vote.",
                )

        deck.work(job, show)

    def store(self, drafts: list[Draft], choice: Chosen, noun: str, *, by_mark: bool) -> None:
        """Stores drafts, reports them, and moves on to the next proposal."""
        if not drafts:
            self._explain_nothing_taken(choice)
            return
        report = f"{count(len(drafts), noun)} drafted, nothing is saved yet."
        self._drafts.put(drafts, f"{report} {left_out_words(choice)}".strip())
        if by_mark:
            self._screen.queue.clear_marks()
        else:
            self._screen.advance()

    def _open_item(self, otherwise: str) -> QueueItem | None:
        """The open proposal under the cursor; of one that is closed or unreadable, says why not."""
        item = self._screen.current
        if item is not None and item.state is State.QUARANTINED:
            self._screen.say(selection.why_not(item, ""), "flag")
        elif item is not None and item.state.is_open:
            return item
        else:
            self._screen.say(otherwise)
        return None

    def _draft(
        self, choice: Chosen, verb: Verb, noun: str, reason: str = "", *, by_mark: bool
    ) -> None:
        has_digest = verb in (Verb.APPROVE, Verb.CLAIM)
        drafts = [
            self._drafts.new(item, verb, digest=item.digest if has_digest else None, reason=reason)
            for item in choice.items
        ]
        self.store(drafts, choice, noun, by_mark=by_mark)

    def _ask_reason(self, choice: Chosen, *, by_mark: bool, many: str = "") -> None:
        def draft(reason: str) -> None:
            self._draft(choice, Verb.REJECT, "rejection", reason, by_mark=by_mark)

        verb = "Revert" if all(item.state is State.LIVE for item in choice.items) else "Reject"
        self._screen.ask(ReasonDialog(len(choice.items), many=many, verb=verb), draft)

    def _confirm(self, choice: Chosen, verb: Verb, noun: str, yes: str, reason: str = "") -> None:
        """Asks whether all of these are meant; the answer drafts them."""
        if not choice.items:
            left_out = left_out_words(choice, lead="Nothing to draft")
            self._screen.say(left_out or "No proposal here qualifies.")
            return

        def on_answer(is_sure: bool | None) -> None:
            if is_sure:
                self._draft(choice, verb, noun, reason, by_mark=True)

        question, names = selection.question(choice, noun), selection.sample(choice)
        self._screen.app.push_screen(SureDialog(question, yes, names), on_answer)

    def _choose_from_lane(
        self,
        choose: Callable[[Iterator[QueueItem]], Chosen],
        then: Callable[[Chosen], None],
        items: QueueItems | None = None,
    ) -> None:
        """Chooses in a worker among all proposals without a draft that the lane shows, or these."""
        drafts, items = self._screen.backlog.drafts, items or self._screen.items

        def job() -> Chosen:
            return choose(item for item in items.stream() if item.id not in drafts)

        self._screen.work(job, then, group="gather")

    def _explain_nothing_taken(self, choice: Chosen) -> None:
        if choice.only is not None:
            self._screen.say(selection.why_not(*choice.only), "flag")
        elif choice.left_out:
            self._screen.say(left_out_words(choice), "flag")
        else:
            self._screen.say("There is nothing to decide here.")
