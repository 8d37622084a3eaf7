"""Opening the deck: at once where the words are plain, without the command line's parser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.cli.output import has_terminal_app
from reviewdeck.cli.tokens import VALUED, understood
from reviewdeck.terminal import is_terminal

if TYPE_CHECKING:
    from reviewdeck.cli.options import Options
    from reviewdeck.environment import Selection


def opened(tokens: Sequence[str]) -> int | None:
    """The deck's exit code; None where the words ask for anything else, or are not that plain."""
    given = understood(tokens, VALUED, {"--all-profiles"})
    if given is None or not is_terminal() or not has_terminal_app():
        return None
    from reviewdeck.environment import Selection

    home, policy = given.get("--home"), given.get("--policy")
    profile = given.get("--profile")
    selection = Selection(
        home=() if home is None else (Path(home),),
        profile=() if profile is None else (profile,),
        all_profiles="--all-profiles" in given,
        ledger=given.get("--ledger"),
        policy=None if policy is None else Path(policy),
    )
    return _run(selection, plain=False)


def open_terminal(options: Options, *, plain: bool) -> int:
    """The deck; the list of what waits where it is not installed."""
    if has_terminal_app():
        from reviewdeck.cli.session import selection_of

        return _run(selection_of(options), plain=plain)
    from reviewdeck.cli.commands.list import list as show_list

    return show_list(options=options)


def _run(selection: Selection, *, plain: bool) -> int:
    from importlib import import_module

    from reviewdeck.environment import Selection, settings_for
    from reviewdeck.locations import has_no_home

    if selection == Selection() and not plain and has_no_home(os.environ):
        return int(import_module("reviewdeck_tui.tour").run_tour())
    settings = settings_for(selection, everywhere=True)
    # By name: the engine's side never depends on the terminal app.
    return int(import_module("reviewdeck_tui.app").run(settings, plain=plain))
