"""The keys of a screen, from the one table of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from reviewdeck_tui.keys import ACTIONS, Action, Group, Keymap, keys_of
from reviewdeck_tui.queue import bars
from reviewdeck_tui.widgets.one_line import OneLine

LEGEND: Final = (
    "Signs: + ready, * already live, ! dangerous or refused, # conflict, x outdated, ? unreadable,"
    " ~ deferred, = applied, - rejected, / decided outside reviewdeck.",
    "To check: plain (no orders, secrets or scripts), current (the text is as its author saw it),"
    " room (it fits), new (said nowhere yet), origin (it comes from you); i shows the evidence."
    " 3 alike: one of three about the same thing (b).",
)
NOTES: Final = (
    "Nothing is saved before y on the summary. Enter and space never decide.",
    "Dangerous ones are decided one at a time; nothing is approved before its diff was shown.",
    "Filter: words, or a field: state:conflict kind:skills origin:chat home:NAME session:ID"
    " action:add target:memory severity:high age:>3d check:origin. NOT excludes; OR stands between"
    " two filters.",
    "In lane 2: r reverts, space and A mark as seen, U undoes that, s looks further back.",
    "On every screen, ? lists the keys of that screen, and ^p every command by its name. ^z pauses"
    " the deck; fg in the shell goes on.",
)


MOST_WIDTH: Final = 104
_TWO_COLUMNS: Final = 95
"""Cells from which what a key does elsewhere has a column."""
_COLUMN: Final = 59
"""The cell at which what a key does elsewhere begins, if there is room."""


class HelpScreen(ModalScreen[None]):
    """Every key with its words, for the queue and for the diff."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,question_mark", "dismiss_help", "back"),
        ("slash", "search", "search"),
        ("j,down", "scroll(1)", "down"),
        ("k,up", "scroll(-1)", "up"),
        ("ctrl+d,pagedown,space", "scroll(10)", "page down"),
        ("ctrl+u,pageup", "scroll(-10)", "page up"),
        ("g,home", "scroll_to(True)", "to the top"),
        ("G,end", "scroll_to(False)", "to the end"),
    ]
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        background: $background 60%;
        #box { width: 100%; max-width: 104; height: 100%; max-height: 60; background: $surface;
               border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
               scrollbar-background: $surface; scrollbar-color: $secondary 60%; }
        #text { width: 1fr; height: auto; }
        #search { display: none; dock: bottom; height: 1; border: none; padding: 0 1;
                  background: $panel; }
        #search.-open { display: block; }
    }
    """

    def __init__(
        self, keymap: Keymap, actions: Sequence[Action] = ACTIONS, *, in_diff: bool = False
    ) -> None:
        super().__init__()
        self._keymap = keymap
        self._actions = actions
        self._in_diff = in_diff
        # Held, not looked up: a size may come before the text is in the box.
        self._text = Static(id="text", markup=False)
        self._box = VerticalScroll(self._text, id="box", can_focus=False)
        self._search_line = OneLine(id="search", placeholder="a key, or what it does")

    def compose(self) -> ComposeResult:
        self._box.border_title = Content("Keys")
        self._box.border_subtitle = Content("/ search, esc back, j k scroll, G end")
        yield self._box
        yield self._search_line

    def on_mount(self) -> None:
        """Lays the text out for the width."""
        self._show("")

    def on_resize(self) -> None:
        """Lays the text out for another width."""
        self._show(self._search_line.value)

    def _show(self, words: str) -> None:
        width = min(self.app.size.width, MOST_WIDTH) - 5
        lines = help_lines(self._keymap, width, self._actions, words, in_diff=self._in_diff)
        self._text.update(Content("\n").join(lines))
        self._box.scroll_home(animate=False)

    def action_search(self) -> None:
        self._search_line.add_class("-open").focus()

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        self._show(event.value)

    @on(Input.Submitted)
    def _leave_search(self) -> None:
        self.set_focus(None)

    def action_scroll(self, lines: int) -> None:
        self._box.scroll_relative(y=lines, animate=False)

    def action_scroll_to(self, top: bool) -> None:
        (self._box.scroll_home if top else self._box.scroll_end)(animate=False)

    def action_dismiss_help(self) -> None:
        line = self._search_line
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.set_focus(None)
        else:
            self.dismiss(None)


def help_lines(
    keymap: Keymap,
    width: int,
    actions: Sequence[Action] = ACTIONS,
    words: str = "",
    *,
    in_diff: bool = False,
) -> Iterator[Content]:
    """The legend, then the keys with what each does here and, where that differs, elsewhere.

    With words, only the keys that have all of them.
    """
    wanted = words.casefold().split()
    is_deck = tuple(actions[: len(ACTIONS)]) == ACTIONS
    if not wanted and is_deck:
        yield from (bars.styled(line, "text") for line in (*LEGEND, ""))
    groups = dict.fromkeys(action.group for action in actions)
    for group in sorted(groups, key=list(Group).index) if is_deck else groups:
        lines = [
            _key_lines(action, " ".join(keys_of(action, keymap)), width, in_diff=in_diff)
            for action in actions
            if action.group is group and _has(action, keymap, wanted)
        ]
        if lines:
            yield Content.styled(group.value, "bold $deck-heading")
            yield from lines
            yield Content("")
    if not wanted:
        yield from (bars.styled(note, "quiet") for note in NOTES)


def _has(action: Action, keymap: Keymap, wanted: Sequence[str]) -> bool:
    text = " ".join((action.name, action.words, action.diff)).casefold()
    return all(word in text or word in keys_of(action, keymap) for word in wanted)


def _key_lines(action: Action, keys: str, width: int, *, in_diff: bool) -> Content:
    """A key and what it does in front; what it does elsewhere follows, or stands below."""
    here, there = (action.diff, action.words) if in_diff else (action.words, action.diff)
    line = Content.styled(f"  {keys:<10} ", "bold $deck-text") + bars.styled(here or there, "text")
    if not (here and there):
        return line
    other = bars.styled(f"{'queue' if in_diff else 'diff'}: {there}", "quiet")
    gap = max(2, _COLUMN - line.cell_length) if width >= _TWO_COLUMNS else 2
    if line.cell_length + gap + other.cell_length <= width:
        return line + Content(" " * gap) + other
    return line + Content("\n" + " " * 13) + other
