"""The base of the screens whose work runs in threads."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias, TypeVar

from textual import events
from textual.app import SystemCommand
from textual.content import Content
from textual.css.query import NoMatches
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui import clipboard
from reviewdeck_tui.keys import END, SECRETS, Action, Group, Keymap, bindings, keys_of, with_keymap
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.proposal.redaction import error_words
from reviewdeck_tui.queue import bars
from reviewdeck_tui.summary.requirements import has_to_unlock
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck_tui.engine import EngineWorker

Answer = TypeVar("Answer")
Result = TypeVar("Result")
Choice = TypeVar("Choice")

Editor: TypeAlias = Callable[[str, str], str | None]
"""Lets the operator edit a text; the second argument names the document. None: no editor."""

Room: TypeAlias = tuple[object, ...]
"""The sizes that a screen was drawn for."""

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
NO_WORDS: Final = Content("")


def after(current: Choice, choices: Iterable[Choice], step: int = 1) -> Choice:
    """The next of a few choices, wrapping around."""
    order = list(choices)
    return order[(order.index(current) + step) % len(order)]


class Movable(Protocol):
    """A widget that the keys move in, or scroll."""

    def move(self, delta: int, /) -> None:
        """Moves by so many rows."""

    def move_page(self, pages: float, /) -> None:
        """Moves by a part of the height."""


class EngineScreen(Screen[Answer]):
    """A screen whose engine jobs run in threads. What its keys do to a widget stands here."""

    PALETTE_ACTIONS: ClassVar[tuple[Action, ...]] = ()
    """The actions that the palette offers on this screen."""

    KEYS: ClassVar[tuple[Action, ...]] = ()
    """The actions that its keys run and its help lists; with other help, see `action_help`."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """As in Textual, but a change of focus does not repaint the whole screen."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        cls.BINDINGS = [*bindings(cls.KEYS)]
        super().__init_subclass__(**kwargs)

    def __init__(self, open_engine: Callable[[], EngineWorker]) -> None:
        super().__init__()
        self.open_engine = open_engine
        self._message = NO_WORDS
        self._drawn_for: Room = ()

    def on_mount(self) -> None:
        """Follows the sizes of the panes: a breakpoint moves them after the screen has its size."""
        redraw = partial(self._unless_left, self._redraw_if_resized)
        self.screen_layout_refresh_signal.subscribe(self, redraw)

    def on_resize(self) -> None:
        """Takes the first size, of which there is no signal."""
        self.call_after_refresh(self._redraw_if_resized)

    def _redraw_if_resized(self, _: Screen[Any] | None = None) -> None:
        if self._drawn_for != (room := self.room):
            self._drawn_for = room
            self.redraw()

    @property
    def room(self) -> Room:
        """All sizes that the lines are made for: a change of one redraws them."""
        return (self.size,)

    def redraw(self) -> None:
        """Redraws what is made for a size."""

    @property
    def engine(self) -> EngineWorker:
        """The engine. The first call loads it, so call it from a worker."""
        return self.open_engine()

    @property
    def width(self) -> int:
        """The screen's width in columns."""
        return self.size.width or self.app.size.width

    def bar(self, id: str) -> Bar:
        return self.query_one(f"#{id}", Bar)

    def call_after_refresh(
        self, callback: Callable[..., object], *arguments: Any, **named: Any
    ) -> bool:
        """As in Textual; but what comes after this screen was left finds no widget and ends."""
        return super().call_after_refresh(self._unless_left, callback, *arguments, **named)

    def _unless_left(
        self, callback: Callable[..., object], *arguments: Any, **named: Any
    ) -> object:
        try:
            return callback(*arguments, **named)
        except NoMatches:
            if self in self.app.screen_stack and not self._pruning:
                raise
            return None

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
                self.call_later(self._unless_left, self.show_refusal, error, group)
            else:
                if then is not None and result is not None:
                    self.call_later(self._unless_left, then, result)

        (self.app if is_kept else self).run_worker(run, thread=True, group=group)

    def read(
        self,
        look: Callable[[Engine], Result | None],
        then: Callable[[Result], object],
        group: str = "engine",
    ) -> None:
        """Looks at the engine in a thread; then the screen takes what it found."""
        self.work(lambda: self.engine.run(look), then, group)

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        """Shows why the job of a group was refused; nothing was changed by it."""
        self.say(error_words(error), "dangerous")

    # The strip, on the screens that have one.

    def say(self, text: str, meaning: str = "text") -> None:
        """Shows a message in the strip for `MESSAGE_SECONDS`."""
        message = self._message = bars.styled(f" {text}", meaning)
        self.show_strip()

        def expire() -> None:
            if self._message is message:
                self.clear_message()

        self.set_timer(MESSAGE_SECONDS, expire)

    def clear_message(self) -> None:
        """Clears the message: the strip shows its standing words again."""
        self._message = NO_WORDS
        self.show_strip()

    def show_strip(self) -> None:
        """Writes the message, or else the standing words."""
        self.bar("strip").show(self._message or self.standing_words())

    def standing_words(self) -> Content:
        """The strip's words when there is no message."""
        return NO_WORDS

    # What keys do to the widgets.

    @property
    def diff(self) -> DiffView:
        """The diff, on a screen that has one."""
        return self.query_one(DiffView)

    @property
    def in_front(self) -> Movable:
        """What the keys move in, or scroll."""
        return self.diff

    def action_leave(self) -> None:
        """Back to the screen below, with nothing for it."""
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        """Moves, or scrolls, by so many lines."""
        self.in_front.move(step)

    def action_page(self, pages: float) -> None:
        self.in_front.move_page(pages)

    def action_hunk(self, step: int) -> None:
        self.diff.jump_hunk(step)

    def action_sideways(self, direction: int) -> None:
        self.diff.scroll_columns(direction * self.diff.sideways)

    def action_wrap(self) -> None:
        self.diff.wrap = not self.diff.wrap

    def action_fold(self) -> None:
        self.diff.toggle_fold()

    def action_context(self, lines: int) -> None:
        self.diff.context = max(0, self.diff.context + lines)

    def ask(
        self, screen: Screen[Result] | Screen[Result | None], then: Callable[[Result], object]
    ) -> None:
        """Shows a screen over this one; then takes what it ends with, unless that is None."""

        def take(result: Result | None) -> None:
            if result is not None:
                then(result)

        self.app.push_screen(screen, take)

    def ask_passphrase(
        self, then: Callable[[], object], otherwise: Callable[[], object], question: str = ""
    ) -> None:
        """Asks for the passphrase until it opens the key, or the operator gives up."""
        from reviewdeck_tui.screens.dialogs import PassphraseDialog

        def unlock(passphrase: str) -> None:
            self.engine.run(lambda engine: engine.authority.unlock(passphrase))

        def go_on(is_unlocked: bool | None) -> None:
            (then if is_unlocked else otherwise)()

        self.app.push_screen(PassphraseDialog(unlock, question), go_on)

    def sign(
        self, then: Callable[[], object], question: str, otherwise: str, group: str = "engine"
    ) -> None:
        """Does what is signed: at once, or once the passphrase opened the key."""

        def go_on(is_locked: bool) -> None:
            if is_locked:
                self.ask_passphrase(then, lambda: self.say(otherwise), question)
            else:
                then()

        self.read(has_to_unlock, go_on, group)

    def edited(self, edit: Editor, text: str, document: str) -> str | None:
        """The text as the operator edited it; None where no editor could be started."""
        if (edited := edit(text, document)) is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        return edited

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

    def show_keys(
        self,
        short: Iterable[tuple[str, str]],
        end: Iterable[tuple[str, str]] = END,
        before_end: Content = NO_WORDS,
    ) -> None:
        """Writes the line of keys: as many as fit before the end, which is always shown."""
        right = before_end + bars.key_words(self.keys_here(end))
        self.bar("keys").show(bars.fitted_keys(self.keys_here(short), right, self.width))

    def action_help(self) -> None:
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
