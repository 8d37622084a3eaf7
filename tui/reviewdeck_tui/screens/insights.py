"""Charts of the backlog over time. Each answers one question; each point opens its proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, assert_never

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.words import count
from reviewdeck_tui.insights.charts import columns_that_fit
from reviewdeck_tui.insights.material import gather
from reviewdeck_tui.insights.pictures import GroupBy, Material, Picture, PictureSubject, picture
from reviewdeck_tui.keys import INSIGHTS
from reviewdeck_tui.proposal.redaction import error_words
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog, rows_for
from reviewdeck_tui.screens.base import EngineScreen, Room, after
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.queue_list import QueueList

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SPANS: Final = (14, 30, 90)
"""Days that a chart can cover."""
MOST: Final = 500
"""Proposals of one point that are listed."""
SHORT: Final = (("h l", "point"), ("tab", "chart"), ("enter", "proposals"))


class InsightsScreen(EngineScreen[str | None]):
    """One chart at a time, and the proposals of its point. Ends with the id of one of them."""

    AUTO_FOCUS = ""
    KEYS = INSIGHTS
    DEFAULT_CSS = """
    InsightsScreen {
        #head, #lanes, #keys { background: $panel; }
        #question { height: 2; }
        #legend, #words { height: 1; }
        #picture { height: 3fr; width: 1fr; padding: 0 1; }
        #there { height: 2fr; min-height: 3; border-top: solid $panel; }
    }
    """

    def __init__(self, deck: DeckScreen) -> None:
        super().__init__(deck.open_engine)
        self.deck = deck
        self.subject = PictureSubject.INFLOW
        self.by = GroupBy.ORIGIN
        self.span = SPANS[0]
        self.at = 0
        self.is_in_list = False
        self._material: Material | None = None
        self._picture: Picture | None = None

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield Bar(id="lanes")
        yield Bar(id="question")
        yield Static(id="picture", markup=False)
        yield Bar(id="legend")
        yield Bar(id="words")
        yield QueueList(id="there")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Draws the frame, and reads the data."""
        self._show_bars()
        self.bar("question").show(bars.styled(" Loading…", "quiet"))
        self.action_reload()

    @property
    def is_drawn(self) -> bool:
        """Whether a chart is on the screen."""
        return self._picture is not None

    @property
    def room(self) -> Room:
        return *super().room, self.query_one("#picture").size

    def redraw(self) -> None:
        self._redraw()

    def action_reload(self) -> None:
        now = self.deck.now().astimezone()
        self.read(lambda engine: gather(engine, now, max(SPANS)), self._show_material)

    def _show_material(self, material: Material) -> None:
        self._material = material
        self._change_picture()

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        self.bar("words").show(bars.styled(f" {error_words(error)}", "dangerous"))

    def action_show(self, place: int) -> None:
        self._show_chart(list(PictureSubject)[place])

    def action_subject(self, step: int) -> None:
        self._show_chart(after(self.subject, PictureSubject, step))

    def _show_chart(self, subject: PictureSubject) -> None:
        self.subject = subject
        self._change_picture()

    def action_by(self) -> None:
        self.by = after(self.by, GroupBy)
        self._change_picture()

    def action_span(self, step: int) -> None:
        """More or fewer days, as far as each has a column."""
        place = SPANS.index(self.span) + step
        self.span = SPANS[min(max(place, 0), len(SPANS) - 1)]
        self._change_picture()

    def action_point(self, step: int) -> None:
        if self._picture is not None and self._picture.points:
            self.at = min(max(self.at + step, 0), len(self._picture.points) - 1)
            self._redraw()

    def action_down(self, step: int) -> None:
        if self.is_in_list:
            self.query_one(QueueList).move(step)
        elif self._picture is not None:
            self.action_point(step if self._picture.is_upright else -step)

    def action_open(self) -> None:
        proposals = self.query_one(QueueList)
        if self.is_in_list and proposals.cursor_id is not None:
            self.dismiss(proposals.cursor_id)
        elif proposals.cursor_id is not None:
            self.is_in_list = True
            proposals.focus()
            self._show_bars()

    @on(QueueList.Opened)
    def _open_row(self, event: QueueList.Opened) -> None:
        event.stop()
        self.is_in_list = True
        self.action_open()

    def action_back(self) -> None:
        if self.is_in_list:
            self.is_in_list = False
            self.set_focus(None)
            self._show_bars()
        else:
            self.dismiss(None)

    @property
    def _days(self) -> int:
        return min(self.span, columns_that_fit(self.size.width - 2))

    def _change_picture(self) -> None:
        """Makes another chart, with the cursor on its newest or largest point."""
        if self._material is None:
            return
        self._picture = picture(self.subject, self._material, self._days, self.by)
        points = len(self._picture.points)
        self.at = 0 if self._picture.is_upright else max(0, points - 1)
        self.is_in_list = False
        self._show_bars()
        self._redraw()

    def _redraw(self) -> None:
        self._show_bars()
        drawn = self._picture
        if drawn is None:
            return
        canvas = self.query_one("#picture", Static)
        lines: Sequence[Content] = [bars.styled("No data yet.", "quiet")]
        words, ids = "", tuple[str, ...]()
        if drawn.points:
            self.at = min(self.at, len(drawn.points) - 1)
            lines = drawn.draw(canvas.size.width - 2, canvas.size.height, self.at)
            point = drawn.points[self.at]
            words, ids = point.words, point.ids()
        canvas.update(Content("\n").join(lines))
        self.bar("question").show(bars.styled(f" {drawn.question}", "heading"))
        self.bar("legend").show(drawn.legend)
        self.bar("words").show(bars.styled(f" {words}", "text"))
        backlog: Backlog = self.deck.backlog
        proposals = self.query_one(QueueList)
        proposals.show(rows_for(ids[:MOST], backlog, self.deck.now()))
        if not self.is_in_list:
            proposals.move(-MOST)

    def _show_bars(self) -> None:
        width = self.width
        more: tuple[tuple[str, str], ...]
        match self.subject:
            case PictureSubject.ACCEPTED:
                scope, more = f"by {self.by}", (("b", "group by"),)
            case PictureSubject.AUTOMATIC:
                scope, more = "", ()
            case PictureSubject.INFLOW | PictureSubject.WAITING | PictureSubject.ROOM:
                scope, more = f"last {count(self._days, 'day')}", (("[ ]", "days"),)
            case _:
                assert_never(self.subject)
        title = Content.styled(" INSIGHTS", "bold $deck-heading")
        quiet = bars.styled(f"{scope} ", "quiet")
        self.bar("head").show(bars.spread(title, quiet, width))
        names = Content(" ")
        for place, subject in enumerate(PictureSubject):
            name = (
                f"[{place + 1} {subject}]"
                if subject is self.subject
                else f" {place + 1} {subject} "
            )
            names += bars.styled(f"{name} ", "strong" if subject is self.subject else "quiet")
        self.bar("lanes").show(names)
        self.show_keys((*SHORT, *more))
