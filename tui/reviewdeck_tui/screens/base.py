"""A screen that lets threads work for it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual.app import SystemCommand
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui import clipboard
from reviewdeck_tui.keys import Action, Keymap, keys_of
from reviewdeck_tui.messages import Refused
from reviewdeck_tui.preferences import Preferences

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine

Answer = TypeVar("Answer")

SAID_FOR: Final = 6.0
"""Seconds for which a message stands in the strip."""


class EngineScreen(Screen[Answer]):
    """Every job runs in a thread and ends in a message."""

    OFFERED: ClassVar[tuple[Action, ...]] = ()
    """What the palette offers here."""

    KEYS: ClassVar[tuple[Action, ...]] = ()
    """What its help lists: a screen whose help knows more has its own `action_help`."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """As in Textual, but where the keys go is no reason to paint all of the screen."""

    def __init__(self, open_bench: Callable[[], Engine]) -> None:
        super().__init__()
        self.open_bench = open_bench

    @property
    def engine(self) -> Engine:
        """The engine. Loads it when it is asked for first: a worker's business."""
        return self.open_bench()

    def work(self, job: Callable[[], Message | None], group: str = "engine") -> None:
        """Runs a job of the engine; what it refuses becomes a message too."""

        def run() -> None:
            try:
                message = job()
            except ReviewdeckError as error:
                message = Refused(error, group)
            if message is not None:
                self.post_message(message)

        self.run_worker(run, thread=True, group=group)

    def work_on(self, job: Callable[[], None]) -> None:
        """The same for a job that is to end though this screen is left."""

        def run() -> None:
            try:
                job()
            except ReviewdeckError as error:
                self.post_message(Refused(error))

        self.app.run_worker(run, thread=True, group="keep")

    def copy(self, text: str, said: str, say: Callable[[str, str], None]) -> None:
        """Puts a text into the operator's clipboard; says so, or why it could not."""

        def tell(why: str) -> None:
            if why:
                say(f"Nothing may be in the clipboard: {why}.", "flag")
            else:
                say(said, "text")

        self.app.copy_to_clipboard(text)
        if self.app.is_web:
            tell("")
        elif not clipboard.is_in_tmux(os.environ):
            tell(clipboard.why_not(os.environ))
        else:

            def run() -> None:
                why = clipboard.into_tmux(text, os.environ)
                self.app.call_from_thread(tell, why)

            self.run_worker(run, thread=True, group="copy")

    @property
    def keymap(self) -> Keymap:
        """The keys that the operator has mapped."""
        preferences = getattr(self.app, "preferences", None)
        return preferences.keys if isinstance(preferences, Preferences) else {}

    def action_help(self) -> None:
        """The keys of this screen."""
        from reviewdeck_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.keymap, self.KEYS))

    def offers(self) -> Iterator[SystemCommand]:
        """Every action of this screen, by its words, for the palette."""
        for action in self.OFFERED:
            keys = " ".join(keys_of(action, self.keymap))
            yield SystemCommand(action.words, f"{keys}  {action.name}", self.runner(action))

    def runner(self, action: Action) -> Callable[[], Awaitable[None]]:
        """The action, for the palette: the same rules hold."""

        async def run() -> None:
            await self.run_action(action.call)

        return run
