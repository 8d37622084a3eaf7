"""`reviewdeck list`."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import is_coloured, print_json, say, width
from reviewdeck.cli.queue_lines import line_of
from reviewdeck.cli.queue_page import Page, page_in_words
from reviewdeck.cli.quick import FIRST_PAGE, LARGEST
from reviewdeck.cli.session import glancing, looking
from reviewdeck.clock import utc_now
from reviewdeck.model import QueueItem, State
from reviewdeck.ports import Filter
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.situation import direct_of
from reviewdeck.presentation.words import inert

OPEN = tuple(state for state in State if state.is_open)


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
        int, Parameter(help="At most so many.", validator=Number(gte=1, lte=LARGEST))
    ] = FIRST_PAGE,
    after: Annotated[
        int | None,
        Parameter(help="Go on behind this position, as the last page said at its end."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """The queue, newest first."""
    items, names = _page(state or OPEN, limit, after, options)
    now = utc_now()
    if options.json:
        print_json([item_json(item, now) for item in items])
        return 0
    lines = tuple(map(line_of, items))
    colours = is_coloured(sys.stdout, options.no_color)
    page = Page(lines, names, limit, after is None, width(), colours)
    sys.stdout.write(page_in_words(page, now))
    if page.is_empty_queue and not state:
        for line in _direct(options, now):
            say(inert(line))
    return 0


def _direct(options: Options, now: datetime) -> tuple[str, ...]:
    """For each home whose agent writes without staging, that it does."""
    with looking(options, everywhere=True) as deck:
        found = (direct_of(deck, one.home, now) for one in deck.context.homes)
        return tuple(filter(None, found))


def _page(
    states: tuple[State, ...], limit: int, after: int | None, options: Options
) -> tuple[tuple[QueueItem, ...], dict[str, str]]:
    """A page, through the light reader when nothing has moved, and the names of the homes."""
    with glancing(options) as glance:
        if glance is not None:
            page = glance.reader.page(Filter(glance.ids, states), after=after, limit=limit)
            return page, {home.id: home.name for home in glance.homes}
    with looking(options, everywhere=True) as deck:
        page = deck.pending(states, after=after, limit=limit)
        return page, {one.home.id: one.home.name for one in deck.context.homes}
