"""The backlog as other programs change it: read again each second, in a worker, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from reviewdeck.model import Operation
from reviewdeck.presentation.proposal_words import local_clock
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

LOOKING: Final = 3.0
"""Seconds after which others see that a proposal is open here."""
SILENCE: Final = 3.0
"""Seconds after which a hub that is waited for counts as one that does not answer."""


class BacklogPoll:
    """Asks the engine for what is new, and notes a hub that does not answer."""

    def __init__(self, deck: DeckScreen, tick: Callable[[], float]) -> None:
        self._deck = deck
        self._tick = tick
        self.is_asking = False
        """Whether the backlog is being read, or is still to be shown."""
        self._is_wanted = False
        """Whether it is to be read once more: somebody asked for it meanwhile."""
        self._asked_at = 0.0
        self.is_cut_off = False
        """Whether the hub does not answer."""
        self._answered = ""
        """When the ledger last answered, in the operator's time."""
        self.awaited: tuple[Operation, ...] = ()
        """What was approved here last, and another machine has yet to write."""
        self._looking, self._looking_since = "", 0.0

    @property
    def silence_words(self) -> str:
        """What is said while the hub does not answer."""
        of = f"what you see is as of {self._answered}" if self._answered else "nothing was read"
        return f"The hub does not answer: {of}. It is asked again."

    def start(self, *, force: bool) -> None:
        """Starts to read the backlog if anything changed, or with `force`."""
        if self.is_asking:
            self._is_wanted = self._is_wanted or force
            self._note_silence()
            return
        self.is_asking, self._asked_at = True, self._tick()
        deck, looking = self._deck, self._open_proposal

        def job() -> tuple[Backlog | None, str, bool]:
            is_due = force or self.is_cut_off
            backlog = deck.engine.refresh(force=is_due, looking=looking)
            was_cut_off = self.is_cut_off
            self._answered, self.is_cut_off = local_clock(deck.now()), False
            return backlog, "" if was_cut_off else self._end_words(), was_cut_off

        def show(news: tuple[Backlog | None, str, bool]) -> None:
            self.end()
            backlog, report, was_cut_off = news
            if was_cut_off and not deck.is_telling:
                report = "The hub answers again."
            if backlog is not None:
                deck.show_backlog(backlog, report)
            elif report:
                deck.say(report, "draft")
            elif deck.backlog.sights:
                deck.show_title()  # What it shows of another machine grows older.

        deck.work(job, show, group="poll")

    def end(self) -> None:
        """Notes that what was asked last was answered or refused; asks again if it is wanted."""
        self.is_asking = False
        if self._is_wanted:
            self._is_wanted = False
            self.start(force=True)

    def _end_words(self) -> str:
        """What other machines have written by now of what was approved here. Asks the engine."""
        if not self.awaited:
            return ""
        from reviewdeck_tui.summary.ends import end_words, ends_of

        awaited = self.awaited
        ends = self._deck.engine.run(lambda engine: ends_of(engine, awaited))
        self.awaited = tuple(one for one in awaited if one.id not in ends)
        return end_words(ends, awaited, self._deck.backlog.hosts)

    def _note_silence(self) -> None:
        """Says that a hub does not answer, while it is still waited for."""
        deck = self._deck
        is_silent = bool(deck.backlog.hosts) and self._tick() - self._asked_at >= SILENCE
        if is_silent and not self.is_cut_off and not deck.engine.is_judging:
            self.is_cut_off = True
            deck.show_bars()

    @property
    def _open_proposal(self) -> str:
        """The proposal that has been open for some seconds: then others are told."""
        if (look := self._deck.current_look) is None:
            return ""
        if self._looking != look.id:
            self._looking, self._looking_since = look.id, self._tick()
        return look.id if self._tick() - self._looking_since >= LOOKING else ""
