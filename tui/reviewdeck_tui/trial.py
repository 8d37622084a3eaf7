"""The deck of `make run`: read-only, over the operator's own homes."""

from __future__ import annotations

import sys

from reviewdeck.engine.options import Settings
from reviewdeck.terminal import ensure_size, exit_on_hangup
from reviewdeck_tui.app import open_app
from reviewdeck_tui.browser.read_only import ReadOnlyApp
from reviewdeck_tui.preferences import load_preferences, preferences_path


def run_trial(settings: Settings, command: str) -> int:
    """Runs the read-only deck and returns the exit code; `command` is the one that decides."""
    ensure_size(sys.__stdout__)
    app = open_app(settings, load_preferences(preferences_path()), kind=ReadOnlyApp)
    if isinstance(app, ReadOnlyApp):
        app.off = f"Read-only: nothing is decided or written here. `{command}` decides."
    exit_on_hangup(sys.__stdin__)
    result = None
    try:
        result = app.run()
    finally:
        app.close_engine(is_exit=result is not None)
    print(f"Nothing was changed. To decide: {command}")
    return 0 if result is not None else 1
