"""The keys of a screen, from the one table of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from reviewdeck_tui.keys import ACTIONS, Action, Group, Keymap, keys_of
from reviewdeck_tui.queue import bars

NOTES = (
    "Nothing is written before y on the summary. Enter and space never decide.",
    "Dangerous ones are decided one at a time; nothing is approved before its diff was shown.",
    "Filter: words, or state:conflict kind:skills origin:chat home:NAME session:ID action:add"
    " target:memory.",
    "In lane 2: r reverts, space and A mark as seen, U undoes that, s looks further back.",
    "On every screen, ? lists the keys of that screen.",
    "Signs: + ready, * already live, ! dangerous or refused, # conflict, x dead, ? unreadable,"
    " ~ deferred, = written, - rejected, / decided outside reviewdeck.",
    "Six cells before the age: a dot for a check that passes, its letter for one that fails:"
    " a only adds, p plain, o origin, c current, n new, r room (i shows each with its evidence).",
    "Right of the age: 3f is three findings, x3 is one of a cluster of three (b).",
)


class HelpScreen(ModalScreen[None]):
    """Every key with its words, for the queue and for the diff."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,question_mark", "dismiss_help", "back"),
        ("j,down", "scroll(1)", "down"),
        ("k,up", "scroll(-1)", "up"),
        ("ctrl+d,pagedown,space", "scroll(10)", "page down"),
        ("ctrl+u,pageup", "scroll(-10)", "page up"),
        ("g,home", "scroll_to(True)", "to the top"),
        ("G,end", "scroll_to(False)", "to the end"),
    ]
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        background: $background 60%;
        #box { width: 100%; max-width: 104; height: 100%; max-height: 60; background: $surface;
               border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
               scrollbar-background: $surface; scrollbar-color: $secondary 60%; }
        #text { width: 1fr; height: auto; }
    }
    """

    def __init__(self, keymap: Keymap, actions: Sequence[Action] = ACTIONS) -> None:
        super().__init__()
        self._keymap = keymap
        self._actions = actions

    def compose(self) -> ComposeResult:
        """One list, which scrolls on a low screen."""
        box = VerticalScroll(Static(id="text", markup=False), id="box", can_focus=False)
        box.border_title = Content("Keys")
        box.border_subtitle = Content("esc back, j k scroll, G end")
        yield box

    def on_mount(self) -> None:
        """Lays the text out for the width."""
        is_wide = self.app.size.width >= 100
        lines = help_lines(self._keymap, in_two=is_wide, actions=self._actions)
        self.query_one("#text", Static).update(Content("\n").join(lines))

    def action_scroll(self, lines: int) -> None:
        """Scrolls the list."""
        self.query_one("#box", VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_scroll_to(self, top: bool) -> None:
        """To the first line, or to the last."""
        box = self.query_one("#box", VerticalScroll)
        if top:
            box.scroll_home(animate=False)
        else:
            box.scroll_end(animate=False)

    def action_dismiss_help(self) -> None:
        """Back to the screen below."""
        self.dismiss(None)


def help_lines(
    keymap: Keymap, *, in_two: bool, actions: Sequence[Action] = ACTIONS
) -> Iterator[Content]:
    """The keys, with their action in the queue and, where it differs, in the diff."""
    groups = dict.fromkeys(action.group for action in actions)
    for group in sorted(groups, key=list(Group).index) if actions is ACTIONS else groups:
        yield Content.styled(group.value, "bold $deck-heading")
        for action in actions:
            if action.group is not group:
                continue
            keys = " ".join(keys_of(action, keymap))
            line = Content.styled(f"  {keys:<10} ", "bold $deck-text")
            if action.diff and in_two:
                yield (
                    line
                    + bars.styled(f"{action.words:<46} ", "text")
                    + bars.styled(f"diff: {action.diff}", "quiet")
                )
            elif action.diff:
                yield (
                    line
                    + bars.styled(action.words, "text")
                    + bars.styled(f" | diff: {action.diff}", "quiet")
                )
            else:
                yield line + bars.styled(action.words, "text")
        yield Content("")
    for note in NOTES:
        yield bars.styled(note, "quiet")
