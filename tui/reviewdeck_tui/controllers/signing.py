"""What has to be given before a decision is written, where decisions are signed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from reviewdeck_tui.controllers.host import Worker
from reviewdeck_tui.summary.requirements import CodedChange, Requirements, admission

if TYPE_CHECKING:
    from reviewdeck_tui.summary.preview import SummaryPreview


class Asked(Message):
    """What has to be given before the decision."""

    def __init__(self, admission: Requirements) -> None:
        super().__init__()
        self.admission = admission


class SigningScreen(Worker, Protocol):
    """A screen that asks the operator, and goes on or stops."""

    def ask_passphrase(self, then: Callable[[str | None], None]) -> None:
        """Asks for the passphrase; None when the operator went back."""
        ...

    def ask_codes(
        self, codes: tuple[CodedChange, ...], then: Callable[[bool | None], None]
    ) -> None:
        """Asks for the code at the end of each change of weight; whether all were right."""
        ...

    def write(self) -> None:
        """All that is needed was given."""
        ...

    def stop(self, said: str) -> None:
        """The operator went back."""
        ...


class Signing:
    """Asks for what a decision needs, one after the other, until nothing is left to ask."""

    def __init__(self, screen: SigningScreen) -> None:
        self._screen = screen

    def begin(self, shown: SummaryPreview) -> None:
        """Finds out what a decision on this needs."""
        self._shown, screen = shown, self._screen

        def job() -> Message:
            return Asked(screen.engine.with_deck(lambda deck: admission(deck, shown)))

        screen.work(job, "commit")

    def go_on(self, asked: Requirements) -> None:
        """Asks for the next thing, or writes."""
        if asked.is_locked:
            self._screen.ask_passphrase(self._unlock)
        elif asked.codes:
            self._screen.ask_codes(asked.codes, self._coded)
        else:
            self._screen.write()

    def _unlock(self, passphrase: str | None) -> None:
        if passphrase is None:
            self._screen.stop("Nothing was signed, and nothing is written.")
            return
        shown, screen = self._shown, self._screen

        def job() -> Message:
            screen.engine.with_deck(lambda deck: deck.context.authority.unlock(passphrase))
            return Asked(screen.engine.with_deck(lambda deck: admission(deck, shown)))

        screen.work(job, "commit")

    def _coded(self, is_right: bool | None) -> None:
        if is_right:
            self._screen.write()
        else:
            self._screen.stop("Nothing is written.")
