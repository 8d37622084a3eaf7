"""`reviewdeck demo`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from reviewdeck.cli.deck_start import run_tour
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import has_terminal_app, print_json, say
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.demo import write_demo
from reviewdeck.demo.conversations import SCRIPT, SESSION
from reviewdeck.errors import WriteFailed
from reviewdeck.interruption import uninterrupted
from reviewdeck.terminal import can_draw, is_terminal

TEAM: Final = Path(".demo") / "team"


def demo(
    path: Annotated[
        Path | None,
        Parameter(
            help="A directory that does not exist, is empty, or is an earlier demo. "
            "Without it: a tour of three minutes in the terminal."
        ),
    ] = None,
    /,
    *,
    team: Annotated[
        bool,
        Parameter(
            help="Run a sample team until Ctrl-C: a server, two machines with a home each, and two"
            " people. PATH is .demo/team unless you name one."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Take the tour on a sample home that is deleted afterwards, or write such a home."""
    if team:
        from reviewdeck.cli.demo_team import run_team

        return run_team(path or TEAM, is_json=options.json)
    if path is None:
        return _tour(options)
    return _write(path, options)


def _tour(options: Options) -> int:
    if options.json or not (can_draw() and has_terminal_app()):
        drawing = " that can draw" if is_terminal() else ""
        raise UsageProblem(
            f"The tour needs a terminal{drawing}.",
            hint="`reviewdeck demo PATH` writes a sample home.",
        )
    return run_tour()


def _write(path: Path, options: Options) -> int:
    try:
        with uninterrupted():
            write_demo(path, utc_now())
    except OSError as error:
        raise WriteFailed(f"{path} cannot be written: {error.strerror}.", hint="") from error
    if options.json:
        print_json({"home": str(path.resolve())})
        return 0
    say(f"A sample home is in {path}. Try:")
    demo_options = replace(options, home=(path,), profile=())
    for words in (("auto", "--dry-run"), ("auto",), ("list",), ("since",)):
        say(f"  {command(demo_options, *words)}")
    session, script = (str(path / name) for name in (SESSION, SCRIPT))
    say(f"  {command(demo_options, 'review', session, '--script', script)}")
    return 0
