"""The base of the screens whose work runs in threads."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual import events
from textual.app import SystemCommand
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui import clipboard
from reviewdeck_tui.keys import SECRETS, Action, Group, Keymap, keys_of, with_keymap
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.widgets.bar import Bar

if TYPE_CHECKING:
    from reviewdeck_tui.engine import EngineWorker

Answer = TypeVar("Answer")
Result = TypeVar("Result")

_BY_USE: Final = (
    Group.OWN,
    Group.DECIDE,
    Group.PLACE,
    Group.CHOOSE,
    Group.LOOK,
    Group.APP,
    Group.MOVE,
)
"""The order of the palette."""
MESSAGE_SECONDS: Final = 6.0
"""Seconds for which a message stays in the strip."""


class EngineScreen(Screen[Answer]):
    """A screen whose engine jobs run in threads."""

    PALETTE_ACTIONS: ClassVar[tuple[Action, ...]] = ()
    """The actions that the palette offers on this screen."""

    KEYS: ClassVar[tuple[Action, ...]] = ()
    """The actions that its help lists; a screen with other help overrides `action_help`."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """As in Textual, but a change of focus does not repaint the whole screen."""

    def __init__(self, open_engine: Callable[[], EngineWorker]) -> None:
        super().__init__()
        self.open_engine = open_engine

    @property
    def engine(self) -> EngineWorker:
        """The engine. The first call loads it, so call it from a worker."""
        return self.open_engine()

    @property
    def width(self) -> int:
        """The screen's width in columns."""
        return self.size.width or self.app.size.width

    def bar(self, id: str) -> Bar:
        """The bar with this id."""
        return self.query_one(f"#{id}", Bar)

    def work(
        self,
        job: Callable[[], Result | None],
        then: Callable[[Result], object] | None = None,
        group: str = "engine",
        *,
        is_kept: bool = False,
    ) -> None:
        """Runs a job in a thread; then the screen takes its result, unless that is None.

        A job that `is_kept` finishes even if this screen is left.
        """

        def run() -> None:
            try:
                result = job()
            except ReviewdeckError as error:
                self.call_later(self.show_refusal, error, group)
            else:
                if then is not None and result is not None:
                    self.call_later(then, result)

        (self.app if is_kept else self).run_worker(run, thread=True, group=group)

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        """Shows why the job of a group was refused; nothing was changed by it."""

    def ask_passphrase(self, then: Callable[[bool | None], None], question: str = "") -> None:
        """Asks for the passphrase until it opens the key; whether it did."""
        from reviewdeck_tui.screens.dialogs import PassphraseDialog

        def unlock(passphrase: str) -> None:
            self.engine.run(lambda engine: engine.authority.unlock(passphrase))

        words = (question,) if question else ()
        self.app.push_screen(PassphraseDialog(unlock, *words), then)

    def copy(self, text: str, report: str, say: Callable[[str, str], None]) -> None:
        """Copies a text to the operator's clipboard; reports success, or why it failed."""

        def announce(why: str) -> None:
            if why:
                say(f"The clipboard may be empty: {why}.", "flag")
            else:
                say(report, "text")

        self.app.copy_to_clipboard(text)
        if self.app.is_web:
            announce("")
        elif not clipboard.is_in_tmux(os.environ):
            announce(clipboard.why_not(os.environ))
        else:

            def run() -> None:
                why = clipboard.into_tmux(text, os.environ)
                self.app.call_from_thread(announce, why)

            self.run_worker(run, thread=True, group="copy")

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()

    @property
    def own_actions(self) -> tuple[Action, ...]:
        """The actions on the operator's own keys, where the screen has any."""
        return ()

    @property
    def keymap(self) -> Keymap:
        """The keys that the operator has mapped."""
        preferences = getattr(self.app, "preferences", None)
        return preferences.keys if isinstance(preferences, Preferences) else {}

    def is_on(self, action: Action) -> bool:
        """Whether the action does something in this program: in a read-only deck none decides."""
        turned_off = getattr(self.app, "turned_off", frozenset[str]())
        return action.call.partition("(")[0] not in turned_off

    def keys_here(self, entries: Iterable[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """The entries of a key bar, as the operator mapped them, without what is off."""
        off = {key for action in self.KEYS if not self.is_on(action) for key in keys_of(action, {})}
        here = [entry for entry in entries if not off.intersection(entry[0].split(" "))]
        return with_keymap(here, self.KEYS, self.keymap)

    def action_help(self) -> None:
        """The keys of this screen."""
        from reviewdeck_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.keymap, self.KEYS))

    def palette_commands(self) -> Iterator[SystemCommand]:
        """The screen's actions, for the palette, and the command that shows secrets if it may."""
        # A key that moves is not looked for by its name.
        actions = (*self.PALETTE_ACTIONS, *self.own_actions)
        by_use = sorted(actions, key=lambda action: _BY_USE.index(action.group))
        for action in filter(self.is_on, by_use):
            keys = " ".join(keys_of(action, self.keymap))
            yield SystemCommand(action.words, keys, self.runner(action))
        if (show_secrets := getattr(self, "action_secrets", None)) is not None:
            yield SystemCommand(SECRETS, "", show_secrets)

    def runner(self, action: Action) -> Callable[[], Awaitable[None]]:
        """Runs the action as its key would, guards included."""

        async def run() -> None:
            await self.run_action(action.call)

        return run
