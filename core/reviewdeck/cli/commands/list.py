"""`reviewdeck list`."""

from __future__ import annotations

import sys
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import is_coloured, print_json, say, width
from reviewdeck.cli.queue_lines import line_of
from reviewdeck.cli.queue_page import Page, render_page
from reviewdeck.cli.session import open_view
from reviewdeck.clock import utc_now
from reviewdeck.model import State
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.situation import direct_writes_warnings
from reviewdeck.presentation.words import home_words, inert

FIRST_PAGE: Final = 100
LARGEST: Final = 100_000


def list(
    *,
    state: Annotated[
        tuple[State, ...],
        Parameter(
            help="Only proposals in this state; may be given more than once. By default, all that"
            " are not decided.",
            consume_multiple=True,
            negative="",
            show_default=False,
        ),
    ] = (),
    limit: Annotated[
        int, Parameter(help="List at most this many.", validator=Number(gte=1, lte=LARGEST))
    ] = FIRST_PAGE,
    after: Annotated[
        int | None,
        Parameter(help="Continue after this position, which the last page printed at its end."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """List the queue, newest first."""
    with open_view(options, everywhere=True) as view:
        items = view.pending(state, after=after, limit=limit)
        names = {home.id: home_words(home.name, home.kind) for home in view.homes}
        now = utc_now()
        direct = direct_writes_warnings(view, now)
        cautions = tuple(caution for home in view.homes for caution in home.cautions)
    if options.json:
        print_json([item_json(item, now) for item in items])
        return 0
    lines = tuple(map(line_of, items))
    colours = is_coloured(sys.stdout, options.no_color)
    page = Page(lines, names, limit, after is None, width(), colours)
    sys.stdout.write(render_page(page, now))
    for line in (*direct, *cautions):
        say(inert(line))
    return 0
