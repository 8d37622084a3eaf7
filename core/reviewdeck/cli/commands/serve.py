"""`reviewdeck serve`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.numbers import whole
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import has_terminal_app, say
from reviewdeck.cli.session import selection_of, settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.errors import BadInput
from reviewdeck.interruption import leaving_signals
from reviewdeck.terminal import is_terminal


def serve(
    *,
    port: Annotated[
        int,
        Parameter(
            help="The port on the loopback interface; 0 picks a free one.",
            converter=whole(0, 65_535),
        ),
    ] = 0,
    options: Options = DEFAULTS,
) -> int:
    """Open the deck in your browser (local only; read-only until you unlock it here)."""
    if options.json or not is_terminal():
        raise UsageProblem("Serving the deck needs a terminal: it is unlocked from there.")
    if not has_terminal_app() or find_spec("textual_serve") is None:
        raise BadInput(
            "The deck in a browser is not installed.",
            hint="Install it with: pip install 'reviewdeck[browser]'",
        )
    settings_of(
        options, everywhere=True, elsewhere=True
    )  # Fails here, in the terminal, if the options are wrong.
    # By name: this package must not depend on the terminal app.
    words = list(import_module("reviewdeck_tui.browser.arguments").spell(selection_of(options)))
    serving = import_module("reviewdeck_tui.browser.server")

    def tell(line: str) -> None:
        say(line)
        sys.stdout.flush()

    with leaving_signals():
        return int(serving.serve(words, port, tell))
