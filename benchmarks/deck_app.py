"""The deck with timed keys, which `deck_bench.py` runs in a terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import events

from reviewdeck.engine.options import Settings
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.widgets.diff_view import DiffView

LONG = 10_000
"""Lines from which a diff is the long one."""


class Clocks:
    """The cost of each key, in milliseconds."""

    def __init__(self) -> None:
        self.keys: list[dict[str, float]] = []
        self._at: tuple[float, float, float] | None = None

    def key(self, name: str) -> None:
        """Records a key; the work since the previous key belongs to that one."""
        self._close()
        self._at = (time.thread_time(), time.process_time(), time.perf_counter())
        self.keys.append({"key": name})  # type: ignore[dict-item]  # a name beside its figures

    def mark(self, name: str) -> None:
        """Records an event of the last key, the first time only."""
        if self._at is not None and f"{name}_cpu" not in self.keys[-1]:
            thread, _, clock = self._at
            self.keys[-1][f"{name}_cpu"] = (time.thread_time() - thread) * 1000
            self.keys[-1][f"{name}_clock"] = (time.perf_counter() - clock) * 1000

    def _close(self) -> None:
        if self._at is not None:
            thread, process, _ = self._at
            self.keys[-1]["loop"] = (time.thread_time() - thread) * 1000
            self.keys[-1]["process"] = (time.process_time() - process) * 1000


class TimedApp(DeckApp):
    """Records every key, every write to the terminal, and results."""

    clocks = Clocks()
    log_path: Path
    _last: events.Key | None = None

    async def on_event(self, event: events.Event) -> None:
        """Records keys before any other handler runs."""
        if isinstance(event, events.Key) and event is not self._last:
            self._last = event  # It comes back when no widget wanted it.
            self.clocks.key(event.key)
        await super().on_event(event)

    def on_mount(self) -> None:
        """Starts to record writes to the terminal."""
        driver = self._driver
        assert driver is not None
        write: Callable[[str], Any] = driver.write

        def seen(data: str) -> None:
            write(data)
            self.clocks.mark("shown")

        driver.write = seen  # type: ignore[method-assign]  # to look on

    def on_unmount(self) -> None:
        """Writes the figures for the parent process."""
        status = Path("/proc/self/status").read_text("utf-8")
        sizes = {
            line.split()[0]: int(line.split()[1]) / 1024
            for line in status.splitlines()
            if line.startswith(("VmHWM", "VmRSS"))
        }
        self.log_path.write_text(json.dumps({"keys": self.clocks.keys, "memory": sizes}))


def watch() -> None:
    """Marks the moments at which results are on the screen: plain methods can be wrapped."""
    set_view, show = DeckScreen.set_view, DiffView.show

    def on_view(screen: DeckScreen, **changes: object) -> None:
        set_view(screen, **changes)
        screen.call_after_refresh(TimedApp.clocks.mark, "found")

    def on_show(view: DiffView, document: DiffDocument, *, keep_place: bool = False) -> None:
        show(view, document, keep_place=keep_place)
        is_long = sum(len(section.lines) for section in document.sections) > LONG
        view.call_after_refresh(TimedApp.clocks.mark, "long" if is_long else "diff")

    DeckScreen.set_view = on_view  # type: ignore[method-assign, assignment]  # to look on
    DiffView.show = on_show  # type: ignore[method-assign, assignment]  # to look on


def main() -> None:
    """Opens the deck over a home and a ledger, with a log of what its keys cost."""
    home, ledger, log = map(Path, sys.argv[1:])
    settings = Settings(homes=(home,), ledger=str(ledger), user_home=home.parent)
    TimedApp.log_path = log
    watch()
    app = open_app(settings, Preferences(), kind=TimedApp)
    try:
        app.run()
    finally:
        app.close_engine()


if __name__ == "__main__":
    main()
