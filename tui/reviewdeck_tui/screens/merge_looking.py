"""Keys of the merge screen that move, look and search: none of them decides anything."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events, on
from textual.app import SystemCommand
from textual.widgets import Input

from reviewdeck_tui.actions import MERGE_ACTIONS, SECRETS
from reviewdeck_tui.screens.merge_frame import MergeFrame
from reviewdeck_tui.widgets.diff_view import DiffView


class MergeLooking(MergeFrame):
    """The half of the keys that changes nothing but what is on the screen."""

    def action_next_hunk(self) -> None:
        """The next place."""
        self._move(1)

    def action_previous_hunk(self) -> None:
        """The place before."""
        self._move(-1)

    def _move(self, step: int) -> None:
        if self.session.move(step):
            self.show_sides()
            self.show_result()
        else:
            self.say("There is no other place.")

    def action_down(self) -> None:
        """One line down."""
        self._front.scroll_lines(1)

    def action_up(self) -> None:
        """One line up."""
        self._front.scroll_lines(-1)

    def action_page_down(self) -> None:
        """Half a page down."""
        self._front.scroll_pages(0.5)

    def action_page_up(self) -> None:
        """Half a page up."""
        self._front.scroll_pages(-0.5)

    def action_mark(self) -> None:
        """A page down. Never decides."""
        self._front.scroll_pages(1.0)

    def action_top(self) -> None:
        """The beginning."""
        self._front.scroll_to_start()

    def action_bottom(self) -> None:
        """The end."""
        self._front.scroll_to_finish()

    def action_open(self) -> None:
        """The other half comes to the front. Never decides."""
        self.in_result = not self.in_result

    def action_style(self) -> None:
        """Side by side, or one below the other."""
        self.abreast_wanted = not self.is_abreast
        self.show_sides()

    def action_wrap(self) -> None:
        """Long lines wrap, or not."""
        for view in (self.sides, self.result):
            view.wrap = not view.wrap

    def action_fold(self) -> None:
        """Opens or closes unchanged text of the result."""
        self.result.toggle_fold()

    def action_evidence(self) -> None:
        """The next pane."""
        self.pane = self.pane.after()
        self.show_facts()

    def offers(self) -> Iterator[SystemCommand]:
        """The actions, and what is rarely wanted."""
        yield from super().offers()
        yield SystemCommand(SECRETS, "secrets", self.action_secrets)

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again: here and in the deck."""
        self.host.shows_secrets = not self.host.shows_secrets
        self.show_all()

    def action_help(self) -> None:
        """The keys of this screen."""
        from reviewdeck_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.host.preferences.keys, MERGE_ACTIONS))

    @property
    def _front(self) -> DiffView:
        return self.result if self.in_result else self.sides

    # Searching.

    def action_filter(self) -> None:
        """Opens the line for a search."""
        line = self.query_one("#search", Input)
        line.value = ""
        self.set_focus(line.add_class("-open"))

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.result.search(event.value)

    @on(Input.Submitted, "#search")
    def _searched(self) -> None:
        self._close_search()

    def _close_search(self) -> None:
        self.query_one("#search", Input).remove_class("-open")
        self.in_result = True
        self.result.focus()

    def action_next_match(self) -> None:
        """The next match."""
        self.result.next_match(1)

    def action_previous_match(self) -> None:
        """The match before."""
        self.result.next_match(-1)

    def on_key(self, event: events.Key) -> None:
        """In the line of the search, escape drops it."""
        line = self.query_one("#search", Input)
        if line.has_focus and event.key == "escape":
            event.stop()
            event.prevent_default()
            self.result.search("")
            self._close_search()
