"""Keys that move, look and narrow: none of them decides anything."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.widgets import Input
from textual.worker import get_current_worker

from reviewdeck.policy.redact import redact
from reviewdeck_tui import bars
from reviewdeck_tui.board import Lane, Matches
from reviewdeck_tui.columns import Sort
from reviewdeck_tui.covering import STILL_COVERED
from reviewdeck_tui.filtering import mask_of, matching
from reviewdeck_tui.messages import Filtered
from reviewdeck_tui.preferences import LAYOUTS
from reviewdeck_tui.screens.frame import Frame
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.facts_view import FactsView
from reviewdeck_tui.widgets.queue_list import QueueList


class Moving(Frame):
    """The half of the keys that changes nothing but what is on the screen."""

    _found: Filtered | None = None
    """What the last filter came to: one that goes on from it looks no further."""

    def action_down(self) -> None:
        """Next proposal, or one line down."""
        self._vertically(1)

    def action_up(self) -> None:
        """Previous proposal, or one line up."""
        self._vertically(-1)

    def _vertically(self, step: int) -> None:
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_lines(step)
        else:
            self.queue.move(step)

    def action_top(self) -> None:
        """First proposal, or the top of the diff."""
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_to_start()
        else:
            self.queue.move(-len(self.items))

    def action_bottom(self) -> None:
        """Last proposal, or the end of the diff."""
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_to_finish()
        else:
            self.queue.move(len(self.items))

    def action_page_down(self) -> None:
        """Half a page down."""
        self._by_page(0.5)

    def action_page_up(self) -> None:
        """Half a page up."""
        self._by_page(-0.5)

    def _by_page(self, pages: float) -> None:
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_pages(pages)
        else:
            self.queue.move_page(pages)

    def action_open(self) -> None:
        """The diff comes to the front. Never decides."""
        if self.current is not None:
            self.in_diff = True

    def action_back(self) -> None:
        """Back to the queue; there, the filter and the marks go."""
        if self.in_diff:
            self.in_diff = False
        elif self.wanted or self.view.conflicts_only:
            self.drop_filter()
        else:
            self.queue.clear_marks()

    def watch_in_diff(self, in_diff: bool) -> None:
        """Focus follows what is in front."""
        self.make_room()
        self._focus_front()
        self.show_bars()

    def _focus_front(self) -> None:
        """Textual's own `focus` of a widget paints all of it."""
        self.set_focus(self.diff if self.in_diff else self.queue, scroll_visible=False)

    def action_next_proposal(self) -> None:
        """Next proposal, whatever is in front."""
        self.guard.moved()
        self.queue.move(1)

    def action_previous_proposal(self) -> None:
        """Previous proposal, whatever is in front."""
        self.guard.moved()
        self.queue.move(-1)

    def action_next_hunk(self) -> None:
        """Next change of the diff."""
        self.diff.jump_hunk(1)

    def action_previous_hunk(self) -> None:
        """Previous change of the diff."""
        self.diff.jump_hunk(-1)

    def action_next_conflict(self) -> None:
        """Next place of a conflict."""
        self.diff.jump_conflict(1)

    def action_previous_conflict(self) -> None:
        """Previous place of a conflict."""
        self.diff.jump_conflict(-1)

    def action_mark(self) -> None:
        """Marks and goes down; in the diff, a page down."""
        if self.in_diff:
            self._by_page(1.0)
        else:
            self.queue.toggle_mark()
            self._vertically(1)

    def action_mark_range(self) -> None:
        """Marks from the last mark to here."""
        self.queue.mark_range_to_cursor()

    # Lanes, order, filter.

    def action_lane_decide(self) -> None:
        """What waits."""
        self.set_view(lane=Lane.DECIDE)

    def action_lane_drafts(self) -> None:
        """What is decided and not written."""
        self.set_view(lane=Lane.DRAFTS)

    def action_lane_all(self) -> None:
        """Everything."""
        self.set_view(lane=Lane.ALL)

    def action_conflicts(self) -> None:
        """Conflicts only, or everything again."""
        self.set_view(conflicts_only=not self.view.conflicts_only)

    def action_home(self) -> None:
        """The next home; after the last, all of them."""
        names: list[str | None] = [None, *self.stock.homes]
        if len(names) <= 2:
            self.say("There is one home here.")
            return
        self.set_view(home=names[(names.index(self.view.home) + 1) % len(names)])

    def action_style(self) -> None:
        """Another order of the queue; in the diff, another layout."""
        if self.in_diff:
            now = LAYOUTS.index(self.diff.layout_mode)
            self.diff.layout_mode = LAYOUTS[(now + 1) % len(LAYOUTS)]
            self.say(f"Layout: {self.diff.layout_mode}.")
        else:
            orders = list(Sort)
            self.set_view(sort=orders[(orders.index(self.view.sort) + 1) % len(orders)])

    def action_wrap(self) -> None:
        """Long lines wrap, or not."""
        self.diff.wrap = not self.diff.wrap

    def action_more_context(self) -> None:
        """More unchanged lines."""
        self.diff.context += 3

    def action_less_context(self) -> None:
        """Fewer unchanged lines."""
        self.diff.context = max(0, self.diff.context - 3)

    def action_fold(self) -> None:
        """Opens or closes unchanged text."""
        self.diff.toggle_fold()

    def action_evidence(self) -> None:
        """Why, Evidence, History, in turn."""
        self.side = self.side.after()
        self.show_title()
        self.show_facts()

    def action_more_evidence(self) -> None:
        """The next lines of the pane beside the diff; after the last ones, the first again."""
        pane = self.query_one(FactsView)
        if pane.scroll_offset.y >= pane.max_scroll_y:
            pane.scroll_home(animate=False)
        else:
            pane.scroll_page_down(animate=False)

    def action_next_match(self) -> None:
        """Next match of the search."""
        self.diff.next_match(1)

    def action_previous_match(self) -> None:
        """Previous match of the search."""
        self.diff.next_match(-1)

    def action_copy(self) -> None:
        """Puts the proposal into the clipboard of the terminal."""
        if (item := self.current) is not None:
            text = f"{item.id} {item.summary}"
            copied = text if self.shows_secrets else f"{item.id} {redact(item.summary)}"
            self.app.copy_to_clipboard(copied)
            self.say(f"Copied: its id and what it wants.{STILL_COVERED if copied != text else ''}")

    # The filter: letters show at once, a worker goes through the proposals in steps.

    def action_filter(self) -> None:
        """Opens the line for filter or search."""
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.value = "" if self.in_diff else self.wanted
        self.set_focus(line)  # at once: what follows in the same breath is no command

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        if not self.query_one("#filter").has_class("-open"):
            return
        if self.in_diff:
            self.diff.search(event.value)
            return
        self.wanted = event.value.strip()
        if not self.wanted:
            self.workers.cancel_group(self, "filter")
            self.set_view(matches=None)
            return
        self.filter_for(self.wanted)

    def filter_for(self, wanted: str) -> None:
        """Narrows the lane to what these words find."""
        self.wanted = wanted
        self.run_worker(self._filter_job(wanted), thread=True, group="filter", exclusive=True)

    def _filter_job(self, wanted: str) -> Callable[[], None]:
        stock, known = self.stock, self._found

        def run() -> None:
            worker = get_current_worker()
            hay = stock.shelf.hay(stock.homes, lambda: worker.is_cancelled)
            before = known.found if known is not None and known.shelf is stock.shelf else None
            if hay is None:
                return
            found = matching(wanted, hay, lambda: worker.is_cancelled, before)
            if found is not None:
                mask = mask_of(found.places, len(stock.shelf))
                self.post_message(Filtered(wanted, stock.shelf, found, mask))

        return run

    @on(Filtered)
    def _filtered(self, event: Filtered) -> None:
        if event.wanted == self.wanted:
            self._found = event
            self.set_view(matches=Matches(event.shelf, event.mask))

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.close_filter()

    def close_filter(self) -> None:
        """The filter stays, its line goes."""
        self.query_one("#filter", Input).remove_class("-open")
        self._focus_front()

    def drop_filter(self) -> None:
        """Everything of the lane again; in the diff, no marks of a search."""
        if self.in_diff:
            self.diff.search("")
            return
        self.workers.cancel_group(self, "filter")
        self.wanted = ""
        self.set_view(matches=None, conflicts_only=False)

    def on_key(self, event: events.Key) -> None:
        """In the line of the filter, escape drops it and the arrows leave it."""
        line = self.query_one("#filter", Input)
        if not line.has_focus:
            return
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.close_filter()
            self.drop_filter()
        elif event.key in ("down", "up"):
            event.stop()
            self.close_filter()

    # What the widgets say.

    @on(QueueList.Moved)
    def _moved(self, event: QueueList.Moved) -> None:
        if event.by_key:
            self.guard.moved()
        self.show_bars()
        self.look_at(self.current)

    @on(QueueList.Opened)
    def _opened(self) -> None:
        self.action_open()

    async def on_click(self, event: events.Click) -> None:
        """A click on a lane opens it; one on the panes' names goes on to the next."""
        widget = event.widget
        if widget is self.bar("lanes"):
            lane = bars.lane_at(self.stock, event.x)
            if lane is not None:
                await self.run_action(f"lane_{lane.lower()}")
        elif widget is self.bar("panes"):
            self.action_evidence()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click brings to the front what it fell on."""
        if isinstance(event.widget, DiffView):
            self.in_diff = True
        elif isinstance(event.widget, QueueList):
            self.in_diff = False
