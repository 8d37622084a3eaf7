"""What `make run` shows: the main job, without ever writing to a home that is not ours.

In a terminal the deck opens, read-only; where there is no home, the tour does. Without a terminal,
this prints `auto --dry-run` and the queue of the home that Hermes itself would find. Both use a
ledger that is gone afterwards, and change no byte of the home. Without a terminal and a home, it
writes the sample home to `.demo/home` below the current directory (and anew each time: only a
directory with the demo's own marker is ever replaced), runs `auto` for real there, and shows the
queue and what to try next. It ends with 0 also when proposals await review.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from reviewdeck.bootstrap import open_engine
from reviewdeck.cli.exit_codes import DONE, WAITING
from reviewdeck.cli.main import main
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import has_terminal_app, say
from reviewdeck.cli.program_name import NAME, program_name
from reviewdeck.cli.session import selection_of
from reviewdeck.clock import utc_now
from reviewdeck.demo import write_demo
from reviewdeck.environment import Selection, settings_for, settings_in
from reviewdeck.errors import HomeUnavailable, ReviewdeckError
from reviewdeck.ledger.place import discard, ledger_in
from reviewdeck.ledger.reader import open_reader
from reviewdeck.locations import LEDGER, has_no_home
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter
from reviewdeck.terminal import can_draw, warn

PLACE: Final = Path(".demo")


def first_run() -> int:
    """Shows reviewdeck at work; 0 unless something failed."""
    if can_draw() and has_terminal_app():
        # The tour where there is no home.
        return main([]) if has_no_home(os.environ) else _look()
    try:
        home = settings_in(env=os.environ).homes[0]
    except HomeUnavailable:
        return _run_demo()
    say(f"reviewdeck looks at {home}. Nothing in it is changed.\n")
    with TemporaryDirectory(prefix="reviewdeck-") as place:
        # Set here and not as an option, so that the suggested commands do not repeat it.
        os.environ[LEDGER] = ledger_in(Path(place))
        return _show((["auto", "--dry-run"], ["list"]))


def _look() -> int:
    """Opens the deck, read-only."""
    try:
        settings = settings_for(Selection(), everywhere=True)
        with TemporaryDirectory(prefix="reviewdeck-", ignore_cleanup_errors=True) as place:
            settings = replace(settings, ledger=ledger_in(Path(place)))
            # By name: this package must not depend on the terminal app.
            run_trial = import_module("reviewdeck_tui.trial").run_trial
            return int(run_trial(settings, _program()))
    except ReviewdeckError as error:
        warn(f"reviewdeck: {error.message} {error.hint}")
        return 1


def _program() -> str:
    """The command of this installation, as one types it here."""
    sys.argv[0] = str(Path(sys.executable).with_name(NAME))  # This ran as a module, without a name.
    return program_name()


def _run_demo() -> int:
    home, ledger = PLACE / "home", ledger_in(PLACE)
    try:
        write_demo(home, utc_now())
    except ReviewdeckError as error:
        warn(f"reviewdeck: {error.message} {error.hint}")
        return 1
    say(f"There is no Hermes home here: this is a sample home, in {home}.\n")
    discard(ledger)
    _apply_demo(Options(home=(home,), ledger=ledger))
    say()
    code = _show((["list", "--home", str(home), "--ledger", ledger],))
    _suggest(home, ledger)
    return code


def _apply_demo(options: Options) -> None:
    """What `auto` does, also below an agent: nobody but this program chose the home and ledger."""
    from reviewdeck.cli.commands.auto import print_report

    settings = replace(settings_for(selection_of(options)), moved=())
    with closing(open_engine(settings)) as engine:
        print_report(engine, engine.auto(), options, dry_run=False)


def _suggest(home: Path, ledger: str) -> None:
    options = ("--home", str(home), "--ledger", ledger)
    program = _program()
    with open_reader(ledger) as reader:
        page = reader.page(Filter(states=(State.CONFLICT,)), limit=1)
    say("Try next:")
    for words in ("since", "list --state conflict", f"diff {page[0].id if page else 'ID'}"):
        say(f"  {program} {words} {' '.join(options)}")


def _show(commands: tuple[list[str], ...]) -> int:
    for tokens in commands:
        code = main(tokens)
        if code not in (DONE, WAITING):
            return code
        say()
    return 0


if __name__ == "__main__":
    sys.exit(first_run())
