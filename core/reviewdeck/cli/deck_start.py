"""Opening the deck: without loading the command line's parser where the options are simple."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.cli.output import has_terminal_app
from reviewdeck.cli.tokens import VALUED, parse_options
from reviewdeck.interruption import leaving_signals, uninterrupted
from reviewdeck.terminal import is_dumb, is_terminal, warn

if TYPE_CHECKING:
    from reviewdeck.cli.options import Options
    from reviewdeck.environment import Selection

DUMB: Final = "The deck needs a terminal that can draw, and TERM says that this one cannot"


def try_open_deck(tokens: Sequence[str]) -> int | None:
    """Opens the deck and gives its exit code; None if the tokens need the full parser."""
    options = parse_options(tokens, VALUED, {"--all-profiles", "--new"})
    if options is None or not is_terminal() or not has_terminal_app():
        return None
    from reviewdeck.environment import Selection

    home, policy = options.get("--home"), options.get("--policy")
    profile = options.get("--profile")
    selection = Selection(
        home=() if home is None else (Path(home),),
        profile=() if profile is None else (profile,),
        all_profiles="--all-profiles" in options,
        ledger=options.get("--ledger"),
        is_new="--new" in options,
        policy=None if policy is None else Path(policy),
    )
    return _run(selection, plain=False)


def open_terminal(options: Options, *, plain: bool) -> int:
    """Opens the deck; prints the queue if the terminal app is not installed."""
    if has_terminal_app():
        from reviewdeck.cli.session import selection_of

        return _run(selection_of(options), plain=plain)
    from reviewdeck.cli.commands.list import list as show_list

    return show_list(options=options)


def run_tour() -> int:
    """Takes the tour on a sample home that is deleted afterwards, and gives the exit code."""
    with leaving_signals():
        # By name: this package must not depend on the terminal app.
        return int(import_module("reviewdeck_tui.tour").run_tour())


def _run(selection: Selection, *, plain: bool) -> int:
    from reviewdeck.environment import Selection, settings_for
    from reviewdeck.ledger.place import is_postgres
    from reviewdeck.locations import has_no_home, ledger_url

    if is_dumb() and not plain:
        warn(f"reviewdeck: {DUMB}. It opens as lines of text, as with --plain.")
        plain = True
    is_alone = selection == Selection() and not is_postgres(ledger_url(None, os.environ))
    if is_alone and not plain and has_no_home(os.environ):
        return run_tour()
    settings = settings_for(selection, everywhere=True, elsewhere=True)
    # By name: this package must not depend on the terminal app.
    run = import_module("reviewdeck_tui.app").run
    if plain:
        return int(run(replace(settings, uninterrupted=uninterrupted), plain=True))
    with leaving_signals():
        return int(run(settings, plain=False))
