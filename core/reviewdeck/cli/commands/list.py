"""`reviewdeck list`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from cyclopts import Parameter

from reviewdeck.cli.chosen import MOST, Words, filtered
from reviewdeck.cli.columns import page_width, truncate
from reviewdeck.cli.line_format import line_format
from reviewdeck.cli.numbers import HIGHEST, whole
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import is_coloured, print_json, say
from reviewdeck.cli.queue_page import Page, id_length, render_page
from reviewdeck.cli.session import fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.written import written_items
from reviewdeck.model import QueueItem, State
from reviewdeck.model.votes import Vote
from reviewdeck.presentation.elsewhere import machine_of
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.proposal_words import closest_words, is_in_other_words
from reviewdeck.presentation.situation import direct_writes_warnings
from reviewdeck.presentation.votes import open_votes, short_vote_words, votes_json
from reviewdeck.presentation.words import home_words, inert

FIRST_PAGE: Final = 100


def list(
    *,
    state: Annotated[
        tuple[State, ...],
        Parameter(
            help="Only proposals in this state; may be given more than once. By default, all that"
            " are not decided.",
            consume_multiple=True,
        ),
    ] = (),
    words: Words = None,
    limit: Annotated[
        int, Parameter(help="List at most this many.", converter=whole(1, MOST))
    ] = FIRST_PAGE,
    after: Annotated[
        int | None,
        Parameter(
            help="Continue after this position, which the last page printed at its end.",
            converter=whole(0, HIGHEST),
        ),
    ] = None,
    format: Annotated[
        str | None,
        Parameter(
            help="One line for each proposal, with its fields in braces, as --json names them:"
            " '{id}' for the ids alone. \\t is a tab."
        ),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Changes outside review of one burst are one row."""
    if format is not None and options.json:
        raise UsageProblem(
            "Choose one of --format and --json.", hint="Each prints the list in its own form."
        )
    as_line = None if format is None else line_format(format)
    with fresh_engine(options, everywhere=True) as engine:
        if words is None:
            items = engine.pending(state, after=after, limit=limit)
        else:
            items = filtered(engine, state, words, after=after, limit=limit)
        items = written_items(engine.ledger, items)
        names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
        now = utc_now()
        if as_line is not None:
            for item in items:
                say(as_line(item_json(item, now)))
            return 0
        rows, notes, leads = _rows(engine, items, options)
        votes = open_votes(engine)
        notes = (*notes, *_notes_on_votes(votes, items), *_notes_on_words(engine, items))
        notes = (*notes, *_notes_on_machines(engine, items))
        direct = direct_writes_warnings(engine, now)
        cautions = tuple(caution for home in engine.homes for caution in home.cautions)
    if options.json:
        print_json(
            [
                {**item_json(item, now), **leads.get(item.id, {}), **_votes_json(votes, item)}
                for item in items
            ]
        )
        return 0
    colours = is_coloured(sys.stdout, options.no_color)
    more_after = items[-1].position if len(items) == limit else None
    is_chosen = bool(state) or words is not None
    if_empty = "No proposal matches." if is_chosen else "Nothing is waiting."
    if_empty = if_empty if after is None else "Nothing more."
    page = Page(rows, names, more_after, if_empty, page_width(), colours, notes)
    sys.stdout.write(render_page(page, now))
    for line in (*direct, *cautions):
        say(inert(line))
    return 0


def _rows(
    engine: Engine, items: Sequence[QueueItem], options: Options
) -> tuple[Sequence[QueueItem], tuple[str, ...], Mapping[str, Mapping[str, str]]]:
    """The rows of these items, the notes below them, and by change what JSON says of its burst."""
    if not any(item.state is State.LIVE for item in items):
        return items, (), {}
    # What words a burst loads the rules: only where one is listed.
    from reviewdeck.cli.burst_lines import burst_notes, bursts_by_id, rows_of

    of = bursts_by_id(engine, items)
    leads = {id: {"burst": burst.lead.id} for id, burst in of.items()}
    return tuple(rows_of(engine, items, of)), tuple(burst_notes(engine, of, options)), leads


def _notes_on_votes(
    votes: Mapping[str, tuple[Vote, ...]], items: Sequence[QueueItem]
) -> Iterator[str]:
    """Under the page, what another operator has to approve too, with those who did."""
    length = id_length(item.id for item in items)
    for item in items:
        if words := short_vote_words(votes.get(item.id, ()), item.digest):
            yield truncate(
                f"  {item.id[:length]}  {words}, waiting for another operator", page_width()
            )


def _votes_json(votes: Mapping[str, tuple[Vote, ...]], item: QueueItem) -> Mapping[str, object]:
    cast = votes.get(item.id, ())
    return {"votes": votes_json(cast, item.digest)} if cast else {}


def _notes_on_machines(engine: Engine, items: Sequence[QueueItem]) -> Iterator[str]:
    """Under the page, what is approved and waits for which machine."""
    coming = [item for item in items if item.state in (State.APPROVED, State.APPLYING)]
    machines = {item.home: machine_of(engine, item.home) for item in coming}
    for machine in sorted({*machines.values()} - {""}):
        ids = ", ".join(item.id[:8] for item in coming if machines[item.home] == machine)
        yield f"approved · waiting for {machine}: {ids}"


def _notes_on_words(engine: Engine, items: Sequence[QueueItem]) -> Iterator[str]:
    """Under the page, what waits only because nobody typed it so, with the closest sentence."""
    in_other_words = [item for item in items if is_in_other_words(item)]
    if not in_other_words:
        return
    yield "In other words (O in the deck shows them all: a approves, e takes your sentence):"
    length = id_length(item.id for item in items)
    for item in in_other_words:
        judgement = engine.ledger.judgement(item.id)
        words = closest_words(judgement.closest if judgement else "")
        yield truncate(f"  {item.id[:length]}  {words}", page_width())
