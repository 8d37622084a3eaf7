"""The terminal app: settings, themes, filters, one screen. All else is in the screens."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import App, SuspendNotSupported, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.errors import LedgerTooNew, LedgerUnavailable
from reviewdeck.external_editor import edited
from reviewdeck.homes.kinds import kind_at
from reviewdeck.ledger.reader import open_reader
from reviewdeck.ports import Clock
from reviewdeck.presentation.crash import last_words
from reviewdeck.presentation.words import count, home_words
from reviewdeck.terminal import end_with, give_size
from reviewdeck_tui.ansi16 import Ansi16Filter
from reviewdeck_tui.preferences import Preferences, load_preferences, preferences_path
from reviewdeck_tui.queue.load import first_stock, told_apart
from reviewdeck_tui.queue.view import Stock
from reviewdeck_tui.safe import SafetyFilter
from reviewdeck_tui.screens.base import EngineScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.theme import PREFIX, THEMES, meanings
from reviewdeck_tui.widgets.card_list import CardList
from reviewdeck_tui.widgets.line_scroll import LineScroll

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine


class DeckApp(App[int]):
    """The deck in a terminal. Its result is the number of drafts that are not written."""

    # The palette is Textual's own: as tight as our screens, its scrollbar in our colours.
    CSS = """
    CommandPalette > Vertical { margin-top: 2; }
    CommandPalette SearchIcon { display: none; }
    CommandPalette #--input { border: none; padding: 1 0 0 0; }
    CommandPalette CommandInput, CommandPalette CommandInput:focus {
        border: none; height: 1; padding: 0 2;
    }
    CommandPalette CommandList {
        border: none; padding: 1 0;
        scrollbar-size-vertical: 1; scrollbar-color: $secondary 60%;
        scrollbar-background: $surface; scrollbar-background-hover: $surface;
    }
    CommandPalette CommandList:focus { border: none; }
    """

    def __init__(
        self,
        settings: Settings,
        *,
        first: Stock,
        preferences: Preferences,
        now: Clock = utc_now,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self.preferences = preferences
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.title = "reviewdeck"
        self._settings = settings
        self._engine: Engine | None = None
        self._is_left = False
        self._door = threading.Lock()
        self._first = first
        self._clocks = (now, tick)
        known = preferences.theme in self.available_themes
        self.theme = preferences.theme if known else THEMES[0].name
        self.set_keymap(dict(preferences.keys))

    def get_default_screen(self) -> Screen[None]:
        """The deck."""
        now, tick = self._clocks
        return DeckScreen(
            self.open_bench, self._first, self.preferences, edit=self.edit, now=now, tick=tick
        )

    def open_bench(self) -> Engine:
        """The engine. Its modules are loaded with the first call, which comes from a worker."""
        with self._door:
            if self._engine is None:
                self._engine = self.make_bench(self._settings, self._clocks[0])
            return self._engine

    def make_bench(self, settings: Settings, now: Clock) -> Engine:
        """The engine over these settings."""
        from reviewdeck_tui.engine import Engine

        return Engine(settings, now)

    def close_engine(self, *, left: bool = False) -> None:
        """Lets go of the ledger. Whoever left by themselves begins at the start next time."""
        with self._door:
            if self._engine is not None:
                if left:
                    self._engine.leave()
                self._engine.close()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours by meaning, for the themes that do not bring them."""
        return {f"{PREFIX}{name}": colour for name, colour in meanings(self.current_theme).items()}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Sixteen colours where there are no more; the second layer against hostile text last."""
        has_few = self.console.color_system == "standard" and not self.is_headless
        few = [Ansi16Filter()] if has_few else []
        return [*super().get_line_filters(), *few, SafetyFilter()]

    async def on_event(self, event: events.Event) -> None:
        """Handles every event. Keys and pastes say that the operator is there."""
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            await self._until_mounted()
            if self._is_left:
                return  # Typed after the key that left: it is a command to no screen.
        if isinstance(event, events.Key | events.Paste) and self._engine is not None:
            self._engine.touch()
        if not (isinstance(event, events.Key) and await self._obeyed(event)):
            await super().on_event(event)

    async def _until_mounted(self) -> None:
        """Holds input back until the screen in front stands: its actions look for its widgets.

        Textual hands a key to a screen as soon as the screen is on the stack, which is before it
        is composed. What is typed meanwhile waits here and is obeyed in its order.
        """
        while self.screen_stack and not self.screen.is_mounted:  # noqa: ASYNC110 - its event is private
            await asyncio.sleep(0.001)

    async def _obeyed(self, event: events.Key) -> bool:
        """Does what a key stands for at once, where no widget could want the key itself.

        Textual (`App.on_event`) hands a key to the widget that has the focus when the key comes,
        and runs its action later: of `/approve`, typed in one breath, all letters would still be
        commands of the queue.
        """
        if event.is_forwarded or not isinstance(self.focused, LineScroll | CardList | None):
            return False
        bound = self.screen.active_bindings.get(event.key)
        if bound is None or not bound.enabled:
            return False
        return await self.run_action(bound.binding.action, bound.node)

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Leaves, and does not wait for a look at the homes."""
        self._is_left = True
        if self._engine is not None:
            self._engine.break_off()
        super().exit(result, return_code, message)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the deck, by its words; then Textual's own."""
        if isinstance(screen, EngineScreen):
            yield from screen.offers()
        for command in super().get_system_commands(screen):
            if command.title not in ("Quit", "Keys", "Maximize", "Minimize"):
                yield command

    def _fatal_error(self) -> None:
        # Textual prints all local variables here, texts of agents and keys, without a setting.
        self.bell()
        self.panic()

    def panic(self, *renderables: RenderableType) -> None:
        """Ends the deck with its last words.

        Textual comes here with traces of its own too: of an exception that can print itself, and
        of a thread that reads the terminal. None of them is printed.
        """
        super().panic(Text(last_words(self._exception, os.environ)))

    def edit(self, text: str, document: str) -> str | None:
        """Lets the operator edit a text in their own editor; None when there is none."""
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        try:
            with self.suspend():
                return edited(text, document.rpartition("/")[2], shlex.split(command))
        except SuspendNotSupported:
            return None


def open_app(
    settings: Settings,
    preferences: Preferences,
    *,
    now: Clock = utc_now,
    tick: Callable[[], float] = time.monotonic,
    kind: type[DeckApp] = DeckApp,
) -> DeckApp:
    """The app with its first page, which the light reader brings. Raises HomeUnavailable."""
    paths = [path.resolve() for path in settings.homes]
    kinds = {path: kind_at(path) for path in paths}
    names = {str(path): home_words(one.label(path), one.name) for path, one in kinds.items()}
    homes = told_apart(names)
    try:
        with open_reader(settings.ledger) as reader:
            first = first_stock(reader, homes)
    except LedgerTooNew:
        raise
    except LedgerUnavailable:  # An older one: the engine brings it up to date, or says why not.
        first = Stock(homes=homes)
    return kind(settings, first=first, preferences=preferences, now=now, tick=tick)


def run(settings: Settings, *, plain: bool = False) -> int:
    """Opens the deck; the exit code. What is drafted stays drafted, and is said at the end."""
    drafts: int | None = None
    preferences = load_preferences(preferences_path())
    if plain or preferences.plain:
        from reviewdeck_tui.plain import run_plain

        drafts = run_plain(settings, utc_now)
    else:
        give_size(sys.__stdout__)
        app = open_app(settings, preferences)
        end_with(sys.__stdin__)
        try:
            drafts = app.run()
        finally:
            app.close_engine(left=drafts is not None)
    if drafts:
        print(f"reviewdeck: {count(drafts, 'draft')} kept, not written.")
    return 0 if drafts is not None else 1
