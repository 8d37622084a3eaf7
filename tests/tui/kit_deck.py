"""The whole deck over a real home and a real ledger, without a terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from rich.text import Text
from tests.engine.kit import OPERATOR, Agent, Ticking
from textual.app import App
from textual.content import Content
from textual.css.query import NoMatches
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.widgets import Static

from reviewdeck.bootstrap import open_engine
from reviewdeck.demo.records import summary_of
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.model import Draft
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.summary import SummaryScreen
from reviewdeck_tui.widgets.facts_view import FactsView

PATIENCE = 120.0
"""Seconds until what a loaded machine has not shown is taken for missing."""


_SAID = ("add", "replace", "remove")


class Hermes(Agent):
    """Stages records with the summaries that Hermes gives them, which is what a queue shows."""

    def _stage(self, subsystem: str, action: str, payload: dict[str, Any], **options: Any) -> str:
        id = super()._stage(subsystem, action, payload, **options)
        path = self.home / "pending" / subsystem / f"{id}.json"
        record = json.loads(path.read_text("utf-8"))
        if action in _SAID or subsystem == "skills":
            record["summary"] = summary_of(record["payload"])
        path.write_text(json.dumps(record, ensure_ascii=False, indent=2), "utf-8")
        return id


class Ticks:
    """A clock for key presses: a second passes with each look, unless it stands still."""

    def __init__(self) -> None:
        self.at = 0.0
        self.step = 1.0

    def __call__(self) -> float:
        self.at += self.step
        return self.at


def is_quiet(app: App[Any]) -> bool:
    """Whether no key, message, callback or paint of any screen is under way.

    What a key leads to passes through the queues of several widgets. That the process uses no time,
    by which Textual tells the end of it, is also so while the machine runs another.
    """
    if not app.is_running:
        return True
    front = app.screen
    paints = front._dirty_widgets or front._repaint_required or front._recompose_required
    moves = front._layout_required or front._scroll_required or app._resize_event
    if paints or moves or front._callbacks or app._batch_count:
        return False
    nodes = chain([app], *(screen.walk_children(with_self=True) for screen in app.screen_stack))
    return all(_waits_for_a_message(node) for node in nodes)


def is_idle(app: App[Any]) -> bool:
    """Whether no worker is busy either."""
    return all(worker.is_finished for worker in app.workers) and is_quiet(app)


def _waits_for_a_message(node: MessagePump) -> bool:
    queue: Any = node._message_queue
    return queue.empty() and bool(queue.ready_event._waiters) and not node._next_callbacks


@dataclass
class Driver:
    """One open deck, and hands to press its keys."""

    app: DeckApp
    pilot: Pilot[int]

    @property
    def screen(self) -> DeckScreen:
        """The deck's own screen, whatever is in front of it."""
        found = self.app.screen_stack[0]
        assert isinstance(found, DeckScreen)
        return found

    @property
    def ids(self) -> list[str]:
        """What the queue shows, in order."""
        return [row.id for row in self.screen.queue.rows]

    @property
    def cursor(self) -> str:
        """The proposal under the cursor."""
        found = self.screen.queue.cursor_id
        assert found is not None
        return found

    @property
    def drafts(self) -> dict[str, Draft]:
        """What is drafted."""
        return dict(self.screen.backlog.drafts)

    @property
    def strip(self) -> str:
        """The line that speaks to the operator."""
        return self.line("strip")

    def line(self, id: str) -> str:
        """The plain text of one line of the screen in front."""
        found = self.app.screen.query_one(f"#{id}")
        assert isinstance(found, Static | FactsView)
        return str(found.content)

    def line_markup(self, id: str) -> str:
        """One line of the screen in front with its colours."""
        found = self.app.screen.query_one(f"#{id}", Static)
        assert isinstance(found.content, Content)
        return found.content.markup

    def shown(self) -> str:
        """Everything on the screen, as plain text."""
        console_lines = self.app.screen._compositor.render_strips()
        return "\n".join(
            Text("").join(Text(s.text) for s in strip).plain for strip in console_lines
        )

    async def press(self, *keys: str) -> None:
        """Presses keys, each when the one before has had its effect."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def write_drafts(self) -> None:
        """Opens the summary, decides once it is painted, and comes back."""
        await self.press("ctrl+s")
        await self.until(lambda: isinstance(self.app.screen, SummaryScreen))
        screen = self.app.screen
        assert isinstance(screen, SummaryScreen)
        await self.until(lambda: screen._is_painted)
        await self.press("y")
        await self.until(lambda: screen._report is not None)
        await self.press("escape")

    async def press_fast(self, *keys: str) -> None:
        """Presses keys without waiting for workers in between."""
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        """Waits until nothing is under way, and what is looked at is painted."""
        await self.until(self._is_settled)

    async def refresh(self, *, force: bool = False) -> None:
        """Has the deck read the ledger as it is now, as it does each second."""
        async with asyncio.timeout(PATIENCE):
            while self.screen.poll.is_asking:  # That one may have read it already.
                await self.pilot.pause(0.01)
        with self.app._context():  # Of two apps, a test is in the newer one's, and so its workers.
            self.screen.refresh_backlog(force=force)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until something is so; of a screen that is not the one on top yet, nothing is."""
        async with asyncio.timeout(PATIENCE):
            await self.pilot.pause()
            while True:
                if (crash := self.app._exception) is not None:
                    raise crash
                with suppress(NoMatches):
                    if is_so():
                        break
                await self.pilot.pause(0.01)
            await self.pilot.pause()

    def _is_settled(self) -> bool:
        if not self.app.is_running:
            return True
        screen = self.screen
        if not screen.backlog.is_complete or not is_idle(self.app):
            return False
        item, look = screen.current, screen.look
        if item is None or self.app.screen is not screen:
            return True
        if look is None or look.id != item.id:
            return False
        has_room = any(spans for _, spans in screen.diff.rows_in_sight())
        return screen.guard.is_seen(item.id, look.digest) or not has_room

    async def go_to(self, id: str) -> None:
        """Moves the cursor by keys until it is on a proposal."""
        place, here = self.ids.index(id), self.ids.index(self.cursor)
        await self.press(*(["j"] * (place - here) if place > here else ["k"] * (here - place)))


@asynccontextmanager
async def running(app: DeckApp, size: tuple[int, int]) -> AsyncIterator[Driver]:
    """An app while it runs; at the end it is closed as `run` closes it, however the test ended."""
    try:
        async with app.run_test(size=size) as pilot:
            yield Driver(app, pilot)
    finally:
        app.close_engine(is_exit=app.return_value is not None)


@dataclass
class Cockpit:
    """A home, a ledger, and the means to open the deck over them."""

    home: Path
    ledger: Path
    clock: Ticking
    agent: Agent
    ticks: Ticks = field(default_factory=Ticks)
    now: Callable[[], datetime] | None = None
    homes: tuple[Path, ...] = ()
    writes: list[tuple[str, str]] = field(default_factory=list)
    """What the editor was given: the text and the document."""
    write: Callable[[str], str | None] = lambda text: text
    """What the operator makes of a text in the editor."""

    @property
    def settings(self) -> Settings:
        """What the deck is opened with."""
        return Settings(
            homes=self.homes or (self.home,),
            ledger=str(self.ledger),
            user_home=self.ledger.parent,
            actor=OPERATOR,
            lock_wait=5.0,
        )

    def engine(self) -> Engine:
        """A second program over the same ledger."""
        return open_engine(self.settings, now=self.clock)

    def take_in(self) -> None:
        """What an earlier run of any command leaves behind: a ledger that knows the home."""
        deck = self.engine()
        deck.intake()
        deck.close()

    def ours(self, source_id: str) -> str:
        """Our own id of a record."""
        deck = self.engine()
        try:
            return deck.find(source_id).id
        finally:
            deck.close()

    @asynccontextmanager
    async def open(
        self, *, size: tuple[int, int] = (100, 40), preferences: Preferences | None = None
    ) -> AsyncIterator[Driver]:
        """The deck, open and settled."""
        app = open_app(
            self.settings, preferences or Preferences(), now=self.now or self.clock, tick=self.ticks
        )

        def edit(text: str, document: str) -> str | None:
            self.writes.append((text, document))
            return self.write(text)

        async with running(app, size) as driver:
            driver.screen.edit = edit
            await driver.settle()
            yield driver
