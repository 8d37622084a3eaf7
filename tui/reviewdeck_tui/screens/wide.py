"""Decisions on everything that is shown. A worker goes through it, and a question comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from textual import on
from textual.message import Message

from reviewdeck.cli.words import count, wanted
from reviewdeck.model import QueueItem, Verb
from reviewdeck_tui import choosing
from reviewdeck_tui.choosing import Choice
from reviewdeck_tui.screens.dialogs import SureDialog
from reviewdeck_tui.screens.drafting import Drafting, left_words

_SAMPLE = 6
"""Proposals that a question names."""


@dataclass
class Gathered(Message):
    """A worker went through all that is shown."""

    choice: Choice
    then: Callable[[Choice], None]


class Wide(Drafting):
    """The keys that draft for everything in the filter."""

    def decide_reject_all(self) -> None:
        """Drafts the rejection of everything that is shown."""
        self._gather(lambda items: choosing.for_rejection(items, by_mark=True), self._ask_why)

    def decide_approve_all(self) -> None:
        """Drafts everything shown that is ready, unflagged and seen; says what it leaves out."""

        def sure(choice: Choice) -> None:
            self._if_sure(choice, "approval", "draft them", Verb.APPROVE, "")

        self._gather(lambda items: choosing.for_wide_approval(items, self.guard), sure)

    def decide_dismiss_dead(self) -> None:
        """Drafts the dismissal of everything that cannot be applied any more."""
        reason = "it cannot be applied any more"

        def sure(choice: Choice) -> None:
            self._if_sure(choice, "dismissal", "dismiss them", Verb.REJECT, reason)

        self._gather(choosing.for_dismissal, sure)

    def _gather(
        self, choose: Callable[[Iterator[QueueItem]], Choice], then: Callable[[Choice], None]
    ) -> None:
        drafts, shown = self.stock.drafts, self.items

        def job() -> Message:
            undrafted = (item for item in shown.stream() if item.id not in drafts)
            return Gathered(choose(undrafted), then)

        self.work(job, group="gather")

    @on(Gathered)
    def _gathered(self, event: Gathered) -> None:
        event.then(event.choice)

    def _ask_why(self, choice: Choice) -> None:
        if choice.taken:
            self.ask_reason(choice, by_mark=True)
        else:
            self.say("Nothing here can be turned down together. " + left_words(choice))

    def _if_sure(self, choice: Choice, noun: str, yes: str, verb: Verb, reason: str) -> None:
        if not choice.taken:
            self.say(left_words(choice, lead="Nothing taken") or "There is nothing for that here.")
            return

        def answered(is_sure: bool | None) -> None:
            if is_sure:
                drafts = [
                    self.draft(
                        item,
                        verb,
                        digest=item.digest if verb is Verb.APPROVE else None,
                        reason=reason,
                    )
                    for item in choice.taken
                ]
                self.store(drafts, choice, noun, by_mark=True)

        asked = SureDialog(_question(choice, noun), yes, _names(choice))
        self.app.push_screen(asked, answered)


def _question(choice: Choice, noun: str) -> tuple[str, ...]:
    said = (f"Draft {count(len(choice.taken), noun)}?", left_words(choice))
    return tuple(line for line in said if line)


def _names(choice: Choice) -> tuple[str, ...]:
    said = [f"  {wanted(item)}" for item in islice(choice.taken, _SAMPLE)]
    if (more := len(choice.taken) - _SAMPLE) > 0:
        said.append(f"  and {more} more")
    return tuple(said)
