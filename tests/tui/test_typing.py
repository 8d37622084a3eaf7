"""Keys at any time: before a screen stands, faster than the deck works, and after it was left."""

from __future__ import annotations

import os
import pty
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.tui.kit_deck import Cockpit, is_idle, running
from textual.app import App
from textual.command import CommandList
from textual.events import Key

from reviewdeck.demo import write_demo
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.keys import ACTIONS, MERGE_ONLY, TABLES
from reviewdeck_tui.preferences import Preferences

KEYS = sorted(
    {
        key
        for table in (ACTIONS, MERGE_ONLY, *TABLES.values())
        for action in table
        for key in action.keys.split(",")
    }
    - {"q"}
)
"""Every key of every screen; `q` leaves the deck, so it is typed last."""

WAYS = {
    "DeckScreen": (),
    "ChangesScreen": ("2",),
    "DocumentsScreen": ("B",),
    "CompareScreen": ("B", "tab", "tab", "enter"),
    "ConsolidateScreen": ("B", "M"),
    "ClusterScreen": ("b",),
    "MergeScreen": ("C", "m"),
    "SummaryScreen": ("d", "ctrl+s"),
    "InsightsScreen": ("I",),
    "ReadingScreen": ("p",),
    "HelpScreen": ("question_mark",),
    "ReasonDialog": ("r",),
    "DeckPalette": ("ctrl+p",),
}
"""The keys that open each screen; what does not open stays on the one before."""

PER_SCREEN = 1_000 // len(WAYS) + 1


@pytest.fixture
def demo(cockpit: Cockpit, tmp_path: Path) -> Cockpit:
    """The deck over the sample home: something for every screen."""
    cockpit.home = tmp_path / "demo"
    write_demo(cockpit.home, cockpit.clock())
    return cockpit


def typed(app: App[int], *keys: str) -> None:
    """Keys as a terminal hands them over: nobody waits for what they come to."""
    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else None))


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("is_early", [True, False], ids=["before it stands", "on it"])
async def test_no_key_at_any_time_ends_the_deck(demo: Cockpit, name: str, is_early: bool) -> None:
    chosen = random.Random(f"{name} {is_early}")  # noqa: S311 - keys, not secrets
    keys = chosen.choices(KEYS, k=PER_SCREEN // 2 + 1)
    if not is_early:
        demo.take_in()
    app = open_app(demo.settings, Preferences(), now=demo.clock, tick=demo.ticks)
    if is_early:
        typed(app, *WAYS[name], *keys)
    async with running(app, (120, 36)) as deck:
        deck.screen.edit = lambda text, document: text
        if not is_early:
            await deck.settle()
            if name == "ClusterScreen":
                await deck.press("o")
                await deck.go_to(
                    next(id for id in deck.ids if deck.screen.backlog.store.cluster_size(id) > 1)
                )
            await deck.press(*WAYS[name])
            await deck.until(lambda: type(app.screen).__name__ == name)
            typed(app, *keys)
        await deck.until(lambda: is_idle(app))
        typed(app, *chosen.choices(KEYS, k=5))
        await deck.until(lambda: is_idle(app))


async def test_a_picture_that_is_asked_for_as_the_deck_closes_is_not_taken(
    cockpit: Cockpit,
) -> None:
    async with cockpit.open() as deck:
        pass
    assert deck.app.deliver_screenshot() is None


@pytest.mark.parametrize("opens", [DeckApp.action_command_palette, DeckApp.search_themes])
async def test_a_palette_without_room_for_a_line_has_no_pages_to_turn(
    cockpit: Cockpit, opens: Callable[[DeckApp], None]
) -> None:
    async with cockpit.open(size=(80, 4)) as deck:
        opens(deck.app)
        await deck.until(lambda: deck.app.screen.query_one(CommandList).option_count > 0)
        await deck.press("pagedown", "pageup", "escape")
        assert deck.app.screen is deck.screen


async def test_what_is_typed_before_the_first_screen_stands_is_obeyed_in_its_order(
    demo: Cockpit,
) -> None:
    app = open_app(demo.settings, Preferences(), now=demo.clock, tick=demo.ticks)
    typed(app, "C", "4", "s")
    async with running(app, (120, 36)):
        view = app.screen_stack[0].view  # type: ignore[attr-defined]
        assert (view.conflicts_only, str(view.lane)) == (True, "All")


async def test_a_key_after_the_one_that_leaves_is_no_command(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open() as deck:
        typed(deck.app, "q", "a", "d")
        await deck.until(lambda: not deck.app.is_running)
    engine = cockpit.engine()
    assert not engine.ledger.drafts()
    engine.close()


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.6])
def test_keys_typed_into_a_terminal_while_the_deck_starts(
    demo: Cockpit, tmp_path: Path, wait: float
) -> None:
    command = [sys.executable, "-m", "reviewdeck.cli.entry", "--home", str(demo.home)]
    environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path)}
    environment |= {"REVIEWDECK_DEBUG": "1", "XDG_DATA_HOME": str(tmp_path / "data")}
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command[0], command, environment)  # noqa: S606 - our own program
    time.sleep(wait)
    os.write(terminal, b"C43s?j\x1b4")
    shown, end, leaving = b"", time.monotonic() + 120, time.monotonic() + 4
    while time.monotonic() < end:
        if time.monotonic() > leaving:
            with suppress(OSError):
                os.write(terminal, b"q")
            leaving += 1
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            shown += os.read(terminal, 65_536)
        except OSError:  # It left.
            break
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert b"Something is wrong" not in shown
    assert b"Traceback" not in shown
    assert b"locals" not in shown
    assert os.waitstatus_to_exitcode(status) == 0
