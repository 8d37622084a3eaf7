"""`reviewdeck demo`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import utc_now
from reviewdeck.errors import WriteFailed


def demo(
    path: Annotated[
        Path, Parameter(help="A directory that does not exist, is empty, or is an earlier demo.")
    ],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Write a made-up home to try everything on."""
    from reviewdeck.demo import write_demo
    from reviewdeck.demo.conversation import SCRIPT, SESSION

    try:
        write_demo(path, utc_now())
    except OSError as error:
        raise WriteFailed(f"{path} cannot be written: {error.strerror}.", hint="") from error
    if options.json:
        print_json({"home": str(path.resolve())})
        return 0
    say(f"A made-up home is in {path}. Try:")
    there = replace(options, home=(path,), profile=None)
    for words in (("auto", "--dry-run"), ("auto",), ("list",), ("since",)):
        say(f"  {command(there, *words)}")
    session, script = (str(path / one) for one in (SESSION, SCRIPT))
    say(f"  {command(there, 'review', session, '--script', script)}")
    return 0
