"""The process behind the page: the deck over the given homes and ledger."""

from __future__ import annotations

import os
import sys

from reviewdeck.environment import settings_for
from reviewdeck.errors import ReviewdeckError
from reviewdeck.operators.hardening import harden_process
from reviewdeck.terminal import warn
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.browser.arguments import parse
from reviewdeck_tui.browser.read_only import ReadOnlyApp
from reviewdeck_tui.preferences import load_preferences, preferences_path


def main() -> int:
    """Runs until the page is closed."""
    harden_process()  # This process holds a key once the operator unlocks it.
    selection, is_unlocked = parse(sys.argv[1:])
    kind = DeckApp if is_unlocked else ReadOnlyApp
    try:
        settings = settings_for(selection, everywhere=True, elsewhere=True)
        app = open_app(settings, load_preferences(preferences_path()), kind=kind)
    except ReviewdeckError as error:
        warn(f"reviewdeck: {error.message} {error.hint}")
        return 1
    # The server shows this process's stderr in a terminal as it is: a traceback may quote an agent.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        drafts = app.run()
    finally:
        app.close_engine()
    return 0 if drafts is not None else 1


if __name__ == "__main__":
    sys.exit(main())
