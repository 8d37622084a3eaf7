"""The terminal app: settings, themes, filters, input. The rest is in the screens."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events, on
from textual.app import App, SuspendNotSupported, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import ThemeProvider

from reviewdeck.bootstrap import kind_for
from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.errors import LedgerTooNew, LedgerUnavailable
from reviewdeck.external_editor import edit_text
from reviewdeck.ledger.reader import open_reader
from reviewdeck.ports import Clock
from reviewdeck.presentation.crash import crash_report
from reviewdeck.presentation.words import count, home_words
from reviewdeck.terminal import ENDING_SIGNALS, ensure_size, exit_on_hangup, exits_on_signals
from reviewdeck_tui import clipboard
from reviewdeck_tui.ansi16 import Ansi16Filter
from reviewdeck_tui.home_names import distinct_names
from reviewdeck_tui.preferences import Preferences, load_preferences, preferences_path
from reviewdeck_tui.queue.load import read_first_page
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.safe import SafetyFilter
from reviewdeck_tui.screens.base import EngineScreen
from reviewdeck_tui.screens.deck import Arrived, DeckScreen
from reviewdeck_tui.theme import PREFIX, THEMES, meanings
from reviewdeck_tui.widgets.line_scroll import LineScroll

if TYPE_CHECKING:
    from textual.command import Provider, ProviderSource

    from reviewdeck_tui.engine import EngineWorker


def _palette() -> type[Provider]:
    """The palette's commands, loaded when it is opened."""
    from reviewdeck_tui.commands import DeckCommands

    return DeckCommands


class DeckApp(App[int]):
    """The deck in a terminal. Its result is the number of drafts that are not written."""

    # The palette is Textual's own: as tight as our screens, its scrollbar in our colours.
    CSS = """
    CommandPalette > Vertical { margin-top: 2; max-width: 84; }
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
    CommandPalette CommandList { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [  # priority: in a dialog too
        Binding("ctrl+z", "suspend_process", "pause, until fg", show=False, priority=True)
    ]
    COMMANDS = {_palette}  # noqa: RUF012 - as Textual declares it
    turned_off: ClassVar[frozenset[str]] = frozenset()
    """The screens' actions that this program does not do: their keys are not offered."""

    def __init__(
        self,
        settings: Settings,
        *,
        first: Backlog,
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
        self._engine: EngineWorker | None = None
        self._has_quit = self._has_closed = False
        self._engine_lock = threading.Lock()
        self._first = first
        self._clocks = (now, tick)
        is_available = preferences.theme in self.available_themes
        self.theme = preferences.theme if is_available else THEMES[0].name
        self.set_keymap(dict(preferences.keys))
        for key, name in (
            *((key, "filter") for key in preferences.filters),
            *((key, "command") for key in preferences.commands),
        ):
            self.bind(key, f"screen.own_{name}('{key}')", show=False)

    def on_mount(self) -> None:
        """Ends in order on a signal, whatever is on the screen: the terminal is given back."""
        # After ctrl+z and fg Textual starts the terminal again, and paints nothing.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in ENDING_SIGNALS:
                loop.add_signal_handler(number, self.end_by_signal, number)

    def end_by_signal(self, number: int) -> None:
        """Leaves because of this signal, with the exit code that shells give it."""
        self.exit(return_code=128 + number)

    def get_default_screen(self) -> Screen[None]:
        now, tick = self._clocks
        return DeckScreen(
            self.open_engine, self._first, self.preferences, edit=self.edit, now=now, tick=tick
        )

    def open_engine(self) -> EngineWorker:
        """The engine. The first call loads its modules, so call it from a worker."""
        with self._engine_lock:
            if self._engine is None:
                self._engine = self.make_engine(self._settings, self._clocks[0])
                if self._has_closed:  # A thread asks for it after the end: it is refused.
                    self._engine.close()
            return self._engine

    def make_engine(self, settings: Settings, now: Clock) -> EngineWorker:
        """Makes the engine over these settings."""
        from reviewdeck_tui.engine import EngineWorker

        return EngineWorker(settings, now)

    def close_engine(self, *, is_exit: bool = False) -> None:
        """Closes the ledger. After a deliberate exit, the next deck begins at its start."""
        with self._engine_lock:
            self._has_closed = True
            if self._engine is not None:
                if is_exit:
                    self._engine.leave()
                self._engine.close()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours by meaning, for themes without them."""
        return {f"{PREFIX}{name}": colour for name, colour in meanings(self.current_theme).items()}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The sixteen-colour filter if needed, and last the second layer against hostile text."""
        has_sixteen = self.console.color_system == "standard" and not self.is_headless
        colour_filters = [Ansi16Filter()] if has_sixteen else []
        return [*super().get_line_filters(), *colour_filters, SafetyFilter()]

    async def on_event(self, event: events.Event) -> None:
        """Handles every event. Keys and pastes count as signs of the operator."""
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            await self._wait_until_mounted()
            if self._has_quit:
                return  # Typed after the key that quit: no screen takes it.
        if isinstance(event, events.Key | events.Paste) and self._engine is not None:
            self._engine.touch()
        if not (isinstance(event, events.Key) and await self._run_key(event)):
            await super().on_event(event)

    async def _wait_until_mounted(self) -> None:
        """Delays input until the screen in front is mounted, as its actions query its widgets.

        Textual hands a key to a screen as soon as the screen is on the stack, which is before it
        is composed. Input typed meanwhile waits here, and is handled in order.
        """
        while self.screen_stack and not self.screen.is_mounted:  # noqa: ASYNC110 - its event is private
            await asyncio.sleep(0.001)

    async def _run_key(self, event: events.Key) -> bool:
        """Runs a key's action at once, if no widget could want the key itself.

        Textual (`App.on_event`) hands a key to the widget that has the focus when the key comes,
        and runs its action later: of `/approve`, typed in one breath, all letters would still be
        commands of the queue.
        """
        if event.is_forwarded or not isinstance(self.focused, LineScroll | None):
            return False
        active = self.screen.active_bindings.get(event.key)
        if active is None or not active.enabled:
            return False
        return await self.run_action(active.binding.action, active.node)

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Quits, without waiting for an intake of the homes."""
        self._has_quit = True
        if self._engine is not None:
            self._engine.abandon()
        super().exit(result, return_code, message)

    def action_command_palette(self) -> None:
        """Opens the palette, unless it is open."""
        if not isinstance(self.screen, CommandPalette):
            self._open_palette("Search for commands…")

    def search_themes(self) -> None:
        """Lists the themes; the one that is chosen is set."""
        self._open_palette("Search for themes…", [ThemeProvider])

    def _open_palette(self, placeholder: str, providers: ProviderSource | None = None) -> None:
        from reviewdeck_tui.commands import DeckPalette

        self.push_screen(DeckPalette(providers, placeholder=placeholder))

    def pop_screen(self) -> AwaitComplete:
        """Goes back to the screen below, which does what the one in front was to call for others.

        Textual has the screen in front call what any widget of any screen wants called after the
        next refresh, and forgets it if that screen goes before: a diff would wait for good to learn
        that it was painted.
        """
        gone = self.screen
        popped = super().pop_screen()
        for callback, sender in gone._callbacks:
            if not (isinstance(sender, DOMNode) and gone in sender.ancestors_with_self):
                self.screen._invoke_later(callback, sender)
        gone._callbacks.clear()
        return popped

    def deliver_screenshot(self, *arguments: Any, **named: Any) -> str | None:
        """Saves a picture of the screen unless the deck is closing: the palette asks late."""
        return super().deliver_screenshot(*arguments, **named) if self.screen_stack else None

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The screen's actions by their words; then Textual's own commands."""
        if isinstance(screen, EngineScreen):
            yield from screen.palette_commands()
        for command in super().get_system_commands(screen):
            if command.title in ("Theme", "Screenshot"):
                yield command._replace(help="")

    @on(Arrived)
    def _give_notice(self, event: Arrived) -> None:
        """Asks the terminal for a notice, if it is not in front and the operator wants one."""
        kind = self.preferences.notify
        if kind == "off" or self.app_focus or self.is_web or self._driver is None:
            return
        words = f"reviewdeck: {count(event.amount, 'new proposal')}"
        self._driver.write(clipboard.notice(words, os.environ) if kind == "desktop" else "\a")

    def _fatal_error(self) -> None:
        # Textual would print all local variables here: texts of agents, and keys.
        self.bell()
        self.panic()

    def panic(self, *renderables: RenderableType) -> None:
        """Ends the deck with a short crash message.

        Textual also calls this with tracebacks: of an exception that can print itself, and of
        the thread that reads the terminal. None of them is printed.
        """
        super().panic(Text(crash_report(self._exception, os.environ)))

    def edit(self, text: str, document: str) -> str | None:
        """Lets the operator edit a text in their editor; None if there is none."""
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        try:
            with self.suspend():
                return edit_text(text, document.rpartition("/")[2], command)
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
    """The app with its first page, as the ledger has it. Raises HomeUnavailable."""
    paths = [path.resolve() for path in settings.homes]
    kinds = {path: kind_for(path, settings) for path in paths}
    names = {str(path): home_words(kind_.label(path), kind_.name) for path, kind_ in kinds.items()}
    homes = distinct_names(names)
    try:
        with open_reader(settings.ledger) as reader:
            first = read_first_page(reader, homes)
    except LedgerTooNew:
        raise
    except LedgerUnavailable:  # An older ledger: the engine upgrades it, or reports why not.
        first = Backlog(homes=homes)
    return kind(settings, first=first, preferences=preferences, now=now, tick=tick)


def run(settings: Settings, *, plain: bool = False) -> int:
    """Runs the deck and returns the exit code. Drafts are kept, and reported at the end."""
    drafts: int | None = None
    preferences = load_preferences(preferences_path())
    if plain or preferences.plain:
        for problem in preferences.problems:
            print(f"reviewdeck: {problem}", file=sys.stderr)
        from reviewdeck_tui.plain import run_plain

        drafts = run_plain(settings, utc_now)
    else:
        ensure_size(sys.__stdout__)
        for name in ("COLUMNS", "LINES"):  # Exported, they would hide from Textual that it resized.
            os.environ.pop(name, None)
        app = open_app(settings, preferences)
        exit_on_hangup(sys.__stdin__)
        try:
            with exits_on_signals():
                drafts = app.run()
        finally:
            app.close_engine(is_exit=drafts is not None)
        if (app.return_code or 0) > 128:
            return app.return_code or 0  # A signal ended it: there may be no terminal to print to.
    if drafts:
        print(f"reviewdeck: {count(drafts, 'draft')} kept, not written.")
    return 0 if drafts is not None else 1
